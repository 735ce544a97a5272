# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device code of the samples, for lists of GPUs, by a toolkit of links of which single files change: its patch level."""
import os
import re
import shutil

from edited import Edit, Matrix, Project, add_bytes, link_tree, read, write

LISTS = ["8.0", "8.6", "8.9", "9.0", "8.0;9.0", "8.6;8.9"]
SAMPLES = ["saxpy", "device-lto"]


class Cuda(Matrix):
    name = "cuda"
    uses_nvcc = True
    kinds = {"gpus": 8, "version": 6, "header": 3, "archive": 4, "program": 2, "unread_header": 4, "sample": 4, "flag": 4, "unread": 2}

    def __init__(self, setting, choose):
        super().__init__(setting, choose)
        for name in SAMPLES:
            shutil.copytree(f"{setting.samples}/{name}", f"{self.source}/{name}")
        self.toolkit = self.root + "/cuda"
        self.link_toolkit(setting.toolkit)
        include = self.toolkit + "/include"
        self.include = os.path.realpath(include)
        write(self.toolkit + "/version.json", '{"cuda": {"version": "1.0.0"}}\n')
        code = "int main() { int v = PLANTED; return cudaRuntimeGetVersion(&v) || v < 1000; }\n"
        write(self.source + "/linked.cpp", "#include <cuda_runtime_api.h>\n" + code)
        write(self.source + "/stamp.cpp", "#include STAMP\nint main() { return sizeof stamp == 1; }\n")
        device = {f"{self.toolkit}/bin/{name}" for name in ("ptxas", "fatbinary")}
        compiled = "$CUDACXX -DPLANTED=0 {} -fatbin $SOURCE/{} -o program"
        stamp = r"""sed 's/.*"version": *\("[^"]*"\).*/static const char stamp[] = \1;/' """ + self.toolkit + "/version.json >stamp.h\n"
        self.projects = {
            "horner": Project(compiled.format("$NVCC_GENCODE -rdc=true", "device-lto/horner.cu"), "test -s program", reads=device),
            "saxpy": Project(compiled.format("-arch=sm_80", "saxpy/device.cu"), "test -s program", reads=device),
            "linked": Project("$CUDACXX -DPLANTED=0 $SOURCE/linked.cpp -o program", "./program", reads={self.toolkit + "/bin/fatbinary"}),
            # no CUDA in it, but the release of the toolkit
            "stamp": Project(stamp + '$CXX -DPLANTED=0 "-DSTAMP=\\"$BUILD/stamp.h\\"" -S $SOURCE/stamp.cpp -o program', "grep -q main program",
                             reads={self.toolkit + "/version.json"}),
        }  # fmt: skip
        self.axes |= {"toolkit": [self.toolkit], "gpus": ["8.0", "9.0"]}
        self.exclude()

    def link_toolkit(self, origin):
        """nvcc looks for what it needs next to itself, so it is a copy."""
        link_tree(origin, self.toolkit, ["bin", "include", "include/crt", "lib64"])
        for name in ("nvcc", "nvcc.profile"):
            os.remove(f"{self.toolkit}/bin/{name}")
            shutil.copy(f"{origin}/bin/{name}", f"{self.toolkit}/bin/{name}")
        for name in ("targets", "lib"):
            if os.path.lexists(f"{self.toolkit}/{name}"):
                os.remove(f"{self.toolkit}/{name}")
        os.symlink("lib64", self.toolkit + "/lib")
        for machine in os.listdir(origin + "/targets") if os.path.isdir(origin + "/targets") else []:
            os.makedirs(f"{self.toolkit}/targets/{machine}")
            for name in ("include", "lib"):
                os.symlink(f"../../{name}", f"{self.toolkit}/targets/{machine}/{name}")

    def exclude(self):
        """Only one project is compiled for the second list."""
        self.excluded = [{"project": name, "gpus": self.axes["gpus"][1]} for name in self.projects if name != "horner"]

    def edit_gpus(self):
        before = self.axes["gpus"][1]
        self.axes["gpus"] = ["8.0", self.choose.choice([each for each in LISTS[1:] if each != before])]
        self.exclude()
        return Edit()

    def edit_version(self):
        path = self.toolkit + "/version.json"
        write(path, f'{{"cuda": {{"version": "1.0.{self.number()}"}}}}\n')
        return Edit({path}, binds=True)

    def header(self, name):
        path = f"{self.include}/{name}"
        write(path, read(path) + f"// comment {self.choose.random()}\n")
        return Edit({path}, binds=True)

    def edit_header(self):
        return self.header(self.choose.choice(["crt/host_config.h", "device_types.h", "cuda_runtime_api.h", "vector_types.h"]))

    def edit_unread_header(self):
        return self.header(self.choose.choice(["cuda_fp16.h", "cooperative_groups.h", "cuda_profiler_api.h", "curand_kernel.h"]))

    def edit_archive(self):
        path = f"{self.toolkit}/lib64/{self.choose.choice(['libcudart_static.a', 'libcudadevrt.a'])}"
        add_bytes(path, b"\n")
        return Edit({path}, binds=True)

    def edit_program(self):
        """A tool of nvcc's, as a new release of it: what it makes is the same."""
        path = f"{self.toolkit}/bin/{self.choose.choice(['ptxas', 'fatbinary'])}"
        real = os.path.realpath(path) if os.path.islink(path) else re.search("exec (.*) ", read(path))[1]
        write(path, f'#!/bin/sh\n# {self.choose.random()}\nexec {real} "$@"\n', executable=True)
        return Edit({path}, binds=True)

    def edit_sample(self):
        files = ["device-lto/horner.cuh", "device-lto/horner.cu", "device-lto/polynomial.cu", "saxpy/saxpy.cuh", "saxpy/device.hpp"]
        path = f"{self.source}/{self.choose.choice(files)}"
        write(path, read(path) + f"// comment {self.choose.random()}\n")
        return Edit({path})
