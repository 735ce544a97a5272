// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "wrapper/command/fatbin.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::ordered_json;

bool is_unicode(const std::string& text) {
  using Handler = Json::error_handler_t;
  return Json(text).dump(-1, ' ', false, Handler::replace) ==
         Json(text).dump(-1, ' ', false, Handler::ignore);
}

/// JSON holds only Unicode: other bytes are replaced, and a second key has them encoded as in a URL.
void put(Json& json, const std::string& key, const std::string& text) {
  json[key] = text;
  if (!is_unicode(text))
    json[key + "_bytes"] = percent_encoded(text);
}

template <typename Texts>
void put_all(Json& json, const std::string& key, const Texts& texts) {
  json[key] = texts;
  if (std::all_of(texts.begin(), texts.end(), is_unicode))
    return;
  for (const std::string& text : texts)
    json[key + "_bytes"].push_back(percent_encoded(text));
}

Json capability_json(const HeldCode& held) {
  return held.capability.major == 0 ? Json() : Json(to_string(held.capability));
}

Json version_json(std::pair<std::uint32_t, std::uint32_t> version) {
  return std::to_string(version.first) + '.' + std::to_string(version.second);
}

Json named(const HeldCode& held) {
  return {{"capability", capability_json(held)}, {"code", word_of(held.code)}, {"use", word_of(held.use)}};
}

Json list_json(const std::vector<HeldCode>& codes) {
  Json list = Json::array();
  for (const HeldCode& held : codes)
    list.push_back(named(held));
  return list;
}

Json codes_json(const Holding& holding) {
  Json list = Json::array();
  for (const auto& [held, amount] : holding.codes) {
    Json json = named(held);
    json["entries"] = amount.entries;
    json["fatbins"] = amount.fatbins;
    json["bytes"] = amount.bytes;
    json["unpacked"] = amount.unpacked;
    json["packing"] = {{"none", amount.packed[0]}, {"lz4", amount.packed[1]}, {"zstd", amount.packed[2]}};
    json["oldest"] = version_json(amount.oldest);
    json["newest"] = version_json(amount.newest);
    list.push_back(std::move(json));
  }
  return list;
}

Json partial_json(const FileInventory& file, const Comparison& comparison) {
  constexpr std::size_t most_members = 100;
  Json list = Json::array();
  for (const HeldCode& held : comparison.partial) {
    Json json = named(held);
    json["lacking"] = fatbins_without(held, file.holding, file.kind);
    put_all(json, "members", members_without(held, file, most_members));
    list.push_back(std::move(json));
  }
  return list;
}

Json comparison_json(const FileInventory& file, const FatbinVerdict& verdict) {
  const Comparison& comparison = verdict.comparison;
  return {{"agrees", verdict.agrees},
          {"missing", list_json(comparison.missing)},
          {"surplus", list_json(comparison.surplus)},
          {"lost_in_link", list_json(comparison.lost)},
          {"surplus_bytes", comparison.surplus_bytes},
          {"partial", partial_json(file, comparison)},
          {"advice", verdict.agrees ? Json() : Json(verdict.advice)}};
}

Json file_json(const FileInventory& file) {
  Json json;
  put(json, "path", file.path);
  json["kind"] = to_string(file.kind);
  json["size"] = file.size;
  json["whole"] = file.whole;
  json["fatbins"] = file.holding.fatbins;
  json["codes"] = codes_json(file.holding);
  put_all(json, "sources", file.holding.sources);
  json["members"] = Json::array();
  for (const MemberHolding& member : file.members) {
    Json& one = json["members"].emplace_back();
    put_all(one, "name", member.name);
    one["codes"] = codes_json(member.holding);
    put_all(one, "sources", member.holding.sources);
  }
  return json;
}

} // namespace

std::string fatbin_json(const FatbinAnswer& answer) {
  Json json{{"schema", 1}, {"expected", nullptr}, {"agrees", nullptr}, {"files", Json::array()}};
  if (const auto agrees = answer.agrees())
    json["agrees"] = *agrees;
  if (answer.expected) {
    json["expected"] = Json::array();
    for (const GpuTarget& target : answer.expected->targets)
      json["expected"].push_back(
          {{"capability", to_string(target.capability)}, {"cubin", target.cubin}, {"ptx", target.ptx}});
  }
  for (std::size_t i = 0; i < answer.inventory.files.size(); ++i) {
    Json file = file_json(answer.inventory.files[i]);
    file["comparison"] = answer.expected && answer.verdicts[i]
                             ? comparison_json(answer.inventory.files[i], *answer.verdicts[i])
                             : Json();
    json["files"].push_back(std::move(file));
  }
  json["codes"] = codes_json(answer.inventory.all);
  json["unreadable"] = Json::array();
  for (const Unread& unread : answer.inventory.unread) {
    Json& one = json["unreadable"].emplace_back();
    put(one, "name", unread.name);
    one["message"] = unread.error.message;
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin
