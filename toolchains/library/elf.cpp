// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/elf.hpp"

#include "toolchains/library/elf_bytes.hpp"
#include "toolchains/library/elf_dynamic.hpp"
#include "toolchains/library/elf_strings.hpp"
#include "toolchains/library/elf_versions.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace hostpin {

namespace {

constexpr std::string_view elf_magic("\x7f"
                                     "ELF");
constexpr std::string_view archive_magic("!<arch>\n");
constexpr std::string_view thin_archive_magic("!<thin>\n");
constexpr std::size_t ident_size = 16;
constexpr std::size_t longest_run_path = 1048576; // a package store gives every library its own directory
constexpr std::uint64_t flag_no_default_libraries = 0x800; // DF_1_NODEFLIB

/// `begin`: the first bytes of `all`, which may be fewer than an ELF file has.
template <typename Bytes>
Result<ElfBytes> elf_reader(std::string_view begin, const Bytes& all) {
  if (begin.size() < ident_size || !begin.starts_with(elf_magic))
    return failure("it is not an ELF file");
  const char file_class = begin[4];
  const char order = begin[5];
  if ((file_class != 1 && file_class != 2) || (order != 1 && order != 2))
    return failure("it is an ELF file of an unknown kind");
  return ElfBytes(all, file_class == 2, order == 1);
}

Result<ElfBytes> elf_reader(std::string_view bytes) {
  return elf_reader(bytes, bytes);
}

std::optional<ElfKind> kind_of(const ElfBytes& file) {
  const auto machine = file.number(18, 2);
  return machine ? std::optional(ElfKind{file.wide(), static_cast<std::uint16_t>(*machine)}) : std::nullopt;
}

/// The names and needs of libraries that the dynamic segment lists.
std::optional<Error> read_dependencies(const ElfBytes& file, const ElfSegments& segments,
                                       const DynamicSegment& dynamic, std::string_view strings,
                                       SharedObject& object) {
  for (const std::uint64_t index : dynamic.needed) {
    auto name = string_at(strings, index);
    if (!name)
      return Error{"it is damaged: the name of a library it needs lies outside its string table", {}};
    object.needed.push_back(std::move(*name));
  }
  if (!dynamic.needs)
    return std::nullopt;
  const auto offset = offset_of(segments, *dynamic.needs);
  auto needs = offset ? read_needs(file, strings, *offset, dynamic.need_count.value_or(0)) : std::nullopt;
  if (!needs)
    return Error{"it is cut short or damaged: its version needs cannot be read", {}};
  object.version_needs = std::move(*needs);
  return std::nullopt;
}

std::string interpreter_at(const ElfBytes& file, const ElfSegment& segment) {
  const auto bytes = file.slice(segment.offset, std::min(segment.size, std::uint64_t{longest_name}));
  return bytes ? std::string(bytes->substr(0, bytes->find('\0'))) : std::string();
}

/// The name of the file itself, and where it looks for others.
std::optional<Error> read_names(const DynamicSegment& dynamic, std::string_view strings, Image& image) {
  if (dynamic.soname) {
    auto soname = string_at(strings, *dynamic.soname);
    if (!soname)
      return Error{"it is damaged: its name lies outside its string table", {}};
    image.soname = std::move(*soname);
  }
  for (const auto& [index, text] :
       {std::pair(dynamic.rpath, &image.rpath), std::pair(dynamic.runpath, &image.runpath)})
    if (index) {
      *text = string_at(strings, *index, longest_run_path);
      if (!*text)
        return Error{"it is damaged: a run path lies outside its string table", {}};
    }
  for (const std::uint64_t index : dynamic.loaded_besides) {
    auto name = string_at(strings, index, longest_run_path);
    if (!name)
      return Error{"it is damaged: the name of a filter or auditor lies outside its string table", {}};
    image.loaded_besides.push_back(std::move(*name));
  }
  return std::nullopt;
}

Result<std::optional<Image>> image_of(const ElfBytes& file) {
  constexpr std::uint64_t type_program = 2;
  constexpr std::uint64_t type_shared = 3;
  const auto type = file.number(16, 2);
  if (type != type_program && type != type_shared)
    return failure("it is an ELF file but no shared library");
  const auto segments = read_segments(file);
  if (!segments)
    return failure("it is cut short or damaged: its program headers lie outside the file");
  if (!segments->dynamic)
    return std::nullopt;
  const auto dynamic = read_dynamic(file, *segments->dynamic);
  if (!dynamic || !dynamic->strings || !dynamic->strings_size)
    return failure("it is cut short or damaged: its dynamic segment cannot be read");
  const auto strings_offset = offset_of(*segments, *dynamic->strings);
  const auto strings = strings_offset ? file.slice(*strings_offset, *dynamic->strings_size) : std::nullopt;
  if (!strings)
    return failure("it is cut short or damaged: its string table lies outside the file");

  Image image;
  image.kind = kind_of(file).value_or(ElfKind{});
  image.no_default_libraries = (dynamic->flags.value_or(0) & flag_no_default_libraries) != 0;
  if (segments->interpreter)
    image.interpreter = interpreter_at(file, *segments->interpreter);
  if (auto wrong = read_names(*dynamic, *strings, image))
    return tl::unexpected(*std::move(wrong));
  if (dynamic->definitions) {
    const auto offset = offset_of(*segments, *dynamic->definitions);
    auto names = offset ? read_definitions(file, *strings, *offset, dynamic->definition_count.value_or(0))
                        : std::nullopt;
    if (!names)
      return failure("it is cut short or damaged: its version definitions cannot be read");
    image.version_definitions = std::move(*names);
  }
  if (auto wrong = read_dependencies(file, *segments, *dynamic, *strings, image))
    return tl::unexpected(*std::move(wrong));
  return image;
}

} // namespace

bool is_archive(std::string_view bytes) {
  return bytes.starts_with(archive_magic) || bytes.starts_with(thin_archive_magic);
}

std::optional<ElfKind> elf_kind(std::string_view bytes) {
  if (const auto file = elf_reader(bytes))
    return kind_of(*file);
  if (!bytes.starts_with(archive_magic))
    return std::nullopt;
  constexpr std::size_t header_size = 60;
  constexpr std::size_t size_at = 48, size_digits = 10;
  for (std::size_t at = archive_magic.size(); at + header_size < bytes.size();) {
    if (const auto member = elf_reader(bytes.substr(at + header_size)))
      return kind_of(*member);
    const std::string_view digits = bytes.substr(at + size_at, size_digits);
    std::size_t size = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), size).ec != std::errc())
      return std::nullopt;
    at += header_size + size + size % 2; // members start at even offsets
  }
  return std::nullopt;
}

Result<std::optional<Image>> read_image(std::string_view bytes) {
  const auto file = elf_reader(bytes);
  return file ? image_of(*file) : tl::unexpected(file.error());
}

Result<std::optional<Image>> read_image(const ByteSource& source) {
  const auto file = elf_reader(source.slice(0, ident_size).value_or(std::string_view()), source);
  return file ? image_of(*file) : tl::unexpected(file.error());
}

Result<SharedObject> read_shared_object(std::string_view bytes) {
  auto image = read_image(bytes);
  if (!image)
    return tl::unexpected(std::move(image.error()));
  if (!*image)
    return failure("it is no shared library: it has no dynamic segment");
  constexpr std::uint64_t type_shared = 3;
  if (elf_reader(bytes)->number(16, 2) != type_shared)
    return failure("it is an ELF file but no shared library");
  return static_cast<SharedObject&&>(**std::move(image));
}

} // namespace hostpin
