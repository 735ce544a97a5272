# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tree of random sources and headers, their commands, what stands in for a compiler, and a test that passes by chance. Nothing is
assembled or linked and no header of the C library is read, so that an edit costs little."""
import os
import re

from edited import Edit, Matrix, Project, read, write

SOURCES, HEADERS, DIRECTORIES = 7, 20, ["first", "second", "third"]


class Headers(Matrix):
    name = "headers"
    kinds = {"comment": 8, "macro": 8, "shadow": 8, "remove": 4, "source": 4, "flag": 6, "tool": 1, "data": 3, "unread": 2, "touch": 2,
             "test": 4, "flaky": 8}  # fmt: skip

    def __init__(self, setting, choose):
        super().__init__(setting, choose)
        for number in range(HEADERS):
            deeper = [f'#include "h{other}.h"\n' for other in range(number + 1, HEADERS) if choose.random() < 0.06]
            text = f"// header {number}\n#define V{number} {number}\ninline int f{number}() {{ return V{number}; }}\n"
            write(f"{self.source}/{choose.choice(DIRECTORIES[1:])}/h{number}.h", "#pragma once\n" + "".join(deeper) + text)
        for number in range(SOURCES):
            includes = choose.sample(range(HEADERS), 3)
            lines = "".join(f'#include "h{each}.h"\n' for each in includes)
            total = " + ".join(f"f{each}()" for each in includes)
            write(f"{self.source}/p{number}.cpp", f"{lines}int main() {{ return {total}; }}\n")
            where = " ".join(f"-I$SOURCE/{each}" for each in DIRECTORIES)
            project = Project(f"$TOOL -O0 -g0 -DPLANTED=0 {where} -S $SOURCE/p{number}.cpp -o program", "grep -q main program")
            project.reads = {self.root + "/tool/options"}
            if number % 2:  # the data decides whether it passes
                project.test += " && grep -q [3-9] $SOURCE/data.txt"
                project.reads = project.reads | {self.source + "/data.txt"}
            self.projects[f"p{number}"] = project
        write(self.source + "/flaky.txt", "0\n")
        reads = {self.source + "/flaky.txt", self.source + "/data.txt"}
        # one time in three it fails before it has read all
        self.projects["flaky"] = Project("cat $SOURCE/flaky.txt >program", "[ $(od -An -tu1 -N1 /dev/urandom) -gt 85 ] && cat $SOURCE/data.txt",
                                         flaky=True, reads=reads)  # fmt: skip
        write(self.source + "/data.txt", "5\n")
        write(self.source + "/first/none", "")  # a directory that appears is a change for everybody who searches it
        # a compiler of our own, whose options are in a file next to it: a patch level that changes
        write(self.root + "/tool/options", "-DPATCH=1\n")
        write(self.root + "/tool/c++", f'#!/bin/sh\nexec {setting.cxx} $(cat {self.root}/tool/options) "$@"\n', executable=True)
        self.variables = {"TOOL": self.root + "/tool/c++"}

    def headers(self, *directories):
        return sorted(f"{self.source}/{directory}/{name}" for directory in directories or DIRECTORIES
                      for name in os.listdir(f"{self.source}/{directory}") if name.endswith(".h"))  # fmt: skip

    def with_other_value(self, path):
        return re.sub(r"(#define V\d+) \d+", rf"\1 {self.number()}", read(path))

    def edit_comment(self):
        path = self.choose.choice(self.headers())
        write(path, read(path) + f"// comment {self.choose.random()}\n")
        return Edit({path})

    def edit_macro(self):
        path = self.choose.choice(self.headers())
        write(path, self.with_other_value(path))
        return Edit({path})

    def edit_shadow(self):
        path = self.choose.choice(self.headers())
        new = f"{self.source}/first/{os.path.basename(path)}"
        write(new, self.with_other_value(path))
        return Edit({new, path})  # those that look there are those that found it elsewhere

    def edit_remove(self):
        shadowing = self.headers("first")
        if not shadowing:
            return self.edit_shadow()
        path = self.choose.choice(shadowing)
        os.remove(path)
        return Edit({path})

    def edit_source(self):
        path = f"{self.source}/p{self.number(SOURCES)}.cpp"
        write(path, read(path) + "// end\n")
        return Edit({path})

    def edit_tool(self):
        path = self.root + "/tool/options"
        write(path, f"-DPATCH={self.number()}\n")
        return Edit({path})

    def edit_data(self):
        path = self.source + "/data.txt"
        write(path, f"{self.number(10)}\n")
        return Edit({path})

    def edit_flaky(self):
        path = self.source + "/flaky.txt"
        write(path, f"{self.choose.random()}\n")
        return Edit({path})
