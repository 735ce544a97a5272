// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/headers/answer_cache.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/base/writing.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::json;

constexpr std::string_view magic = "hostpin-answer 1 ";
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
  return file.value("size", Json()) == status.size && file.value("modified", Json()) == status.modified;
}

bool holds(std::string_view answer, const Files& files) {
  const Json json = Json::parse(answer, nullptr, false);
  if (!json.is_object() || !json.contains("rests_on") || !json["rests_on"].is_array())
    return false;
  for (const Json& file : json["rests_on"])
    if (!unchanged(file, files))
      return false;
  return true;
}

/// What somebody else could have written is not believed.
bool is_own(const std::string& path) {
  struct stat data {};
  return ::lstat(path.c_str(), &data) == 0 && (data.st_uid == ::geteuid() || data.st_uid == 0) &&
         (data.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string path_in(const std::string& directory, const std::vector<std::string>& question) {
  std::string all;
  for (const std::string& word : question)
    all += word + '\0';
  return directory + '/' + digest(all, 0) + digest(all, 1);
}

/// What is written there is as it was kept, whoever else uses the directory.
std::optional<std::string> stored(const std::string& directory, const std::vector<std::string>& question,
                                  const Files& files) {
  if (directory.empty())
    return std::nullopt;
  const std::string path = path_in(directory, question);
  if (!is_own(directory) || !is_own(path))
    return std::nullopt;
  const auto content = files.read(path, size_limit);
  if (!content || content->size() < magic.size() + digest_size || !content->starts_with(magic))
    return std::nullopt;
  std::string answer = content->substr(magic.size() + digest_size);
  if (content->substr(magic.size(), digest_size) != digest(answer, 0))
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
  if (directory_.empty() || !make_private_directories(directory_) || !is_own(directory_))
    return;
  // What could not be written is asked again; nobody needs to know.
  static_cast<void>(replace_file(path_in(directory_, question),
                                 std::string(magic) + digest(answer, 0) + std::string(answer), false));
}

} // namespace hostpin
