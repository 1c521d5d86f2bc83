"""Recording: what a thread's tensors stand for, and running it. Here is all that others use of this room.

Functions whose first argument is a ``Trace`` work on one that the caller has in hand (``holding``), or on the thread's
own (``local.trace``). What replaying a recording needs of the inside stands last.
"""

# tensors, and what a thread has recorded
from nbgrad.trace.handle import Handle, make_tensor, spec_of, tensor_in
from nbgrad.trace.thread import Trace, Vmap, local, threads
from nbgrad.trace.segment import Book, Hooks, Segment
from nbgrad.trace.nested import holding, released
from nbgrad.trace.trie import KINDS, Leaf, TrieNode, entry_at, cache_next

# recording calls
from nbgrad.trace.recording import as_operand, record, tensor_of, tensor_types
from nbgrad.trace.fast import fast_binary, fast_pair, fast_pair_method, fast_reflected
from nbgrad.trace.fast import fast_static, fast_tensors, fast_unary, fast_unary_method, fast_view, use, use_out
from nbgrad.trace.block import Block, Fresh, Key, Recorded, known, record_block, standing, take_over
from nbgrad.trace.grow import advance, advance_as, builder_of, new_tensor, results_of
from nbgrad.trace.rollback import Bookmark, Kept, go_back

# grad modes and derivatives
from nbgrad.trace.mode import get_mode, grad_mode, set_mode, switch
from nbgrad.trace.mode import set_anomaly_mode, set_autocast, set_default_dtype
from nbgrad.trace.nodes import Spot, books, noted, operands_of, origin, retain, spot_of, tensor_at
from nbgrad.trace.now import aside
from nbgrad.trace.past import bring_in
from nbgrad.trace.kinds import HOLE
from nbgrad.trace.saved import cannot_be_saved
from nbgrad.trace.builder import ANY_DEPTH, OWN, Builder, depends_on_examples
from nbgrad.trace.derive import FREED, HOOKS, LAST, Place, Request, Stop

# whose memory a tensor shows; writing
from nbgrad.trace.storage import (
    Steps,
    alias_of,
    base_of,
    entry_of,
    fits_into,
    goes_on,
    holder_of,
    is_written_already,
)
from nbgrad.trace.history import has_history, is_constant, is_leaf
from nbgrad.trace.storage import layout_of, root_of, share_of, sharing, shows_same, shows_twice, version_of
from nbgrad.trace.history import require_kept, requires_grad
from nbgrad.trace.detached import detach, shown_through, whole_behind
from nbgrad.trace.flags import be_shown, cut_history, permuted_leaves, set_data
from nbgrad.trace.flags import set_requires_grad, show_as
from nbgrad.trace.inplace import fast_inplace, fill_zero
from nbgrad.trace.writing import everywhere, require_writable, state_of, write, write_checked

# running, and values
from nbgrad.trace.baseline_backward import backward_by_baseline
from nbgrad.trace.flushing import bits_of, flush
from nbgrad.trace.flush_plan import PlansRun, held_entries, is_torn, plans_run
from nbgrad.trace.planning import missing
from nbgrad.trace.read import at, exported, from_values, imported, known_numbers, number_of, stacked_values, values
from nbgrad.trace.read import address_of, offset_of, strides_of

# who watches a recording that will be run again
from nbgrad.trace.watch import Numbers, again, looked, numbers_of, refuse

# the inside, for replaying
from nbgrad.trace.handle import CUSTOM, FRESH_VIEW, INFERENCE, NO_GRAD, NOWHERE, PLAIN, ROOT, SEVERAL
from nbgrad.trace.handle import Share, Storage, is_lost
from nbgrad.trace.thread import SHARED, require_value, turn_page
from nbgrad.trace.segment import EarlierSegment, Page
from nbgrad.trace.storage import forget_aliases, held_views, is_alone, is_exported, is_shown_once, is_simple, is_view
from nbgrad.trace.storage import way_of_look
from nbgrad.trace.storage import (
    is_only_view,
    keep_views,
    memory_of,
    others_of,
    roots_of,
    seems_alone,
    seen_through,
    way_to,
)
from nbgrad.trace.detached import was_written, whole_of
from nbgrad.trace.read import array_shown, bring_up, host_array, materialize, may_be_copied_now, share_memory
from nbgrad.trace.enter import enter_copy
from nbgrad.trace.export import has_rows, snapshot
from nbgrad.trace.flush_plan import FlushPlan, watchers
from nbgrad.trace.trie import path_between
