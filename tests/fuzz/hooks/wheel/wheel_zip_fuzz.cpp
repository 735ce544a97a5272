// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wheel. Whatever is read has the members of the central directory, each of a name that can be installed
// and of its size.
#include "hooks/wheel/archive/wheel_file.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/hooks/leak-check/scan/packing.hpp"

#include <cstdlib>
#include <set>
#include <string>

using namespace hostpin;
using namespace hostpin::wheel;

std::vector<std::string> seeds() {
  const test::Packed members = {{"p/a.so", std::string("\x7f"
                                                       "ELF\2\1\1\0",
                                                       8)},
                                {"p-1.dist-info/METADATA", "Name: p\nVersion: 1\nRequires-Dist: q\n"},
                                {"p-1.dist-info/WHEEL", "Tag: py3-none-any\n"},
                                {"p-1.dist-info/RECORD", "p/a.so,sha256=AA,8\n"}};
  return {test::packed("zip", "none", members), test::packed("stored zip", "none", members)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const binary::Blob zip(std::string(reinterpret_cast<const char*>(data), size));
  WheelLimits limits;
  limits.small = 1U << 20U; // a fuzzer finds bombs soon
  limits.members = 1000;
  const auto wheel = read_wheel(zip, "p-1-py3-none-any.whl", {1, Depth::all, true}, limits);
  if (!wheel)
    return 0;
  std::set<std::string> names;
  for (const Member& member : wheel->members)
    if (!is_installable_name(member.entry.name) ||
        (!member.entry.is_directory && !names.insert(member.entry.name).second))
      std::abort();
  if (wheel->member(wheel->info + "/METADATA") == nullptr)
    std::abort();
  return 0;
}
