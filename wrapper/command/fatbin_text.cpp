// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "wrapper/command/fatbin.hpp"

#include <array>

#include <fmt/format.h>

namespace hostpin {

namespace {

using Row = std::vector<Cell>;

std::string version_text(std::pair<std::uint32_t, std::uint32_t> version) {
  return fmt::format("{}.{}", version.first, version.second);
}

/// `PTX ISA 7.8 to 8.4`, `machine code`.
std::string what(const HeldCode& held, const HeldAmount& amount) {
  if (held.code != binary::DeviceCode::ptx)
    return with_use(name_of(held.code), held.use);
  std::string versions = version_text(amount.newest);
  if (amount.oldest != amount.newest)
    versions.insert(0, version_text(amount.oldest) + " to ");
  return with_use("PTX ISA " + versions, held.use);
}

std::string packing(const HeldAmount& amount) {
  constexpr std::array<std::string_view, 3> names{"plain", "lz4", "zstd"};
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (amount.packed[i] != 0) {
      text += text.empty() ? "" : ", ";
      text += names[i];
    }
  return text;
}

std::vector<Row> rows_of(const Holding& holding) {
  std::vector<Row> rows;
  const std::uint64_t all = holding.bytes();
  for (const auto& [held, amount] : holding.codes)
    rows.push_back(
        {{held.capability.major == 0 ? "-" : to_string(held.capability), Tone::heading},
         {what(held, amount)},
         {size_text(amount.bytes)},
         {fmt::format("{:.0f} %",
                      all == 0 ? 0.0 : 100.0 * static_cast<double>(amount.bytes) / static_cast<double>(all))},
         {fmt::format("{} of {} fatbin{}", amount.fatbins, holding.fatbins, holding.fatbins == 1 ? "" : "s")},
         {fmt::format("{} unpacked, {}", size_text(amount.unpacked), packing(amount)), Tone::quiet}});
  return rows;
}

/// The line for a file without a table; null if it has one.
const char* why_no_table(const FileInventory& file) {
  if (!file.whole)
    return "that could not be read whole";
  return file.holding.fatbins == 0 ? "without device code" : "with nothing in its fatbins";
}

std::string file_text(const FileInventory& file, bool members, const Terminal& terminal) {
  const std::string name = escaped(file.path);
  if (file.holding.empty())
    return fmt::format("{}: {} {}\n", name, to_string(file.kind), why_no_table(file));
  std::string text =
      fmt::format("{}: {} of {}, {} of it device code{}\n", name, to_string(file.kind), size_text(file.size),
                  size_text(file.holding.bytes()), file.whole ? "" : " as far as it could be read");
  text += columns(rows_of(file.holding), terminal);
  if (members)
    for (const MemberHolding& member : file.members) {
      text += fmt::format("  ({})\n", escaped(fmt::format("{}", fmt::join(member.name, ")("))));
      text += columns(rows_of(member.holding), terminal, 4);
    }
  return text;
}

std::string list_of(const std::vector<HeldCode>& codes) {
  std::string text;
  for (const HeldCode& code : codes) {
    text += text.empty() ? "" : ", ";
    text += to_string(code);
  }
  return text;
}

} // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> units{"KB", "MB", "GB", "TB"};
  if (bytes < 1000)
    return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < units.size(); ++unit)
    value /= 1000;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string members_text(const HeldCode& code, const FileInventory& file) {
  constexpr std::size_t most = 5;
  std::vector<std::string> names = members_without(code, file, file.members.size());
  if (names.empty())
    return {};
  std::string text = " (";
  for (std::size_t i = 0; i < names.size() && i < most; ++i) {
    text += i == 0 ? "" : ", ";
    text += escaped(names[i]);
  }
  return text + (names.size() > most ? fmt::format(" and {} more)", names.size() - most) : ")");
}

bool has_no_device_code(const FileInventory& file) {
  return file.whole && file.holding.is_idle();
}

Error disagreement(const FileInventory& file, const FatbinVerdict& verdict, bool each) {
  if (has_no_device_code(file))
    return {escaped(file.path) + (file.holding.fatbins == 0 ? ": it has no device code"
                                                            : ": its device code has no functions"),
            verdict.advice};
  const Comparison& comparison = verdict.comparison;
  std::string text = escaped(file.path) + " does not hold what was asked for:";
  if (!comparison.missing.empty())
    text += "\n  missing: " + list_of(comparison.missing);
  if (each)
    for (const HeldCode& code : comparison.partial)
      text += fmt::format("\n  missing in some: {}{}", to_string(code), members_text(code, file));
  if (!comparison.surplus.empty())
    text += fmt::format("\n  not asked for: {} ({} of {}{})", list_of(comparison.surplus),
                        size_text(comparison.surplus_bytes), size_text(file.holding.bytes()),
                        verdict.only_jetsons_too_many
                            ? "; for Jetsons, which nvcc's own all and all-major bring and a list for other "
                              "GPUs leaves out"
                            : "");
  return {text, verdict.advice};
}

std::string fatbin_text(const FatbinAnswer& answer, const Terminal& terminal) {
  std::string text;
  for (const FileInventory& file : answer.inventory.files)
    text += file_text(file, answer.members, terminal);
  const Holding& all = answer.inventory.all;
  if (answer.inventory.distinct > 1 && !all.empty()) {
    text +=
        fmt::format("all {} files: {} of device code\n", answer.inventory.distinct, size_text(all.bytes()));
    text += columns(rows_of(all), terminal);
  }
  if (answer.inventory.files.empty() && answer.inventory.unread.empty())
    text += "no device code\n";
  return text;
}

} // namespace hostpin
