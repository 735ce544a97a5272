// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/slimming.hpp"

#include "toolchains/base/demangle.hpp"
#include "toolchains/devicecode/image.hpp"

#include <algorithm>

namespace hostpin::devicecode {

using binary::Bytes;
using binary::EmbeddedCode;

namespace {

constexpr std::size_t most_names = 3;

/// A longer name without template arguments and parameters, which can take many lines: `void f<...>(...)`.
std::string shown(const std::string& name) {
  constexpr std::size_t longest = 72;
  constexpr std::string_view unnamed = "(anonymous namespace)";
  if (name.size() <= longest)
    return name;
  std::string text;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && name.compare(i, unnamed.size(), unnamed) == 0) {
      text += unnamed;
      i += unnamed.size() - 1;
    } else if (c == '<' || c == '(') {
      if (depth++ == 0)
        text += c == '<' ? "<...>" : "(...)";
    } else if ((c == '>' || c == ')') && depth != 0) {
      --depth;
    } else if (depth == 0) {
      text += c;
    }
  }
  return text;
}

/// `fatbin at 0x40 (scale(float*, int))`, with what `names_in` found in it.
std::string fatbin_name(const std::string& which, const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < most_names; ++i)
    list += (i == 0 ? "" : ", ") + shown(demangled(names[i]));
  if (names.size() > most_names)
    list += " and others";
  return "fatbin " + which + (list.empty() ? "" : " (" + list + ')');
}

/// What a reader finds the fatbin by: some kernels or the source, and the offset.
std::string description(const std::vector<EmbeddedCode>& entries, std::uint64_t at, const Bytes& bytes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entries.size() && names.empty(); ++i)
    names = names_in(bytes, entries[i], most_names + 1);
  return fatbin_name("at " + hexadecimal(at), names);
}

} // namespace

Kept Slimming::take(const std::vector<EmbeddedCode>& entries, std::uint64_t fatbin_at,
                    const Bytes& fatbin_bytes, const Keeping& keeping, bool is_stub) {
  ++fatbins;
  Kept stays = kept(entries, keeping, CodeReader::link);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto use = is_idle({entries[i]}, fatbin_bytes) ? fatbin::CodeUse::none : fatbin::CodeUse::run;
    for (const EmbeddedCode& piece : binary::pieces_of({entries[i]}).pieces) {
      const std::uint64_t bytes = fatbin::sum(piece.header, piece.payload);
      Amount& amount = codes[{fatbin::capability_of(piece), piece.code, use}];
      amount.before += bytes;
      amount.after += stays.entries[i] ? bytes : 0;
    }
  }
  if (stays.unserved.empty() || is_stub || is_idle(entries, fatbin_bytes))
    return stays;
  const std::string name = all_unserved < most_unserved ? description(entries, fatbin_at, fatbin_bytes) : "";
  for (const gpus::Capability& gpu : stays.unserved)
    if (++all_unserved <= most_unserved)
      unserved.push_back(
          {gpu, std::find(stays.lost.begin(), stays.lost.end(), gpu) != stays.lost.end(), member, name});
  return stays;
}

void Slimming::take(const Slimmed& linked) {
  fatbins += linked.held_before.fatbins;
  for (const auto& [code, amount] : linked.held_before.codes)
    codes[code].before += amount.bytes;
  for (const auto& [code, amount] : linked.held_after.codes)
    codes[code].after += amount.bytes;
  for (const UnservedFatbin& fatbin : linked.unserved)
    for (const gpus::Capability& gpu : fatbin.gpus)
      if (++all_unserved <= most_unserved)
        unserved.push_back({gpu,
                            std::find(fatbin.lost.begin(), fatbin.lost.end(), gpu) != fatbin.lost.end(),
                            {},
                            fatbin_name(std::to_string(fatbin.index + 1), fatbin.names)});
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
