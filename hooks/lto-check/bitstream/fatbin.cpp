// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/fatbin.hpp"

#include <optional>

namespace hostpin {

namespace {

// NVIDIA documents none of this; seen in what nvcc 11.2, 11.8, 12.4 and 13.0 write, and the same in all of
// them.
constexpr std::string_view magic("\x50\xED\x55\xBA", 4);
constexpr std::uint64_t version_at = 4, header_size_at = 6, size_at = 8, header_size = 16;
constexpr std::uint64_t entry_header_size_at = 4, payload_size_at = 8, entry_version_at = 0x18,
                        architecture_at = 0x1c;
constexpr std::uint64_t smallest_entry = 0x20, known_version = 1, alignment = 8;
constexpr std::size_t most_entries = 4096;

DeviceCode code_of(std::uint64_t kind) {
  switch (kind) {
  case 1:
    return DeviceCode::ptx;
  case 2:
    return DeviceCode::cubin;
  case 8:
    return DeviceCode::ltoir;
  default:
    return DeviceCode::other;
  }
}

std::uint32_t number(const Bytes& bytes, std::uint64_t at, std::size_t size) {
  return static_cast<std::uint32_t>(bytes.little(at, size).value_or(0));
}

/// The entries of one fatbin, without its own header.
Reading<std::vector<FatbinEntry>> entries_of(const Bytes& fatbin) {
  std::vector<FatbinEntry> entries;
  for (std::uint64_t at = 0; at < fatbin.size();) {
    const auto head = fatbin.part(at, smallest_entry);
    if (!head)
      return damaged("a fatbin in it ends within the head of an entry");
    const std::uint64_t header = number(*head, entry_header_size_at, 4);
    const auto payload = head->little(payload_size_at, 8);
    if (header < smallest_entry || !payload || header > fatbin.size() - at ||
        *payload > fatbin.size() - at - header)
      return damaged("an entry of a fatbin in it reaches past the end of the fatbin");
    if (entries.size() == most_entries)
      return damaged("a fatbin in it has more entries than any real one");
    entries.push_back({code_of(number(*head, 0, 2)), number(*head, architecture_at, 4),
                       number(*head, entry_version_at + 2, 2), number(*head, entry_version_at, 2)});
    at += header + *payload;
  }
  return entries;
}

} // namespace

bool is_fatbin(std::string_view head) {
  return head.starts_with(magic);
}

Reading<bool> each_fatbin(const Bytes& bytes,
                          const std::function<Reading<bool>(const std::vector<FatbinEntry>&)>& visit) {
  for (std::uint64_t at = 0; at < bytes.size();) {
    const std::string_view head = bytes.up_to(at, header_size);
    if (head.size() < alignment && head.find_first_not_of('\0') == std::string_view::npos)
      return true; // a section is padded
    if (!is_fatbin(head))
      return damaged("there is something else than fatbins in a section of device code");
    if (number(bytes, at + version_at, 2) != known_version)
      return damaged("a fatbin in it has the unknown version " +
                     std::to_string(number(bytes, at + version_at, 2)));
    const std::uint64_t header = number(bytes, at + header_size_at, 2);
    const auto size = bytes.little(at + size_at, 8);
    const auto content = size && header >= header_size && header <= bytes.size() - at
                             ? bytes.part(at + header, *size)
                             : std::nullopt;
    if (!content)
      return damaged("a fatbin in it reaches past its end");
    const auto entries = entries_of(*content);
    if (!entries)
      return tl::unexpected(entries.error());
    auto go_on = visit(*entries);
    if (!go_on || !*go_on)
      return go_on;
    at += header + *size;
    at += (alignment - at % alignment) % alignment;
  }
  return true;
}

} // namespace hostpin
