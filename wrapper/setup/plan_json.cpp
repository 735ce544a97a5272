// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/document/json_writer.hpp"
#include "toolchains/redist/lock.hpp"
#include "wrapper/setup/plan.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hostpin::setup {

namespace {

using Json = nlohmann::ordered_json;
using document::Field;

Json found_json(const std::optional<Found>& found) {
  if (!found)
    return nullptr;
  return {{"what", found->what}, {"path", found->path}, {"named", found->named}};
}

template <typename Value, std::size_t count>
auto parser_of(const std::array<Value, count>& values) {
  return [values](const std::string& text) {
    const auto found = std::ranges::find_if(values, [&](Value each) { return text == to_string(each); });
    return found == values.end() ? std::nullopt : std::optional(*found);
  };
}

template <typename Value>
std::string printed(const Value& value) {
  return to_string(value);
}

} // namespace

void fields_of_file(document::Of<Package> auto& package, auto& visit) {
  visit("name", package.name);
  visit("version", package.version);
  visit("architecture", package.architecture, Field::always);
  visit("file", package.file);
  visit("address", package.address, Field::always);
  visit.number("bytes", package.bytes, "a number of bytes");
  visit.digest("sha256", package.sha256);
}

void fields_of_compiler(document::Of<Piece> auto& piece, auto& visit) {
  visit.text("family", piece.family, printed<Family>, parser_of(std::array{Family::gcc, Family::clang}),
             "is neither gcc nor clang");
  visit.number("major", piece.major, "the major version of a compiler");
  visit("package", piece.package);
  visit("headers", piece.headers);
}

void fields(document::Of<Piece> auto& piece, auto& visit) {
  using Kind = Piece::Kind;
  visit.text("kind", piece.kind, printed<Kind>,
             parser_of(std::array{Kind::toolkit, Kind::compiler, Kind::headers, Kind::stdenv}),
             "is not toolkit, compiler, headers or stdenv");
  visit("place", piece.place);
  visit("suite", piece.suite);
  visit("suite_name", piece.suite_name, Field::always);
  visit.text("version", piece.version, printed<Version>, parse_version, "is not like 12.4.1");
  if (has_driver(piece))
    fields_of_compiler(piece, visit);
  visit("license", piece.license, Field::always);
  visit("why", piece.why, Field::always);
  visit.derived("bytes", [&] { return bytes_of(piece); });
  visit.each("files", piece.packages, [&](auto& package, auto& inner) {
    fields_of_file(package, inner);
    inner.derived("license", [&] { return piece.license; });
  });
}

void fields(document::Of<Plan> auto& plan, auto& visit) {
  visit.schema(1, "a plan of hostpin setup");
  visit("client", plan.client, Field::always);
  visit("machine", plan.machine);
  visit("stdenv", plan.stdenv, Field::always);
  visit.derived("toolkit", [&] { return found_json(plan.toolkit); });
  visit.derived("compiler", [&] { return found_json(plan.compiler); });
  visit.derived("bytes", [&] { return bytes_of(plan); });
  visit("pieces", plan.pieces);
  visit("lock", plan.lock, Field::always);
  visit("notes", plan.notes);
}

std::string defect(const Piece& piece) {
  constexpr std::array<std::string_view, 4> choices{"machine", "suite", "piece", "stdenv"};
  constexpr int most = 999;
  if (!redist::is_safe_path(piece.place))
    return "the place '" + escaped(piece.place) + "' is not below the directory";
  for (const Package& package : piece.packages)
    if (!redist::is_path_below(package.file))
      return "the file '" + escaped(package.file) + "' is not below its directory";
  if (has_driver(piece) && (piece.major < 1 || piece.major > most))
    return "'major' is not the major version of a compiler";
  if (has_driver(piece) && std::ranges::find(choices, piece.headers) == choices.end())
    return "'headers' is not machine, suite, piece or stdenv";
  return {};
}

std::string plan_json(const Plan& plan) {
  return document::JsonWriter::json_of(plan).dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<Plan> read_plan_json(std::string_view content, const std::string& file) {
  return document::parse_json(content)
      .and_then([](const document::Value& json) { return document::record_of<Plan>(json); })
      .map_error([&](const document::Problem& problem) {
        return document::error_at(file, problem, "make it again with `hostpin setup DIR --dry-run --json`");
      });
}

} // namespace hostpin::setup
