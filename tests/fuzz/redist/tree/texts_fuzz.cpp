// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers, files for pkg-config and CMake, and strings of libraries: all that is found is a part of the text.
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/redist/tree/binaries.hpp"
#include "toolchains/redist/tree/texts.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin::redist;

std::vector<std::string> seeds() {
  constexpr char strings[] = "libnvrtc.so.12\0x libcuda.so.1\0libcudnn_ops.so.9\0";
  return {"#include <a/b.h>\n # include \"c.h\" /* x\n*/ // y\n#define V 12\n",
          "cudaroot=/usr/local/cuda-12.4\nlibdir=${cudaroot}/lib\n# /home/x\n",
          std::string(strings, sizeof strings - 1)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto check = [text](std::string_view part) {
    if (part.empty() || text.find(part) == text.npos)
      std::abort();
  };
  for (const Include& include : includes_of(text))
    check(include.name);
  for (const HostPath& path : host_paths_in(text, {"/usr/", "/home/"})) {
    check(path.path);
    if (path.line == 0)
      std::abort();
  }
  (void)macro_value(text, "V");
  static const ContentFacts facts{{}, {{"x", {"lib*.so*"}}}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  for (const std::string& name : names_opened(text, facts, {}))
    check(name);
  return 0;
}
