// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Archives of every kind; the files that thin ones name are left alone.
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/hooks/lto-check/invariants.hpp"
#include "tests/unit/hooks/lto-check/bitstream/samples.hpp"
#include "toolchains/binary/archive.hpp"

using namespace hostpin;
using namespace hostpin::binary;

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (const std::string& sample : test::samples())
    if (sample.starts_with("!<"))
      all.push_back(sample);
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const ArchiveKind kind = archive_kind(bytes.substr(0, 8));
  if (kind == ArchiveKind::none)
    return 0;
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
