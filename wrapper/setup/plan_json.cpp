// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/lock.hpp"
#include "toolchains/redist/object_reader.hpp"
#include "wrapper/setup/plan.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

namespace hostpin::setup {

namespace {

using Json = nlohmann::ordered_json;
using redist::JsonValue;

constexpr int plan_schema = 1;

Json found_json(const std::optional<Found>& found) {
  if (!found)
    return nullptr;
  return {{"what", found->what}, {"path", found->path}, {"named", found->named}};
}

Json package_json(const Package& package, const std::string& license) {
  return {{"name", package.name},     {"version", package.version}, {"architecture", package.architecture},
          {"file", package.file},     {"address", package.address}, {"bytes", package.bytes},
          {"sha256", package.sha256}, {"license", license}};
}

Json piece_json(const Piece& piece) {
  Json json{{"kind", to_string(piece.kind)},
            {"place", piece.place},
            {"suite", piece.suite},
            {"suite_name", piece.suite_name},
            {"version", to_string(piece.version)}};
  if (has_driver(piece)) {
    json["family"] = to_string(piece.family);
    json["major"] = piece.major;
    json["package"] = piece.package;
    json["headers"] = piece.headers;
  }
  json["license"] = piece.license;
  json["why"] = piece.why;
  json["bytes"] = bytes_of(piece);
  json["files"] = Json::array();
  for (const Package& each : piece.packages)
    json["files"].push_back(package_json(each, piece.license));
  return json;
}

class PlanReader : private redist::ObjectReader {
public:
  explicit PlanReader(const std::string& file)
      : ObjectReader(file, "make it again with `hostpin setup DIR --dry-run --json`") {}

  using ObjectReader::refuse;

  Result<Plan> plan(const JsonValue& root) {
    Plan plan;
    if (is_object(root, {"schema", "client", "machine", "stdenv", "toolkit", "compiler", "bytes", "pieces",
                         "lock", "notes"})) {
      has_schema(root, plan_schema, "a plan of hostpin setup");
      plan.client = optional_string(root, "client");
      plan.machine = string(root, "machine");
      plan.stdenv = optional_string(root, "stdenv");
      plan.lock = optional_string(root, "lock");
      plan.notes = strings(root, "notes");
      for (const JsonValue& each : array(root, "pieces"))
        plan.pieces.push_back(piece(each));
    }
    if (error())
      return tl::unexpected(*error());
    return plan;
  }

private:
  Package package(const JsonValue& value) {
    if (!is_object(value,
                   {"name", "version", "architecture", "file", "address", "bytes", "sha256", "license"}))
      return {};
    Package package{string(value, "name"),
                    string(value, "version"),
                    optional_string(value, "architecture"),
                    string(value, "file"),
                    optional_string(value, "address"),
                    digest(value, "sha256"),
                    optional_number(value, "bytes", "a number of bytes").value_or(0)};
    if (!redist::is_path_below(package.file))
      refuse(value.at, "the file '" + escaped(package.file) + "' is not below its directory");
    return package;
  }

  Version version(const JsonValue& value) {
    const std::string text = string(value, "version");
    const auto parsed = parse_version(text);
    if (!parsed)
      refuse(value.at, "the version '" + escaped(text) + "' is not like 12.4.1");
    return parsed.value_or(Version{});
  }

  void take_compiler(const JsonValue& value, Piece& piece) {
    const std::string family = string(value, "family");
    piece.family = family == "clang" ? Family::clang : Family::gcc;
    if (family != "clang" && family != "gcc")
      refuse(value.at, "the family '" + escaped(family) + "' is neither gcc nor clang");
    constexpr std::uint64_t largest = 999;
    const std::uint64_t major = optional_number(value, "major", "a major version").value_or(0);
    if (major == 0 || major > largest)
      refuse(value.at, "'major' is not the major version of a compiler");
    piece.major = static_cast<int>(std::min(major, largest));
    piece.package = string(value, "package");
    piece.headers = string(value, "headers");
    constexpr std::array<std::string_view, 4> choices{"machine", "suite", "piece", "stdenv"};
    if (std::ranges::find(choices, piece.headers) == choices.end())
      refuse(value.at, "'headers' is not machine, suite, piece or stdenv");
  }

  Piece piece(const JsonValue& value) {
    if (!is_object(value, {"kind", "place", "suite", "suite_name", "version", "family", "major", "package",
                           "headers", "license", "why", "bytes", "files"}))
      return {};
    Piece piece;
    const std::string kind = string(value, "kind");
    for (const Piece::Kind each :
         {Piece::Kind::compiler, Piece::Kind::headers, Piece::Kind::stdenv, Piece::Kind::toolkit})
      if (kind == to_string(each))
        piece.kind = each;
    if (kind != to_string(piece.kind))
      refuse(value.at, "the kind '" + escaped(kind) + "' is not toolkit, compiler, headers or stdenv");
    piece.place = string(value, "place");
    if (!redist::is_safe_path(piece.place))
      refuse(value.at, "the place '" + escaped(piece.place) + "' is not below the directory");
    piece.suite = string(value, "suite");
    piece.suite_name = optional_string(value, "suite_name");
    piece.version = version(value);
    if (has_driver(piece))
      take_compiler(value, piece);
    piece.license = optional_string(value, "license");
    piece.why = optional_string(value, "why");
    for (const JsonValue& each : array(value, "files"))
      piece.packages.push_back(package(each));
    return piece;
  }
};

} // namespace

std::string plan_json(const Plan& plan) {
  Json json{{"schema", plan_schema},
            {"client", plan.client},
            {"machine", plan.machine},
            {"stdenv", plan.stdenv},
            {"toolkit", found_json(plan.toolkit)},
            {"compiler", found_json(plan.compiler)},
            {"bytes", bytes_of(plan)},
            {"pieces", Json::array()},
            {"lock", plan.lock},
            {"notes", plan.notes}};
  for (const Piece& each : plan.pieces)
    json["pieces"].push_back(piece_json(each));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<Plan> read_plan_json(std::string_view content, const std::string& file) {
  const auto json = redist::parse_json(content);
  PlanReader reader(file);
  if (json)
    return reader.plan(*json);
  reader.refuse(json.error().at, json.error().what);
  return reader.plan({});
}

} // namespace hostpin::setup
