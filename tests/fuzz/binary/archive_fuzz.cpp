// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Archives of every kind, as each reads them; the files that thin ones name are left alone.
#include "hooks/leak-check/scan/containers.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/hooks/lto-check/invariants.hpp"
#include "tests/unit/hooks/lto-check/bitstream/samples.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"
#include "toolchains/binary/archive.hpp"

using namespace hostpin;
using namespace hostpin::binary;

std::vector<std::string> seeds() {
  std::vector<std::string> all = {
      test::ar_archive({{"x.o", "odd"}, {"a_name_longer_than_its_field.o", "even"}}),
      "!<thin>\n//                                              10        `\nsub/x.o/\n "};
  for (const std::string& sample : test::samples())
    if (sample.starts_with("!<"))
      all.push_back(sample);
  return all;
}

namespace {

/// Members and tables, with those whose names cannot be read.
void require_order(std::string_view bytes) {
  std::uint64_t last = 0;
  static_cast<void>(leak::read_ar(binary::Blob(std::string(bytes)), [&](const leak::ArMember& member) {
    // They lie within the archive and never go back, so that their number is bounded too.
    test::require(member.header >= last && member.offset <= bytes.size() + 60 &&
                  member.size <= bytes.size() && member.name.size() <= 4096);
    test::require(member.size == 0 || member.offset + member.size <= bytes.size());
    last = member.header + 60;
    return true;
  }));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const ArchiveKind kind = archive_kind(bytes.substr(0, 8));
  if (kind == ArchiveKind::none)
    return 0;
  require_order(bytes);
  const InputFile file(bytes);
  ArchiveReader reader(Bytes(file), kind);
  std::uint64_t members = 0, content = 0;
  for (auto next = reader.next(); next && *next; next = reader.next()) {
    test::require((*next)->content.has_value() == (kind == ArchiveKind::ordinary));
    ++members;
    content += (*next)->content ? (*next)->content->size() : 0;
  }
  test::require(members <= size / 60 && content <= size);
  for (std::uint64_t at = 0; at < size; at += 1 + size / 16)
    static_cast<void>(ArchiveReader(Bytes(file), kind).at(at));
  if (bytes.find("!<thin>") == std::string_view::npos)
    test::scan(bytes);
  return 0;
}
