// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/texts.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

TEST_CASE("the names in #include are read in both forms, each once, but not in comments") {
  CHECK(includes_of("#include <b.h>\n#  include \"a.h\" // <c.h>\n/* text\n#include <d.h>\n*/ \n"
                    "#include <b.h>\r\n // #include <e.h>\n#include MACRO\n#include <\n#include <>\n"
                    "#include \"dir/f.h\"") ==
        std::vector<Include>{{"a.h", true}, {"b.h", false}, {"dir/f.h", true}});
  CHECK(includes_of("// not a comment of lines: /*\n#include <a.h>\n") ==
        std::vector<Include>{{"a.h", false}});
  CHECK(includes_of("").empty());
}

TEST_CASE("the value of a macro is that of the first definition as a number") {
  CHECK(macro_value("#define V_MAJOR_X 1\n# define V_MAJOR\t12 /* x */\n#define V_MAJOR 13\n", "V_MAJOR") ==
        12);
  CHECK(!macro_value("#define V_MAJOR (12)\n#define V_MAJOR\n", "V_MAJOR"));
  CHECK(!macro_value("#define V 99999999999999999999999\n", "V"));
}

TEST_CASE("absolute paths of another machine are found with their lines, each once") {
  const std::vector<std::string> prefixes{"/usr/local/", "/home/"};
  CHECK(host_paths_in("cudaroot=/usr/local/cuda-12.4\nlibdir=${cudaroot}/usr/local/x\n"
                      "# /home/comment\nx=-L/home/me/lib -L/usr/lib\ny=/usr/local/cuda-12.4\n",
                      prefixes) == std::vector<HostPath>{{1, "/usr/local/cuda-12.4"}});
  CHECK(host_paths_in("a \"/home/me/lib\" b\n", prefixes) == std::vector<HostPath>{{1, "/home/me/lib"}});
}

TEST_CASE("files for pkg-config and CMake have names") {
  CHECK(pkgconfig_name("pkg-config/cudart-12.4.pc") == "cudart-12.4");
  CHECK(!pkgconfig_name("pkg-config/.pc"));
  CHECK(cmake_name("lib/cmake/cub/cub-config.cmake") == "cub");
  CHECK(cmake_name("lib/cmake/nvtx3Config.cmake") == "nvtx3");
  CHECK(!cmake_name("lib/cmake/cub/cub-config-version.cmake"));
}
