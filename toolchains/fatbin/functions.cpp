// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/functions.hpp"

#include "toolchains/binary/decompress.hpp"
#include "toolchains/binary/sections.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

namespace hostpin::fatbin {

namespace {

/// Collects the decompressed payload until that is enough or too much.
class Text final : public binary::Target {
public:
  Text(std::size_t limit, std::size_t enough) : limit_(limit), enough_(enough) {
    bytes_.reserve(std::min(limit, enough) + step);
  }

  std::span<char> space() override {
    bytes_.resize(size_ + step);
    return std::span(bytes_).subspan(size_);
  }
  bool advance(std::size_t count) override {
    size_ += count;
    return size_ <= limit_ && size_ < enough_;
  }

  std::optional<std::string> taken(const Result<void>& read) {
    if (!read || size_ > limit_)
      return std::nullopt;
    bytes_.resize(size_);
    return std::move(bytes_);
  }

private:
  static constexpr std::size_t step = 4096;
  std::size_t limit_, enough_;
  std::size_t size_ = 0;
  std::string bytes_;
};

} // namespace

std::optional<std::string> decompressed_lz4(std::string_view compressed, std::size_t limit,
                                            std::size_t enough) {
  Text text(limit, enough);
  return text.taken(binary::Inflater().lz4(binary::Blob(std::string(compressed)), text, enough));
}

std::optional<std::string> decompressed(binary::DevicePacking packing, std::string_view compressed,
                                        std::size_t limit) {
  constexpr std::size_t all = std::string_view::npos;
  switch (packing) {
  case binary::DevicePacking::lz4:
    return decompressed_lz4(compressed, limit, all);
  case binary::DevicePacking::zstd:
  case binary::DevicePacking::bundle: {
    Text text(limit, all);
    return text.taken(binary::Inflater().zstd(binary::Blob(std::string(compressed)), text));
  }
  case binary::DevicePacking::none:
    break;
  }
  return compressed.size() <= limit ? std::optional(std::string(compressed)) : std::nullopt;
}

namespace {

// A kernel or function is in a section .text.NAME, variables are in the others; the number of its bank
// follows .nv.constant.
constexpr auto sections_of_code = std::to_array<std::string_view>({".text", ".nv.global", ".nv.constant"});

constexpr auto directives_of_code =
    std::to_array<std::string_view>({".entry", ".func", ".global", ".const", ".alias", ".tex", ".surf"});

bool is_code(std::string_view section) {
  return std::any_of(sections_of_code.begin(), sections_of_code.end(),
                     [&](std::string_view prefix) { return section.starts_with(prefix); });
}

/// Whether all of its section names can be read, and none is one for code.
bool lacks_sections_of_code(std::string_view cubin) {
  const binary::InputFile file(cubin);
  const auto table = binary::SectionTable::open(binary::Bytes(file), binary::ElfKinds::any);
  if (!table || !*table || !(*table)->has_names())
    return false;
  const auto lacks = (*table)->each([&](const binary::ObjectSection& section) {
    const auto name = (*table)->name_bytes(section);
    return name && !is_code(*name);
  });
  return lacks && *lacks;
}

bool has_directives_of_code(std::string_view ptx) {
  return std::any_of(directives_of_code.begin(), directives_of_code.end(), [&](std::string_view directive) {
    return ptx.find(directive) != std::string_view::npos;
  });
}

bool lacks_directives_of_code(std::string_view ptx) {
  return ptx.find(".version") != std::string_view::npos && !has_directives_of_code(ptx);
}

/// The bytes that are checked first: the names of a cubin's sections follow its header, as ptxas and nvlink
/// write it, and PTX begins with its declarations.
constexpr std::size_t beginning = 2048;

/// Whether names of code are among the first bytes: then the rest need not be decompressed.
bool begins_with_code(binary::DeviceCode code, std::string_view bytes) {
  bytes = bytes.substr(0, beginning);
  if (code == binary::DeviceCode::ptx)
    return has_directives_of_code(bytes);
  return std::any_of(sections_of_code.begin(), sections_of_code.end(), [&](std::string_view prefix) {
    const std::size_t found = bytes.find(prefix);
    return found != 0 && found != std::string_view::npos && bytes[found - 1] == '\0';
  });
}

/// The payload, decompressed into `own` if necessary; nothing if it is damaged, or is known to contain code
/// because it begins with it.
std::optional<std::string_view> decompressed_payload(const binary::DeviceCodeHead& head,
                                                     std::string_view payload, std::string& own) {
  const auto limit = static_cast<std::size_t>(head.unpacked);
  if (head.packing == binary::DevicePacking::lz4) {
    const auto first = decompressed_lz4(payload, limit, beginning);
    if (!first || begins_with_code(head.code, *first))
      return std::nullopt;
  }
  if (head.packing == binary::DevicePacking::none)
    return payload;
  auto bytes = decompressed(head.packing, payload, limit);
  if (!bytes)
    return std::nullopt;
  own = *std::move(bytes);
  return own;
}

} // namespace

bool may_lack_functions(const binary::DeviceCodeHead& head) {
  const std::uint64_t most = head.packing == binary::DevicePacking::none ? most_bytes_without_functions
                                                                         : most_compressed_without_functions;
  return (head.code == binary::DeviceCode::cubin || head.code == binary::DeviceCode::ptx) &&
         head.size <= most && head.unpacked <= most_bytes_without_functions;
}

bool lacks_functions(const binary::DeviceCodeHead& head, std::string_view payload) {
  if (!may_lack_functions(head))
    return false;
  std::string own;
  const auto code = decompressed_payload(head, payload, own);
  if (!code || begins_with_code(head.code, *code))
    return false;
  return head.code == binary::DeviceCode::ptx ? lacks_directives_of_code(*code)
                                              : lacks_sections_of_code(*code);
}

bool may_lack_functions(const binary::EmbeddedCode& entry) {
  if (entry.bundled.empty())
    return may_lack_functions(static_cast<const binary::DeviceCodeHead&>(entry));
  return entry.size <= most_compressed_without_functions &&
         entry.unpacked <= most_bytes_without_functions * entry.bundled.size();
}

std::vector<bool> lack_functions(const binary::EmbeddedCode& bundle, std::string_view payload) {
  std::vector<bool> lack;
  if (!may_lack_functions(bundle))
    return lack;
  const auto code =
      decompressed(binary::DevicePacking::bundle, payload, static_cast<std::size_t>(bundle.unpacked));
  for (const binary::DeviceCodeHead& piece : bundle.bundled) {
    binary::DeviceCodeHead alone = piece;
    alone.packing = binary::DevicePacking::none;
    alone.size = piece.unpacked;
    const auto begins = static_cast<std::size_t>(piece.begins);
    lack.push_back(code && begins <= code->size() &&
                   lacks_functions(alone, std::string_view(*code).substr(
                                              begins, static_cast<std::size_t>(piece.unpacked))));
  }
  return lack;
}

} // namespace hostpin::fatbin
