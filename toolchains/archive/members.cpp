// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/members.hpp"

#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>

namespace hostpin {

namespace {

constexpr unsigned most_links = 40; // Linux' own limit when a path is resolved

std::string quoted(std::string_view name) {
  std::string text = "'";
  return text.append(escaped(name)).append("'");
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    names.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

} // namespace

Result<std::string> member_path(std::string_view name) {
  if (name.empty())
    return failure("a member has no name");
  if (name.front() == '/')
    return failure("the member " + quoted(name) + " has an absolute path");
  if (std::ranges::any_of(name, is_control))
    return failure("the name of the member " + quoted(name) + " contains control characters");
  if (!is_utf8(name)) // origin.json is to contain it
    return failure("the name of the member " + quoted(name) + " is not UTF-8");
  std::string_view path = name;
  while (path.starts_with("./"))
    path.remove_prefix(2);
  while (path.ends_with('/'))
    path.remove_suffix(1);
  if (path == "." || path.empty())
    return std::string();
  for (const std::string_view one : split(path))
    if (one == "..")
      return failure("the member " + quoted(name) + " leaves its directory by '..'");
    else if (one.empty() || one == ".")
      return failure("the member " + quoted(name) + " has a path with an empty name or '.' in it");
  return std::string(path);
}

Result<MemberTable::Added> MemberTable::add(std::string_view name, Kind kind, std::string_view target) {
  TRY_ASSIGN(auto path, member_path(name));
  Added added{path, {}};
  if (path.empty())
    return kind == Kind::directory ? Result<Added>(added)
                                   : failure("the member " + quoted(name) + " has the name of a directory");
  if (kind == Kind::link && (target.empty() || target.front() == '/'))
    return failure("the symbolic link " + quoted(name) + " leads to " + quoted(target) +
                   ", which is not a relative path");
  if (kind == Kind::link && (std::ranges::any_of(target, is_control) || !is_utf8(target)))
    return failure("the symbolic link " + quoted(name) + " leads to " + quoted(target) +
                   ", which has control characters or is not UTF-8");
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
    TRY(add_one(path.substr(0, slash), Kind::directory, {}, added.directories));
  TRY(add_one(path, kind, target, added.directories));
  return added;
}

Result<void> MemberTable::add_one(const std::string& path, Kind kind, std::string_view target,
                                  std::vector<std::string>& directories) {
  const auto existing = members_.find(path);
  if (existing != members_.end()) {
    if (kind == Kind::directory && existing->second.kind == Kind::directory)
      return {};
    if (kind == Kind::directory && existing->second.kind == Kind::link)
      return failure("a member has a path through the symbolic link " + quoted(path));
    return failure("there are two members " + quoted(path));
  }
  const auto [twin, is_new] = folded_.emplace(lower_case(path), path);
  if (!is_new && tree_ == Tree::archive)
    return failure("the members " + quoted(twin->second) + " and " + quoted(path) + " differ only in case");
  members_.emplace(path, Member{kind, std::string(target)});
  if (kind == Kind::directory)
    directories.push_back(path);
  if (kind == Kind::link)
    links_.push_back(path);
  if (path.find('/') == std::string::npos)
    tops_.push_back(path);
  return {};
}

Result<std::string> MemberTable::hard_link_target(std::string_view name, std::string_view target) const {
  const auto path = member_path(target);
  const auto member = path ? members_.find(*path) : members_.end();
  if (member == members_.end() || member->second.kind != Kind::file)
    return failure("the hard link " + quoted(name) + " leads to " + quoted(target) +
                   ", which is not an earlier file of the archive");
  return *path;
}

std::string MemberTable::top() const {
  return tops_.size() == 1 && members_.at(tops_.front()).kind == Kind::directory ? tops_.front()
                                                                                 : std::string();
}

Result<void> MemberTable::check_links() const {
  const std::size_t least = tree_ == Tree::packages || top().empty() ? 0 : 1;
  for (const std::string& link : links_)
    TRY(follow(link, least));
  return {};
}

/// Resolves a link as the kernel does, and refuses any step to fewer than `least` names.
Result<void> MemberTable::follow(const std::string& path, std::size_t least) const {
  std::vector<std::string> at;   // the names of the path so far
  std::vector<std::string> rest; // the names to come, in reverse
  const auto push = [&rest](std::string_view text) {
    const auto names = split(text);
    rest.insert(rest.end(), names.rbegin(), names.rend());
  };
  push(path);
  for (unsigned links = 0; !rest.empty();) {
    const std::string name = rest.back();
    rest.pop_back();
    if (name == ".." && at.size() <= least)
      return failure("the symbolic link " + quoted(path) + " leads to " + quoted(members_.at(path).target) +
                     ", out of the archive's directory");
    if (name == "..")
      at.pop_back();
    if (name == ".." || name == "." || name.empty())
      continue;
    at.push_back(name);
    const auto member = members_.find(joined(at, "/"));
    if (member == members_.end() || member->second.kind != Kind::link)
      continue;
    if (++links > most_links)
      return failure("the symbolic link " + quoted(path) + " leads back to itself");
    at.pop_back();
    push(member->second.target);
  }
  return {};
}

} // namespace hostpin
