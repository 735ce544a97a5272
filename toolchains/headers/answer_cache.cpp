// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/headers/answer_cache.hpp"

#include "toolchains/base/ancestors.hpp"
#include "toolchains/base/checksum.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::json;

constexpr std::string_view magic = "hostpin-answer 2 ";
constexpr std::size_t digest_size = 16;
constexpr std::size_t size_limit = std::size_t{4} << 20U; // an answer has a few KB

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

bool is_valid(std::string_view answer, const Files& files) {
  const Json json = Json::parse(answer, nullptr, false);
  if (!json.is_object() || !json.contains("rests_on") || !json["rests_on"].is_array())
    return false;
  const Json& dependencies = json["rests_on"];
  return std::all_of(dependencies.begin(), dependencies.end(),
                     [&](const Json& file) { return unchanged(file, files); });
}

bool is_private(const struct stat& status) {
  return (status.st_uid == ::geteuid() || status.st_uid == 0) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// False for files that another user could have written.
bool is_own(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && is_private(status);
}

/// True for files in another user's directory, or below one; the cache itself may be a symlink to a private
/// one.
bool is_in_foreign(const std::string& directory) {
  struct stat status {};
  const std::string cache = directory.substr(0, directory.rfind('/'));
  return (::stat(cache.c_str(), &status) == 0 && !is_private(status)) ||
         !exchangeable_by_others(cache).empty();
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

/// Valid for this question only: a renamed file is not an answer.
std::string stamp(const std::string& question, std::string_view answer) {
  return digest(question + std::string(answer), 0);
}

/// The stored answer, if it is intact and belongs to this question.
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
  if (content->substr(magic.size(), digest_size) != stamp(asked, answer))
    return std::nullopt;
  return answer;
}

} // namespace

std::optional<std::string> AnswerCache::find(const std::vector<std::string>& question) const {
  const auto known = answers_.find(question);
  auto answer = known != answers_.end() ? std::optional(known->second) : stored(directory_, question, files_);
  return answer && is_valid(*answer, files_) ? std::move(answer) : std::nullopt;
}

void AnswerCache::keep(const std::vector<std::string>& question, std::string_view answer) const {
  if (!is_valid(answer, files_))
    return;
  answers_.insert_or_assign(question, answer);
  if (directory_.empty() || is_in_foreign(directory_) || !make_private_directories(directory_) ||
      !is_own(directory_))
    return;
  const std::string asked = joined(question);
  // If it cannot be written, the question is asked again next time.
  static_cast<void>(replace_file(path_in(directory_, asked),
                                 std::string(magic) + stamp(asked, answer) + std::string(answer), false));
}

namespace {

struct Entry {
  std::filesystem::path path;
  std::filesystem::file_time_type time;
  std::uint64_t size = 0;
};

std::vector<Entry> entries_in(const std::string& directory) {
  constexpr std::size_t name_size = 32; // of the cache's file names, all hexadecimal digits
  std::vector<Entry> entries;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.size() != name_size || !is_hex(name))
      continue;
    std::error_code gone; // by another process
    Entry one{at->path(), at->last_write_time(gone), 0};
    one.size = gone ? 0 : at->file_size(gone);
    if (!gone)
      entries.push_back(std::move(one));
  }
  return entries;
}

} // namespace

void forget_oldest(const std::string& directory, std::size_t most_answers, std::uint64_t most_bytes) {
  std::vector<Entry> entries = entries_in(directory);
  std::uint64_t bytes = 0;
  for (const Entry& one : entries)
    bytes += one.size;
  if (entries.size() <= most_answers && bytes <= most_bytes)
    return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time > b.time; });
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    left += entries[i].size;
    std::error_code gone;
    if (i >= most_answers / 4 * 3 || left > most_bytes / 4 * 3)
      std::filesystem::remove(entries[i].path, gone);
  }
}

} // namespace hostpin
