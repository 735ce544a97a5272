// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/pack/order.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace hostpin::pack {

namespace {

constexpr std::array<char, 4> letters = {'k', 'd', 's', 'l'}; // in the order of Entry::Kind
constexpr std::string_view magic = "hostpin pack 1";

/// The text up to the next NUL; nothing if there is none.
std::optional<std::string_view> next_field(std::string_view& bytes) {
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos)
    return std::nullopt;
  const std::string_view field = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  return field;
}

std::optional<Entry> next_entry(std::string_view& bytes) {
  const auto field = next_field(bytes);
  if (!field || field->size() < 2 || (*field)[1] != '/')
    return std::nullopt;
  const std::size_t letter = std::string_view(letters.data(), letters.size()).find(field->front());
  if (letter == std::string_view::npos)
    return std::nullopt;
  Entry entry{static_cast<Entry::Kind>(letter), std::string(field->substr(1)), {}};
  if (entry.kind == Entry::Kind::link) {
    const auto target = next_field(bytes);
    if (!target)
      return std::nullopt;
    entry.target = *target;
  }
  return entry;
}

} // namespace

std::string to_bytes(const Order& order) {
  std::string bytes(magic);
  bytes += '\0';
  bytes += std::to_string(order.time);
  bytes += '\0';
  for (const Entry& entry : order.entries) {
    bytes += letters[static_cast<std::size_t>(entry.kind)];
    bytes += entry.path;
    bytes += '\0';
    if (entry.kind == Entry::Kind::link) {
      bytes += entry.target;
      bytes += '\0';
    }
  }
  return bytes;
}

Result<Order> read_order(std::string_view bytes) {
  const Error foreign{"this is not a list of files to pack that hostpin wrote", "run hostpin bind --pack"};
  if (next_field(bytes) != magic)
    return tl::unexpected(foreign);
  const auto time = next_field(bytes);
  Order order;
  if (!time || std::from_chars(time->data(), time->data() + time->size(), order.time).ptr !=
                   time->data() + time->size())
    return tl::unexpected(foreign);
  while (!bytes.empty()) {
    auto entry = next_entry(bytes);
    if (!entry)
      return tl::unexpected(foreign);
    order.entries.push_back(*std::move(entry));
  }
  return order;
}

} // namespace hostpin::pack
