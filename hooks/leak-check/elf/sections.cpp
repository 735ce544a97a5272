// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/elf/sections.hpp"

#include "toolchains/binary/sections.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t ident_size = 16;
constexpr std::uint64_t most_sections =
    200000; // an object with a section for each of its functions has some 50,000
constexpr std::size_t longest_name = 4096;

} // namespace

Result<ElfFrame> read_header(const binary::ByteSource& source) {
  const auto ident = source.slice(0, ident_size);
  if (!ident || !ident->starts_with("\x7f"
                                    "ELF"))
    return failure("it is cut short: it has no ELF header");
  const char file_class = (*ident)[4];
  const char order = (*ident)[5];
  if ((file_class != 1 && file_class != 2) || (order != 1 && order != 2))
    return failure("it is an ELF file of an unknown kind");
  ElfFrame frame;
  frame.kind.wide = file_class == 2;
  frame.little = order == 1;
  const binary::ElfBytes file = frame.bytes(source);
  const auto type = file.number(16, 2);
  const auto machine = file.number(18, 2);
  if (!type || !machine)
    return failure("it is cut short: it has no ELF header");
  frame.type = static_cast<std::uint16_t>(*type);
  frame.kind.machine = static_cast<std::uint16_t>(*machine);
  return frame;
}

Result<void> read_sections(const BlobSource& source, ElfFrame& frame) {
  const binary::InputFile file(source.blob());
  auto table = binary::SectionTable::open_header(binary::Bytes(file), binary::ElfKinds::any);
  const auto wrong = [&](const std::string& what) -> Result<void> {
    const auto trouble = file.trouble();
    return trouble ? tl::unexpected(*trouble) : failure("it is cut short or damaged: " + what);
  };
  if (!table || !*table)
    return wrong(table ? "it has no ELF header" : table.error().what);
  binary::SectionTable& sections = **table;
  if (sections.count() > most_sections)
    return failure("it has " + std::to_string(sections.count()) + " sections, more than any real file");
  if (const auto loaded = sections.load_sections(); !loaded)
    return wrong(loaded.error().what);
  static_cast<void>(sections.load_names()); // without names the rest is still useful
  std::vector<ElfSection> found;
  found.reserve(static_cast<std::size_t>(sections.count()));
  const auto all = sections.each([&](const binary::ObjectSection& one) {
    const std::string_view name = sections.name_bytes(one, longest_name).value_or(std::string_view());
    found.push_back({std::string(name.substr(0, name.find('\0'))), one.type, one.flags, one.offset,
                     one.type == binary::ObjectSection::no_bits ? 0 : one.size});
    return true;
  });
  if (!all)
    return wrong(all.error().what);
  if (!found.empty())
    found.erase(found.begin()); // the null section
  frame.sections = std::move(found);
  frame.table_end = sections.end();
  return {};
}

std::optional<CompressedSection> compressed_section(const ElfFrame& frame, const ElfSection& section,
                                                    const binary::ByteSource& source) {
  using Method = CompressedSection::Method;
  const auto packed = [&](Method method, std::uint64_t header, std::uint64_t unpacked) {
    return header > section.size
               ? CompressedSection{}
               : CompressedSection{method, section.offset + header, section.size - header, unpacked};
  };
  if (section.is_compressed()) {
    const binary::ElfBytes file = frame.bytes(source);
    const bool wide = frame.kind.wide;
    const auto type = file.number(section.offset, 4);
    const auto unpacked = file.word(section.offset + (wide ? 8 : 4));
    if (!type || !unpacked)
      return CompressedSection{};
    return packed(*type == 1   ? Method::zlib
                  : *type == 2 ? Method::zstd
                               : Method::unknown,
                  wide ? 24 : 12, *unpacked);
  }
  if (!section.name.starts_with(".zdebug"))
    return std::nullopt;
  const auto magic = source.slice(section.offset, 4);
  const auto unpacked = binary::ElfBytes(source, true, false).word(section.offset + 4);
  if (magic != "ZLIB" || !unpacked)
    return std::nullopt; // GNU tools also take such a section as uncompressed
  return packed(Method::zlib, 12, *unpacked);
}

} // namespace hostpin
