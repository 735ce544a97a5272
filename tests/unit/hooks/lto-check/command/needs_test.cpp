// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/needs.hpp"
#include "tests/tree.hpp"

#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;

namespace {

/// An object by this machine's own compiler; empty without one.
std::string object(const test::Tree& tree, const std::string& name, const std::string& source) {
  const std::string from = tree.write(name + ".c", source), to = tree.path(name + ".o");
  return std::system(("gcc -c '" + from + "' -o '" + to + "' >/dev/null 2>&1").c_str()) == 0 ? to : "";
}

Linker linker(LinkerFamily family, int major) {
  Linker result;
  result.family = family;
  result.version.major = major;
  return result;
}

Judgement judgement(const std::string& path, LtoFormat format) {
  Judgement result;
  result.path = path;
  result.stream.emplace();
  result.stream->format = format;
  return result;
}

} // namespace

TEST_CASE("an object behind --start-lib waits where its linker lets it, and is needed once it is wanted") {
  const test::Tree tree;
  const std::string main = object(tree, "main", "int f(void); int main(void) { return f(); }\n"),
                    wanted = object(tree, "wanted", "int f(void) { return 0; }\n"),
                    unused = object(tree, "unused", "int g(void) { return 0; }\n");
  if (main.empty()) {
    MESSAGE("skipped: no gcc on PATH");
    return;
  }
  LinkFile waiting{wanted}, idle{unused};
  waiting.lazy = idle.lazy = true;
  const auto need = [&](const Linker& by, const std::string& path, LtoFormat format,
                        std::vector<LinkFile> files) {
    const cmdline::LinkerCommand words;
    MemoryBound bound;
    return Needs(files, words, by, bound).of(judgement(path, format));
  };
  const std::vector<LinkFile> files{{main}, waiting, idle};
  const auto waits = [&](LinkerFamily family, int major, LtoFormat format) {
    CHECK(need(linker(family, major), wanted, format, files) == Need::certain);
    CHECK(need(linker(family, major), unused, format, {{main}, waiting, idle, {unused}}) == Need::certain);
    return need(linker(family, major), unused, format, files) == Need::unlikely;
  };
  CHECK(waits(LinkerFamily::mold, 1, LtoFormat::gcc_lto));
  CHECK(waits(LinkerFamily::lld, 14, LtoFormat::gcc_lto));
  CHECK_FALSE(waits(LinkerFamily::lld, 14, LtoFormat::llvm_bitcode));
  CHECK(waits(LinkerFamily::lld, 15, LtoFormat::llvm_bitcode));
  CHECK_FALSE(waits(LinkerFamily::gold, 1, LtoFormat::gcc_lto));
}
