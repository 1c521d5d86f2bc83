"""What a machine has for `.ci/gpu`: the GPU, its driver, and each package that uses it. Exit status 2 without cuBLAS, 3
without a GPU.

    python .ci/gpu_report.py --find compute-sanitizer     where one of NVIDIA's programs is; nothing where it is not
"""

import importlib.metadata
import importlib.util
import shutil
import sys
from pathlib import Path

NO_LIBRARY, NO_GPU = 2, 3  # as exit status: 1 is that of an exception
NEEDED = 13  # the CUDA that PyPI's packages are for
PACKAGES = (
    *("nbgrad", "numba", "llvmlite", "cuda-bindings", "numba-cuda", "nvidia-nvjitlink", "nvmath-python"),
    *("nvidia-cublas", "torch", "jax", "jax-cuda13-plugin", "nvidia-cuda-nvcc", "nvidia-cuda-sanitizer-api"),
)


def program(name: str) -> str:
    """Where a program is: on the path, or in one of NVIDIA's wheels; "" where it is not."""
    found = shutil.which(name)
    spec = importlib.util.find_spec("nvidia")
    folders = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec is not None else []
    return found or next((str(path) for folder in folders for path in sorted(folder.glob(f"*/bin/{name}"))), "")


def version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def report() -> int:
    import nbgrad as nb
    from nbgrad.runtime.cuda.devices import gpu, why_none

    for package in PACKAGES:
        print(f"{package:28}{version(package)}")
    if not nb.cuda.is_available():
        print(f"no GPU: {why_none()}", file=sys.stderr)
        return NO_GPU
    device = gpu(0)
    target = device.driver.target(0)
    found = f"{nb.cuda.device_count()} x {nb.cuda.get_device_name()}"
    print(f"{found}: code for {target.cpu}, driver of CUDA {target.driver}")
    if 0 < target.driver < NEEDED:
        print(f"PyPI's cuBLAS, PyTorch and JAX need a driver of CUDA {NEEDED}", file=sys.stderr)
    for name in ("compute-sanitizer", "ptxas"):
        print(f"{name}:", program(name) or "missing")
    with nb.log("code"):  # says why there is none
        has_library = device.library is not None
    print("cuBLAS:", "there" if has_library else "missing")
    return 0 if has_library else NO_LIBRARY


if __name__ == "__main__":
    if sys.argv[1:2] == ["--find"]:
        print(program(sys.argv[2]))
    else:
        sys.exit(report())
