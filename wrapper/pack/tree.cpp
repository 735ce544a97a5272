// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/pack/tree.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace hostpin::pack {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40; // the kernel's limit

/// Parts of a path in reverse, so that the next one is at the back.
void push_parts(std::vector<std::string>& parts, const std::string& path) {
  std::vector<std::string> more;
  for (const fs::path& part : fs::path(path))
    if (!part.empty() && part != "/" && part != ".")
      more.push_back(part.string());
  parts.insert(parts.end(), more.rbegin(), more.rend());
}

std::string parent(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

} // namespace

std::string Tree::walk(const std::string& path) {
  std::vector<std::string> parts;
  push_parts(parts, path);
  std::string at; // without a trailing slash: the root is empty
  int links = 0;
  while (!parts.empty()) {
    const std::string part = std::move(parts.back());
    parts.pop_back();
    if (part == "..") {
      at = parent(at);
      continue;
    }
    const std::string next = at + '/' + part;
    std::error_code error;
    const fs::file_type kind = fs::symlink_status(next, error).type();
    if (kind == fs::file_type::symlink) {
      const std::string target = fs::read_symlink(next, error).string();
      if (error || ++links > most_links)
        return {};
      entries_.insert(next);
      if (target.starts_with('/'))
        at.clear();
      push_parts(parts, target);
      continue;
    }
    if (kind != fs::file_type::regular && kind != fs::file_type::directory)
      return {};
    entries_.insert(next);
    if (kind == fs::file_type::regular)
      files_.insert(next);
    at = next;
  }
  return at;
}

bool Tree::add(const std::string& path) {
  return !walk(path).empty();
}

bool Tree::add_whole(const std::string& path, const Wanted& wanted) {
  const std::string real = walk(path);
  if (real.empty())
    return false;
  if (!files_.contains(real))
    add_contents(real, wanted);
  return true;
}

void Tree::add_contents(const std::string& directory, const Wanted& wanted) {
  if (whole_.contains(directory))
    return;
  if (!wanted)
    whole_.insert(directory); // before its entries: symlinks may lead back here
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    if (!wanted || wanted(entry->path().filename().string()))
      add_whole(entry->path().string());
}

} // namespace hostpin::pack
