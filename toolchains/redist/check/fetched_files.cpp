// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/check/fetched_files.hpp"

#include "toolchains/base/error_report.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace hostpin::redist {

namespace {

constexpr std::chrono::minutes longest_fetch{
    5}; // of a document; one that stalls is given up after 91 seconds

Command command_for(const std::string& program, const std::string& url) {
  Command command;
  command.argv = {program, "--document", url};
  command.time = longest_fetch;
  command.own_temporary = true; // of a program that is killed
  command.errors_as_json = true;
  return command;
}

Error error_of(const Outcome& outcome, const std::string& url) {
  if (auto error = reported_error(outcome); error && outcome.end == Outcome::End::exited)
    return *std::move(error);
  return {"cannot fetch " + escaped(url) + ": redist-fetch: " + describe(outcome), ""};
}

} // namespace

Result<void> FetchedFiles::fetch(std::span<const std::string> arguments, const std::string& program,
                                 const Processes& processes) {
  std::vector<std::string> urls;
  for (const std::string& argument : arguments)
    if (is_url(argument) && std::ranges::find(urls, argument) == urls.end())
      urls.push_back(argument);
  std::vector<Command> commands;
  for (const std::string& url : urls) {
    TRY(check_no_user(url));
    commands.push_back(command_for(program, url));
  }
  std::vector<Outcome> outcomes;
  if (!commands.empty())
    outcomes = processes.run(commands);
  for (std::size_t index = 0; index < urls.size(); ++index) {
    if (!outcomes[index].ok())
      return tl::unexpected(error_of(outcomes[index], urls[index]));
    contents_[urls[index]] = std::move(outcomes[index].output);
  }
  return {};
}

std::optional<FileStatus> FetchedFiles::status(const std::string& path) const {
  const auto found = contents_.find(path);
  if (found == contents_.end())
    return files_.status(path);
  FileStatus status;
  status.kind = FileStatus::Kind::regular;
  status.size = found->second.size();
  return status;
}

std::optional<std::string> FetchedFiles::real_path(const std::string& path) const {
  return contents_.contains(path) ? path : files_.real_path(path);
}

std::vector<std::string> FetchedFiles::entries(const std::string& directory) const {
  return files_.entries(directory);
}

Result<std::string> FetchedFiles::read(const std::string& path, std::size_t limit) const {
  const auto found = contents_.find(path);
  if (found == contents_.end())
    return files_.read(path, limit);
  if (found->second.size() > limit)
    return failure("cannot read " + escaped(path) + ": it is larger than " + std::to_string(limit) +
                   " bytes");
  return found->second;
}

} // namespace hostpin::redist
