// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/record.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/document/reader.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/setup/place.hpp"

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

constexpr int record_schema = 1;

using bind::toml_array;
using bind::toml_string;

std::string piece_text(const Piece& piece) {
  std::string text = fmt::format("\n[[piece]]\nkind = \"{}\"\ntitle = {}\nplace = {}\nsuite = {}\n"
                                 "digest = \"{}\"\n",
                                 to_string(piece.kind), toml_string(title(piece)), toml_string(piece.place),
                                 toml_string(piece.suite), digest_of(piece));
  for (const Package& each : piece.packages)
    text += fmt::format("\n[[piece.package]]\nname = {}\nversion = {}\narchitecture = {}\naddress = {}\n"
                        "sha256 = {}\nbytes = {}\n",
                        toml_string(each.name), toml_string(each.version), toml_string(each.architecture),
                        toml_string(each.address), toml_string(each.sha256), each.bytes);
  return text;
}

std::string consent_text(const Consent& consent) {
  return fmt::format("\n[[license]]\nname = {}\nof = {}\naddress = {}\naccepted = {}\nby = {}\n",
                     toml_string(consent.license.name), toml_string(consent.license.of),
                     toml_string(consent.license.address), toml_string(consent.when),
                     toml_string(consent.by));
}

} // namespace

std::string record_text(const Record& record) {
  std::string text = fmt::format(
      "# What hostpin setup made here, written once it was complete. To remove it: rm -r {}\n"
      "schema = {}\nhostpin = {}\ndirectory = {}\nrequest = {}\nstdenv = {}\ntoolkit = {}\n"
      "compiler = {}\nstdenv-driver = {}\n",
      shell_word(record.directory), record_schema, toml_string(record.hostpin), toml_string(record.directory),
      toml_array(record.request), toml_string(record.plan.stdenv), toml_string(record.toolkit),
      toml_string(record.compiler), toml_string(record.stdenv_driver));
  for (const Consent& each : record.consents)
    text += consent_text(each);
  for (const LicenseText& each : record.texts)
    text += fmt::format("\n[[license-text]]\nfile = {}\nsha256 = {}\n", toml_string(each.file),
                        toml_string(each.sha256));
  for (const Piece& each : record.plan.pieces)
    text += piece_text(each);
  return text;
}

Result<std::optional<KnownSetup>> read_record(const Files& files, const std::string& directory) {
  const std::string path = directory + '/' + record_name;
  if (!files.status(path))
    return std::nullopt;
  const auto document = document::read_toml(files, path);
  const std::string hint = "make it again: hostpin setup " + shell_word(directory) + " --refresh";
  if (!document)
    return failure(document.error().message, hint);
  document::Reader reader(path, *document);
  KnownSetup known;
  known.directory = reader.required("directory");
  for (const auto& [key, member] : {std::pair("toolkit", &known.toolkit),
                                    {"compiler", &known.compiler},
                                    {"stdenv", &known.stdenv},
                                    {"stdenv-driver", &known.stdenv_driver}})
    if (const document::Member* const found = reader.member(key);
        found != nullptr && found->value.kind == document::Value::Kind::string)
      *member = found->value.text;
  known.request = reader.strings("request");
  if (const auto* const pieces = reader.tables("piece"))
    for (const document::Value& each : *pieces) {
      document::Reader piece(path, each);
      known.titles.push_back(piece.required("title"));
      known.places.push_back(piece.required("place"));
    }
  const document::Member* const schema = reader.member("schema");
  if (known.directory.empty() || schema == nullptr || schema->value.integer() != record_schema)
    return failure(path + " is not a record of this hostpin", hint);
  return known;
}

} // namespace hostpin::setup
