// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever a pkg-config, libtool or CMake file holds, what --fix makes of it has the same lines in number,
// nothing is fixed a second time, and bytes go only with a change that is told.
#include "hooks/leak-check/fix/text.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

using namespace hostpin;

namespace {

struct Setting {
  test::FakeFiles files;
  leak::Unwanted unwanted;
  leak::UnwantedRows rows;

  Setting() {
    files.file("/bad/lib/libneeded.so", "");
    leak::Policy policy;
    policy.unwanted = {{"/bad", leak::UnwantedPath::Kind::forbidden},
                       {"/known", leak::UnwantedPath::Kind::forbidden}};
    unwanted = *leak::Unwanted::make(policy, files);
    rows = {unwanted.covering("/bad")};
  }
};

} // namespace

std::vector<std::string> seeds() {
  const std::string slashes(100, '/');
  std::string chain, hits;
  for (std::size_t i = 0; i < 20; ++i) {
    chain += " -Wl,-rpath";
    hits += "#/bad";
  }
  return {
      "0Libs: -L/bad " + slashes + '\n',
      "0Libs: -L/bad" + slashes + "x" + slashes + '\n',
      "0Libs:" + chain + " -Wl,/bad\n",
      "0Libs: \"-L/bad\" " + hits + '\n',
      "0Libs: -Xclang -L/bad/lib --param -L/bad -Wl,-rpath-link -L/bad -l needed -L/bad/gone\n",
      "2set_target_properties(x PROPERTIES INTERFACE_LINK_LIBRARIES \"debug;-L/bad;optimized;a\")\n",
      "0libdir=/bad/lib\nLibs: -L${libdir} -L/bad/lib -Wl,-rpath -Wl,/bad:/a -lneeded \\\n -lx # /bad\n",
      "1dependency_libs=' -L/bad/lib -R/bad -lm /bad/lib/libstdc++.la'\nlibdir='/bad'\n",
      "2set_target_properties(x PROPERTIES INTERFACE_LINK_LIBRARIES \"\\$<LINK_ONLY:/bad/libstdc++.so>;a\"\n"
      "  #[[ ]] INTERFACE_LINK_OPTIONS \"LINKER:-rpath,/bad;-L/known\" INTERFACE_LINK_DIRECTORIES "
      "\"/bad\")\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Setting setting;
  constexpr std::array kinds = {leak::TextFacts::Kind::pkg_config, leak::TextFacts::Kind::libtool,
                                leak::TextFacts::Kind::cmake};
  if (size == 0)
    return 0;
  const leak::TextFacts::Kind kind = kinds[data[0] % kinds.size()];
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto fixed = [&](const std::string& what) {
    return leak::fixed_text(kind, what, setting.unwanted, setting.rows, setting.files);
  };
  const leak::FixedText once = fixed(text);
  const auto lines = [](const std::string& what) { return std::count(what.begin(), what.end(), '\n'); };
  if (lines(once.text) != lines(text) || once.changes.empty() != (once.text == text))
    std::abort();
  const leak::FixedText twice = fixed(once.text);
  if (twice.text != once.text || !twice.changes.empty())
    std::abort();
  return 0;
}
