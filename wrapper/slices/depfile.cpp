// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/depfile.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace hostpin::slices {

namespace {

struct Marker {
  std::string file;
  bool system = false;
};

/// Reads `# 12 "path" 1 3 4`.
std::optional<Marker> marker_of(std::string_view line) {
  if (!line.starts_with("# "))
    return std::nullopt;
  line.remove_prefix(2);
  const std::size_t digits = line.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos || !line.substr(digits).starts_with(" \""))
    return std::nullopt;
  line.remove_prefix(digits + 2);
  Marker marker;
  std::size_t at = 0;
  for (; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] == '\\' && at + 1 < line.size())
      ++at;
    marker.file += line[at];
  }
  if (at == line.size() || marker.file.empty() || marker.file.front() == '<')
    return std::nullopt;
  marker.system = line.substr(at + 1).find(" 3") != std::string_view::npos;
  return marker;
}

std::string escaped(std::string_view path) {
  std::string text;
  for (const char letter : path)
    text.append(letter == ' ' ? "\\" : "").append(1, letter);
  return text;
}

} // namespace

void Dependencies::add(std::string_view preprocessed) {
  std::set<std::string, std::less<>> known(files_.begin(), files_.end());
  std::string_view last;
  while (!preprocessed.empty()) {
    const std::string_view line = preprocessed.substr(0, preprocessed.find('\n'));
    preprocessed.remove_prefix(std::min(line.size() + 1, preprocessed.size()));
    if (!line.starts_with("# ") || line == last)
      continue;
    last = line;
    auto marker = marker_of(line);
    if (marker && (system_ || !marker->system) && known.insert(marker->file).second)
      files_.push_back(std::move(marker->file));
  }
}

std::string Dependencies::rule(std::string_view target, bool phony) const {
  std::string text = std::string(target) + " :";
  for (std::size_t at = 0; at < files_.size(); ++at)
    text.append(at == 0 ? " " : " \\\n    ").append(escaped(files_[at]));
  text += '\n';
  for (std::size_t at = 1; phony && at < files_.size(); ++at)
    text.append("\n").append(escaped(files_[at])).append(":\n");
  return text;
}

} // namespace hostpin::slices
