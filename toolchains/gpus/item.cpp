// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/item.hpp"

#include "toolchains/base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace hostpin::gpus {

namespace {

constexpr std::string_view figures = "0123456789";

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// `8.6` for `86`, as nvcc and CMake write it; empty for anything else.
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

/// A prefix or suffix by which nvcc and CMake distinguish machine code and PTX.
struct Mark {
  std::string_view text;
  bool prefix, ptx_alone;
};
constexpr auto marks = std::to_array<Mark>(
    {{"sm_", true, false}, {"compute_", true, true}, {"-real", false, false}, {"-virtual", false, true}});

/// What to write instead of nvcc's (`sm_90`) or CMake's (`90-real`) spelling.
std::optional<std::string> without_mark(std::string_view text, const std::string& suffix) {
  for (const Mark& mark : marks) {
    if (mark.prefix ? !text.starts_with(mark.text) : !text.ends_with(mark.text))
      continue;
    const std::string_view inner =
        mark.prefix ? text.substr(mark.text.size()) : text.substr(0, text.size() - mark.text.size());
    const std::string meant = capability_named(inner) ? std::string(inner) : dotted(inner);
    if (meant.empty())
      continue;
    return mark.ptx_alone ? meant + "-virtual for PTX alone, or " + meant + "+ptx for machine code and PTX"
                          : meant + suffix;
  }
  return std::nullopt;
}

/// `12` is a major without its minor rather than 1.2, which no nvcc in use compiles for.
bool is_major_alone(std::string_view text) {
  const bool figures_alone = text.find_first_not_of(figures) == std::string_view::npos;
  return figures_alone && (text.size() == 1 || (text.size() == 2 && text[0] == '1')) && text[0] != '0';
}

/// A suggestion of what was probably meant.
tl::unexpected<Error> correction(std::string_view text, bool ptx) {
  const std::string suffix = ptx ? "+ptx" : "";
  if (text.starts_with("\xEF\xBB\xBF"))
    return failure("a byte order mark (EF BB BF) comes first: remove it");
  if (!is_ascii(text))
    return failure("a capability is written in ASCII digits, such as 8.6");
  if (text.empty() || text == "a" || text == "f")
    return failure("`+ptx`, `a` and `f` directly follow a capability, without a blank: 9.0a+ptx");
  if (const auto meant = without_mark(text, suffix))
    return instead(*meant);
  if (is_major_alone(text)) {
    std::string message = "a capability has a major and a minor: write ";
    return failure(message.append(text).append(".0").append(suffix).append(" if that is meant"));
  }
  if (const std::string meant = dotted(text); !meant.empty())
    return instead(meant + suffix);
  if (std::count(text.begin(), text.end(), '.') > 1)
    return failure("a capability is a major and a minor, such as 8.6, and nothing else");
  return failure("not a compute capability such as 8.6 or 9.0a");
}

} // namespace

Result<ListedCapability> listed_capability(std::string_view item) {
  if (item.empty())
    return failure("an item is empty");
  std::string text = lower_case(item);
  ListedCapability listed;
  constexpr std::string_view with_ptx = "+ptx", ptx_alone = "-virtual";
  if (text.ends_with(with_ptx)) {
    listed.ptx = true;
    text.resize(text.size() - with_ptx.size());
  } else if (text.ends_with(ptx_alone) && capability_named(text.substr(0, text.size() - ptx_alone.size()))) {
    listed.ptx = true;
    listed.cubin = false;
    text.resize(text.size() - ptx_alone.size());
  }
  const auto capability = capability_named(text);
  if (!capability)
    return correction(text, listed.ptx);
  listed.capability = *capability;
  return listed;
}

std::vector<std::string_view> items_of(std::string_view list) {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  std::vector<std::string_view> items;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(";,", begin), list.size());
    std::string_view part = list.substr(begin, end - begin);
    const std::size_t before = items.size();
    while (!(part = part.substr(std::min(part.find_first_not_of(blanks), part.size()))).empty()) {
      items.push_back(part.substr(0, part.find_first_of(blanks)));
      part.remove_prefix(items.back().size());
    }
    if (items.size() == before)
      items.emplace_back();
    begin = end + 1;
  }
  return items;
}

std::string visible(std::string_view text, std::size_t limit) {
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string result;
  for (const char character : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte > 0x7e)
      result.append("\\x").append(1, hexadecimal[byte >> 4]).append(1, hexadecimal[byte & 15]);
    else
      result += character;
  }
  return text.size() > limit ? result + "..." : result;
}

} // namespace hostpin::gpus
