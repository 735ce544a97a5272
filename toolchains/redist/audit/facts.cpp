// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/audit/facts.hpp"

#include "toolchains/table/toml.hpp"

#include <algorithm>
#include <fnmatch.h>
#include <utility>

namespace hostpin::redist {

namespace {

using Strings = std::vector<std::string>;

Strings required_list(TomlReader& row, std::string_view key) {
  row.require(key);
  return row.strings(key);
}

/// Each fact has a source, which only readers of the file need.
void require_source(TomlReader& row) {
  row.required("source");
}

ListedParts parts_row(TomlReader& row) {
  ListedParts parts{required_list(row, "names"), row.required("agreement"),
                    row.boolean("listed").value_or(true)};
  require_source(row);
  return parts;
}

LibraryFamily family_row(TomlReader& row) {
  LibraryFamily family{required_list(row, "names"), row.string("license").value_or("")};
  require_source(row);
  return family;
}

LinkedPart linked_row(TomlReader& row) {
  LinkedPart part{row.required("part"), row.strings("texts"), row.strings("device_texts")};
  require_source(row);
  return part;
}

std::optional<Error> read_texts(TomlReader& document, std::string_view table, Strings& into) {
  std::vector<Strings> lists;
  auto error = read_rows(document, table, "a row has `texts`, `source`", lists, [](TomlReader& row) {
    Strings texts = required_list(row, "texts");
    require_source(row);
    return texts;
  });
  for (Strings& list : lists)
    std::move(list.begin(), list.end(), std::back_inserter(into));
  return error;
}

} // namespace

Result<AuditFacts> load_audit_facts(const Files& files, const std::string& data) {
  const std::string path = data + "/redist-audit.toml";
  TRY_ASSIGN(const auto content, read_toml(files, path));
  TomlReader document(path, content);
  AuditFacts facts;
  auto error = read_rows(document, "part", "a row has `names`, `agreement`, `listed`, `source`", facts.parts,
                         parts_row);
  const auto then = [&](auto read) {
    if (!error)
      error = read();
  };
  then([&] {
    return read_rows(document, "family", "a row has `names`, `license`, `source`", facts.families,
                     family_row);
  });
  then([&] {
    return read_rows(document, "linked", "a row has `part`, `texts`, `device_texts`, `source`", facts.linked,
                     linked_row);
  });
  then([&] { return read_texts(document, "open-license", facts.open_licenses); });
  then([&] { return read_texts(document, "proprietary", facts.proprietary); });
  then([&] { return read_texts(document, "program", facts.program_texts); });
  then([&] { return read_texts(document, "archive", facts.archives); });
  then([&] { return document.finish(); });
  return error ? Result<AuditFacts>(tl::unexpected(*std::move(error))) : Result<AuditFacts>(std::move(facts));
}

bool matches_any(std::string_view name, const Strings& patterns) {
  const std::string text(name);
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0; });
}

const ListedParts* listing_of(std::string_view name, const AuditFacts& facts) {
  const auto found =
      std::ranges::find_if(facts.parts, [&](const ListedParts& one) { return matches_any(name, one.names); });
  return found == facts.parts.end() ? nullptr : &*found;
}

const LibraryFamily* family_of(std::string_view name, const AuditFacts& facts) {
  const auto found = std::ranges::find_if(
      facts.families, [&](const LibraryFamily& one) { return matches_any(name, one.names); });
  return found == facts.families.end() ? nullptr : &*found;
}

} // namespace hostpin::redist
