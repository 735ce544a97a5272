// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/evaluate.hpp"
#include "stdlib-probe/gate/preprocess.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"

#include <cstdlib>

using namespace hostpin;

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
  const std::string header = "/cuda/include/crt/host_config.h";
  test::FakeFiles files;
  files.file(header, {reinterpret_cast<const char*>(data), size});
  probe::HeaderReader reader(header, files);
  for (const Family family : {Family::gcc, Family::clang}) {
    const probe::Reading reading =
        reader.read(probe::predefined_macros({family, 14, 1}, {12, 4, 0}, probe::Machine::x86_64));
    if (reading.refusal && reading.refusal->line == 0)
      std::abort(); // a refusal has a place
    if (reading.mistake && reading.mistake->text.empty())
      std::abort();
  }
  return 0;
}
