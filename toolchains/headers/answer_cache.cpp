// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/headers/answer_cache.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::json;

constexpr std::string_view magic = "hostpin-answer 2 ";
constexpr std::size_t digest_size = 16;
constexpr std::size_t size_limit = std::size_t{4} << 20U; // an answer is some KB

std::string digest(std::string_view bytes, std::uint64_t seed) {
  const auto digits = hexadecimal(checksum(bytes, seed));
  return {digits.begin(), digits.end()};
}

bool unchanged(const Json& file, const Files& files) {
  if (!file.is_object() || !file.contains("path") || !file["path"].is_string())
    return false;
  const FileStatus status = files.status(file["path"].get<std::string>()).value_or(FileStatus{});
  return file.value("size", Json()) == status.size && file.value("modified", Json()) == status.modified &&
         file.value("changed", Json(status.changed)) == status.changed;
}

bool holds(std::string_view answer, const Files& files) {
  const Json json = Json::parse(answer, nullptr, false);
  if (!json.is_object() || !json.contains("rests_on") || !json["rests_on"].is_array())
    return false;
  const Json& ground = json["rests_on"];
  return std::all_of(ground.begin(), ground.end(), [&](const Json& file) { return unchanged(file, files); });
}

bool is_ours_alone(const struct stat& status) {
  return (status.st_uid == ::geteuid() || status.st_uid == 0) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// What somebody else could have written is not believed.
bool is_own(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && is_ours_alone(status);
}

/// Nor what lies in a directory of theirs; the cache itself may be a link, to one that is ours.
bool is_in_foreign(const std::string& directory) {
  struct stat status {};
  return ::stat(directory.substr(0, directory.rfind('/')).c_str(), &status) == 0 && !is_ours_alone(status);
}

std::string joined(const std::vector<std::string>& question) {
  std::string all;
  for (const std::string& word : question)
    all += word + '\0';
  return all;
}

std::string path_in(const std::string& directory, const std::string& question) {
  return directory + '/' + digest(question, 0) + digest(question, 1);
}

/// Holds for this question alone: a file under another name is no answer.
std::string seal(const std::string& question, std::string_view answer) {
  return digest(question + std::string(answer), 0);
}

/// What is written there is as it was kept, whoever else uses the directory.
std::optional<std::string> stored(const std::string& directory, const std::vector<std::string>& question,
                                  const Files& files) {
  if (directory.empty())
    return std::nullopt;
  const std::string asked = joined(question);
  const std::string path = path_in(directory, asked);
  if (is_in_foreign(directory) || !is_own(directory) || !is_own(path))
    return std::nullopt;
  const auto content = files.read(path, size_limit);
  if (!content || content->size() < magic.size() + digest_size || !content->starts_with(magic))
    return std::nullopt;
  std::string answer = content->substr(magic.size() + digest_size);
  if (content->substr(magic.size(), digest_size) != seal(asked, answer))
    return std::nullopt;
  return answer;
}

} // namespace

std::optional<std::string> AnswerCache::find(const std::vector<std::string>& question) const {
  const auto known = answers_.find(question);
  auto answer = known != answers_.end() ? std::optional(known->second) : stored(directory_, question, files_);
  return answer && holds(*answer, files_) ? std::move(answer) : std::nullopt;
}

void AnswerCache::keep(const std::vector<std::string>& question, std::string_view answer) const {
  if (!holds(answer, files_))
    return;
  answers_.insert_or_assign(question, answer);
  if (directory_.empty() || is_in_foreign(directory_) || !make_private_directories(directory_) ||
      !is_own(directory_))
    return;
  const std::string asked = joined(question);
  // What could not be written is asked again; nobody needs to know.
  static_cast<void>(replace_file(path_in(directory_, asked),
                                 std::string(magic) + seal(asked, answer) + std::string(answer), false));
}

} // namespace hostpin
