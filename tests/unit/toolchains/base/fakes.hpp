// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::test {

/// A file system in a map. Directories exist when something is below them.
class FakeFiles final : public Files {
public:
  FakeFiles() = default;
  FakeFiles(const FakeFiles& other) : Files(), nodes_(other.nodes_) {}
  FakeFiles& operator=(const FakeFiles&) = delete;
  ~FakeFiles() override = default;

  FakeFiles& file(const std::string& path, std::string content = {}) {
    nodes_[path] = {std::move(content), {}, false};
    return *this;
  }
  FakeFiles& program(const std::string& path) {
    nodes_[path] = {"program", {}, true};
    return *this;
  }
  /// `target` is absolute.
  FakeFiles& link(const std::string& path, std::string target) {
    nodes_[path] = {{}, std::move(target), false};
    return *this;
  }

  std::optional<FileStatus> status(const std::string& path) const override {
    const auto real = real_path(path);
    if (!real)
      return std::nullopt;
    FileStatus status;
    status.kind = FileStatus::Kind::directory;
    if (const auto node = nodes_.find(*real); node != nodes_.end()) {
      status.kind = FileStatus::Kind::regular;
      status.size = node->second.content.size();
      status.executable = node->second.executable;
    }
    return status;
  }

  std::optional<std::string> real_path(const std::string& path) const override {
    std::string now = path == "." ? "/here" : plain(path);
    for (int hops = 0; hops < 40; ++hops) {
      const auto link = first_link(now);
      if (link == nodes_.end())
        return exists(now) ? std::optional(now) : std::nullopt;
      now = plain(link->second.target + now.substr(link->first.size()));
    }
    return std::nullopt;
  }

  std::vector<std::string> entries(const std::string& directory) const override {
    std::set<std::string> names;
    const auto real = real_path(directory);
    const std::string prefix = real == "/" ? "/" : real.value_or("?") + '/';
    for (auto node = nodes_.lower_bound(prefix); node != nodes_.end() && node->first.starts_with(prefix);
         ++node)
      names.insert(node->first.substr(prefix.size(), node->first.find('/', prefix.size()) - prefix.size()));
    return {names.begin(), names.end()};
  }

  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    const auto real = real_path(path);
    const auto node = nodes_.find(real.value_or(""));
    if (node == nodes_.end() || node->second.content.size() > limit)
      return failure("cannot read " + path);
    return node->second.content;
  }

private:
  struct Node {
    std::string content;
    std::string target;
    bool executable;
  };
  using Nodes = std::map<std::string, Node>;

  /// Without `.`, `..` and doubled slashes.
  static std::string plain(const std::string& path) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      const std::string part = path.substr(begin, end - begin);
      begin = end + 1;
      if (part == ".." && !parts.empty())
        parts.pop_back();
      else if (part != ".." && part != "." && !part.empty())
        parts.push_back(part);
    }
    std::string result;
    for (const std::string& part : parts)
      result += '/' + part;
    return result.empty() ? "/" : result;
  }

  Nodes::const_iterator first_link(const std::string& path) const {
    return std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& node) {
      return !node.second.target.empty() && (path == node.first || path.starts_with(node.first + '/'));
    });
  }

  bool exists(const std::string& path) const {
    const auto node = nodes_.lower_bound(path);
    if (node != nodes_.end() && node->first == path)
      return true;
    const auto below = nodes_.lower_bound(path + '/');
    return path == "/" || (below != nodes_.end() && below->first.starts_with(path + '/'));
  }

  Nodes nodes_;
};

/// Answers by the whole command line, joined by spaces; an unknown command does not start.
class FakeProcesses final : public Processes {
public:
  FakeProcesses& answer(const std::string& line, std::string output, std::string errors = {}, int code = 0) {
    Outcome outcome;
    outcome.end = Outcome::End::exited;
    outcome.code = code;
    outcome.output = std::move(output);
    outcome.errors = std::move(errors);
    outcomes_[line] = std::move(outcome);
    return *this;
  }

  std::vector<Outcome> run(std::span<const Command> commands) const override {
    ++rounds;
    std::vector<Outcome> result;
    for (const Command& command : commands) {
      std::string line;
      for (const std::string& word : command.argv)
        line += (line.empty() ? "" : " ") + word;
      const auto known = outcomes_.find(line);
      Outcome missing;
      missing.code = 2; // ENOENT
      result.push_back(known == outcomes_.end() ? missing : known->second);
    }
    return result;
  }

  mutable int rounds = 0;

private:
  std::map<std::string, Outcome> outcomes_;
};

} // namespace hostpin::test
