#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each operator that PyTorch's own tests know on the GPU, with its first sample input, and prints one line for each: its name and a
digest of what it returned, or the error. Two builds of one library compute the same if both print the same."""
import hashlib
import sys
import time
import types
import unittest
import warnings

started = time.monotonic()
try:
    import expecttest  # noqa: F401
except ImportError:  # PyTorch's tests derive from its class, and nothing here runs them
    sys.modules["expecttest"] = types.ModuleType("expecttest")
    sys.modules["expecttest"].TestCase = unittest.TestCase
import torch  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

warnings.simplefilter("ignore")
torch.use_deterministic_algorithms(True, warn_only=True)


def digest(value):
    if isinstance(value, torch.Tensor):
        value = value.detach()
        if value.is_sparse or value.layout is not torch.strided:
            value = value.to_dense()
        if value.is_conj() or value.is_neg():
            value = value.resolve_conj().resolve_neg()
        data = value.cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes() if value.numel() else b""
        return hashlib.sha256(data + str((value.dtype, tuple(value.shape))).encode()).hexdigest()[:16]
    if isinstance(value, (list, tuple)):
        return hashlib.sha256(" ".join(map(digest, value)).encode()).hexdigest()[:16]
    return repr(value)


def outcome(operator, dtype):
    torch.manual_seed(0)
    sample = next(iter(operator.sample_inputs("cuda", dtype)))
    torch.manual_seed(0)
    result = operator.op(sample.input, *sample.args, **sample.kwargs)
    torch.cuda.synchronize()
    # What memory held before, and what differs between two runs of one library, is no property of it.
    if operator.name in ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"):
        return "ran"
    return digest(result)


def main():
    torch.zeros(1, device="cuda").add_(1)
    torch.cuda.synchronize()
    print(f"first kernel after {time.monotonic() - started:.1f} s", file=sys.stderr)
    for operator in op_db:
        name = operator.name + (":" + operator.variant_test_name if operator.variant_test_name else "")
        dtypes = operator.supported_dtypes("cuda")
        dtype = next((each for each in (torch.float32, torch.int64, torch.complex64) if each in dtypes), None)
        if dtype is None:
            print(name, "no type")
            continue
        try:
            print(name, str(dtype)[6:], outcome(operator, dtype))
        except Exception as error:  # what refuses must refuse alike
            print(name, str(dtype)[6:], "refuses:", type(error).__name__, str(error).split("\n")[0][:100])
    print(f"all after {time.monotonic() - started:.1f} s", file=sys.stderr)


main()
