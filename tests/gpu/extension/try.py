# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""try.py BUILD: compiles the extension by PyTorch's own cpp_extension, in CUDA_HOME's nvcc, and checks what it computes."""
import os
import sys

import torch
from torch.utils import cpp_extension

here = os.path.dirname(os.path.abspath(__file__))
build = sys.argv[1]
os.makedirs(build, exist_ok=True)
os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "%d.%d" % torch.cuda.get_device_capability())
extension = cpp_extension.load("fused", [os.path.join(here, "fused.cpp"), os.path.join(here, "fused.cu")],
                               build_directory=build, verbose=True)
torch.manual_seed(7)
for n in (0, 1, 255, 256, 257, 1000003):
    x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    got = extension.fused(x, y, 1.5).double().cpu()
    expected = torch.relu(1.5 * x.double().cpu() + y.double().cpu())
    assert got.shape == expected.shape and torch.allclose(got, expected, rtol=1e-6, atol=1e-6), n
print("fused: right for 6 sizes on", torch.cuda.get_device_name(), "with PyTorch", torch.__version__)
