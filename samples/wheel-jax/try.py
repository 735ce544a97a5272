# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the functions with JAX's own operators, on each kind of device that JAX has here."""
import jax
import jax.numpy as jnp

import threshold

platforms = ["cpu"] + (["gpu"] if jax.default_backend() == "gpu" else [])
for platform in platforms:
    with jax.default_device(jax.devices(platform)[0]):
        for n in (0, 1, 255, 256, 257, 1000003):
            x = jax.random.normal(jax.random.key(7), (n,))
            got = jax.jit(threshold.soft, static_argnums=1)(x, 0.5)
            expected = jnp.sign(x) * jnp.maximum(jnp.abs(x) - 0.5, 0)
            assert got.shape == expected.shape and jnp.allclose(got, expected, rtol=1e-6, atol=1e-6), (platform, n)
with open("/proc/self/maps") as maps:
    runtimes = sorted({line.split()[-1] for line in maps if "libcudart" in line})
print("threshold: right for 6 sizes on", " and ".join(platforms), "with JAX", jax.__version__)
print("CUDA runtimes in this process:", *runtimes)
assert len(runtimes) == 1, runtimes
