# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Python extension made of one .cu file. NVCC names the nvcc, else it is the one on PATH; CUDART=shared links NVIDIA's libcudart.so."""
import os
import subprocess
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildCuda(build_ext):
    def build_extension(self, ext):
        library = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(library), exist_ok=True)
        architecture = os.environ.get("CUDAARCHS", "75").split(";")[0]
        subprocess.check_call([
            os.environ.get("NVCC", "nvcc"), "-shared", "-O2", "-std=c++17", "-Xcompiler=-fPIC",
            f"-gencode=arch=compute_{architecture},code=[compute_{architecture},sm_{architecture}]",
            "-cudart", os.environ.get("CUDART", "static"), "-I", sysconfig.get_paths()["include"], *ext.sources, "-o", library,
        ])


setup(
    name="scale",
    version="1.0",
    license="Apache-2.0 WITH LLVM-exception",
    py_modules=[],
    ext_modules=[Extension("scale", ["scale.cu"])],
    cmdclass={"build_ext": BuildCuda},
)
