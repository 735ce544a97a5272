// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/link_line.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;

TEST_CASE("the linker's command is read in either family's spelling") {
  const LinkLine gcc = link_line(
      "COLLECT_GCC_OPTIONS='-L/no' '-o' 'x'\n /usr/lib/gcc/12/cc1plus -quiet -L/no\n"
      " /usr/lib/gcc/12/collect2 \"--sysroot=/r\" -dynamic-linker /lib64/ld.so -L/a -L/b \"-L/c d\" "
      "\"--dynamic-linker=/r/ld.so\" -rpath /x:/y -rpath=/z -lstdc++\nCOLLECT_GCC_OPTIONS='-L/no'\n");
  CHECK(gcc.loader == "/r/ld.so");
  CHECK(gcc.sysroot == "/r");
  CHECK(gcc.library_directories == Strings{"/a", "/b", "/c d"});
  CHECK(gcc.run_paths == Strings{"/x", "/y", "/z"});
  CHECK(link_line("").loader.empty());
  CHECK(link_line(" \"open -dynamic-linker x\n").loader.empty());
  CHECK(link_line(" ld -dynamic-linker").loader.empty());
}

TEST_CASE("a C++ library is named by -l, or as a file") {
  const auto names_one = [](const std::string& words) {
    return link_line(" ld -dynamic-linker /lib64/ld.so " + words + "\n").cxx_library;
  };
  for (const char* const words : {"-lstdc++", "-lc++ -lm", "-Bstatic -lstdc++ -Bdynamic", "-l:libstdc++.so.6",
                                  "-l:libc++.a", "Scrt1.o -lfirst /tmp/x.o -lstdc++ crtendS.o crtn.o",
                                  "/usr/lib/libstdc++.so", "libstdc++.a", "\"/opt/a b/libc++.so.1\""}) {
    CAPTURE(words);
    CHECK(names_one(words));
  }
  for (const char* const words :
       {"", "-lc -lgcc", "-lstdc++ /tmp/x.o -lgcc crtn.o", "-lstdc++fs", "-lc++abi -lsupc++",
        "-L/usr/lib/libstdc++.d", "/opt/libstdc++.d/x.o", "-rpath /opt/libc++.1/lib", "-lgcc_s"}) {
    CAPTURE(words);
    CHECK_FALSE(names_one(words));
  }
  // What is only said of the call, and not passed to the linker, does not count.
  CHECK_FALSE(
      link_line("COLLECT_GCC_OPTIONS='-lstdc++'\n ld -dynamic-linker /lib64/ld.so -lc\n").cxx_library);
}
