// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/releases.hpp"

#include "toolchains/document/reader.hpp"

#include <utility>

namespace hostpin::lto {

namespace {

Version number(document::Reader& row, std::string_view key) {
  row.require(key);
  const auto text = row.string(key);
  const auto version = text ? parse_version(*text) : std::nullopt;
  if (text && !version)
    row.refuse(key, document::quoted(*text) + " is not a number such as \"12.2\"");
  return version.value_or(Version{});
}

void take(document::Reader& document, std::string_view kind, std::string_view stream,
          std::vector<StreamRelease>& releases) {
  document.require(kind);
  const std::string hint = "a row has `release`, `" + std::string(stream) + "` and `source`";
  document.rows(kind, hint, releases, [&](document::Reader& row) {
    StreamRelease taken{number(row, "release"), number(row, stream), row.required("source")};
    if (!releases.empty() &&
        (taken.release <= releases.back().release || taken.stream < releases.back().stream))
      row.refuse("release", "rows must ascend by release and by version, without duplicates");
    return taken;
  });
}

} // namespace

Result<StreamReleases> load_stream_releases(const Files& files, const std::string& directory) {
  StreamReleases releases;
  TRY(document::read_tables(files, directory + "/lto.toml", "the file has [[gcc]] and [[cuda]] rows",
                            [&](document::Reader& document) {
                              take(document, "gcc", "lto", releases.gcc);
                              take(document, "cuda", "container", releases.cuda);
                            }));
  return releases;
}

std::optional<std::string> writers_of(const std::vector<StreamRelease>& releases, const Version& stream) {
  const StreamRelease* first = nullptr;
  const StreamRelease* last = nullptr;
  for (const StreamRelease& row : releases)
    if (row.stream == stream) {
      first = first == nullptr ? &row : first;
      last = &row;
    }
  if (first == nullptr)
    return std::nullopt;
  return first == last ? to_string(first->release)
                       : to_string(first->release) + " to " + to_string(last->release);
}

} // namespace hostpin::lto
