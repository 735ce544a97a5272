# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function for JAX by its FFI. NVCC names the nvcc (default: that of PATH), CUDAARCHS the GPUs, such as "80;90"."""
import os
import subprocess
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

try:
    from jax import ffi
except ImportError as error:
    raise SystemExit("this sample needs JAX 0.5 or newer in the building Python (https://docs.jax.dev): %s" % error)


class BuildCuda(build_ext):
    def build_extension(self, ext):
        library = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(library), exist_ok=True)
        gpus = os.environ.get("CUDAARCHS", "75").split(";")
        subprocess.check_call([
            os.environ.get("NVCC", "nvcc"), "-shared", "-O2", "-std=c++17", "-Xcompiler=-fPIC", "-cudart", "shared",
            *[f"-gencode=arch=compute_{gpu},code=[compute_{gpu},sm_{gpu}]" for gpu in gpus],
            "-I", sysconfig.get_paths()["include"], "-I", ffi.include_dir(), *ext.sources, "-o", library,
        ])


setup(
    name="threshold",
    version="1.0",
    license="Apache-2.0 WITH LLVM-exception",
    packages=["threshold"],
    package_dir={"": "src"},
    install_requires=["jax>=0.5"],
    ext_modules=[Extension("threshold._handlers", ["handlers.cpp", "kernel.cu"])],
    cmdclass={"build_ext": BuildCuda},
)
