// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/elf.hpp"

#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/blob.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace hostpin::binary {

namespace {

constexpr std::string_view elf_magic("\x7f"
                                     "ELF");
constexpr std::size_t ident_size = 16;
constexpr std::size_t longest_run_path = 1048576; // a package store gives every library its own directory
constexpr std::uint64_t flag_no_default_libraries = 0x800; // DF_1_NODEFLIB

/// `begin`: the first bytes of `all`, which may be fewer than an ELF header.
template <typename Source>
Result<ElfBytes> elf_reader(std::string_view begin, const Source& all) {
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
  return machine ? std::optional(ElfKind{file.wide(), static_cast<std::uint16_t>(*machine), !file.little()})
                 : std::nullopt;
}

// Real names are short and real files have a few dozen of them. Records may share strings and overlap, so
// without bounds a small file could cost much time and memory.
constexpr std::size_t longest_name = 4096;
constexpr std::uint64_t most_names = 65536;

/// The name at an index of a string table; nothing if it is outside of it, or longer than `longest`.
std::optional<std::string> string_at(std::string_view strings, std::uint64_t index,
                                     std::size_t longest = longest_name) {
  if (index >= strings.size())
    return std::nullopt;
  const std::string_view rest = strings.substr(static_cast<std::size_t>(index));
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos || end > longest)
    return std::nullopt;
  return std::string(rest.substr(0, end));
}

/// A part of the file and the address where it is loaded.
struct ElfSegment {
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0; ///< in the file
};

/// What the loader reads from the program headers.
struct ElfSegments {
  std::vector<ElfSegment> loaded;
  std::optional<ElfSegment> dynamic;
  std::optional<ElfSegment> interpreter;
};

/// The values of the dynamic segment: addresses, sizes, and indices into its string table, unchanged.
struct DynamicSegment {
  std::optional<std::uint64_t> strings, strings_size, soname, rpath, runpath, definitions, definition_count,
      needs, need_count, flags;
  std::vector<std::uint64_t> needed, loaded_besides;
};

/// Nothing if a program header is outside the file.
std::optional<ElfSegments> read_segments(const ElfBytes& file) {
  constexpr std::uint64_t type_load = 1;
  constexpr std::uint64_t type_dynamic = 2;
  constexpr std::uint64_t type_interpreter = 3;
  const bool wide = file.wide();
  const auto table = file.word(wide ? 32 : 28);
  const auto entry_size = file.number(wide ? 54 : 42, 2);
  const auto count = file.number(wide ? 56 : 44, 2);
  if (!table || !entry_size || !count || *entry_size != (wide ? 56U : 32U))
    return std::nullopt;
  ElfSegments segments;
  for (std::uint64_t i = 0; i < *count; ++i) {
    // No overflow: both factors have 16 bits, and a table that starts beyond the file fails at its first
    // entry.
    const std::uint64_t at = *table + i * *entry_size;
    const auto type = file.number(at, 4);
    const auto offset = file.word(at + (wide ? 8 : 4));
    const auto address = file.word(at + (wide ? 16 : 8));
    const auto size = file.word(at + (wide ? 32 : 16));
    if (!type || !offset || !address || !size)
      return std::nullopt;
    if (*type == type_load)
      segments.loaded.push_back({*offset, *address, *size});
    if (*type == type_dynamic)
      segments.dynamic = ElfSegment{*offset, *address, *size};
    if (*type == type_interpreter)
      segments.interpreter = ElfSegment{*offset, *address, *size};
  }
  return segments;
}

/// Nothing if the segment is outside the file, or has more entries than any real one.
std::optional<DynamicSegment> read_dynamic(const ElfBytes& file, const ElfSegment& segment) {
  const std::uint64_t half = file.wide() ? 8 : 4;
  DynamicSegment dynamic;
  for (std::uint64_t done = 0; done + 2 * half <= segment.size; done += 2 * half) {
    const auto tag = file.word(segment.offset + done);
    const auto value = file.word(segment.offset + done + half);
    if (!tag || !value)
      return std::nullopt;
    switch (*tag) {
    case 0: // DT_NULL
      return dynamic;
    case 1: // DT_NEEDED
      if (dynamic.needed.size() == most_names)
        return std::nullopt;
      dynamic.needed.push_back(*value);
      break;
    case 5: // DT_STRTAB
      dynamic.strings = value;
      break;
    case 10: // DT_STRSZ
      dynamic.strings_size = value;
      break;
    case 14: // DT_SONAME
      dynamic.soname = value;
      break;
    case 15: // DT_RPATH
      dynamic.rpath = value;
      break;
    case 29: // DT_RUNPATH
      dynamic.runpath = value;
      break;
    case 0x6ffffefb: // DT_DEPAUDIT
    case 0x6ffffefc: // DT_AUDIT
    case 0x7ffffffd: // DT_AUXILIARY
    case 0x7fffffff: // DT_FILTER
      if (dynamic.loaded_besides.size() == most_names)
        return std::nullopt;
      dynamic.loaded_besides.push_back(*value);
      break;
    case 0x6ffffffb: // DT_FLAGS_1
      dynamic.flags = value;
      break;
    case 0x6ffffffc: // DT_VERDEF
      dynamic.definitions = value;
      break;
    case 0x6ffffffd: // DT_VERDEFNUM
      dynamic.definition_count = value;
      break;
    case 0x6ffffffe: // DT_VERNEED
      dynamic.needs = value;
      break;
    case 0x6fffffff: // DT_VERNEEDNUM
      dynamic.need_count = value;
      break;
    default:
      break;
    }
  }
  return dynamic;
}

/// The file offset of what is loaded at an address; nothing if no segment of the file contains it.
std::optional<std::uint64_t> offset_of(const ElfSegments& segments, std::uint64_t address) {
  for (const ElfSegment& segment : segments.loaded)
    if (address >= segment.address && address - segment.address < segment.size)
      return segment.offset + (address - segment.address);
  return std::nullopt;
}

/// One chain of Vernaux records; `room`: how many more of them fit into the file, whatever chains claim.
std::optional<std::vector<std::string>> read_needed_versions(const ElfBytes& file, std::string_view strings,
                                                             std::uint64_t offset, std::uint64_t& room) {
  constexpr std::uint64_t record_size = 16;
  std::vector<std::string> names;
  for (; room > 0; --room) {
    constexpr std::uint64_t flag_weak = 2; // the loader warns at most
    const auto flags = file.number(offset + 4, 2);
    const auto index = file.number(offset + 8, 4);
    const auto next = file.number(offset + 12, 4);
    auto name = index && next ? string_at(strings, *index) : std::nullopt;
    if (!name)
      return std::nullopt;
    if ((*flags & flag_weak) == 0)
      names.push_back(std::move(*name));
    if (*next == 0)
      return names;
    if (*next < record_size)
      return std::nullopt;
    offset += *next;
  }
  return std::nullopt;
}

/// The chain of Verdef records; the first Verdaux record of each has its name.
std::optional<std::vector<std::string>> read_definitions(const ElfBytes& file, std::string_view strings,
                                                         std::uint64_t offset, std::uint64_t count) {
  constexpr std::uint64_t record_size = 20;
  constexpr std::uint64_t flag_base = 1; // names the file itself, not a version
  std::vector<std::string> names;
  // Records cannot overlap, so a count that exceeds the size of the file is false, and must not cost time.
  for (std::uint64_t i = 0; i < count; ++i) {
    if (names.size() == most_names)
      return std::nullopt;
    const auto flags = file.number(offset + 2, 2);
    const auto auxiliary = file.number(offset + 12, 4);
    const auto next = file.number(offset + 16, 4);
    if (!flags || !auxiliary || !next)
      return std::nullopt;
    const auto index = file.number(offset + *auxiliary, 4);
    auto name = index ? string_at(strings, *index) : std::nullopt;
    if (!name)
      return std::nullopt;
    if ((*flags & flag_base) == 0)
      names.push_back(std::move(*name));
    if (*next == 0)
      break;
    if (*next < record_size)
      return std::nullopt;
    offset += *next;
  }
  return names;
}

/// The chain of Verneed records, each for one library and with a chain of its versions.
std::optional<std::vector<VersionNeed>> read_needs(const ElfBytes& file, std::string_view strings,
                                                   std::uint64_t offset, std::uint64_t count) {
  constexpr std::uint64_t record_size = 16;
  std::uint64_t room = most_names;
  std::vector<VersionNeed> needs;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto library = file.number(offset + 4, 4);
    const auto auxiliary = file.number(offset + 8, 4);
    const auto next = file.number(offset + 12, 4);
    auto name = library && auxiliary && next ? string_at(strings, *library) : std::nullopt;
    auto versions = name ? read_needed_versions(file, strings, offset + *auxiliary, room) : std::nullopt;
    if (!versions)
      return std::nullopt;
    needs.push_back({std::move(*name), std::move(*versions)});
    if (*next == 0)
      break;
    if (*next < record_size)
      return std::nullopt;
    offset += *next;
  }
  return needs;
}

/// The names of the libraries that the dynamic segment needs, and their version needs.
std::optional<Error> read_dependencies(const ElfBytes& file, const ElfSegments& segments,
                                       const DynamicSegment& dynamic, std::string_view strings,
                                       SharedObject& object) {
  for (const std::uint64_t index : dynamic.needed) {
    auto name = string_at(strings, index);
    if (!name)
      return Error{"it is damaged: the name of a library it needs is outside its string table", {}};
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

/// The name of the file itself, and where it searches for others.
std::optional<Error> read_names(const DynamicSegment& dynamic, std::string_view strings, Image& image) {
  if (dynamic.soname) {
    auto soname = string_at(strings, *dynamic.soname);
    if (!soname)
      return Error{"it is damaged: its name is outside its string table", {}};
    image.soname = std::move(*soname);
  }
  for (const auto& [index, text] :
       {std::pair(dynamic.rpath, &image.rpath), std::pair(dynamic.runpath, &image.runpath)})
    if (index) {
      *text = string_at(strings, *index, longest_run_path);
      if (!*text)
        return Error{"it is damaged: a run path is outside its string table", {}};
    }
  for (const std::uint64_t index : dynamic.loaded_besides) {
    auto name = string_at(strings, index, longest_run_path);
    if (!name)
      return Error{"it is damaged: the name of a filter or auditor is outside its string table", {}};
    image.loaded_besides.push_back(std::move(*name));
  }
  return std::nullopt;
}

Result<std::optional<Image>> image_of(const ElfBytes& file) {
  constexpr std::uint64_t type_program = 2;
  constexpr std::uint64_t type_shared = 3;
  const auto type = file.number(16, 2);
  if (type != type_program && type != type_shared)
    return failure("it is an ELF file but not a shared library");
  const auto segments = read_segments(file);
  if (!segments)
    return failure("it is cut short or damaged: its program headers are outside the file");
  if (!segments->dynamic)
    return std::nullopt;
  const auto dynamic = read_dynamic(file, *segments->dynamic);
  if (!dynamic || !dynamic->strings || !dynamic->strings_size)
    return failure("it is cut short or damaged: its dynamic segment cannot be read");
  const auto strings_offset = offset_of(*segments, *dynamic->strings);
  const auto strings = strings_offset ? file.slice(*strings_offset, *dynamic->strings_size) : std::nullopt;
  if (!strings)
    return failure("it is cut short or damaged: its string table is outside the file");

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
  image.refusals = refusals(file, image.version_needs);
  return image;
}

} // namespace

bool is_archive(std::string_view bytes) {
  return archive_kind(bytes) != ArchiveKind::none;
}

std::optional<ElfKind> elf_kind(std::string_view bytes) {
  if (const auto file = elf_reader(bytes))
    return kind_of(*file);
  if (archive_kind(bytes) != ArchiveKind::ordinary)
    return std::nullopt;
  const InputFile archive(bytes);
  ArchiveReader reader(Bytes(archive), ArchiveKind::ordinary);
  for (;;) {
    const auto next = reader.next_or_table();
    if (next && !*next)
      return std::nullopt;
    // If only the first bytes of an archive are available, those of the truncated member are enough.
    const std::uint64_t begin = next ? (*next)->begin : next.error().at + ArchiveReader::header_size;
    if (const auto member = elf_reader(bytes.substr(std::min<std::uint64_t>(begin, bytes.size()))))
      return kind_of(*member);
    if (!next)
      return std::nullopt;
  }
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
  TRY_ASSIGN(auto image, read_image(bytes));
  if (!image)
    return failure("it is not a shared library: it has no dynamic segment");
  constexpr std::uint64_t type_shared = 3;
  if (elf_reader(bytes)->number(16, 2) != type_shared)
    return failure("it is an ELF file but not a shared library");
  return static_cast<SharedObject&&>(*std::move(image));
}

} // namespace hostpin::binary
