// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever a file of exceptions holds, none is without a reason, none excepts everything, and no finding is
// lost without being counted at one.
#include "hooks/leak-check/finding/exceptions.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"

#include <cstdlib>
#include <vector>

using namespace hostpin;

namespace {

std::vector<leak::Finding> some_findings() {
  std::vector<leak::Finding> findings;
  for (const leak::Rule rule : {leak::Rule::forbidden_runpath, leak::Rule::dangling_runpath})
    for (const char* const path : {"lib/a.so", "share/x/y.pc", ""})
      findings.push_back(
          {rule, leak::Severity::error, {path, {}, {}, std::nullopt}, "/opt/gcc-11/lib64", {}, {}, {}});
  return findings;
}

} // namespace

std::vector<std::string> seeds() {
  return {"[[exception]]\nrule = \"forbidden-runpath\"\npath = \"lib/*.so\"\nreason = \"known\"\n",
          "[[exception]]\nreference = \"/opt/**\"\nreason = \"known\"\n[[exception]]\nrule = \"*\"\npath = "
          "\"**/?.pc\"\nreason = '''two\nlines'''\n",
          "exception = [{ rule = \"x\", reason = \"\" }]\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::FakeFiles files;
  files.file("/e.toml", std::string(reinterpret_cast<const char*>(data), size));
  auto exceptions = leak::read_exceptions(files, "/e.toml");
  if (!exceptions) {
    if (!exceptions.error().message.starts_with("/e.toml"))
      std::abort();
    return 0;
  }
  for (const leak::Exception& one : *exceptions)
    if (one.reason.empty() || one.line == 0 || (!one.rule && one.path.empty() && one.reference.empty()))
      std::abort();
  std::uint64_t accepted = 0, used = 0;
  for (const leak::Finding& finding : some_findings())
    accepted += leak::accept(*exceptions, finding) ? 1U : 0U;
  for (const leak::Exception& one : *exceptions)
    used += one.used;
  if (accepted != used)
    std::abort();
  return 0;
}
