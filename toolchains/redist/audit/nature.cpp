// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/audit/nature.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/binary/elf_headers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace hostpin::redist {

namespace {

using binary::Blob;
using binary::Bytes;
using Texts = std::vector<std::string>;

constexpr std::size_t text_bytes = std::size_t{16} << 10U;
constexpr std::string_view elf_magic("\x7f"
                                     "ELF"),
    bitcode_magic("BC\xc0\xde"), archive_magic("!<arch>\n"), pe_magic("MZ");

/// Finds texts in files, several at once, reading each part of a file once.
class Search {
public:
  explicit Search(Texts texts) : texts_(std::move(texts)) {
    for (const std::string& text : texts_)
      longest_ = std::max(longest_, text.size());
  }

  void read(const Blob& bytes) {
    std::vector<char> buffer(std::min<std::uint64_t>(bytes.size(), piece) + longest_);
    std::size_t kept = 0;
    for (std::uint64_t done = 0; done < bytes.size() && found_.size() < texts_.size();) {
      const auto count = bytes.read(done, {buffer.data() + kept, buffer.size() - kept});
      if (!count || *count == 0)
        return;
      search({buffer.data(), kept + *count});
      const std::size_t all = kept + *count;
      kept = std::min(longest_ > 0 ? longest_ - 1 : 0, all);
      std::memmove(buffer.data(), buffer.data() + all - kept, kept);
      done += *count;
    }
  }
  bool has(const std::string& text) const { return found_.contains(text); }
  bool has_any(const Texts& texts) const {
    return std::ranges::any_of(texts, [&](const std::string& text) { return has(text); });
  }

private:
  static constexpr std::size_t piece = std::size_t{1} << 20U;

  void search(std::string_view bytes) {
    for (const std::string& text : texts_)
      if (!has(text) && ::memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr)
        found_.insert(text);
  }

  Texts texts_;
  std::set<std::string> found_;
  std::size_t longest_ = 0;
};

Texts all_texts(const AuditFacts& facts, Texts LinkedPart::*which) {
  Texts texts;
  for (const LinkedPart& part : facts.linked)
    texts.insert(texts.end(), (part.*which).begin(), (part.*which).end());
  return texts;
}

/// NVIDIA's name in the resources of a Windows program.
std::string wide(std::string_view text) {
  std::string bytes;
  for (const char c : text)
    (bytes += c) += '\0';
  return bytes;
}

/// Sections whose texts show what is linked in; machine code, tables for unwinding and the like have none.
bool has_texts(std::string_view name) {
  constexpr auto without = std::to_array<std::string_view>(
      {".text", ".eh_frame", ".gcc_except_table", ".rela.dyn", ".gnu.hash", ".init_array", ".nv_fatbin"});
  return std::ranges::find(without, name) == without.end() && !name.starts_with(".debug");
}

struct Range {
  std::uint64_t begin = 0, end = 0;
};

/// Each byte once: the sections of a hostile file may all be the whole file.
void read_ranges(const Blob& file, std::vector<Range> ranges, Search& search) {
  std::ranges::sort(ranges, {}, &Range::begin);
  for (std::size_t i = 0; i < ranges.size();) {
    Range range = ranges[i];
    for (++i; i < ranges.size() && ranges[i].begin < range.end; ++i)
      range.end = std::max(range.end, ranges[i].end);
    search.read(file.part(range.begin, range.end - range.begin));
  }
}

/// Reads what the host uses of a program or library, and its device code. All of a file without sections.
void read_sections(const Blob& file, Search& host, Search& device) {
  const binary::InputFile input(file);
  const auto headers = binary::read_elf_headers(Bytes(input));
  if (!headers || !*headers || (*headers)->sections.empty()) {
    host.read(file);
    device.read(file);
    return;
  }
  std::vector<Range> host_ranges, device_ranges;
  for (const Elf64_Shdr& section : (*headers)->sections) {
    const std::string_view name = (*headers)->name(section);
    if (!binary::has_bytes(section) || section.sh_offset >= file.size())
      continue;
    const std::uint64_t size = std::min<std::uint64_t>(section.sh_size, file.size() - section.sh_offset);
    const Range range{section.sh_offset, section.sh_offset + size};
    if (has_texts(name))
      host_ranges.push_back(range);
    if (name == ".nv_fatbin" || name == "__nv_relfatbin")
      device_ranges.push_back(range);
  }
  read_ranges(file, std::move(host_ranges), host);
  read_ranges(file, std::move(device_ranges), device);
}

std::vector<std::string> linked_parts(const AuditFacts& facts, const Search& host, const Search& device) {
  std::vector<std::string> parts;
  for (const LinkedPart& part : facts.linked)
    if (host.has_any(part.texts) || device.has_any(part.device_texts))
      parts.push_back(part.part);
  return parts;
}

/// The name of NVIDIA's library that this is; empty if it is none.
std::string library_name(const binary::SharedObject& image, const AuditFacts& facts) {
  if (family_of(image.soname, facts) != nullptr)
    return image.soname;
  const auto& versions = image.version_definitions;
  const auto found = std::ranges::find_if(
      versions, [&](const std::string& version) { return family_of(version, facts) != nullptr; });
  return found != versions.end() ? *found : std::string();
}

/// Code without a name of a library: a program of NVIDIA's, or what is linked in.
Nature code_nature(const Blob& file, std::string_view name, bool is_elf, const AuditFacts& facts) {
  Texts texts = all_texts(facts, &LinkedPart::texts);
  texts.insert(texts.end(), facts.program_texts.begin(), facts.program_texts.end());
  const std::string company = wide("NVIDIA Corporation");
  if (!is_elf)
    texts.push_back(company);
  Search host(std::move(texts)), device(all_texts(facts, &LinkedPart::device_texts));
  if (is_elf) {
    read_sections(file, host, device);
  } else {
    host.read(file);
    device.read(file);
  }
  Nature nature;
  nature.is_elf = is_elf;
  nature.linked = linked_parts(facts, host, device);
  const bool is_program = host.has_any(facts.program_texts) || host.has(company);
  if (is_program || (!is_elf && listing_of(name, facts) != nullptr)) {
    nature.kind = Nature::Kind::nvidia;
    nature.part = name;
    std::erase(nature.linked, nature.part);
    nature.why = is_program ? "it contains NVIDIA's notice" : "it has the name of a part";
  } else if (!nature.linked.empty()) {
    nature.kind = Nature::Kind::linked;
  }
  return nature;
}

/// Whether it claims to be a program or a shared library; so does what is too short to say.
bool is_for_loader(const Blob& file) {
  constexpr std::size_t type = 16, header = 52;
  const std::string beginning = file.beginning(header);
  return beginning.size() < header || beginning[type] + beginning[type + 1] == ET_EXEC ||
         beginning[type] + beginning[type + 1] == ET_DYN;
}

Nature elf_nature(const Blob& file, std::string_view name, const AuditFacts& facts) {
  const binary::BlobSource source(file, std::size_t{256} << 20U);
  const auto image = binary::read_image(source);
  const std::string library = image && *image ? library_name(**image, facts) : std::string();
  if (library.empty()) {
    Nature nature = code_nature(file, name, true, facts);
    nature.is_damaged = !image && is_for_loader(file);
    if (nature.is_damaged)
      nature.why += (nature.why.empty() ? "" : "; ") + std::string("it is damaged: ") + image.error().message;
    return nature;
  }
  Nature nature;
  nature.is_elf = true;
  nature.part = library;
  const LibraryFamily* const family = family_of(library, facts);
  nature.kind =
      family != nullptr && !family->license.empty() ? Nature::Kind::open_source : Nature::Kind::nvidia;
  nature.why =
      nature.kind == Nature::Kind::open_source
          ? family->license
          : "it is NVIDIA's by " +
                std::string(library == (**image).soname ? "its soname" : "the versions of its symbols");
  return nature;
}

/// The value of SPDX-License-Identifier; empty if there is none.
std::string_view spdx_identifier(std::string_view text) {
  constexpr std::string_view tag = "SPDX-License-Identifier:";
  const std::size_t at = text.find(tag);
  if (at == std::string_view::npos)
    return {};
  std::string_view value = text.substr(at + tag.size());
  value = value.substr(0, value.find_first_of("\r\n"));
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  return value.substr(0, value.find_last_not_of(" \t*/->\"'") + 1);
}

/// Whether the text has a copyright notice with NVIDIA's name: both in one line, or in two that follow each
/// other. `text` is in lower case.
bool has_notice(std::string_view text) {
  constexpr std::size_t near = 160;
  for (std::size_t at = text.find("nvidia"); at != std::string_view::npos; at = text.find("nvidia", at + 1)) {
    const std::string_view before = text.substr(at < near ? 0 : at - near, std::min(at, near));
    const std::size_t notice = std::max(before.rfind("copyright") + 1, before.rfind("(c)") + 1);
    if (notice != 0 && std::ranges::count(before.substr(notice - 1), '\n') <= 1)
      return true;
  }
  return false;
}

std::string first_of(std::string_view text, const Texts& texts) {
  const auto found = std::ranges::find_if(
      texts, [&](const std::string& one) { return text.find(one) != std::string_view::npos; });
  return found == texts.end() ? std::string() : *found;
}

/// Words with single spaces, without the marks of comments: sentences continue across lines.
std::string spaced(std::string_view text) {
  std::string words;
  for (const std::string& word : filled_parts(text, " \t\r\n*#/;"))
    words += word + ' ';
  return words;
}

} // namespace

Nature nature_of_text(std::string_view beginning, std::string_view name, const AuditFacts& facts) {
  Nature nature;
  const std::string text = lower_case(beginning);
  if (!has_notice(text))
    return nature;
  nature.part = name;
  const std::string_view spdx = spdx_identifier(beginning);
  const bool is_ref = lower_case(spdx).find("licenseref-nv") != std::string::npos;
  const std::string words = spaced(text);
  const std::string closed = first_of(words, facts.proprietary);
  const std::string open = first_of(words, facts.open_licenses);
  if (!spdx.empty() && !is_ref)
    nature = {Nature::Kind::open_source, false, false, std::string(name), {}, std::string(spdx)};
  else if (!spdx.empty() || !closed.empty() || open.empty())
    nature = {Nature::Kind::nvidia,
              false,
              false,
              std::string(name),
              {},
              !spdx.empty()     ? "its license is " + std::string(spdx)
              : !closed.empty() ? "it has NVIDIA's notice to licensees"
                                : "it has NVIDIA's copyright notice, and no license"};
  else
    nature = {Nature::Kind::open_source, false, false, std::string(name), {}, open};
  return nature;
}

Nature nature_of(const Blob& file, std::string_view name, const AuditFacts& facts) {
  const std::string beginning = file.beginning(text_bytes);
  if (beginning.starts_with(elf_magic))
    return elf_nature(file, name, facts);
  if (beginning.starts_with(bitcode_magic) || beginning.starts_with(archive_magic) ||
      beginning.starts_with(pe_magic))
    return code_nature(file, name, false, facts);
  return nature_of_text(beginning, name, facts);
}

} // namespace hostpin::redist
