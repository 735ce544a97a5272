// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/report.hpp"

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const LinkCheck& check) {
  Json json{{"path", check.program}, {"family", nullptr}, {"version", nullptr}, {"reads", Json::object()}};
  if (!check.linker)
    return json;
  const Linker& linker = *check.linker;
  json["family"] = to_string(linker.family);
  json["version"] = to_string(linker.version);
  if (linker.gcc)
    json["reads"]["gcc_lto"] = std::to_string(linker.gcc->major) + '.' + std::to_string(linker.gcc->minor);
  if (linker.llvm)
    json["reads"]["llvm"] = std::to_string(linker.llvm->major);
  return json;
}

Json version_of(const Bitstream& stream) {
  if (!stream.major)
    return nullptr;
  const bool llvm = stream.format == LtoFormat::llvm_bitcode || stream.format == LtoFormat::llvm_fat;
  return std::to_string(*stream.major) + (llvm ? "" : '.' + std::to_string(stream.minor));
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json json_of(const Judgement& judgement, const std::string& linker) {
  Json json{{"path", judgement.path}, {"member", judgement.member}};
  json["format"] = judgement.stream ? to_string(judgement.stream->format) : "none";
  json["version"] = judgement.stream ? version_of(*judgement.stream) : Json();
  json["producer"] = judgement.stream ? text_or_null(judgement.stream->producer) : Json();
  json["slim"] = judgement.stream && judgement.stream->slim;
  json["verdict"] = to_string(judgement.verdict);
  json["refused"] = judgement.refused;
  json["expected"] = text_or_null(judgement.expected);
  json["reason"] = text_or_null(judgement.reason);
  json["cure"] = text_or_null(judgement.cure);
  json["linker"] = linker;
  return json;
}

} // namespace

std::string report_json(std::span<const LinkCheck> checks) {
  Json json{{"schema", 1}, {"linker", nullptr}, {"device_linker", nullptr}, {"inputs", Json::array()}};
  for (const LinkCheck& check : checks) {
    const bool device = check.linker && check.linker->family == LinkerFamily::nvlink;
    json[device ? "device_linker" : "linker"] = json_of(check);
    for (const Judgement& judgement : check.judgements)
      json["inputs"].push_back(json_of(judgement, check.program));
  }
  if (json["linker"].is_null())
    std::swap(json["linker"], json["device_linker"]);
  // File names are any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin
