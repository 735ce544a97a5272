// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/dynamic_edit.hpp"

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf_headers.hpp"
#include "toolchains/binary/elf_writer.hpp"
#include "toolchains/binary/section_order.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace hostpin::binary {

namespace {

constexpr std::uint64_t most_strings = std::uint64_t{256} << 20U;

/// The strings of the dynamic segment, copied.
Reading<std::string> dynamic_strings(const Bytes& file, const ElfHeaders& headers) {
  const auto address = headers.dynamic(DT_STRTAB), size = headers.dynamic(DT_STRSZ);
  const auto offset = address && size ? headers.offset_of(*address, *size) : std::nullopt;
  if (!offset || *size > most_strings)
    return damaged("its dynamic strings are not in the file");
  std::string strings(static_cast<std::size_t>(*size), '\0');
  if (!file.read(*offset, strings.data(), strings.size()))
    return damaged("its dynamic strings cannot be read");
  return strings;
}

/// The string table that replaces the file's: the old strings, whose offsets stay, then new ones.
class Strings {
public:
  explicit Strings(std::string old) : all_(std::move(old)) {}

  std::string_view at(std::uint64_t offset) const {
    if (offset >= all_.size())
      return {};
    const std::string_view rest = std::string_view(all_).substr(static_cast<std::size_t>(offset));
    return rest.substr(0, rest.find('\0'));
  }
  std::uint64_t add(const std::string& text) {
    if (const auto known = added_.find(text); known != added_.end())
      return known->second;
    const std::uint64_t offset = all_.size();
    all_ += text + '\0';
    added_.emplace(text, offset);
    return offset;
  }
  const std::string& all() const { return all_; }

private:
  std::string all_;
  std::map<std::string, std::uint64_t> added_;
};

/// The content of the added segment.
struct Addition {
  Strings strings;
  std::string interpreter; ///< with its NUL, after the strings; empty if there is none
};

const Elf64_Phdr* segment(const ElfHeaders& headers, std::uint32_t type) {
  const auto found = std::ranges::find(headers.programs, type, &Elf64_Phdr::p_type);
  return found == headers.programs.end() ? nullptr : &*found;
}

bool is_run_path(const Elf64_Dyn& entry) {
  return entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
}

/// Entries of the dynamic segment after the edit, without those of the string table.
std::vector<Elf64_Dyn> edited_entries(const ElfHeaders& headers, const DynamicEdit& edit, Strings& strings) {
  std::vector<Elf64_Dyn> all;
  const auto put = [&](std::int64_t tag, const std::string& text) {
    Elf64_Dyn entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = strings.add(text);
    all.push_back(entry);
  };
  bool needs_path = edit.run_path && !edit.run_path->directories.empty(), needs_first = true;
  const auto put_path = [&] {
    if (std::exchange(needs_path, false))
      put(edit.run_path->is_rpath ? DT_RPATH : DT_RUNPATH, edit.run_path->directories);
  };
  const auto put_first = [&] {
    if (std::exchange(needs_first, false))
      for (const std::string& name : edit.needed_first)
        put(DT_NEEDED, name);
  };
  for (const Elf64_Dyn& entry : headers.dynamics) {
    if (edit.run_path && is_run_path(entry)) {
      put_path(); // instead of the first one
      continue;
    }
    if (entry.d_tag == DT_NEEDED)
      put_first();
    const auto renamed = entry.d_tag == DT_NEEDED
                             ? edit.renamed.find(std::string(strings.at(entry.d_un.d_val)))
                             : edit.renamed.end();
    if (renamed != edit.renamed.end())
      put(DT_NEEDED, renamed->second);
    else if (entry.d_tag == DT_SONAME && edit.soname)
      put(DT_SONAME, *edit.soname);
    else
      all.push_back(entry);
  }
  put_first();
  put_path();
  return all;
}

/// With the entries that are free, which linkers leave behind the last one.
Reading<std::vector<Elf64_Dyn>> fitted(std::vector<Elf64_Dyn> entries, const ElfHeaders& headers) {
  const Elf64_Phdr* const dynamic = segment(headers, PT_DYNAMIC);
  if (dynamic == nullptr || dynamic->p_filesz % sizeof(Elf64_Dyn) != 0 ||
      dynamic->p_filesz > Bytes::view_limit)
    return damaged("its dynamic segment has an unusual size");
  const auto room = static_cast<std::size_t>(dynamic->p_filesz / sizeof(Elf64_Dyn));
  // lld leaves none. The number of relative relocations only lets the loader apply them faster.
  if (entries.size() >= room)
    std::erase_if(entries, [](const Elf64_Dyn& entry) { return entry.d_tag == DT_RELACOUNT; });
  if (entries.size() >= room)
    return damaged("its dynamic segment has no room for another entry");
  entries.resize(room);
  return entries;
}

/// Numbers in the file, by offset, that name libraries of version needs.
Reading<std::map<std::uint64_t, std::uint32_t>> renamed_needs(const Bytes& file, const ElfHeaders& headers,
                                                              const DynamicEdit& edit, Strings& strings) {
  std::map<std::uint64_t, std::uint32_t> changes;
  const auto address = headers.dynamic(DT_VERNEED);
  if (edit.renamed.empty() || !address)
    return changes;
  std::uint64_t at = *address;
  for (std::uint64_t left = headers.dynamic(DT_VERNEEDNUM).value_or(0); left > 0; --left) {
    const auto offset = headers.offset_of(at, sizeof(Elf64_Verneed));
    const auto need = offset ? read_structure<Elf64_Verneed>(file, *offset) : std::nullopt;
    if (!need)
      return damaged("its version needs are not in the file");
    if (const auto renamed = edit.renamed.find(std::string(strings.at(need->vn_file)));
        renamed != edit.renamed.end())
      changes[*offset + offsetof(Elf64_Verneed, vn_file)] =
          static_cast<std::uint32_t>(strings.add(renamed->second));
    if (need->vn_next == 0)
      break;
    at += need->vn_next;
  }
  return changes;
}

/// Changes a file that has the added segment.
class Pointing {
public:
  Pointing(const Blob& written, int descriptor, std::uint64_t address)
      : input_(written), file_(input_), descriptor_(descriptor), address_(address) {}

  Result<void> run(const DynamicEdit& edit, Addition& addition) {
    auto headers = read_elf_headers(file_);
    if (!headers || !*headers)
      return failure(headers ? "it is not an ELF file" : headers.error().what);
    headers_ = **std::move(headers);
    auto entries = fitted(edited_entries(headers_, edit, addition.strings), headers_);
    const auto needs = renamed_needs(file_, headers_, edit, addition.strings);
    if (!entries || !needs)
      return failure(entries ? needs.error().what : entries.error().what);
    for (Elf64_Dyn& entry : *entries)
      if (entry.d_tag == DT_STRTAB)
        entry.d_un.d_ptr = address_;
      else if (entry.d_tag == DT_STRSZ)
        entry.d_un.d_val = addition.strings.all().size();
    put(entries->data(), entries->size() * sizeof(Elf64_Dyn), segment(headers_, PT_DYNAMIC)->p_offset);
    for (const auto& [offset, value] : *needs)
      put(&value, sizeof value, offset);
    point_sections(addition);
    point_interpreter(addition);
    return reason_.empty() ? Result<void>() : failure(reason_);
  }

private:
  void put(const void* bytes, std::size_t size, std::uint64_t offset) {
    if (::pwrite(descriptor_, bytes, size, static_cast<off_t>(offset)) != static_cast<ssize_t>(size))
      reason_ = system_reason();
  }

  /// Linkers read the strings through the section, patchelf also the interpreter.
  void point_sections(const Addition& addition) {
    std::vector<Elf64_Shdr> sections = headers_.sections;
    const std::uint64_t size = addition.strings.all().size();
    place(".dynstr", address_, size, sections);
    if (!addition.interpreter.empty())
      place(".interp", address_ + size, addition.interpreter.size(), sections);
    const SectionOrder order(sections);
    const std::vector<Elf64_Shdr> ordered = order.ordered(sections);
    put(ordered.data(), ordered.size() * sizeof ordered.front(), headers_.file.e_shoff);
    const auto names = static_cast<Elf64_Half>(order.of(headers_.file.e_shstrndx));
    put(&names, sizeof names, offsetof(Elf64_Ehdr, e_shstrndx));
    if (order.changes())
      renumber_symbols(order);
  }

  void place(std::string_view name, std::uint64_t address, std::uint64_t size,
             std::vector<Elf64_Shdr>& sections) const {
    const Elf64_Shdr* const section = headers_.section_named(name);
    const auto offset = headers_.offset_of(address, size);
    if (section == nullptr || !offset)
      return;
    Elf64_Shdr& changed = sections[static_cast<std::size_t>(section - headers_.sections.data())];
    changed.sh_addr = address, changed.sh_offset = *offset, changed.sh_size = size;
  }

  void renumber_symbols(const SectionOrder& order) {
    for (const Elf64_Shdr& section : headers_.sections) {
      if (!has_symbols(section))
        continue;
      std::string table(section.sh_size, '\0');
      if (!file_.read(section.sh_offset, table.data(), table.size()))
        reason_ = "its symbols cannot be read";
      else if (order.renumber_symbols(table))
        put(table.data(), table.size(), section.sh_offset);
    }
  }

  void point_interpreter(const Addition& addition) {
    const Elf64_Phdr* const old = segment(headers_, PT_INTERP);
    if (old == nullptr || addition.interpreter.empty())
      return;
    Elf64_Phdr changed = *old;
    changed.p_vaddr = changed.p_paddr = address_ + addition.strings.all().size();
    changed.p_filesz = changed.p_memsz = addition.interpreter.size();
    const auto offset = headers_.offset_of(changed.p_vaddr, changed.p_filesz);
    if (!offset) {
      reason_ = "its added segment is not in the file";
      return;
    }
    changed.p_offset = *offset;
    const auto index = static_cast<std::uint64_t>(old - headers_.programs.data());
    put(&changed, sizeof changed, headers_.file.e_phoff + index * sizeof changed);
  }

  InputFile input_;
  Bytes file_;
  ElfHeaders headers_;
  int descriptor_;
  std::uint64_t address_;
  std::string reason_;
};

} // namespace

Result<void> write_edited(const Blob& source, const DynamicEdit& edit, int descriptor) {
  const InputFile input(source);
  const Bytes file(input);
  const auto headers = read_elf_headers(file);
  if (!headers || !*headers)
    return failure(headers ? "it is not a 64-bit little-endian ELF file" : headers.error().what);
  if (auto possible = changeable(file, **headers); !possible)
    return failure(possible.error().what);
  auto strings = dynamic_strings(file, **headers);
  if (!strings)
    return failure(strings.error().what);
  Addition addition{Strings(*std::move(strings)),
                    edit.interpreter ? *edit.interpreter + '\0' : std::string()};
  // All new strings, in the order in which they are used below.
  static_cast<void>(edited_entries(**headers, edit, addition.strings));
  if (auto needs = renamed_needs(file, **headers, edit, addition.strings); !needs)
    return failure(needs.error().what);
  ElfChange change;
  change.added = AddedSegment{8, {Piece::of(addition.strings.all() + addition.interpreter)}};
  const auto address = added_address(file, **headers, change);
  const auto pieces = address ? changed_elf(file, **headers, change)
                              : Reading<std::vector<Piece>>(tl::unexpected(address.error()));
  if (!pieces)
    return failure(pieces.error().what);
  TRY(write_pieces(source, *pieces, descriptor));
  const auto written = written_blob(descriptor);
  return written ? Pointing(*written, descriptor, *address).run(edit, addition)
                 : Result<void>(tl::unexpected(written.error()));
}

} // namespace hostpin::binary
