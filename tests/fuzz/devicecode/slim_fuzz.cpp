// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked files whose device code is cut: refused, or changed as promised.
#include "tests/fuzz/devicecode/samples.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "toolchains/binary/elf_writer.hpp"
#include "toolchains/devicecode/note.hpp"
#include "toolchains/devicecode/slim.hpp"
#include "toolchains/gpus/gpus.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <set>
#include <utility>

using namespace hostpin;
using namespace hostpin::devicecode;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

std::string assembled(const std::vector<binary::Piece>& pieces, std::string_view source) {
  std::string bytes;
  for (const binary::Piece& piece : pieces) {
    require(!piece.from || (*piece.from <= source.size() && piece.size <= source.size() - *piece.from));
    bytes += piece.from            ? std::string(source.substr(*piece.from, piece.size))
             : piece.bytes.empty() ? std::string(piece.size, '\0')
                                   : piece.bytes;
  }
  return bytes;
}

bool is_device(const binary::ElfHeaders& headers, const Elf64_Shdr& section) {
  const std::string_view name = headers.name(section);
  return name == ".nv_fatbin" || name == "__nv_relfatbin";
}

/// Words that the change writes: addresses of fatbins, and of the first sections if they move.
std::set<std::uint64_t> stored(const Image& image) {
  std::set<std::uint64_t> offsets;
  for (const Wrapper& wrapper : image.wrappers) {
    offsets.insert(wrapper.pointer.at);
    if (wrapper.pointer.addend)
      offsets.insert(*wrapper.pointer.addend);
  }
  return offsets;
}

/// Whether the section has the same bytes but for such words, and numbers of sections in symbols; `after` is
/// where it is now.
bool is_same(const Elf64_Shdr& before, const Elf64_Shdr& after, std::string_view old_bytes,
             std::string_view new_bytes, const std::set<std::uint64_t>& words) {
  if (before.sh_size != after.sh_size || before.sh_type != after.sh_type)
    return false;
  for (std::uint64_t at = 0; at < before.sh_size; ++at) {
    if (old_bytes[before.sh_offset + at] == new_bytes[after.sh_offset + at])
      continue;
    const std::uint64_t in_symbol = at % sizeof(Elf64_Sym);
    if (before.sh_type == SHT_DYNSYM && in_symbol - offsetof(Elf64_Sym, st_shndx) < sizeof(Elf64_Section))
      continue;
    const auto word = words.upper_bound(before.sh_offset + at);
    if (word == words.begin() || before.sh_offset + at - *std::prev(word) >= 8)
      return false;
  }
  return true;
}

void require_host(const Image& before, const Image& after, std::string_view old_bytes,
                  std::string_view new_bytes) {
  const std::set<std::uint64_t> words = stored(before);
  require(after.headers.sections.size() >= before.headers.sections.size());
  for (const Elf64_Shdr& old_section : before.headers.sections) {
    if ((old_section.sh_flags & SHF_ALLOC) == 0 || old_section.sh_type == SHT_NOBITS ||
        old_section.sh_type == SHT_NULL || old_section.sh_type == SHT_DYNAMIC ||
        is_device(before.headers, old_section))
      continue;
    bool has_headers = false, has_dynamic = false; // a damaged file's section may have them
    has_headers = old_section.sh_offset < 64 + 56U * (before.headers.file.e_phnum + 4U);
    for (const Elf64_Phdr& program : before.headers.programs)
      has_dynamic = has_dynamic || (program.p_type == PT_DYNAMIC &&
                                    program.p_offset < old_section.sh_offset + old_section.sh_size &&
                                    old_section.sh_offset < program.p_offset + program.p_filesz);
    if (old_section.sh_size == 0 || has_headers || has_dynamic)
      continue;
    // They may have another order, and in a damaged file the same name.
    require(
        std::any_of(after.headers.sections.begin(), after.headers.sections.end(), [&](const auto& section) {
          return after.headers.name(section) == before.headers.name(old_section) &&
                 is_same(old_section, section, old_bytes, new_bytes, words);
        }));
  }
}

test::LinkedBuilder library() {
  test::LinkedBuilder file;
  file.tail = std::string(40, 't');
  file.fatbins = {test::fatbin_of({{2, 80, 0, 0, 0, {}, 4500}, {2, 90}, {1, 90}}),
                  test::fatbin_of({{2, 80}, {2, 90}})};
  return file;
}

} // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const test::Pointers pointers : {test::Pointers::rela_in_place, test::Pointers::relr}) {
    test::LinkedBuilder file = library();
    file.pointers = pointers;
    result.push_back(file.build());
  }
  return test::with_choices(std::move(result), 16);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto gpus = gpus::load_gpus(DiskFiles(), hostpin::test::shipped_data()).value();
  const std::string content_of_file = test::device_file({reinterpret_cast<const char*>(data), size});
  const std::string_view bytes(content_of_file);
  const binary::InputFile file(bytes);
  const auto image = read_image(binary::Bytes(file));
  if (!image || !*image || !(**image).is_linked())
    return 0;
  const Keeping keeping{gpus, {{{9, 0}, true, false}}, PtxPolicy::newest};
  const auto content = slim_linked(binary::Bytes(file), **image, keeping);
  if (!content || !content->changed)
    return 0;
  const std::string changed = assembled(content->pieces, bytes);
  require(changed.size() == content->after);
  const binary::InputFile after(changed);
  const auto again = read_image(binary::Bytes(after));
  require(again && *again && (**again).wrappers.size() == (**image).wrappers.size());
  require(binary::changeable(binary::Bytes(after), (**again).headers).has_value());
  require(read_note(binary::Bytes(after)).has_value());
  require_host(**image, **again, bytes, changed);
  return 0;
}
