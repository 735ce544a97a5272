// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/search_path.hpp"

#include "toolchains/base/system_call.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf_headers.hpp"
#include "toolchains/binary/elf_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin::setup {

namespace {

using namespace binary;

constexpr std::uint64_t most_strings = std::uint64_t{64} << 20U;

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

/// What is added to the file, and where in it the strings are.
struct Addition {
  std::string strings; ///< the old ones, then the search path
  std::uint64_t path = 0;
  std::string loader; ///< with its NUL; empty if there is none
};

const Elf64_Phdr* segment(const ElfHeaders& headers, std::uint32_t type) {
  const auto found = std::ranges::find(headers.programs, type, &Elf64_Phdr::p_type);
  return found == headers.programs.end() ? nullptr : &*found;
}

/// The entries of the dynamic segment, with the one for the search path.
Reading<std::vector<Elf64_Dyn>> entries(const Bytes& file, const ElfHeaders& headers,
                                        const Addition& addition, std::uint64_t address) {
  const Elf64_Phdr* const dynamic = segment(headers, PT_DYNAMIC);
  if (dynamic == nullptr || dynamic->p_filesz % sizeof(Elf64_Dyn) != 0 ||
      dynamic->p_filesz > Bytes::view_limit)
    return damaged("its dynamic segment has an unusual size");
  std::vector<Elf64_Dyn> all(static_cast<std::size_t>(dynamic->p_filesz / sizeof(Elf64_Dyn)));
  if (!file.read(dynamic->p_offset, reinterpret_cast<char*>(all.data()), dynamic->p_filesz))
    return damaged("its dynamic segment cannot be read");
  bool is_placed = false, has_end = false;
  for (Elf64_Dyn& each : all) {
    if (each.d_tag == DT_STRTAB)
      each.d_un.d_ptr = address;
    if (each.d_tag == DT_STRSZ)
      each.d_un.d_val = addition.strings.size();
    const bool is_path = each.d_tag == DT_RPATH || each.d_tag == DT_RUNPATH;
    if (is_path || (each.d_tag == DT_NULL && !is_placed)) {
      each.d_tag = DT_RPATH;
      each.d_un.d_val = addition.path;
      is_placed = true;
    } else if (each.d_tag == DT_NULL) {
      has_end = true;
      break;
    }
  }
  if (!has_end) // linkers leave five entries for this
    return damaged("its dynamic segment has no room for a search path");
  return all;
}

bool write_at(int descriptor, const void* bytes, std::size_t size, std::uint64_t offset) {
  return ::pwrite(descriptor, bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

/// Linkers read the strings through the section.
bool point_section(const ElfHeaders& headers, int descriptor, const Addition& addition,
                   std::uint64_t address) {
  const Elf64_Shdr* const old = headers.section_named(".dynstr");
  const auto offset = headers.offset_of(address, addition.strings.size());
  if (old == nullptr || !offset)
    return true;
  Elf64_Shdr changed = *old;
  changed.sh_addr = address;
  changed.sh_offset = *offset;
  changed.sh_size = addition.strings.size();
  const auto index = static_cast<std::uint64_t>(old - headers.sections.data());
  return write_at(descriptor, &changed, sizeof changed, headers.file.e_shoff + index * sizeof changed);
}

/// In the file that has the added segment: points to what is in it.
Result<void> point(const Blob& written, int descriptor, const Addition& addition, std::uint64_t address) {
  const InputFile input(written);
  const Bytes file(input);
  const auto headers = read_elf_headers(file);
  if (!headers || !*headers)
    return failure(headers ? "it is not an ELF file" : headers.error().what);
  const auto dynamic = entries(file, **headers, addition, address);
  if (!dynamic)
    return failure(dynamic.error().what);
  bool ok = write_at(descriptor, dynamic->data(), dynamic->size() * sizeof(Elf64_Dyn),
                     segment(**headers, PT_DYNAMIC)->p_offset) &&
            point_section(**headers, descriptor, addition, address);
  if (const Elf64_Phdr* const old = segment(**headers, PT_INTERP);
      ok && old != nullptr && !addition.loader.empty()) {
    Elf64_Phdr changed = *old;
    changed.p_vaddr = changed.p_paddr = address + addition.strings.size();
    changed.p_filesz = changed.p_memsz = addition.loader.size();
    const auto offset = (*headers)->offset_of(changed.p_vaddr, changed.p_filesz);
    if (!offset)
      return failure("its added segment is not in the file");
    changed.p_offset = *offset;
    const auto index = static_cast<std::uint64_t>(old - (*headers)->programs.data());
    ok = write_at(descriptor, &changed, sizeof changed, (*headers)->file.e_phoff + index * sizeof changed);
  }
  return ok ? Result<void>() : failure(system_reason());
}

Result<void> write_changed(const Blob& source, const std::string& to, const Addition& addition) {
  const InputFile input(source);
  const Bytes file(input);
  const auto headers = read_elf_headers(file);
  if (!headers || !*headers)
    return failure(headers ? "it is not a 64-bit little-endian ELF file" : headers.error().what);
  Addition whole = addition;
  auto strings = dynamic_strings(file, **headers);
  if (!strings)
    return failure(strings.error().what);
  whole.strings = *std::move(strings);
  const std::uint64_t path = whole.strings.size();
  whole.strings += addition.strings;
  whole.path = path;
  ElfChange change;
  change.added = AddedSegment{8, {}};
  if (auto possible = changeable(file, **headers); !possible)
    return failure(possible.error().what);
  change.added->content.push_back(Piece::of(whole.strings + whole.loader));
  const auto address = added_address(file, **headers, change);
  auto pieces = address ? changed_elf(file, **headers, change)
                        : Reading<std::vector<Piece>>(tl::unexpected(address.error()));
  if (!pieces)
    return failure(pieces.error().what);
  const auto output =
      std::make_shared<const OpenFile>(::open(to.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (output->descriptor() < 0)
    return failure(system_reason());
  if (auto written = write_pieces(source, *pieces, output->descriptor()); !written)
    return written;
  return point(Blob(output, size_of(*pieces)), output->descriptor(), whole, *address).and_then([&] {
    return ::fchmod(output->descriptor(), source.file()->status().st_mode & 0777U) == 0
               ? Result<void>()
               : failure(system_reason());
  });
}

} // namespace

Result<void> set_search_path(const std::string& file, const std::string& path, const std::string& loader) {
  const auto source = open_blob(file);
  const std::string changed = file + ".relocated";
  Addition addition{path + '\0', 0, loader.empty() ? "" : loader + '\0'};
  auto done = source ? write_changed(*source, changed, addition) : tl::unexpected(source.error());
  if (done && ::rename(changed.c_str(), file.c_str()) != 0)
    done = failure(system_reason());
  if (done)
    return done;
  ::unlink(changed.c_str());
  return failure("cannot relocate " + file + ": " + done.error().message);
}

} // namespace hostpin::setup
