// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/capability.hpp"

#include <charconv>

namespace hostpin::gpus {

namespace {

std::string_view letter(Capability::Variant variant) {
  if (variant == Capability::Variant::baseline)
    return "";
  return variant == Capability::Variant::architecture_specific ? "a" : "f";
}

Capability::Variant take_variant(std::string_view& text) {
  using Variant = Capability::Variant;
  if (!text.ends_with('a') && !text.ends_with('f'))
    return Variant::baseline;
  const Variant variant = text.back() == 'a' ? Variant::architecture_specific : Variant::family_specific;
  text.remove_suffix(1);
  return variant;
}

} // namespace

std::optional<Capability> capability_named(std::string_view text) {
  Capability capability;
  capability.variant = take_variant(text);
  const auto dot = text.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot > 2 || text.size() != dot + 2 || text[0] == '0')
    return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, capability.major);
  const auto minor = std::from_chars(text.data() + dot + 1, end, capability.minor);
  if (major.ptr != text.data() + dot || minor.ptr != end || capability.major < 1 || capability.minor < 0)
    return std::nullopt;
  return capability;
}

std::string to_string(const Capability& capability) {
  return std::to_string(capability.major) + '.' + std::to_string(capability.minor) +
         std::string(letter(capability.variant));
}

std::string digits(const Capability& capability) {
  return std::to_string(capability.major) + std::to_string(capability.minor) +
         std::string(letter(capability.variant));
}

Capability baseline(Capability capability) {
  capability.variant = Capability::Variant::baseline;
  return capability;
}

} // namespace hostpin::gpus
