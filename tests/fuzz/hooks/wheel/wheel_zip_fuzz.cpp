// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wheel. Whatever is read has the members of the central directory, each of a name that can be installed
// and of its size. What can be written again has the same files, and writing it once more changes nothing.
#include "hooks/wheel/archive/wheel_file.hpp"
#include "hooks/wheel/archive/wheel_writer.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <cstdlib>
#include <map>
#include <optional>
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

namespace {

constexpr const char* name = "p-1-py3-none-any.whl";

/// A wheel that is written from one that was read; nothing if its members cannot be copied.
std::optional<binary::Blob> rewritten(const binary::Blob& zip, const WheelFile& wheel) {
  auto files = files_of(zip, wheel);
  const auto file = binary::open_scratch("/tmp");
  if (!files || !file)
    return std::nullopt;
  if (!write_wheel(*std::move(files), wheel.info, {}, (*file)->descriptor()))
    std::abort();
  return binary::written_blob((*file)->descriptor()).value();
}

std::map<std::string, std::string> hashes(const WheelFile& wheel) {
  std::map<std::string, std::string> all;
  for (const Member& member : wheel.members)
    if (!member.entry.is_directory && !is_record(member.entry.name, wheel.info))
      all.emplace(member.entry.name, member.hash);
  return all;
}

void check_writing(const binary::Blob& zip, const WheelFile& wheel) {
  const auto once = rewritten(zip, wheel);
  if (!once)
    return;
  const auto read = read_wheel(*once, name, {1, Depth::all, true}); // it may expand more, without directories
  if (!read || hashes(*read) != hashes(wheel))
    std::abort();
  const auto twice = rewritten(*once, *read);
  if (!twice || once->all(~std::size_t{0}).value() != twice->all(~std::size_t{0}).value())
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const binary::Blob zip(std::string(reinterpret_cast<const char*>(data), size));
  WheelLimits limits;
  limits.small = 1U << 20U; // a fuzzer finds bombs soon
  limits.members = 1000;
  const auto wheel = read_wheel(zip, name, {1, Depth::all, true}, limits);
  if (!wheel)
    return 0;
  std::set<std::string> names;
  for (const Member& member : wheel->members)
    if (!is_installable_name(member.entry.name) ||
        (!member.entry.is_directory && !names.insert(member.entry.name).second))
      std::abort();
  if (wheel->member(wheel->info + "/METADATA") == nullptr)
    std::abort();
  check_writing(zip, *wheel);
  return 0;
}
