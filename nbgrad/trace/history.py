"""Whether a tensor has a derivative, by what it shows now; and the views that PyTorch protects."""

from __future__ import annotations

from nbgrad.errors import GradError
from nbgrad.trace.handle import CUSTOM, FRESH_VIEW, INFERENCE, NO_GRAD, PLAIN, Handle, Share
from nbgrad.trace.storage import _MADE, alias_of, share_of
from nbgrad.trace.thread import local

WRITTEN = "is being modified inplace"


_BASE_WRITTEN = "its base or another view of its base has been modified inplace"


def _output_of(share: Share) -> str:
    """Which output of which function a view is, as far as it says."""
    for call, _, numbers, statics in share.steps:
        if call.name == "unbind":
            return f"Output {(*numbers, *statics)[0]} of UnbindBackward0"  # the place of one of a vector is static
        if call.name == "split":
            return f"{'An output' if statics[1] else 'Output 0'} of SplitBackward0"
    return "This"


def protected_view(share: Share, happened: str) -> str:
    """Why a protected view may not be written, or used where what it shows was written."""
    kind = share.kind
    mode = _MADE.get(kind)
    if mode is not None:
        return (
            f"A view was created in {mode} mode and {happened} "
            f"{'with grad mode enabled' if kind == NO_GRAD else 'in normal mode'}. Given that this use case is "
            "ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the "
            f"inplace either both inside the {mode} block (if you don't want the inplace to be tracked) or both "
            "outside (if you want the inplace to be tracked)"
        )
    if kind == CUSTOM:
        return (
            f"This output of a custom Function is a view and {happened}. This view was created inside a custom "
            "Function (or because an input was returned as-is) and the autograd logic to handle view+inplace would "
            "override the custom backward associated with the custom Function, leading to incorrect gradients. This "
            "behavior is forbidden. You can fix this by cloning the output of the custom Function"
        )
    return (
        f"{_output_of(share)} is a view and {happened}. This view is the output of a function that returns multiple "
        "views. Such functions do not allow the output views to be modified inplace. You should replace the inplace "
        "operation by an out-of-place one"
    )


def requires_grad(a: Handle) -> bool:
    """Whether what is computed of ``a`` has a derivative, by what it shows now. Nothing is recorded."""
    share = a._share
    if share is None or (share is FRESH_VIEW and a._at.lazy_view == PLAIN and _is_of_this_page(a)):
        return a._at.requires_grad
    share = share_of(a)  # None where nested code was the last to show the same
    if share is None or (share.root is None and not rejoin(share)):
        return a._at.requires_grad
    if a._at.inference:
        return False  # a view of what has no history
    is_current = share.seen == share.storage.version
    has_own = a._at.requires_grad and share.kind not in (NO_GRAD, INFERENCE)  # a history, which those views never have
    if has_own and (is_current or share.counted == share.counter[0] or share.kind != PLAIN):
        return True
    return requires_grad(share.root)  # type: ignore[arg-type]


def is_constant(a: Handle) -> bool:
    """Whether ``a`` is a view that has no derivative, whatever its root has."""
    share = share_of(a)
    return share is not None and share.root is not None and (share.kind in (NO_GRAD, INFERENCE) or is_outside(a, share))


def is_outside(a: Handle, share: Share) -> bool:
    """Whether a view has no place in the graph: it was made without grad mode, of another one that is outside, or
    before its root came to require grad. It gets one when somebody counts a write, unless it is protected then."""
    if share.counted != share.counter[0]:
        return False
    return share.kind in (NO_GRAD, INFERENCE) or not a._at.requires_grad


def is_leaf(a: Handle) -> bool:
    """Whether ``a`` has no operation behind it, by what it shows now."""
    require_kept(a)
    return not has_history(a)


def has_history(a: Handle) -> bool:
    """Whether ``a`` has an operation behind it, be it one that is protected."""
    if a._share is None:
        return not a._at.is_leaf
    wanted = requires_grad(a)
    share = share_of(a)
    return not a._at.is_leaf if share is None or share.root is None else wanted and not is_constant(a)


def _is_of_this_page(a: Handle) -> bool:
    segment = a._segment
    return segment is not None and segment.trace.page is a._page


def keeps_place(share: Share) -> bool:
    """Whether a view still has the place in the graph that it was made with, or read at: as long as nobody counts a
    write, which those through ``.data`` are not. A detached alias keeps it until it is written itself."""
    if share.seen == share.storage.version or share.counted == share.counter[0]:
        return True
    alias = None if share.root is None else alias_of(share.root)
    return alias is not None and alias._share is share and share.root._share.counted <= share.counted  # type: ignore[union-attr]


def is_protected(share: Share) -> bool:
    """Whether PyTorch protects a view, and what it shows was written since: where that requires grad, nothing that has
    a derivative is computed of it."""
    return share.kind != PLAIN and share.root is not None and share.counted != share.counter[0]


def require_kept(a: Handle) -> None:
    """The error of a protected view where something with a derivative is computed of it."""
    if a._share is None or (a._share is FRESH_VIEW and _is_of_this_page(a)):
        return  # nothing was written since
    share = share_of(a)
    if share is None or not is_protected(share) or not local.trace.grad_enabled or not requires_grad(a):
        return
    raise GradError(protected_view(share, _BASE_WRITTEN))


def rejoin(share: Share) -> bool:
    """Let a leaf that is a view be a view again where what it shows was written, and requires grad; gives whether it
    is."""
    root = share.above
    if share.root is not None or root is None or share.counted == share.counter[0] or not requires_grad(root):
        return False
    assert root._share is not None
    share.root, share.above, share.steps = root, None, share.steps[len(root._share.steps) :]
    share.seen = -1
    return True
