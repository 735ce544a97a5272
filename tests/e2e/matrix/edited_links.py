# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with run paths: which library they load changes, appears in front of another one, or goes away."""
import os
import subprocess

from edited import Edit, Matrix, Project, plain, write

DIRECTORIES = ["first", "second", "third"]
LIBRARIES = ["one", "two", "three"]


class Links(Matrix):
    name = "links"
    kinds = {"library": 4, "shadow": 4, "remove": 3, "run_path": 5, "flag": 1, "test": 1, "unread": 1}

    def __init__(self, setting, choose):
        super().__init__(setting, choose)
        self.paths = {}
        for number, name in enumerate(LIBRARIES):
            self.make("third", name, number)
            os.makedirs(f"{self.source}/{DIRECTORIES[number]}", exist_ok=True)
            write(f"{self.source}/{name}.c", f"int {name}(void);\nint main() {{ return {name}() % 5 == 4; }}\n")
            self.paths[name] = DIRECTORIES
            self.projects[name] = Project("", "./program")
        write(self.source + "/none.c", "int main() { return 0; }\n")
        self.projects["none"] = Project("$CXX -DPLANTED=0 -O0 -x c $SOURCE/none.c -o program", "./program")
        self.command()

    def command(self):
        for name, directories in self.paths.items():
            flag = self.projects[name].build.split(" ")[1] if self.projects[name].build else "-DPLANTED=0"
            run_path = ":".join("$SOURCE/" + each for each in directories)
            self.projects[name].build = f"$CXX {flag} -O0 -x c $SOURCE/{name}.c -x none -L$SOURCE/third -l{name} -Wl,-rpath,{run_path} -o program"

    def make(self, directory, name, number):
        path = f"{self.source}/{directory}/lib{name}.so"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        code = f"int {name}(void) {{ return {number}; }}\n"
        words = [self.setting.cxx, "-x", "c", "-", "-shared", "-nostdlib", "-fPIC", "-o", path]
        subprocess.run(words, input=code, text=True, check=True)
        return plain(path)

    def edit_library(self):
        name = self.choose.choice(LIBRARIES)
        there = [each for each in DIRECTORIES if os.path.exists(f"{self.source}/{each}/lib{name}.so")]
        return Edit({self.make(self.choose.choice(there), name, self.number())})

    def edit_shadow(self):
        """Also where the loader looks for libraries of newer processors."""
        directory = self.choose.choice(["first", "second", "first/glibc-hwcaps/x86-64-v2", "second/tls"])
        name = self.choose.choice(LIBRARIES)
        new = self.make(directory, name, self.number())
        return Edit({new})

    def edit_remove(self):
        name = self.choose.choice(LIBRARIES)
        paths = [f"{place}/lib{name}.so" for place, _, _ in os.walk(self.source) if not place.endswith("/third")]
        there = sorted(each for each in paths if os.path.exists(each))
        if not there:
            return self.edit_library()
        path = self.choose.choice(there)
        os.remove(path)
        return Edit({plain(path)})

    def edit_run_path(self):
        name = self.choose.choice(LIBRARIES)
        self.paths[name] = self.choose.sample(DIRECTORIES[:2], self.number(3)) + ["third"]
        self.command()
        return Edit(changed={name})
