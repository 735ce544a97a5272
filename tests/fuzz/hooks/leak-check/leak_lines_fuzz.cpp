// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For any pkg-config, libtool or CMake file --fix prints its own lines, in order, and proposes none
// that is longer.
#include "hooks/leak-check/fix/lines.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <cstdlib>

using namespace hostpin;

std::vector<std::string> seeds() {
  return {
      "Libs: -L/bad " + std::string(100, '/') + '\n', "Libs: -Wl,-rpath -Wl,-rpath -Wl,/bad\n",
      "libdir=/bad/lib\nLibs: -L${libdir} -L/bad/lib -Wl,-rpath,/bad:/a -lneeded \\\n -lx # /bad\n",
      "dependency_libs=' -L/bad/lib -R/bad -lm /bad/lib/libstdc++.la'\nlibdir='/bad'\n",
      "set_target_properties(x PROPERTIES INTERFACE_LINK_LIBRARIES \"\\$<LINK_ONLY:/bad/libstdc++.so>;a\"\n"
      "  INTERFACE_LINK_OPTIONS \"LINKER:-rpath,/bad;-g\" INTERFACE_LINK_DIRECTORIES \"/bad\")\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::size_t last = 0;
  for (const leak::WrongLine& line :
       leak::wrong_lines(text, [](std::string_view path) { return path.starts_with("/bad"); }).lines) {
    if (line.line <= last || text.find(line.before) == std::string::npos ||
        line.after.size() > line.before.size())
      std::abort();
    last = line.line;
  }
  return 0;
}
