// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/plain_script.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

using Words = std::vector<std::string>;

TEST_CASE("a script that only executes another program is read") {
  CHECK(launched_by("#!/bin/sh\nexec /usr/bin/g++-13 \"$@\"\n") == Words{"/usr/bin/g++-13"});
  CHECK(launched_by("#!/bin/sh\n# why\n\nexec /g++ -m64  --sysroot=/r \"$@\"") ==
        Words{"/g++", "-m64", "--sysroot=/r"});
  CHECK(launched_by("#!/bin/sh\nPATH=/x:$PATH COMPILER_PATH=/y exec /clang++ \"$@\"\n") == Words{"/clang++"});
}

TEST_CASE("a script that may do anything else is not") {
  for (const char* const script : {"",
                                   "#!/bin/sh\n",
                                   "exec /g++ \"$@\"\n",
                                   "#!/bin/bash\nexec /g++ \"$@\"\n",
                                   "#!/bin/sh\nLD_LIBRARY_PATH=/x exec /g++ \"$@\"\n",
                                   "#!/bin/sh\nLIBRARY_PATH=/x exec /g++ \"$@\"\n",
                                   "#!/bin/sh\nCPATH=/x exec /g++ \"$@\"\n",
                                   "#!/bin/zsh\nexec /g++ \"$@\"\n",
                                   "#!/bin/sh -e\nexec /g++ \"$@\"\n",
                                   "#!/bin/sh\n/g++ \"$@\"\n",
                                   "#!/bin/sh\nexec g++ \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ $@\n",
                                   "#!/bin/sh\nexec /g++ \"$@\" -m64\n",
                                   "#!/bin/sh\nexec /g++ $FLAGS \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ '-DX=1' \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ `date` \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ -D* \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ ~/x \"$@\"\n",
                                   "#!/bin/sh\nX=$Y exec /g++ \"$@\"\n",
                                   "#!/bin/sh\nMANPATH=/x:$PATH exec /g++ \"$@\"\n",
                                   "#!/bin/sh\nset -x\nexec /g++ \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ \"$@\"; true\n",
                                   "#!/bin/sh\nexec /g++ \\\n\"$@\"\n",
                                   "#!/bin/sh\nexec \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ -x\t\"$@\"\n"})
    CHECK_FALSE(launched_by(script));
}
