"""Which Pythons this package runs on: it counts references, and relies on the GIL where threads meet."""

from __future__ import annotations

import sys
import sysconfig

if sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise ImportError(
        f"nbgrad does not run on the free-threaded build of Python {sys.version_info.major}.{sys.version_info.minor} "
        f"({sys.executable}), with or without PYTHON_GIL=1: install it for the usual build, which has a GIL"
    )
