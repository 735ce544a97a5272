// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/memory.hpp"

#include "toolchains/headers/answer_cache.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::json;

std::vector<std::string> asked(const std::vector<std::string>& question) {
  std::vector<std::string> all = question;
  all.insert(all.begin(), "lto-check 1");
  return all;
}

struct Kept {
  std::filesystem::path path;
  std::filesystem::file_time_type time;
  std::uint64_t size = 0;
};

/// Answers of ours in the directory; others' files there are left alone.
std::vector<Kept> kept_in(const std::string& directory) {
  constexpr std::size_t name_size = 32; // of the cache's file names, all hexadecimal digits
  std::vector<Kept> kept;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.size() != name_size || name.find_first_not_of("0123456789abcdef") != std::string::npos)
      continue;
    std::error_code gone; // by another process
    Kept one{at->path(), at->last_write_time(gone), 0};
    one.size = gone ? 0 : at->file_size(gone);
    if (!gone)
      kept.push_back(std::move(one));
  }
  return kept;
}

/// Leaves the newest ones, and a quarter of the bounds free, so that this is not due again with the next.
void forget_oldest(const std::string& directory) {
  std::vector<Kept> kept = kept_in(directory);
  std::uint64_t bytes = 0;
  for (const Kept& one : kept)
    bytes += one.size;
  if (kept.size() <= most_answers && bytes <= most_answer_bytes)
    return;
  std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.time > b.time; });
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    left += kept[i].size;
    std::error_code gone;
    if (i >= most_answers / 4 * 3 || left > most_answer_bytes / 4 * 3)
      std::filesystem::remove(kept[i].path, gone);
  }
}

} // namespace

std::optional<std::string> recall(const LinkTools& tools, const std::vector<std::string>& question) {
  const auto answer = AnswerCache(tools.cache, tools.files).find(asked(question));
  if (!answer)
    return std::nullopt;
  const Json json = Json::parse(*answer, nullptr, false);
  if (!json.is_object() || !json.contains("text") || !json["text"].is_string())
    return std::nullopt;
  return json["text"].get<std::string>();
}

void remember(const LinkTools& tools, const std::vector<std::string>& question, std::string_view text,
              const std::vector<std::string>& rests_on) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t settled =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - 2'000'000'000;
  Json files = Json::array();
  for (const std::string& path : rests_on) {
    const FileStatus status = tools.files.status(path).value_or(FileStatus{});
    if (status.modified > settled)
      return;
    files.push_back({{"path", path}, {"size", status.size}, {"modified", status.modified}});
  }
  const Json answer{{"text", text}, {"rests_on", std::move(files)}};
  // Compilers write what bytes they like; the answer must still be one that can be read back.
  AnswerCache(tools.cache, tools.files)
      .keep(asked(question), answer.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!tools.cache.empty())
    forget_oldest(tools.cache);
}

} // namespace hostpin
