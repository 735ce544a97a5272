// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "wrapper/command/json_text.hpp"
#include "wrapper/devicecode/fatbin.hpp"
#include "wrapper/devicecode/slim.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

using Row = std::vector<Cell>;
using devicecode::Slimming;
using devicecode::Unserved;

std::string change_text(std::uint64_t before, std::uint64_t after) {
  return before == after ? size_text(before) + " unchanged"
                         : fmt::format("{} -> {}", size_text(before), size_text(after));
}

std::vector<Row> rows_of(const Slimming& numbers) {
  std::vector<Row> rows;
  for (const auto& [held, amount] : numbers.codes)
    rows.push_back({{gpus::to_string(held.capability), Tone::heading},
                    {fatbin::with_use(fatbin::name_of(held.code), held.use)},
                    {size_text(amount.before)},
                    {amount.after == amount.before ? "stays"
                     : amount.after == 0           ? "removed"
                                                   : size_text(amount.after) + " stays"}});
  return rows;
}

std::string file_text(const SlimmedFile& file, bool written) {
  const std::string name = escaped(file.path);
  if (!written || !file.reason.empty())
    return fmt::format("{}: not changed\n", name);
  return fmt::format("{}: {}\n", name, change_text(file.numbers.size_before, file.numbers.size_after));
}

std::string sum_text(const SlimAnswer& answer, const Slimming& sum) {
  std::string text =
      fmt::format("{} of {} files with device code changed: {}", answer.count(SlimOutcome::changed),
                  answer.files.size(), change_text(sum.size_before, sum.size_after));
  if (const std::size_t vendor = answer.count(SlimOutcome::vendor); vendor != 0)
    text += fmt::format("; {} of NVIDIA's unchanged", vendor);
  return text + '\n';
}

Json codes_json(const Slimming& numbers) {
  Json list = Json::array();
  for (const auto& [held, amount] : numbers.codes)
    list.push_back({{"capability", gpus::to_string(held.capability)},
                    {"code", fatbin::word_of(held.code)},
                    {"use", fatbin::word_of(held.use)},
                    {"before", amount.before},
                    {"after", amount.after}});
  return list;
}

Json unserved_json(const Slimming& numbers) {
  Json list = Json::array();
  for (const Unserved& each : numbers.unserved) {
    Json json{{"capability", gpus::to_string(each.gpu)},
              {"removed", each.lost},
              {"member", nullptr},
              {"fatbin", each.fatbin}};
    if (!each.member.empty())
      put(json, "member", each.member);
    list.push_back(std::move(json));
  }
  return list;
}

Json file_json(const SlimmedFile& file) {
  Json json;
  put(json, "path", file.path);
  json["outcome"] = word_of(file.outcome);
  json["reason"] = file.reason.empty() ? Json() : Json(file.reason);
  json["before"] = file.numbers.size_before;
  json["after"] = file.numbers.size_after;
  json["fatbins"] = file.numbers.fatbins;
  json["codes"] = codes_json(file.numbers);
  json["unserved"] = unserved_json(file.numbers);
  json["all_unserved"] = file.numbers.all_unserved;
  return json;
}

} // namespace

const char* word_of(SlimOutcome outcome) {
  constexpr std::array<const char*, 4> words{"changed", "unchanged", "vendor", "refused"};
  return words[static_cast<std::size_t>(outcome)];
}

Slimming SlimAnswer::sum() const {
  Slimming sum;
  for (const SlimmedFile& file : files)
    sum.add(file.numbers);
  return sum;
}

std::size_t SlimAnswer::count(SlimOutcome outcome) const {
  return static_cast<std::size_t>(std::count_if(
      files.begin(), files.end(), [&](const SlimmedFile& file) { return file.outcome == outcome; }));
}

bool SlimAnswer::is_objection(const SlimmedFile& file) const {
  return file.outcome == SlimOutcome::refused || (file.outcome == SlimOutcome::vendor && !tree) ||
         file.numbers.all_unserved != 0;
}

bool SlimAnswer::forbids() const {
  return !options.allow_missing &&
         std::any_of(files.begin(), files.end(), [&](const SlimmedFile& file) { return is_objection(file); });
}

std::string slim_text(const SlimAnswer& answer, const Terminal& terminal) {
  const Slimming sum = answer.sum();
  std::string text;
  for (const SlimmedFile& file : answer.files)
    if (answer.written || answer.is_objection(file))
      text += file_text(file, answer.written);
  if (!answer.written)
    return text;
  if (answer.tree)
    text += answer.files.empty() ? "no file has device code that can be cut\n" : sum_text(answer, sum);
  return text + columns(rows_of(sum), terminal);
}

std::string slim_json(const SlimAnswer& answer) {
  const Slimming sum = answer.sum();
  Json json{{"schema", 1}, {"keep", Json::array()}, {"ptx", answer.options.ptx}};
  for (const gpus::GpuTarget& target : answer.keep)
    json["keep"].push_back(
        {{"capability", gpus::to_string(target.capability)}, {"cubin", target.cubin}, {"ptx", target.ptx}});
  json["files"] = Json::array();
  for (const SlimmedFile& file : answer.files)
    json["files"].push_back(file_json(file));
  json["written"] = answer.written;
  json["before"] = sum.size_before;
  json["after"] = sum.size_after;
  json["codes"] = codes_json(sum);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Error unserved_error(const SlimmedFile& file, const gpus::Capability& gpu) {
  constexpr std::size_t most = 5;
  std::string lines;
  std::size_t count = 0;
  bool lost = false;
  for (const Unserved& each : file.numbers.unserved) {
    if (each.gpu != gpu)
      continue;
    lost = lost || each.lost;
    if (++count <= most)
      lines += fmt::format("\n  {}{}{}", each.member.empty() ? "" : escaped(each.member) + ": ",
                           escaped(each.fatbin), each.lost ? ", whose PTX is removed" : "");
  }
  if (count > most)
    lines += "\n  and others: --json lists them";
  return {fmt::format("{}: nothing for {} in {} of its fatbins:{}", escaped(file.path), gpus::to_string(gpu),
                      count, lines),
          lost ? "--ptx newest keeps the PTX that these GPUs need"
               : "such a GPU runs none of these kernels, and a program that does not check its launches gets "
                 "no error: build with code for it, or remove it from --keep"};
}

} // namespace hostpin::command
