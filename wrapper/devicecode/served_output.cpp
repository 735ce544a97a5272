// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "wrapper/command/json_text.hpp"
#include "wrapper/devicecode/fatbin.hpp"
#include "wrapper/devicecode/served.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

using Rows = std::vector<std::vector<Cell>>;

std::string heading(std::string_view text, const Terminal& terminal) {
  return fmt::format("\n{}\n", terminal.paint(text, Tone::heading));
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string note(const std::string& text, const Terminal& terminal) {
  return columns({{{"note:", Tone::doubtful}, {text}}}, terminal, 4);
}

std::string codes_text(const ExaminedFile& file) {
  std::string text;
  for (const auto& [code, amount] : file.inventory.holding.codes)
    if (code.use != fatbin::CodeUse::none)
      text += (text.empty() ? "" : ", ") + fatbin::to_string(code);
  if (text.empty())
    text =
        file.inventory.holding.fatbins == 0 ? "no device code that the CUDA runtime loads" : "no device code";
  return file.note ? text + "; " + note_text(*file.note) : text;
}

/// The fatbins in which a GPU finds nothing.
std::vector<std::string> lacking(const ExaminedFile& file, const gpus::Capability& gpu) {
  std::vector<std::string> fatbins;
  for (const devicecode::Unserved& each : file.serving->unserved)
    if (each.gpu == gpu)
      fatbins.push_back((each.member.empty() ? "" : escaped(each.member) + ": ") + escaped(each.fatbin));
  return fatbins;
}

/// The first few of them, a line each. `cut`: there are fatbins that are not listed.
void add_lacking(Rows& rows, const std::string& gpus, const std::vector<std::string>& fatbins, bool cut) {
  constexpr std::size_t most = 3;
  if (fatbins.empty()) {
    rows.push_back({{gpus, Tone::heading}, {"finds code in every fatbin", Tone::good}});
    return;
  }
  for (std::size_t i = 0; i < fatbins.size() && i < most; ++i)
    rows.push_back({{i == 0 ? gpus : "", Tone::heading},
                    {(i == 0 ? "finds nothing in " : "and in ") + fatbins[i], Tone::bad}});
  if (fatbins.size() > most)
    rows.push_back(
        {{""}, {fmt::format("and in {}{} more", cut ? "at least " : "", fatbins.size() - most), Tone::bad}});
}

/// A group of rows for the GPUs that lack the same.
Rows served_rows(const ExaminedFile& file, const std::vector<gpus::Capability>& gpus) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const gpus::Capability& gpu : gpus) {
    std::vector<std::string> fatbins = lacking(file, gpu);
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.second == fatbins; });
    if (same == groups.end())
      groups.emplace_back(gpus::to_string(gpu), std::move(fatbins));
    else
      same->first += ", " + gpus::to_string(gpu);
  }
  Rows rows;
  const bool cut = file.serving->all_unserved > file.serving->unserved.size();
  for (const auto& [names, fatbins] : groups)
    add_lacking(rows, names, fatbins, cut);
  return rows;
}

} // namespace

std::string served_text(const DeviceCodeHere& here, const Terminal& terminal) {
  std::string text =
      heading(here.listed ? "device code" : "device code for the GPUs of this machine", terminal);
  for (const ExaminedFile& file : here.files) {
    text += columns({{{escaped(file.inventory.path)},
                      {fatbin::to_string(file.inventory.kind), Tone::quiet},
                      {codes_text(file)}}},
                    terminal);
    if (!here.gpus)
      continue;
    if (!file.serving) {
      text += note(file.serving.error().message, terminal);
      continue;
    }
    if (has_no_device_code(file.inventory))
      continue;
    text += columns(served_rows(file, *here.gpus), terminal, 4);
  }
  if (!here.gpus)
    text += note(first_line(here.gpus.error().message) + "; --capabilities names GPUs", terminal);
  return text;
}

namespace {

Json unserved(const ExaminedFile& file, const gpus::Capability& gpu) {
  Json list = Json::array();
  for (const devicecode::Unserved& each : file.serving->unserved)
    if (each.gpu == gpu) {
      Json& one = list.emplace_back();
      put(one, "fatbin", each.member.empty() ? each.fatbin : each.member + ": " + each.fatbin);
    }
  return list;
}

} // namespace

std::string served_json(const DeviceCodeHere& here) {
  Json json{{"gpus", Json()}, {"error", here.gpus ? Json() : Json(here.gpus.error().message)}};
  if (here.gpus) {
    json["gpus"] = Json::array();
    for (const gpus::Capability& gpu : *here.gpus)
      json["gpus"].push_back(gpus::to_string(gpu));
  }
  json["files"] = Json::array();
  for (const ExaminedFile& file : here.files) {
    Json one = fatbin_file_json(file.inventory, file.note);
    one["error"] = file.serving ? Json() : Json(file.serving.error().message);
    one["unserved"] = file.serving ? Json::object() : Json();
    if (file.serving && here.gpus)
      for (const gpus::Capability& gpu : *here.gpus)
        one["unserved"][gpus::to_string(gpu)] = unserved(file, gpu);
    json["files"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace hostpin::command
