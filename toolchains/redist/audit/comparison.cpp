// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/audit/comparison.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/binary/elf_headers.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin::redist {

namespace {

using binary::Blob;
using binary::ElfHeaders;
using Texts = std::vector<std::string>;

constexpr std::uint64_t longest_table = std::uint64_t{64} << 20U;
constexpr std::string_view build_id = ".note.gnu.build-id";

/// An ELF file with its headers; without them if it cannot be read.
class ElfFile {
public:
  explicit ElfFile(Blob bytes) : bytes_(std::move(bytes)) {
    const binary::InputFile input(bytes_);
    if (auto headers = binary::read_elf_headers(binary::Bytes(input)); headers && *headers)
      headers_ = **std::move(headers);
    source_ = std::make_unique<binary::BlobSource>(bytes_, longest_table);
    if (auto image = binary::read_image(*source_); image && *image)
      image_ = **std::move(image);
  }

  const std::optional<ElfHeaders>& headers() const { return headers_; }
  const binary::Image& image() const { return image_; }
  Blob content(const Elf64_Shdr& section) const {
    return binary::has_bytes(section) ? bytes_.part(section.sh_offset, section.sh_size) : Blob();
  }
  Blob content(std::string_view name) const {
    const Elf64_Shdr* const section = headers_ ? headers_->section_named(name) : nullptr;
    return section == nullptr ? Blob() : content(*section);
  }

private:
  Blob bytes_;
  std::optional<ElfHeaders> headers_;
  std::unique_ptr<binary::BlobSource> source_;
  binary::Image image_;
};

bool same(const Blob& left, const Blob& right) {
  constexpr std::size_t piece = std::size_t{256} << 10U;
  if (left.size() != right.size())
    return false;
  std::vector<char> one(std::min<std::uint64_t>(left.size(), piece)), other(one.size());
  for (std::uint64_t at = 0; at < left.size(); at += one.size()) {
    const auto read = left.read(at, one), others = right.read(at, other);
    if (!read || !others || *read == 0 || *read != *others ||
        !std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(*read), other.begin()))
      return false;
  }
  return true;
}

bool is_same_build(const ElfFile& original, const ElfFile& now) {
  if (!original.headers() || !now.headers() ||
      original.headers()->file.e_machine != now.headers()->file.e_machine)
    return false;
  const Blob id = now.content(build_id), other = original.content(build_id);
  if (id.size() != 0 && other.size() != 0)
    return same(id, other);
  const Blob code = now.content(".text"), constants = now.content(".rodata");
  return code.size() != 0 && same(code, original.content(".text")) &&
         same(constants, original.content(".rodata"));
}

std::string run_path(const binary::Image& image) {
  if (image.runpath)
    return "RUNPATH " + escaped(*image.runpath);
  return image.rpath ? "RPATH " + escaped(*image.rpath) : "none";
}

void compare_lists(const Texts& old, const Texts& now, Texts& differences) {
  std::string text;
  for (const std::string& one : now)
    if (std::ranges::find(old, one) == old.end())
      text += " +" + escaped(one);
  for (const std::string& one : old)
    if (std::ranges::find(now, one) == now.end())
      text += " -" + escaped(one);
  if (text.empty() && old != now)
    text = " another order";
  if (!text.empty())
    differences.push_back("NEEDED:" + text);
}

void compare_images(const binary::Image& old, const binary::Image& now, Texts& differences) {
  if (run_path(old) != run_path(now))
    differences.push_back("run path: " + run_path(old) + " -> " + run_path(now));
  compare_lists(old.needed, now.needed, differences);
  if (old.soname != now.soname)
    differences.push_back("soname: " + escaped(old.soname) + " -> " + escaped(now.soname));
  if (old.interpreter != now.interpreter)
    differences.push_back("interpreter: " + escaped(old.interpreter) + " -> " + escaped(now.interpreter));
}

std::string meaning(std::string_view name) {
  if (name == ".nv_fatbin" || name == ".nvFatBinSegment" || name == "__nv_relfatbin")
    return " (device code)";
  if (name == ".symtab" || name == ".strtab" || name.starts_with(".debug") || name == ".gnu_debugdata")
    return " (symbols for debuggers)";
  return name.starts_with(".note.hostpin") ? " (a note of hostpin's)" : "";
}

/// A section that differs; empty: it does not.
std::string difference(const ElfFile& original, const ElfFile& now, const Elf64_Shdr& old,
                       const Elf64_Shdr* section) {
  const std::string_view name = original.headers()->name(old);
  const std::string named = "section " + escaped(name) + meaning(name);
  if (section == nullptr)
    return named + " is missing";
  if (old.sh_size != section->sh_size)
    return named + " has " + std::to_string(section->sh_size) + " bytes instead of " +
           std::to_string(old.sh_size);
  if (!same(original.content(old), now.content(*section)))
    return named + " has other bytes";
  return old.sh_addr == section->sh_addr ? "" : named + " is at another address";
}

void compare_sections(const ElfFile& original, const ElfFile& now, Texts& differences) {
  if (now.headers()->sections.empty()) {
    differences.emplace_back("the section headers are missing");
    return;
  }
  for (const Elf64_Shdr& old : original.headers()->sections) {
    const std::string_view name = original.headers()->name(old);
    if (name.empty())
      continue;
    if (std::string text = difference(original, now, old, now.headers()->section_named(name)); !text.empty())
      differences.push_back(std::move(text));
  }
  for (const Elf64_Shdr& section : now.headers()->sections)
    if (const std::string_view name = now.headers()->name(section);
        !name.empty() && original.headers()->section_named(name) == nullptr)
      differences.push_back("section " + escaped(name) + meaning(name) + " is new");
}

bool has_note_of_hostpin(const ElfHeaders& headers) {
  return std::ranges::any_of(headers.sections, [&](const Elf64_Shdr& section) {
    return headers.name(section).starts_with(".note.hostpin");
  });
}

/// patchelf moves sections that grow behind all others, also behind .bss, and fills what they leave with X.
bool has_moved_sections(const ElfFile& file) {
  const Elf64_Shdr* const zeros = file.headers()->section_named(".bss");
  for (const std::string_view name : {".dynstr", ".dynsym", ".dynamic", ".interp", ".gnu.hash"}) {
    const Elf64_Shdr* const section = file.headers()->section_named(name);
    if (section != nullptr && zeros != nullptr && zeros->sh_addr != 0 && section->sh_addr > zeros->sh_addr)
      return true;
  }
  return false;
}

/// The bytes of .dynstr, which holds run paths; empty if it is too large.
std::string strings_of(const ElfFile& file) {
  return file.content(".dynstr").all(longest_table).value_or(std::string());
}

std::string path_of(const ElfFile& file) {
  return file.image().runpath.value_or(file.image().rpath.value_or(std::string()));
}

/// chrpath writes a shorter run path over the old one and fills the rest with zeros; linkers put no empty
/// strings into the table.
bool has_padded_run_path(const ElfFile& file, const std::string& strings) {
  const std::string path = path_of(file) + std::string(3, '\0');
  return path.size() > 3 && strings.find(path) + path.size() < strings.size();
}

void add(Texts& tools, const char* tool) {
  if (std::ranges::find(tools, tool) == tools.end())
    tools.emplace_back(tool);
}

Texts marks(const ElfFile& file) {
  Texts tools;
  if (!file.headers())
    return tools;
  if (has_note_of_hostpin(*file.headers()))
    add(tools, "hostpin");
  const std::string strings = strings_of(file);
  if (has_moved_sections(file) || strings.find("XXXXXXXX") != std::string::npos)
    add(tools, "patchelf");
  else if (has_padded_run_path(file, strings))
    add(tools, "chrpath");
  if (file.headers()->is_linked() && file.headers()->sections.empty())
    add(tools, "strip");
  return tools;
}

/// The tool that wrote a shorter run path over the old one: what is left of that is X by patchelf, and zero
/// by chrpath. Empty if there is none.
const char* overwriting_tool(const ElfFile& original, const ElfFile& now) {
  const std::string old = path_of(original), path = path_of(now);
  const std::string before = strings_of(original), after = strings_of(now);
  const std::size_t at = before.find(old + '\0');
  if (old.size() <= path.size() || before.size() != after.size() || at == std::string::npos)
    return nullptr;
  const std::string rest = after.substr(at + path.size(), old.size() - path.size());
  return rest.find_first_not_of('\0') == std::string::npos          ? "chrpath"
         : rest.find_first_not_of("X\0", 0, 2) == std::string::npos ? "patchelf"
                                                                    : nullptr;
}

} // namespace

ElfComparison compared(const Blob& original, const Blob& now) {
  const ElfFile old(original), file(now);
  ElfComparison result{is_same_build(old, file), {}, marks(file)};
  if (!result.is_same_build)
    return result;
  compare_images(old.image(), file.image(), result.differences);
  compare_sections(old, file, result.differences);
  const auto lost = [&](std::string_view name) {
    return old.headers()->section_named(name) != nullptr && file.headers()->section_named(name) == nullptr;
  };
  if (lost(".symtab") || lost(".gnu.build.attributes") || lost(".comment"))
    add(result.tools, "strip");
  const Texts before = marks(old); // NVIDIA uses such tools too
  std::erase_if(result.tools,
                [&](const std::string& tool) { return std::ranges::find(before, tool) != before.end(); });
  if (const char* const tool = overwriting_tool(old, file); tool != nullptr)
    add(result.tools, tool);
  return result;
}

std::vector<std::string> marks_of_tools(const Blob& file) {
  return marks(ElfFile(file));
}

} // namespace hostpin::redist
