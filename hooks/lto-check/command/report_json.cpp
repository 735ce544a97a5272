// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/report.hpp"

#include <set>
#include <string_view>

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

Json json_of(const Placed<Judgement>& judgements, std::size_t i, const std::string& linker) {
  const Judgement& judgement = judgements.content(i);
  Json json{{"path", judgements.path(i)}, {"member", judgements.member(i)}};
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

// File names are any bytes.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// As an element of a list in the outermost object; no string of JSON contains a line break.
std::string indented(const std::string& text) {
  constexpr std::string_view indent = "    ";
  std::string result(indent);
  for (const char c : text) {
    result += c;
    if (c == '\n')
      result += indent;
  }
  return result;
}

} // namespace

void write_json(std::span<const LinkCheck> checks, const Write& write) {
  Json json{{"schema", 1},
            {"linker", nullptr},
            {"device_linker", nullptr},
            {"missing", Json::array()},
            {"inputs", Json::array()}};
  std::set<std::string_view> missing;
  for (const LinkCheck& check : checks) {
    json[check.linker && check.linker->family == LinkerFamily::nvlink ? "device_linker" : "linker"] =
        json_of(check);
    for (const std::string& name : check.missing)
      if (missing.insert(name).second)
        json["missing"].push_back(name);
  }
  if (json["linker"].is_null())
    std::swap(json["linker"], json["device_linker"]);
  // The inputs come last, and one by one: a JSON value for each would take more memory than all of them.
  constexpr std::string_view end = "]\n}";
  std::string_view separator = "\n";
  const std::string head = text_of(json);
  write(std::string_view(head).substr(0, head.size() - end.size()));
  for (const LinkCheck& check : checks)
    for (std::size_t i = 0; i < check.judgements.size(); ++i) {
      write(separator);
      write(indented(text_of(json_of(check.judgements, i, check.program))));
      separator = ",\n";
    }
  write(separator == "\n" ? "" : "\n  ");
  write(end);
  write("\n");
}

} // namespace hostpin
