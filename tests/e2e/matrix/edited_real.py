# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real projects: sources of the samples and headers of other people's libraries, in a copy."""
import os
import re
import shutil

from edited import Edit, Matrix, Project, read, write

# what is copied of each library, and a source that uses it
LIBRARIES = {
    "fmt": (["fmt"], "#include <fmt/core.h>\nint version = FMT_VERSION + PLANTED;\nint main() {}\n"),
    "doctest": (["doctest"], '#include <doctest/doctest.h>\nTEST_CASE("one") { CHECK(DOCTEST_VERSION != PLANTED); }\nint main() {}\n'),
    "mp11": (["boost/mp11", "boost/mp11.hpp"], "#include <boost/mp11.hpp>\nint main() { return boost::mp11::mp_size_t<1>() != PLANTED; }\n"),
    "config": (["boost/config", "boost/config.hpp"], "#include <boost/config.hpp>\nint main() { return sizeof BOOST_COMPILER == PLANTED; }\n"),
}
PLACES = ["/usr/include", "/usr/local/include"]
SAMPLES = ["shared-libraries", "saxpy", "older-host", "leak"]


class Real(Matrix):
    name = "real"
    kinds = {"comment": 6, "version": 3, "shadow": 2, "remove": 2, "sample": 6, "flag": 2, "test": 2, "touch": 1, "unread": 1}

    def __init__(self, setting, choose):
        super().__init__(setting, choose)
        for name in SAMPLES:
            shutil.copytree(f"{setting.samples}/{name}", f"{self.source}/{name}")
        for name, (parts, text) in LIBRARIES.items():
            place = next((each for each in PLACES if os.path.exists(f"{each}/{parts[0]}")), None)
            if not place:
                setting.lack(f"{parts[0]} in {' or '.join(PLACES)}")
                continue
            for part in parts:
                to = f"{self.source}/include/{part}"
                os.makedirs(os.path.dirname(to), exist_ok=True)
                (shutil.copytree if os.path.isdir(f"{place}/{part}") else shutil.copy)(f"{place}/{part}", to)
            write(f"{self.source}/{name}.cpp", text)
            build = f"$CXX -std=c++17 -O0 -g0 -DPLANTED=0 -I$SOURCE/first -I$SOURCE/include -S $SOURCE/{name}.cpp -o program"
            self.projects[name] = Project(build, "grep -q main program")
        os.makedirs(self.source + "/first")
        write(self.source + "/first/none", "")
        self.projects |= {
            "words": Project("$CXX -std=c++17 -DPLANTED=0 -shared -fPIC $SOURCE/shared-libraries/words.cpp -o words.so", "test -s words.so", "words.so"),
            "clamp": Project("$CXX -O0 -DPLANTED=0 -c $SOURCE/leak/clamp.cpp -o clamp.o", "test -s clamp.o", "clamp.o"),
            "who": Project("$CXX -std=c++17 -O0 -DPLANTED=0 -c $SOURCE/older-host/who.cpp -o who.o", "test -s who.o", "who.o"),
        }

    def headers(self):
        return sorted(f"{place}/{name}" for place, _, names in os.walk(self.source + "/include") for name in names)

    def edit_comment(self):
        path = self.choose.choice(self.headers())
        write(path, read(path) + f"\n// comment {self.choose.random()}\n")
        return Edit({path})

    def edit_version(self):
        path, macro = self.choose.choice([("fmt/core.h", "FMT_VERSION"), ("doctest/doctest.h", "DOCTEST_VERSION_PATCH")])
        path = f"{self.source}/include/{path}"
        if not os.path.exists(path):
            return self.edit_sample()
        write(path, re.sub(rf"(#define {macro}) \d+", rf"\1 {self.number()}", read(path)))
        return Edit({path})

    def edit_shadow(self):
        path = self.choose.choice(self.headers())
        new = path.replace("/include/", "/first/", 1)
        write(new, read(path) + f"\n// copy {self.choose.random()}\n")
        return Edit({new, path})

    def edit_remove(self):
        there = sorted(f"{place}/{name}" for place, _, names in os.walk(self.source + "/first") for name in names if name != "none")
        if not there:
            return self.edit_shadow()
        path = self.choose.choice(there)
        os.remove(path)
        return Edit({path})

    def edit_sample(self):
        files = sorted(f"{place}/{name}" for sample in SAMPLES for place, _, names in os.walk(f"{self.source}/{sample}")
                       for name in names if name.endswith((".hpp", ".cpp", ".txt", ".md")))  # fmt: skip
        path = self.choose.choice(files)
        write(path, read(path) + f"\n// comment {self.choose.random()}\n")
        return Edit({path})
