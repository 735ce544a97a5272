// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/fatbin.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

namespace {

constexpr std::uint64_t alignment = FatbinHead::alignment;

bool is_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

/// The entries of the fatbin that has so many bytes of them from `begin` on.
Reading<std::vector<EmbeddedCode>> entries_of(const Bytes& bytes, std::uint64_t begin, std::uint64_t size) {
  std::vector<EmbeddedCode> entries;
  for (std::uint64_t at = begin, end = begin + size; at < end;) {
    const std::uint64_t left = end - at;
    if (left < DeviceCodeHead::least_bytes)
      return damaged("a fatbin in it ends within the head of an entry");
    const auto head = device_code_head(
        bytes.up_to(at, static_cast<std::size_t>(std::min<std::uint64_t>(left, DeviceCodeHead::bytes))));
    if (!head || head->header > left || head->payload > left - head->header)
      return damaged("an entry of a fatbin in it reaches past the end of the fatbin");
    if (entries.size() == FatbinHead::most_entries)
      return damaged("a fatbin in it has more entries than any real one");
    entries.push_back({*head, at});
    at += head->header + head->payload;
  }
  return entries;
}

/// Where the next fatbin may begin: linkers align what they put behind each other.
std::uint64_t behind_padding(const Bytes& bytes, std::uint64_t at) {
  const std::uint64_t end = std::min(bytes.size(), at + FatbinHead::most_padding);
  while (at < end && is_zero(bytes.up_to(at, alignment)))
    at += alignment;
  return at;
}

} // namespace

Reading<bool> each_fatbin(const Bytes& bytes,
                          const std::function<Reading<bool>(const std::vector<EmbeddedCode>&)>& visit) {
  for (std::uint64_t at = behind_padding(bytes, 0); at < bytes.size();) {
    const std::string_view begin = bytes.up_to(at, FatbinHead::bytes);
    if (!is_fatbin(begin))
      return damaged("there is something else than fatbins in a section of device code");
    const auto head = fatbin_head(begin);
    constexpr auto past_end = "a fatbin in it reaches past its end";
    if (!head)
      return damaged(past_end);
    if (head->version != FatbinHead::known_version)
      return damaged("a fatbin in it has the unknown version " + std::to_string(head->version));
    const std::uint64_t left = bytes.size() - at;
    if (head->header < FatbinHead::bytes || head->header > left || head->content > left - head->header)
      return damaged(past_end);
    const auto entries = entries_of(bytes, at + head->header, head->content);
    if (!entries)
      return tl::unexpected(entries.error());
    auto go_on = visit(*entries);
    if (!go_on || !*go_on)
      return go_on;
    at += head->header + head->content;
    at += (alignment - at % alignment) % alignment;
    at = behind_padding(bytes, at);
  }
  return true;
}

} // namespace hostpin
