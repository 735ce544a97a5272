// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/elf/facts.hpp"

#include <algorithm>
#include <utility>

namespace hostpin {

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

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4U];
    text += digits[static_cast<unsigned char>(c) & 15U];
  }
  return text;
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

ElfFacts::Type type_of(const ElfFrame& frame, const std::optional<Image>& image,
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
  const bool asks = image && !image->interpreter.empty() && image->soname.empty();
  return asks || is_pie(frame, source) ? ElfFacts::Type::program : ElfFacts::Type::library;
}

/// A read error of the source explains more than the parser's error.
std::string reason(const BlobSource& source, const Error& error) {
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

void read_image_of(const BlobSource& source, ElfReading& reading) {
  auto image = read_image(source);
  if (image)
    reading.facts.image = *std::move(image);
  else if (!is_debug_file(reading.frame) || !source.trouble().empty())
    reading.troubles.push_back(reason(source, image.error()));
}

} // namespace

ElfReading read_elf(const BlobSource& source) {
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
        reading.troubles.emplace_back("it is cut short or damaged: its .comment lies outside the file");
    } else if (section.type == section_note) {
      if (!append_notes(reading.frame, section, source, facts.notes))
        reading.troubles.push_back("it is cut short or damaged: " + section.name + " cannot be read");
    }
  }
  for (const ElfNote& note : facts.notes)
    if (note.owner == "GNU" && note.type == note_build_id)
      facts.build_id = hexadecimal(note.description);
  return reading;
}

std::optional<Image> read_image_of(const std::string& path) {
  auto blob = open_blob(path);
  if (!blob)
    return std::nullopt;
  auto image = read_image(BlobSource(*std::move(blob)));
  return image ? *std::move(image) : std::nullopt;
}

} // namespace hostpin
