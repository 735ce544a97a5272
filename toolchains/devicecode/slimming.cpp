// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/slimming.hpp"

#include "toolchains/binary/sections.hpp"
#include "toolchains/fatbin/functions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <optional>
#include <string_view>

namespace hostpin::devicecode {

using binary::Bytes;
using binary::DeviceCode;
using binary::EmbeddedCode;

namespace {

constexpr std::size_t most_code = std::size_t{64} << 20U; ///< larger pieces are not decompressed for a name
constexpr std::size_t most_names = 3;

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

/// A kernel's code has a section of its own.
std::vector<std::string> kernels_of_cubin(std::string_view cubin, std::size_t most) {
  constexpr std::string_view prefix = ".text.";
  constexpr std::size_t longest = 4096;
  std::vector<std::string> names;
  const binary::InputFile file(cubin);
  const auto sections = binary::SectionTable::open(Bytes(file), binary::ElfKinds::any);
  if (!sections || !*sections)
    return names;
  static_cast<void>((*sections)->each([&](const binary::ObjectSection& section) {
    const auto name = (*sections)->name_bytes(section, longest);
    if (name && name->starts_with(prefix))
      names.emplace_back(name->substr(prefix.size(), name->find('\0') - prefix.size()));
    return names.size() < most;
  }));
  return names;
}

std::vector<std::string> kernels_of_ptx(std::string_view text, std::size_t most) {
  constexpr std::string_view directive = ".entry ";
  std::vector<std::string> names;
  for (std::size_t at = 0;
       names.size() < most && (at = text.find(directive, at)) != std::string_view::npos;) {
    at += directive.size();
    names.emplace_back(text.substr(at, text.find_first_of("( \n", at) - at));
  }
  return names;
}

/// Nothing if it is large or damaged.
std::optional<std::string> code_of(const EmbeddedCode& entry, const Bytes& bytes) {
  if (entry.size > most_code || entry.unpacked > most_code)
    return std::nullopt;
  std::string code(static_cast<std::size_t>(entry.size), '\0');
  if (!bytes.read(entry.at + entry.header, code.data(), code.size()))
    return std::nullopt;
  return entry.packing == binary::DevicePacking::none ? std::optional(std::move(code))
                                                      : fatbin::decompressed(entry.packing, code, most_code);
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  return "0x" + std::string(digits.data(), std::to_chars(digits.begin(), digits.end(), value, 16).ptr);
}

/// What a reader finds the fatbin by.
std::string description(const std::vector<EmbeddedCode>& entries, std::uint64_t at, const Bytes& bytes) {
  std::string text = "the fatbin at " + hexadecimal(at);
  const std::vector<std::string> kernels = kernels_of(entries, bytes, most_names + 1);
  for (std::size_t i = 0; i < kernels.size() && i < most_names; ++i)
    text += (i != 0 ? ", " : kernels.size() == 1 ? " with the kernel " : " with the kernels ") + kernels[i];
  return kernels.size() > most_names ? text + " and more" : text;
}

} // namespace

std::vector<std::string> kernels_of(const std::vector<EmbeddedCode>& entries, const Bytes& bytes,
                                    std::size_t most) {
  std::vector<std::string> names;
  for (const EmbeddedCode& entry : entries) {
    if (entry.code != DeviceCode::cubin && entry.code != DeviceCode::ptx)
      continue;
    if (const auto code = code_of(entry, bytes))
      names = entry.code == DeviceCode::cubin ? kernels_of_cubin(*code, most) : kernels_of_ptx(*code, most);
    if (!names.empty())
      break;
  }
  std::transform(names.begin(), names.end(), names.begin(), demangled);
  return names;
}

Kept Slimming::take(const std::vector<EmbeddedCode>& entries, std::uint64_t fatbin_at,
                    const Bytes& fatbin_bytes, const Keeping& keeping, fatbin::CodeUse use) {
  ++fatbins;
  Kept stays = kept(entries, keeping);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t bytes = fatbin::sum(entries[i].header, entries[i].payload);
    Amount& amount = codes[{fatbin::capability_of(entries[i]), entries[i].code, use}];
    amount.before += bytes;
    amount.after += stays.entries[i] ? bytes : 0;
  }
  // What a link left in a program is never loaded.
  if (stays.unserved.empty() || use == fatbin::CodeUse::link || is_idle(entries, fatbin_bytes))
    return stays;
  const std::string name = all_unserved < most_unserved ? description(entries, fatbin_at, fatbin_bytes) : "";
  for (const gpus::Capability& gpu : stays.unserved)
    if (++all_unserved <= most_unserved)
      unserved.push_back(
          {gpu, std::find(stays.lost.begin(), stays.lost.end(), gpu) != stays.lost.end(), member, name});
  return stays;
}

void Slimming::add(const Slimming& other) {
  size_before += other.size_before;
  size_after += other.size_after;
  fatbins += other.fatbins;
  all_unserved += other.all_unserved;
  for (const auto& [code, amount] : other.codes) {
    codes[code].before += amount.before;
    codes[code].after += amount.after;
  }
  for (const Unserved& each : other.unserved)
    if (unserved.size() < most_unserved)
      unserved.push_back(each);
}

bool Slimming::changes() const {
  return std::any_of(codes.begin(), codes.end(),
                     [](const auto& code) { return code.second.before != code.second.after; });
}

} // namespace hostpin::devicecode
