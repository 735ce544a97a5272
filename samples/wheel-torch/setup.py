# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PyTorch extension. CUDA_HOME names the toolkit, TORCH_CUDA_ARCH_LIST the GPUs (default: those of this machine)."""
from setuptools import setup

try:
    from torch.utils.cpp_extension import BuildExtension, CUDAExtension
except ImportError as error:
    raise SystemExit("this sample needs PyTorch with CUDA, in the Python that builds it (https://pytorch.org): %s" % error)

setup(
    name="fused",
    version="1.0",
    license="Apache-2.0 WITH LLVM-exception",
    py_modules=[],
    install_requires=["torch"],
    ext_modules=[CUDAExtension("fused", ["fused.cpp", "fused_kernel.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
