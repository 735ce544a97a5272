// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/item.hpp"

#include <algorithm>
#include <string>

namespace hostpin {

namespace {

constexpr std::string_view figures = "0123456789";

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// `8.6` for what nvcc and CMake write `86`; empty when it is not that.
std::string dotted(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of(figures), text.size());
  if (digits < 2 || digits > 3)
    return {};
  const std::string result =
      std::string(text.substr(0, digits - 1)) + '.' + std::string(text.substr(digits - 1));
  return capability_named(result) ? result : std::string();
}

tl::unexpected<Error> instead(const std::string& spelling) {
  return failure("write " + spelling);
}

/// What somebody who wrote this may have meant.
tl::unexpected<Error> correction(std::string_view text, bool ptx) {
  const std::string suffix = ptx ? "+ptx" : "";
  if (!is_ascii(text))
    return failure("a capability is written in ASCII digits, such as 8.6");
  if (text.find_first_of(", \t") != std::string_view::npos)
    return failure("items are separated by a semicolon");
  for (const std::string_view prefix : {"sm_", "compute_"})
    if (text.starts_with(prefix))
      if (const std::string meant = dotted(text.substr(prefix.size())); !meant.empty())
        return instead(meant + (prefix == "compute_" ? "+ptx" : suffix));
  if (const std::string meant = dotted(text); !meant.empty())
    return instead(meant + suffix);
  if (text.find_first_not_of(figures) == std::string_view::npos && text.size() == 1)
    return failure("a capability has a major and a minor: write " + std::string(text) + ".0" + suffix +
                   " if that is meant");
  if (std::count(text.begin(), text.end(), '.') > 1)
    return failure("a capability is a major and a minor, such as 8.6, and nothing behind them");
  return failure("this is no compute capability such as 8.6 or 9.0a");
}

} // namespace

Result<ListedCapability> listed_capability(std::string_view item) {
  if (item.empty())
    return failure("an item is empty");
  std::string text = lower(item);
  ListedCapability listed;
  if (text.ends_with("+ptx")) {
    listed.ptx = true;
    text.resize(text.size() - 4);
  }
  const auto capability = capability_named(text);
  if (!capability)
    return correction(text, listed.ptx);
  listed.capability = *capability;
  return listed;
}

std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> items;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(';', begin), list.size());
    std::string_view item = list.substr(begin, end - begin);
    while (item.starts_with(' '))
      item.remove_prefix(1);
    while (item.ends_with(' '))
      item.remove_suffix(1);
    items.push_back(item);
    begin = end + 1;
  }
  return items;
}

} // namespace hostpin
