// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/elf.hpp"

#include "toolchains/base/text.hpp"
#include "toolchains/binary/cuda_runtime.hpp"
#include "toolchains/binary/sections.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace hostpin::leak {

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
  frame.kind.big = !frame.little;
  const binary::ElfBytes file = frame.bytes(source);
  const auto type = file.number(16, 2);
  const auto machine = file.number(18, 2);
  if (!type || !machine)
    return failure("it is cut short: it has no ELF header");
  frame.type = static_cast<std::uint16_t>(*type);
  frame.kind.machine = static_cast<std::uint16_t>(*machine);
  return frame;
}

Result<void> read_sections(const binary::BlobSource& source, ElfFrame& frame) {
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
  const auto section_of = [&](Method method, std::uint64_t header, std::uint64_t decompressed) {
    return header > section.size
               ? CompressedSection{}
               : CompressedSection{method, section.offset + header, section.size - header, decompressed};
  };
  if (section.is_compressed()) {
    const binary::ElfBytes file = frame.bytes(source);
    const bool wide = frame.kind.wide;
    const auto type = file.number(section.offset, 4);
    const auto decompressed = file.word(section.offset + (wide ? 8 : 4));
    if (!type || !decompressed)
      return CompressedSection{};
    return section_of(*type == 1   ? Method::zlib
                      : *type == 2 ? Method::zstd
                                   : Method::unknown,
                      wide ? 24 : 12, *decompressed);
  }
  if (!section.name.starts_with(".zdebug"))
    return std::nullopt;
  const auto magic = source.slice(section.offset, 4);
  const auto decompressed = binary::ElfBytes(source, true, false).word(section.offset + 4);
  if (magic != "ZLIB" || !decompressed)
    return std::nullopt; // GNU tools also take such a section as uncompressed
  return section_of(Method::zlib, 12, *decompressed);
}

namespace {

constexpr std::uint16_t type_relocatable = 1, type_program = 2, type_shared = 3;
constexpr std::uint32_t section_note = 7, section_dynamic = 6;
constexpr std::uint64_t most_of_comment = 1U << 16U, most_of_notes = 1U << 20U;
constexpr std::size_t most_comments = 256, most_of_note = 4096, most_notes = 256;

std::vector<std::string> comments(std::string_view bytes) {
  std::vector<std::string> found;
  while (!bytes.empty() && found.size() < most_comments) {
    const std::size_t end = std::min(bytes.find('\0'), bytes.size());
    std::string text(bytes.substr(0, end));
    if (!text.empty() && std::find(found.begin(), found.end(), text) == found.end())
      found.push_back(std::move(text));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return found;
}

/// The chain of notes in a section. GNU property notes are aligned to 8 bytes in 64-bit files, all others to
/// 4; unnecessary padding to 8 reads as an empty note, which ends the chain.
bool append_notes(const ElfFrame& frame, const ElfSection& section, const binary::ByteSource& source,
                  std::vector<ElfNote>& notes) {
  const std::uint64_t align = section.name == ".note.gnu.property" && frame.kind.wide ? 8 : 4;
  const auto aligned = [&](std::uint64_t size) { return (size + align - 1) / align * align; };
  const binary::ElfBytes file = frame.bytes(source);
  const std::uint64_t end = section.offset + std::min(section.size, most_of_notes);
  for (std::uint64_t at = section.offset; at + 12 <= end && notes.size() < most_notes;) {
    const auto name_size = file.number(at, 4);
    const auto size = file.number(at + 4, 4);
    const auto type = file.number(at + 8, 4);
    if (!name_size || !size || !type)
      return false;
    if (*name_size == 0 && *size == 0)
      return true;
    const std::uint64_t description_at = at + 12 + (*name_size + 3) / 4 * 4;
    if (*name_size > end - at || *size > end - std::min(description_at, end))
      return false;
    const auto owner = file.slice(at + 12, *name_size);
    const auto description = file.slice(description_at, std::min<std::uint64_t>(*size, most_of_note));
    if (!owner || !description)
      return false;
    notes.push_back({section.name, std::string(owner->substr(0, owner->find('\0'))),
                     static_cast<std::uint32_t>(*type), std::string(*description)});
    at = description_at + aligned(*size);
  }
  return true;
}

/// DF_1_PIE distinguishes a program that is linked statically or has no interpreter from a library.
bool is_pie(const ElfFrame& frame, const binary::ByteSource& source) {
  constexpr std::uint64_t tag_flags_1 = 0x6ffffffb;
  constexpr std::uint64_t flag_pie = 0x08000000;
  const binary::ElfBytes file = frame.bytes(source);
  const std::uint64_t half = frame.kind.wide ? 8 : 4;
  for (const ElfSection& section : frame.sections)
    if (section.type == section_dynamic)
      for (std::uint64_t done = 0; done + 2 * half <= section.size; done += 2 * half) {
        const auto tag = file.word(section.offset + done);
        const auto value = file.word(section.offset + done + half);
        if (!tag || !value || *tag == 0)
          break;
        if (*tag == tag_flags_1)
          return (*value & flag_pie) != 0;
      }
  return false;
}

ElfFacts::Type type_of(const ElfFrame& frame, const std::optional<binary::Image>& image,
                       const binary::ByteSource& source) {
  switch (frame.type) {
  case type_relocatable:
    return ElfFacts::Type::relocatable;
  case type_program:
    return ElfFacts::Type::program;
  case type_shared:
    break;
  default:
    return ElfFacts::Type::other;
  }
  // The C library has an interpreter too, so that it can be run; but it also has a soname.
  const bool names_loader = image && !image->interpreter.empty() && image->soname.empty();
  return names_loader || is_pie(frame, source) ? ElfFacts::Type::program : ElfFacts::Type::library;
}

/// A read error of the source explains more than the parser's error.
std::string reason(const binary::BlobSource& source, const Error& error) {
  return source.trouble().empty() ? error.message : source.trouble();
}

/// If debug information was moved into a separate file, that file has the program's headers without the
/// content they refer to.
bool is_debug_file(const ElfFrame& frame) {
  constexpr std::uint32_t no_bits = 8;
  return std::any_of(frame.sections.begin(), frame.sections.end(), [](const ElfSection& section) {
    return section.name == ".dynamic" && section.type == no_bits;
  });
}

void read_image_of(const binary::BlobSource& source, ElfReading& reading) {
  auto image = read_image(source);
  if (image && *image && !(*image)->refusals.empty() && is_debug_file(reading.frame))
    (*image)->refusals.clear(); // nothing loads it
  if (image && *image)
    reading.facts.cuda = loader::read_cuda_functions(binary::Bytes(binary::InputFile(source.blob())));
  if (image)
    reading.facts.image = *std::move(image);
  else if (!is_debug_file(reading.frame) || !source.trouble().empty())
    reading.troubles.push_back(reason(source, image.error()));
}

} // namespace

ElfReading read_elf(const binary::BlobSource& source) {
  constexpr std::uint32_t note_build_id = 3;
  ElfReading reading;
  auto frame = read_header(source);
  if (!frame) {
    reading.troubles.push_back(reason(source, frame.error()));
    return reading;
  }
  reading.frame = *std::move(frame);
  if (const auto read = read_sections(source, reading.frame); !read)
    reading.troubles.push_back(reason(source, read.error()));
  ElfFacts& facts = reading.facts;
  if (reading.frame.type == type_program || reading.frame.type == type_shared)
    read_image_of(source, reading); // needs no sections
  facts.kind = reading.frame.kind;
  facts.type = type_of(reading.frame, facts.image, source);
  for (const ElfSection& section : reading.frame.sections) {
    if (section.name == ".comment" && !section.is_compressed()) {
      if (const auto bytes = source.slice(section.offset, std::min(section.size, most_of_comment)))
        facts.comment = comments(*bytes);
      else
        reading.troubles.emplace_back("it is cut short or damaged: its .comment is outside the file");
    } else if (section.type == section_note) {
      if (!append_notes(reading.frame, section, source, facts.notes))
        reading.troubles.push_back("it is cut short or damaged: " + section.name + " cannot be read");
    }
  }
  for (const ElfNote& note : facts.notes)
    if (note.owner == "GNU" && note.type == note_build_id)
      facts.build_id = hex_of(note.description);
  return reading;
}

std::optional<binary::Image> read_image_of(const std::string& path) {
  auto blob = binary::open_blob(path);
  if (!blob)
    return std::nullopt;
  auto image = binary::read_image(binary::BlobSource(*std::move(blob)));
  return image ? *std::move(image) : std::nullopt;
}

std::optional<loader::CudaFunctions> read_cuda_functions_of(const std::string& path) {
  auto blob = binary::open_blob(path);
  if (!blob)
    return std::nullopt;
  const binary::InputFile file(*std::move(blob));
  return loader::read_cuda_functions(binary::Bytes(file));
}

namespace {

/// A literal that a library always contains, found by two of its bytes that rarely occur at that distance.
struct Trait {
  std::string_view text;
  std::size_t first, second; ///< their offsets in it
  bool ElfFacts::*fact;
};

constexpr std::array traits = {
    // libsupc++'s handler, which every use of std::terminate links
    Trait{"terminate called after throwing an instance of '", 26, 46, &ElfFacts::has_libstdcxx},
    Trait{binary::cuda_runtime_text, 7, 10, &ElfFacts::has_cudart},
    Trait{"libcuda.so", 2, 7, &ElfFacts::names_driver},
};
static_assert(std::all_of(traits.begin(), traits.end(),
                          [](const Trait& trait) { return trait.text.size() < LinkedIn::overlap; }));

/// Whether two bytes occur at that distance anywhere: byte by byte and without a branch, so that compilers
/// vectorize it.
[[gnu::always_inline]] inline bool has_pair(const char* bytes, std::size_t count, char first, char second,
                                            std::size_t distance) {
  const char* const further = bytes + distance;
  unsigned char same = 0;
  for (std::size_t i = 0; i < count; ++i)
    same |= static_cast<unsigned char>((bytes[i] == first) & (further[i] == second));
  return same != 0;
}

#if defined(__x86_64__)
/// The same with vectors of twice the length.
__attribute__((target("avx2"))) bool has_pair_avx2(const char* bytes, std::size_t count, char first,
                                                   char second, std::size_t distance) {
  return has_pair(bytes, count, first, second, distance);
}
#endif

bool may_hold(const char* bytes, std::size_t count, char first, char second, std::size_t distance) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0)
    return has_pair_avx2(bytes, count, first, second, distance);
#endif
  return has_pair(bytes, count, first, second, distance);
}

/// Whether the literal begins in the first `count` bytes.
bool begins_in(std::string_view bytes, std::size_t count, const Trait& trait) {
  const std::size_t most = bytes.size() - std::min(bytes.size(), trait.text.size() - 1);
  const std::size_t tried = std::min(count, most);
  return may_hold(bytes.data() + trait.first, tried, trait.text[trait.first], trait.text[trait.second],
                  trait.second - trait.first) &&
         bytes.substr(0, tried + trait.text.size() - 1).find(trait.text) != std::string_view::npos;
}

} // namespace

LinkedIn::LinkedIn(const std::vector<ElfSection>& sections) {
  static_assert(std::tuple_size_v<decltype(seen_)> == traits.size());
  for (const ElfSection& section : sections)
    if (section.is_loaded() && !section.is_compressed() && section.name.starts_with(".rodata"))
      constants_.push_back({section.offset, section.offset + std::min(section.size, ~section.offset)});
}

void LinkedIn::search(std::uint64_t offset, std::string_view bytes) {
  for (const Range& range : constants_) {
    const std::uint64_t begin = std::max(range.begin, offset);
    const std::uint64_t end = std::min(range.end, offset + bytes.size());
    if (begin >= end)
      continue;
    const std::string_view piece =
        bytes.substr(static_cast<std::size_t>(begin - offset), static_cast<std::size_t>(end - begin));
    constexpr std::size_t block = 4096; // fits into the first-level cache for all traits
    for (std::size_t at = 0; at < piece.size(); at += block)
      for (std::size_t i = 0; i < traits.size(); ++i)
        seen_[i] = seen_[i] || begins_in(piece.substr(at), block, traits[i]);
  }
}

void LinkedIn::merge(const LinkedIn& other) {
  for (std::size_t i = 0; i < traits.size(); ++i)
    seen_[i] = seen_[i] || other.seen_[i];
}

void LinkedIn::set_facts(ElfFacts& facts) const {
  for (std::size_t i = 0; i < traits.size(); ++i)
    facts.*traits[i].fact = seen_[i];
}

} // namespace hostpin::leak
