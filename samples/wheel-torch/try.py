# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the extension with PyTorch's own operators."""
import torch

import fused

if not torch.cuda.is_available():
    print("fused: imported; there is no GPU to run it on")
    raise SystemExit(0)
torch.manual_seed(7)
for n in (0, 1, 255, 256, 257, 1000003):
    x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    got = fused.fused(x, y, 1.5).double().cpu()
    expected = torch.relu(1.5 * x.double().cpu() + y.double().cpu())
    assert got.shape == expected.shape and torch.allclose(got, expected, rtol=1e-6, atol=1e-6), n
print("fused: right for 6 sizes on", torch.cuda.get_device_name(), "with PyTorch", torch.__version__)
