// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/remembered/kept_outcome.hpp"

#include "toolchains/base/settled.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::json;

const std::string* text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? nullptr : found->get_ptr<const std::string*>();
}

} // namespace

std::optional<Kept> read_kept(std::string_view bytes) {
  const Json json = Json::parse(bytes, nullptr, false);
  if (!json.is_object())
    return std::nullopt;
  const std::string* const output = text_at(json, "output");
  const std::string* const errors = text_at(json, "errors");
  const std::string* const text = text_at(json, "text");
  const auto code = json.find("code");
  const auto rests_on = json.find("rests_on");
  if (output == nullptr || errors == nullptr || text == nullptr || code == json.end() ||
      !code->is_number_integer() || rests_on == json.end() || !rests_on->is_array())
    return std::nullopt;
  Kept kept;
  kept.outcome.end = Outcome::End::exited;
  const auto status = code->get<std::int64_t>();
  if (status < 0 || status > 255)
    return std::nullopt;
  kept.outcome.code = static_cast<int>(status);
  kept.outcome.output = *output;
  kept.outcome.errors = *errors;
  kept.text = *text;
  for (const Json& file : *rests_on) {
    const std::string* const path = file.is_object() ? text_at(file, "path") : nullptr;
    if (path == nullptr)
      return std::nullopt;
    kept.ground.push_back(*path);
  }
  return kept;
}

std::optional<std::string> kept_json(const Kept& kept, std::int64_t asked, const Files& files) {
  Ground ground = kept.ground;
  std::sort(ground.begin(), ground.end());
  ground.erase(std::unique(ground.begin(), ground.end()), ground.end());
  Json identities = Json::array();
  for (const std::string& path : ground) {
    const FileStatus status = settled_status(path, asked, files);
    if (status.modified == unsettled)
      return std::nullopt;
    identities.push_back(
        {{"path", path}, {"size", status.size}, {"modified", status.modified}, {"changed", status.changed}});
  }
  const Json json = {{"code", kept.outcome.code},
                     {"output", kept.outcome.output},
                     {"errors", kept.outcome.errors},
                     {"text", kept.text},
                     {"rests_on", std::move(identities)}};
  try {
    return json.dump();
  } catch (const Json::exception&) { // a compiler may print any bytes
    return std::nullopt;
  }
}

} // namespace hostpin
