# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C++ library below a compiler, which is swapped for that of another one or changes by a file, and C libraries as roots."""
import glob
import os
import re
import shutil
import subprocess

from edited import Edit, Matrix, Project, add_bytes, link_tree, read, write


def asked(words):
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


class Library(Matrix):
    name = "library"
    kinds = {"swap": 3, "header": 4, "unread_header": 2, "version": 2, "shared": 2, "archive": 2, "flag": 1, "unread": 1}

    def __init__(self, setting, choose):
        super().__init__(setting, choose)
        self.current = self.root + "/gxx/current"
        self.releases = []
        for number, cxx in enumerate([setting.cxx, *setting.others[:1]]):
            self.releases.append(self.take(cxx, f"{self.root}/gxx/{number}"))
        if not setting.others:
            setting.lack("a second GCC, whose libstdc++ is swapped in")
            self.kinds = {kind: weight for kind, weight in self.kinds.items() if kind != "swap"}
        os.symlink(self.releases[0], self.current)
        count = len([each for each in os.listdir(self.releases[0]) if each.startswith("include")])
        where = " ".join(f"-isystem {self.current}/include{each}" for each in range(count))
        options = f"-nostdinc++ {where} -B{self.current}/lib -Wl,-rpath,{self.current}/lib"
        write(self.root + "/bin/c++", f'#!/bin/sh\nexec {setting.cxx} {options} "$@"\n', executable=True)
        self.axes["stdenv"] = [self.root + "/bin/c++"]
        code = "int main() { try { throw std::bad_alloc(); } catch (const std::exception&) { return 0; } }\n"
        write(self.source + "/throws.cpp", "#include <new>\n" + code)
        write(self.source + "/text.cpp", "#include <string>\nint main() { return std::string(PLANTED + 1, 'a').size() + __GLIBCXX__; }\n")
        write(self.source + "/plain.cpp", "int main() { return 0; }\n")
        self.projects = {
            "throws": Project("$CXX -DPLANTED=0 -O0 $SOURCE/throws.cpp -o program", "./program"),
            "static": Project("$CXX -DPLANTED=0 -O0 -static-libstdc++ $SOURCE/throws.cpp -o program", "./program"),
            "text": Project("$CXX -DPLANTED=0 -O0 -S $SOURCE/text.cpp -o program", "grep -q main program"),
            "plain": Project("$CXX -DPLANTED=0 -O0 -c $SOURCE/plain.cpp -o program", "test -s program"),
        }

    @staticmethod
    def take(cxx, to):
        """The C++ library of a compiler in a directory: `include0` and so on in their order, and `lib`."""
        listed = asked([cxx, "-v", "-E", "-x", "c++", "/dev/null"]).split("search starts here:")[-1]
        for number, directory in enumerate(re.findall(r"^ (\S*/c\+\+/\S*)", listed, re.MULTILINE)):
            link_tree(os.path.realpath(directory), f"{to}/include{number}", ["bits"])
        os.makedirs(to + "/lib")
        for name in ("libstdc++.so.6", "libstdc++.a"):
            os.symlink(os.path.realpath(asked([cxx, "-print-file-name=" + name]).strip()), f"{to}/lib/{name}")
        os.symlink("libstdc++.so.6", to + "/lib/libstdc++.so")
        return to

    def now(self):
        return os.path.realpath(self.current)

    def edit_swap(self):
        other = self.releases[self.releases.index(self.now()) - 1]
        os.remove(self.current)
        os.symlink(other, self.current)
        return Edit({f"{place}/{name}" for each in self.releases for place, _, names in os.walk(each) for name in names})

    def header(self, names):
        there = [f"{self.now()}/include0/{name}" for name in names]
        path = self.choose.choice([each for each in there if os.path.exists(each)])
        write(path, read(path) + f"// comment {self.choose.random()}\n")
        return Edit({path})

    def edit_header(self):
        return self.header(["new", "string", "bits/exception.h", "bits/basic_string.h", "bits/stl_algobase.h"])

    def edit_unread_header(self):
        return self.header(["regex", "map", "bits/stl_map.h", "thread"])

    def edit_version(self):
        places = [f"{self.now()}/include{number}/bits/c++config.h" for number in range(9)]
        path = next(each for each in places if os.path.exists(each))
        write(path, re.sub(r"(# *define __GLIBCXX__) \d+", rf"\1 {20000000 + self.number()}", read(path)))
        return Edit({path})

    def edit_shared(self):
        path = self.now() + "/lib/libstdc++.so.6"
        add_bytes(path, b"\n")
        return Edit({path, self.now() + "/lib/libstdc++.so"})

    def edit_archive(self):
        path = self.now() + "/lib/libstdc++.a"
        add_bytes(path, b"\n")
        return Edit({path})


class Roots(Matrix):
    name = "roots"
    kinds = {"root": 3, "header": 4, "macro": 3, "unread_header": 2, "start": 2, "library": 2, "flag": 1, "unread": 1}

    def __init__(self, setting, choose):
        super().__init__(setting, choose)
        self.axes["stdenv"] = [setting.machine_cxx]
        multiarch = asked([setting.machine_cxx, "-print-multiarch"]).strip()
        self.libraries = f"usr/lib/{multiarch}"
        self.roots = [self.make_root(f"{self.root}/root-{each}", multiarch) for each in "ab"]
        self.axes["c_library"] = ["/", self.roots[0]]
        write(self.source + "/math.c", "#include <math.h>\ndouble pi = M_PI + PLANTED;\nint main(void) { return 0; }\n")
        write(self.source + "/plain.c", "int main(void) { return 0; }\n")
        # that of this machine, where /lib and /libx32 may have those of other ones
        loader = (glob.glob("/lib64/ld-linux-*.so.*") + glob.glob("/lib/ld-linux-*.so.*"))[0]
        self.projects = {
            "math": Project("$CXX -DPLANTED=0 -O0 -x c -S $SOURCE/math.c -o program", "grep -q main program"),
            # GCC looks below a root for headers alone
            "linked": Project(f"$CXX -DPLANTED=0 -O0 -B$C_LIBRARY/{self.libraries} -x c $SOURCE/plain.c -o program",
                              f"$C_LIBRARY{loader} --library-path $C_LIBRARY/{self.libraries} ./program"),
            "plain": Project("$CXX -DPLANTED=0 -O0 -x c -S $SOURCE/plain.c -o program", "grep -q main program"),
        }
        self.exclude()

    def make_root(self, to, multiarch):
        """As Debian's: links to headers and libraries; the linker reads scripts below a root only if they are files there."""
        for name in ("lib", "lib64"):
            os.makedirs(to, exist_ok=True)
            os.symlink("usr/" + name, f"{to}/{name}")
        link_tree("/usr/include", to + "/usr/include", [multiarch, multiarch + "/bits"])
        os.makedirs(f"{to}/{self.libraries}")
        for name in os.listdir("/" + self.libraries):
            if re.match(r"(lib(c|m|mvec|gcc_s|stdc\+\+|c_nonshared)[-.]|ld-|.?crt)", name):
                origin, own = f"/{self.libraries}/{name}", f"{to}/{self.libraries}/{name}"
                if os.path.getsize(origin) < 1000:
                    shutil.copy(origin, own)
                else:
                    os.symlink(os.path.realpath(origin), own)
        os.symlink("/usr/lib/gcc", to + "/usr/lib/gcc")
        os.symlink("/usr/lib64", to + "/usr/lib64")
        return to

    def exclude(self):
        self.excluded = [{"project": name, "c_library": "/"} for name in ("plain", "linked")]

    def edit_root(self):
        """Another root is the value."""
        self.axes["c_library"] = ["/", self.roots[self.roots.index(self.axes["c_library"][1]) - 1]]
        return Edit()

    def changed(self, name):
        path = f"{self.axes['c_library'][1]}/{name}"
        return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))

    def header(self, names):
        path = self.changed("usr/include/" + self.choose.choice(names))
        write(path, read(path) + f"/* comment {self.choose.random()} */\n")
        return Edit({path}, binds=True)

    def edit_header(self):
        multiarch = self.libraries.split("/")[-1]
        return self.header(["math.h", "features.h", multiarch + "/bits/wordsize.h", multiarch + "/bits/mathcalls.h"])

    def edit_unread_header(self):
        return self.header(["search.h", "glob.h", "regex.h"])

    def edit_macro(self):
        path = self.changed("usr/include/math.h")
        write(path, re.sub(r"(# define M_PI\b\s*)\S+", rf"\g<1>3.{self.number()}", read(path)))
        return Edit({path}, binds=True)

    def edit_start(self):
        path = self.changed(f"{self.libraries}/{self.choose.choice(['crti.o', 'Scrt1.o', 'crt1.o'])}")
        add_bytes(path, b"\n")
        return Edit({path}, binds=True)

    def edit_library(self):
        path = self.changed(f"{self.libraries}/{self.choose.choice(['libc.so.6', 'libm.so.6', 'libc_nonshared.a'])}")
        add_bytes(path, b"\n")
        return Edit({path}, binds=True)
