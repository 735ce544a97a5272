// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "wrapper/command/json_text.hpp"
#include "wrapper/devicecode/fatbin.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::command {

namespace {

Json capability_json(const fatbin::HeldCode& held) {
  return held.capability.major == 0 ? Json() : Json(gpus::to_string(held.capability));
}

Json version_json(std::pair<std::uint32_t, std::uint32_t> version) {
  return std::to_string(version.first) + '.' + std::to_string(version.second);
}

Json named(const fatbin::HeldCode& held) {
  return {{"capability", capability_json(held)},
          {"code", fatbin::word_of(held.code)},
          {"use", fatbin::word_of(held.use)}};
}

Json list_json(const std::vector<fatbin::HeldCode>& codes) {
  Json list = Json::array();
  for (const fatbin::HeldCode& held : codes)
    list.push_back(named(held));
  return list;
}

Json codes_json(const fatbin::Holding& holding) {
  Json list = Json::array();
  for (const auto& [held, amount] : holding.codes) {
    Json json = named(held);
    json["entries"] = amount.entries;
    json["fatbins"] = amount.fatbins;
    json["bytes"] = amount.bytes;
    json["unpacked"] = amount.unpacked;
    json["packing"] = {{"none", amount.packed[0]},
                       {"lz4", amount.packed[1]},
                       {"zstd", amount.packed[2]},
                       {"bundle", amount.packed[3]}};
    json["oldest"] = version_json(amount.oldest);
    json["newest"] = version_json(amount.newest);
    list.push_back(std::move(json));
  }
  return list;
}

Json partial_json(const fatbin::FileInventory& file, const fatbin::Comparison& comparison) {
  constexpr std::size_t most_members = 100;
  Json list = Json::array();
  for (const fatbin::HeldCode& held : comparison.partial) {
    Json json = named(held);
    json["lacking"] = fatbin::fatbins_without(held, file.holding, file.kind);
    put_all(json, "members", fatbin::members_without(held, file, most_members));
    list.push_back(std::move(json));
  }
  return list;
}

Json comparison_json(const fatbin::FileInventory& file, const FatbinVerdict& verdict) {
  const fatbin::Comparison& comparison = verdict.comparison;
  return {{"agrees", verdict.agrees},
          {"missing", list_json(comparison.missing)},
          {"surplus", list_json(comparison.surplus)},
          {"lost_in_link", list_json(comparison.lost)},
          {"surplus_bytes", comparison.surplus_bytes},
          {"partial", partial_json(file, comparison)},
          {"advice", verdict.agrees ? Json() : Json(verdict.advice)}};
}

Json slimmed_json(const std::optional<devicecode::Note>& note) {
  if (!note)
    return {};
  Json json{{"gpus", Json::array()}, {"ptx", note->ptx}};
  for (const gpus::Capability& gpu : note->gpus)
    json["gpus"].push_back(gpus::to_string(gpu));
  return json;
}

} // namespace

Json fatbin_file_json(const fatbin::FileInventory& file, const std::optional<devicecode::Note>& note) {
  Json json;
  put(json, "path", file.path);
  json["kind"] = fatbin::to_string(file.kind);
  json["size"] = file.size;
  json["whole"] = file.whole;
  json["fatbins"] = file.holding.fatbins;
  json["codes"] = codes_json(file.holding);
  put_all(json, "sources", file.holding.sources);
  json["members"] = Json::array();
  for (const fatbin::MemberHolding& member : file.members) {
    Json& one = json["members"].emplace_back();
    put_all(one, "name", member.name);
    one["codes"] = codes_json(member.holding);
    put_all(one, "sources", member.holding.sources);
  }
  json["slimmed"] = slimmed_json(note);
  return json;
}

std::string fatbin_json(const FatbinAnswer& answer) {
  Json json{{"schema", 1}, {"expected", nullptr}, {"agrees", nullptr}, {"files", Json::array()}};
  if (const auto agrees = answer.agrees())
    json["agrees"] = *agrees;
  if (answer.expected) {
    json["expected"] = Json::array();
    for (const gpus::GpuTarget& target : answer.expected->targets)
      json["expected"].push_back(
          {{"capability", gpus::to_string(target.capability)}, {"cubin", target.cubin}, {"ptx", target.ptx}});
  }
  for (std::size_t i = 0; i < answer.inventory.files.size(); ++i) {
    Json file = fatbin_file_json(answer.inventory.files[i], answer.notes[i]);
    file["comparison"] = answer.expected && answer.verdicts[i]
                             ? comparison_json(answer.inventory.files[i], *answer.verdicts[i])
                             : Json();
    json["files"].push_back(std::move(file));
  }
  json["codes"] = codes_json(answer.inventory.all);
  json["unreadable"] = Json::array();
  for (const fatbin::Unread& unread : answer.inventory.unread) {
    Json& one = json["unreadable"].emplace_back();
    put(one, "name", unread.name);
    one["message"] = unread.error.message;
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

namespace {

using Row = std::vector<Cell>;

std::string version_text(std::pair<std::uint32_t, std::uint32_t> version) {
  return fmt::format("{}.{}", version.first, version.second);
}

/// `PTX ISA 7.8 to 8.4`, `machine code`.
std::string what(const fatbin::HeldCode& held, const fatbin::HeldAmount& amount) {
  if (held.code != binary::DeviceCode::ptx)
    return fatbin::with_use(fatbin::name_of(held.code), held.use);
  std::string versions = version_text(amount.newest);
  if (amount.oldest != amount.newest)
    versions.insert(0, version_text(amount.oldest) + " to ");
  return fatbin::with_use("PTX ISA " + versions, held.use);
}

std::string packing(const fatbin::HeldAmount& amount) {
  constexpr std::array<std::string_view, 4> names{"plain", "lz4", "zstd", "zstd with others"};
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (amount.packed[i] != 0) {
      text += text.empty() ? "" : ", ";
      text += names[i];
    }
  return text;
}

/// `1 of 2 fatbins`: of those in which something can run. Others are only counted.
std::string in_fatbins(const fatbin::HeldCode& held, const fatbin::HeldAmount& amount,
                       const fatbin::Holding& holding) {
  const bool runs = held.use == fatbin::CodeUse::run;
  const std::uint64_t all = runs ? holding.fatbins - holding.idle : amount.fatbins;
  const char* const plural = all == 1 ? "" : "s";
  return runs ? fmt::format("{} of {} fatbin{}", amount.fatbins, all, plural)
              : fmt::format("{} fatbin{}", all, plural);
}

std::vector<Row> rows_of(const fatbin::Holding& holding) {
  std::vector<Row> rows;
  const std::uint64_t all = holding.bytes();
  for (const auto& [held, amount] : holding.codes)
    rows.push_back(
        {{held.capability.major == 0 ? "-" : gpus::to_string(held.capability), Tone::heading},
         {what(held, amount)},
         {size_text(amount.bytes)},
         {fmt::format("{:.0f} %",
                      all == 0 ? 0.0 : 100.0 * static_cast<double>(amount.bytes) / static_cast<double>(all))},
         {in_fatbins(held, amount, holding)},
         {fmt::format("{} decompressed, {}", size_text(amount.unpacked), packing(amount)), Tone::quiet}});
  return rows;
}

/// The line for a file without a table; null if it has one.
const char* why_no_table(const fatbin::FileInventory& file) {
  if (!file.whole)
    return "that could not be read completely";
  return file.holding.fatbins == 0 ? "without device code" : "with empty fatbins";
}

std::string file_text(const fatbin::FileInventory& file, const std::optional<devicecode::Note>& note,
                      bool members, const Terminal& terminal) {
  const std::string name = escaped(file.path);
  const std::string slimmed = note ? ", " + note_text(*note) : "";
  if (file.holding.empty())
    return fmt::format("{}: {} {}{}\n", name, fatbin::to_string(file.kind), why_no_table(file), slimmed);
  std::string text = fmt::format(
      "{}: {} of {}, {} of it device code{}{}\n", name, fatbin::to_string(file.kind), size_text(file.size),
      size_text(file.holding.bytes()), file.whole ? "" : " as far as it could be read", slimmed);
  text += columns(rows_of(file.holding), terminal);
  if (members)
    for (const fatbin::MemberHolding& member : file.members) {
      text += fmt::format("  ({})\n", escaped(fmt::format("{}", fmt::join(member.name, ")("))));
      text += columns(rows_of(member.holding), terminal, 4);
    }
  return text;
}

std::string codes_text(const std::vector<fatbin::HeldCode>& codes) {
  return joined(codes, ", ", [](const fatbin::HeldCode& code) { return fatbin::to_string(code); });
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

std::string members_text(const fatbin::HeldCode& code, const fatbin::FileInventory& file) {
  constexpr std::size_t most = 5;
  std::vector<std::string> names = fatbin::members_without(code, file, file.members.size());
  if (names.empty())
    return {};
  std::string text = " (";
  for (std::size_t i = 0; i < names.size() && i < most; ++i) {
    text += i == 0 ? "" : ", ";
    text += escaped(names[i]);
  }
  return text + (names.size() > most ? fmt::format(" and {} more)", names.size() - most) : ")");
}

bool has_no_device_code(const fatbin::FileInventory& file) {
  return file.whole && file.holding.is_idle();
}

std::string note_text(const devicecode::Note& note) {
  std::string text;
  for (const gpus::Capability& gpu : note.gpus)
    text += (text.empty() ? "slimmed for " : ", ") + gpus::to_string(gpu);
  return text.empty() ? "slimmed for no GPU" : text;
}

Error disagreement(const fatbin::FileInventory& file, const FatbinVerdict& verdict,
                   const std::optional<devicecode::Note>& note, bool each) {
  if (has_no_device_code(file))
    return {escaped(file.path) + (file.holding.fatbins == 0 ? ": it has no device code"
                                                            : ": its device code has no functions"),
            verdict.advice};
  const fatbin::Comparison& comparison = verdict.comparison;
  std::string text = escaped(file.path) + " does not contain what is required:";
  if (!comparison.missing.empty())
    text += "\n  missing: " + codes_text(comparison.missing);
  if (each)
    for (const fatbin::HeldCode& code : comparison.partial)
      text += fmt::format("\n  missing in some: {}{}", fatbin::to_string(code), members_text(code, file));
  if (!comparison.surplus.empty())
    text += fmt::format(
        "\n  not required: {} ({} of {}{})", codes_text(comparison.surplus),
        size_text(comparison.surplus_bytes), size_text(file.holding.bytes()),
        verdict.only_jetsons_too_many
            ? "; for Jetsons, which nvcc's own all and all-major include and a list for other GPUs does not"
            : "");
  if (note)
    text += "\n  it was " + note_text(*note) + " by hostpin";
  return {text, verdict.advice};
}

std::string fatbin_text(const FatbinAnswer& answer, const Terminal& terminal) {
  std::string text;
  for (std::size_t i = 0; i < answer.inventory.files.size(); ++i)
    text += file_text(answer.inventory.files[i], answer.notes[i], answer.members, terminal);
  const fatbin::Holding& all = answer.inventory.all;
  if (answer.inventory.distinct > 1 && !all.empty()) {
    text +=
        fmt::format("all {} files: {} of device code\n", answer.inventory.distinct, size_text(all.bytes()));
    text += columns(rows_of(all), terminal);
  }
  if (answer.inventory.files.empty() && answer.inventory.unread.empty())
    text += "no device code\n";
  return text;
}

} // namespace hostpin::command
