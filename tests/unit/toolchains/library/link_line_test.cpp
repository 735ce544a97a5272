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

TEST_CASE("standard libraries are named by -l, or as a file") {
  const auto named = [](const std::string& words) {
    return link_line(" ld -dynamic-linker /lib64/ld.so " + words + "\n").libraries;
  };
  for (const char* const words :
       {"-lstdc++", "-lc++ -lm", "-Bstatic -lstdc++ -Bdynamic -lc", "-l:libstdc++.so.6", "-l:libc++.a",
        "Scrt1.o -lfirst /tmp/x.o -lstdc++ -lc crtendS.o crtn.o", "/usr/lib/libstdc++.so", "libstdc++.a",
        "\"/opt/a b/libc++.so.1\""}) {
    CAPTURE(words);
    CHECK(named(words) == StandardLibraries::cxx);
  }
  for (const char* const words : {"-lc -lgcc", "-lstdc++ -lc /tmp/x.o -lgcc crtn.o", "-lstdc++fs -lc",
                                  "-lgcc --push-state --as-needed -lgcc_s --pop-state -lc"}) {
    CAPTURE(words);
    CHECK(named(words) == StandardLibraries::c);
  }
  for (const char* const words :
       {"", "-lstdc++ /tmp/x.o -lgcc crtn.o", "-lstdc++fs", "-lc++abi -lsupc++", "-L/usr/lib/libstdc++.d",
        "/opt/libstdc++.d/x.o", "-rpath /opt/libc++.1/lib", "-lgcc_s", "-lcrypt"}) {
    CAPTURE(words);
    CHECK(named(words) == StandardLibraries::none);
  }
  // What is only said of the call, and not passed to the linker, does not count.
  CHECK(link_line("COLLECT_GCC_OPTIONS='-lstdc++'\n ld -dynamic-linker /lib64/ld.so -lc\n").libraries ==
        StandardLibraries::c);
}

TEST_CASE("a link without a loader is known by the linker's name") {
  const LinkLine line = link_line(" /usr/lib/gcc/12/cc1plus -quiet -lno\n as -o /tmp/x.o\n"
                                  " /usr/bin/ld -static -L/a /tmp/x.o --start-group -lgcc -lc --end-group\n");
  CHECK(line.loader.empty());
  CHECK(line.libraries == StandardLibraries::c);
  CHECK(line.library_directories == Strings{"/a"});
  CHECK(link_line(" /opt/collect2 -shared /tmp/x.o -lstdc++ -lc\n").libraries == StandardLibraries::cxx);
  CHECK(link_line(" /opt/collect2 -r /tmp/x.o\n").libraries == StandardLibraries::none);
  for (const char* const text : {"", " as -o x.o x.s -lc\n", "ld -lc\n", " \"ld -lc\n"}) {
    CAPTURE(text);
    CHECK(link_line(text).libraries == StandardLibraries::unseen);
  }
}
