// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/terminal.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/options/progress_line.hpp"
#include "toolchains/redist/select/difference.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

std::string signed_names(const std::vector<std::string>& names, std::string_view sign) {
  std::string text;
  for (const std::string& name : names)
    text.append(text.empty() ? "" : " ")
        .append(sign)
        .append(name.find(' ') == std::string::npos ? name : '(' + name + ')');
  return escaped(text);
}

std::string versions(const PackageChange& change) {
  if (change.old_version.empty())
    return "new, " + escaped(change.new_version);
  if (change.new_version.empty())
    return "gone, was " + escaped(change.old_version);
  if (change.old_version == change.new_version)
    return escaped(change.new_version);
  return escaped(change.old_version) + " -> " + escaped(change.new_version);
}

std::string remarks(const PackageChange& change) {
  std::string text = change.new_version.empty() ? "" : signed_names(change.lost_platforms, "-");
  if (!change.old_version.empty() && !change.added_platforms.empty())
    text.append(text.empty() ? "" : " ").append(signed_names(change.added_platforms, "+"));
  if (change.old_version == change.new_version && !change.changed_platforms.empty())
    text.append(text.empty() ? "" : " ")
        .append("same version, other archive: ")
        .append(signed_names(change.changed_platforms, ""));
  if (!change.old_version.empty() && !change.new_version.empty() && change.old_license != change.new_license)
    text.append(text.empty() ? "" : " ")
        .append("license '" + escaped(change.old_license) + "' -> '" + escaped(change.new_license) + '\'');
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  return std::to_string(static_cast<unsigned>(share + 0.5)) + " %";
}

} // namespace

std::string_view to_string(Break::Kind kind) {
  constexpr std::array<std::string_view, 9> names{"package-gone", "package-renamed",  "platform-lost",
                                                  "variant-lost", "archive-replaced", "soname-lost",
                                                  "symbol-lost",  "gpu-lost",         "output-lost"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string text_of(const Difference& difference) {
  std::string text = escaped(difference.old_title) + " -> " + escaped(difference.new_title) + '\n';
  if (difference.is_none())
    return text + "no difference\n";
  if (!difference.breaks.empty())
    text += "what breaks:\n";
  for (const Break& one : difference.breaks)
    text += "  " + escaped(one.what) + '\n';
  if (difference.bytes > 0)
    text += "to fetch: " + std::to_string(difference.archives_to_fetch) + " of " +
            std::to_string(difference.archives) + " archives, " +
            options::amount_text(difference.bytes_to_fetch) + " of " +
            options::amount_text(difference.bytes) + " (" +
            percent(difference.bytes_to_fetch, difference.bytes) + ")\n";
  std::vector<std::vector<Cell>> rows;
  for (const PackageChange& change : difference.packages)
    rows.push_back({{escaped(change.package)},
                    {versions(change)},
                    {change.bytes_to_fetch == 0 ? "" : options::amount_text(change.bytes_to_fetch)},
                    {remarks(change)}});
  text += "packages that differ: " + std::to_string(rows.size()) + '\n' + columns(rows, endless);
  if (difference.symbols.empty())
    return text;
  rows.clear();
  for (const SymbolChange& change : difference.symbols)
    rows.push_back(
        {{escaped(change.package)},
         {change.old_library == change.new_library
              ? escaped(change.new_library)
              : escaped(change.old_library) + " -> " + escaped(change.new_library)},
         {'+' + std::to_string(change.added.size()) + " -" + std::to_string(change.removed.size())},
         {signed_names(change.platforms, "")}});
  return text + "libraries whose symbols differ: " + std::to_string(rows.size()) + '\n' +
         columns(rows, endless);
}

namespace {

using Json = nlohmann::ordered_json;

Json first_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 100;
  Json first = Json::array();
  for (std::size_t index = 0; index < std::min(most, names.size()); ++index)
    first.push_back(names[index]);
  return first;
}

Json symbols_json(const std::vector<SymbolChange>& changes) {
  Json rows = Json::array();
  for (const SymbolChange& one : changes)
    rows.push_back({{"package", one.package},
                    {"old_library", one.old_library},
                    {"new_library", one.new_library},
                    {"platforms", one.platforms},
                    {"added", one.added.size()},
                    {"removed", one.removed.size()},
                    {"added_symbols", first_of(one.added)},
                    {"removed_symbols", first_of(one.removed)}});
  return rows;
}

} // namespace

std::string json_of(const Difference& difference) {
  Json breaks = Json::array(), renamed = Json::array(), packages = Json::array();
  for (const Break& one : difference.breaks)
    breaks.push_back({{"kind", to_string(one.kind)},
                      {"package", one.package},
                      {"platform", one.platform},
                      {"explanation", one.what}});
  for (const Renamed& one : difference.renamed)
    renamed.push_back({{"from", one.from}, {"to", one.to}});
  for (const PackageChange& one : difference.packages)
    packages.push_back({{"package", one.package},
                        {"old_version", one.old_version},
                        {"new_version", one.new_version},
                        {"old_license", one.old_license},
                        {"new_license", one.new_license},
                        {"added_platforms", one.added_platforms},
                        {"lost_platforms", one.lost_platforms},
                        {"changed_platforms", one.changed_platforms},
                        {"bytes_to_fetch", one.bytes_to_fetch}});
  const Json json{{"schema", 1},
                  {"old", difference.old_title},
                  {"new", difference.new_title},
                  {"breaks", breaks},
                  {"renamed", renamed},
                  {"archives", difference.archives},
                  {"archives_to_fetch", difference.archives_to_fetch},
                  {"bytes", difference.bytes},
                  {"bytes_to_fetch", difference.bytes_to_fetch},
                  {"packages", packages},
                  {"symbols", symbols_json(difference.symbols)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin::redist
