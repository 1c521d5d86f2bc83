"""How fast nbgrad is, beside PyTorch, JAX, HIPS autograd and hand-written Numba: ``python -m bench``."""

import os

# Read when Numba is imported. LLVM's own memory manager may put the constants of a function out of the reach of its
# code (2 GB) where much memory is in use; LLVM then ends the process. llvmlite's keeps the two together.
os.environ.setdefault("NUMBA_USE_LLVMLITE_MEMORY_MANAGER", "1")
