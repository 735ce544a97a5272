// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/releases.hpp"

#include "toolchains/table/toml.hpp"

#include <utility>

namespace hostpin::lto {

namespace {

Version number(TomlReader& row, std::string_view key) {
  row.require(key);
  const auto text = row.string(key);
  const auto version = text ? parse_version(*text) : std::nullopt;
  if (text && !version)
    row.refuse(key, quoted(*text) + " is not a number such as \"12.2\"");
  return version.value_or(Version{});
}

std::optional<Error> take(TomlReader& document, std::string_view kind, std::string_view stream,
                          std::vector<StreamRelease>& releases) {
  document.require(kind);
  const std::string hint = "a row has `release`, `" + std::string(stream) + "` and `source`";
  return read_rows(document, kind, hint, releases, [&](TomlReader& row) {
    StreamRelease taken{number(row, "release"), number(row, stream), row.string("source").value_or("")};
    row.require("source");
    if (!releases.empty() &&
        (taken.release <= releases.back().release || taken.stream < releases.back().stream))
      row.refuse("release", "rows must ascend by release and by version, without duplicates");
    return taken;
  });
}

} // namespace

Result<StreamReleases> load_stream_releases(const Files& files, const std::string& directory) {
  const std::string path = directory + "/lto.toml";
  TRY_ASSIGN(const auto content, read_toml(files, path));
  TomlReader document(path, content);
  StreamReleases releases;
  if (auto error = take(document, "gcc", "lto", releases.gcc))
    return tl::unexpected(*std::move(error));
  if (auto error = take(document, "cuda", "container", releases.cuda))
    return tl::unexpected(*std::move(error));
  if (auto error = document.finish("the file has [[gcc]] and [[cuda]] rows"))
    return tl::unexpected(*std::move(error));
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
