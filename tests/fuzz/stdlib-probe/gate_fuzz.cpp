// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/hypotheses.hpp"
#include "stdlib-probe/gate/preprocess.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace hostpin;

namespace {

/// The reader takes a file; one of this process' own, in a directory where nothing else can be included.
const std::string& header_path() {
  static const std::string path = [] {
    const auto directory =
        std::filesystem::temp_directory_path() / ("hostpin-gate-fuzz." + std::to_string(getpid()));
    std::filesystem::create_directories(directory / "crt");
    return (directory / "crt/host_config.h").string();
  }();
  return path;
}

} // namespace

std::vector<std::string> seeds() {
  return {
      "#if __GNUC__ > 13\n#error too new\n#endif\n",
      "#ifndef G\n#define G\n#if defined(__clang__) && (__clang_major__ >= 18 || (__clang_major__ == 3 && "
      "__clang_minor__ < 3))\n#error \"Clang\"\n#endif\n#endif\n",
      "#include <features.h>\n#include \"host_config.h\"\n",
      "#define F(x) x F(x)\n#if F(F(1)) + __COUNTER__\n#elif __has_include(\"x\")\n#else\n#endif\n#pragma "
      "once\n",
      "#define A B\n#define B A\n#if A\n#endif\n%:define S(x) #x\n_Pragma(\"message(1)\")\n#line 3 \"y\"\n",
  };
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::ofstream(header_path(), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  HeaderReader reader(header_path());
  for (const Family family : {Family::gcc, Family::clang}) {
    const Reading reading =
        reader.read(predefined_macros({family, 14, 1}, {12, 4, 0}, Machine::x86_64), minor_macro(family));
    if (reading.refusal && reading.refusal->line == 0)
      std::abort(); // a refusal has a place
    if (reading.mistake && reading.mistake->text.empty())
      std::abort();
  }
  return 0;
}
