// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/spelling.hpp"
#include "wrapper/bind/text.hpp"
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
  if (held.code != DeviceCode::ptx)
    return name_of(held.code);
  const std::string newest = version_text(amount.newest);
  return amount.oldest == amount.newest
             ? "PTX ISA " + newest
             : fmt::format("PTX ISA {} to {}", version_text(amount.oldest), newest);
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
         {fmt::format("{} of {} fatbins", amount.fatbins, holding.fatbins)},
         {fmt::format("{} unpacked, {}", size_text(amount.unpacked), packing(amount)), Tone::quiet}});
  return rows;
}

std::string file_text(const FileInventory& file, bool members, const Terminal& terminal) {
  if (file.holding.empty())
    return fmt::format("{}: {} without device code\n", file.path, to_string(file.kind));
  std::string text = fmt::format("{}: {} of {}, {} of it device code\n", file.path, to_string(file.kind),
                                 size_text(file.size), size_text(file.holding.bytes()));
  text += columns(rows_of(file.holding), terminal);
  if (members)
    for (const MemberHolding& member : file.members) {
      text += fmt::format("  ({})\n", fmt::join(member.name, ")("));
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

std::string value(std::string_view spelling, const GpuExpansion& expected) {
  return find_spelling(spelling)->value(expected, {}).value_or("");
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

std::string advice(const FileInventory& file, const Comparison& comparison, const GpuExpansion& expected) {
  // Of what only some fatbins hold, others hold something else alone, which pruning would take away.
  if (comparison.missing.empty() && comparison.partial.empty() &&
      can_prune_to(expected, file.holding, file.kind))
    return fmt::format("nvprune {} {} -o {}", prune_arguments(expected, file.holding), shell_word(file.path),
                       shell_word(file.path + ".pruned"));
  return fmt::format("build it again with {} (CMake: -DCMAKE_CUDA_ARCHITECTURES={})", value("nvcc", expected),
                     shell_word(value("cmake", expected)));
}

Error disagreement(const FileInventory& file, const Comparison& comparison, const GpuExpansion& expected) {
  std::string text = file.path + " does not hold what was asked for:";
  if (!comparison.missing.empty())
    text += "\n  missing: " + list_of(comparison.missing);
  if (!comparison.surplus.empty())
    text += fmt::format("\n  not asked for: {} ({} of {})", list_of(comparison.surplus),
                        size_text(comparison.surplus_bytes), size_text(file.holding.bytes()));
  return {text, advice(file, comparison, expected)};
}

std::string fatbin_text(const FatbinAnswer& answer, const Terminal& terminal) {
  std::string text;
  for (const FileInventory& file : answer.inventory.files)
    text += file_text(file, answer.members, terminal);
  const Holding& all = answer.inventory.all;
  if (answer.inventory.files.size() > 1 && !all.empty()) {
    text += fmt::format("all {} files: {} of device code\n", answer.inventory.files.size(),
                        size_text(all.bytes()));
    text += columns(rows_of(all), terminal);
  }
  if (answer.inventory.files.empty())
    text += "no device code\n";
  return text;
}

} // namespace hostpin
