// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/audit/facts.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <fnmatch.h>
#include <utility>

namespace hostpin::redist {

namespace {

using Strings = std::vector<std::string>;

ListedParts parts_row(document::Reader& row) {
  ListedParts parts{row.required_strings("names"), row.required("agreement"),
                    row.boolean("listed").value_or(true)};
  row.required("source"); // only readers of the file need it
  return parts;
}

LibraryFamily family_row(document::Reader& row) {
  LibraryFamily family{row.required_strings("names"), row.string("license").value_or("")};
  row.required("source"); // only readers of the file need it
  return family;
}

LinkedPart linked_row(document::Reader& row) {
  LinkedPart part{row.required("part"), row.strings("texts"), row.strings("device_texts")};
  row.required("source"); // only readers of the file need it
  return part;
}

void read_texts(document::Reader& document, std::string_view table, Strings& into) {
  std::vector<Strings> lists;
  document.rows(table, "a row has `texts`, `source`", lists, [](document::Reader& row) {
    Strings texts = row.required_strings("texts");
    row.required("source");
    return texts;
  });
  for (Strings& list : lists)
    std::move(list.begin(), list.end(), std::back_inserter(into));
}

} // namespace

Result<AuditFacts> load_audit_facts(const Files& files, const std::string& data) {
  AuditFacts facts;
  TRY(document::read_tables(files, data + "/redist-audit.toml", {}, [&](document::Reader& document) {
    document.rows("part", "a row has `names`, `agreement`, `listed`, `source`", facts.parts, parts_row);
    document.rows("family", "a row has `names`, `license`, `source`", facts.families, family_row);
    document.rows("linked", "a row has `part`, `texts`, `device_texts`, `source`", facts.linked, linked_row);
    read_texts(document, "open-license", facts.open_licenses);
    read_texts(document, "proprietary", facts.proprietary);
    read_texts(document, "program", facts.program_texts);
    read_texts(document, "archive", facts.archives);
  }));
  return facts;
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
