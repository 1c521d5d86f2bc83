"""The forms of kernels that are ``@njit`` functions, and for which items Numba compiles each."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbgrad.kernels.deferred import Deferred
from nbgrad.tape.kernel import SCANS, SPECIALS
from nbgrad.tape.lapack_words import LAYOUTS

ANY: Final = "float32"  # what stands for all dtypes, see ``emit.for_items``


class Form(NamedTuple):
    """A function of a family; its file has the source, and the LLVM text beside it."""

    family: str
    function: str
    items: tuple[str, ...] = (ANY,)


FORMS: Final = {
    **{name: Form("scan", name) for name in SCANS},
    "cummax": Form("scan", "cummax", ("int32", "int64")),
    **{name: Form("lapack", name) for name in LAYOUTS},
    "fourier": Form("fourier", "fourier"),
    **{
        name: Form("lapack", name, ("float32", "float64"))
        for name in ("lu", "adjugate", "lstsq_gels", "lstsq_gelsy", "lstsq_gelsd")
    },
    "qr_complete": Form("lapack", "qr"),
    "native": Form("native", "native"),
    "order": Form("sort", "order", ("int32", "int64")),
    **{name: Form("scatter", name) for name in ("scatter_add", "scatter_product", "scatter_put", "scatter_recurrence")},
    **{
        name: Form("scatter", name, ("float32", "float64", "int32", "int64")) for name in ("scatter_max", "scatter_min")
    },
    **{name: Form("special", name, ("float32", "float64")) for name in SPECIALS},
}
# The loops of products, which ``kernels/product.py`` gives what they call.
PRODUCT, PRODUCT_DRAFT = Form("product", "product"), Form("product", "product_draft")
COMPILED: Final = (*FORMS.values(), PRODUCT, PRODUCT_DRAFT)
FAMILIES: Final = sorted({form.family for form in COMPILED})
FUNCTIONS: Final = Deferred(__package__, {form.function: f"{form.family}.{form.function}" for form in COMPILED})
