# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""try.py BUILD: compiles the sample wheel-torch by PyTorch's own cpp_extension, in CUDA_HOME's nvcc, and runs its try.py."""
import os
import runpy
import sys

import torch
from torch.utils import cpp_extension

sample = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../samples/wheel-torch")
build = sys.argv[1]
os.makedirs(build, exist_ok=True)
os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "%d.%d" % torch.cuda.get_device_capability())
sys.modules["fused"] = cpp_extension.load("fused", [os.path.join(sample, "fused.cpp"), os.path.join(sample, "fused_kernel.cu")],
                                          build_directory=build, verbose=True)
runpy.run_path(os.path.join(sample, "try.py"))
