// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/memory.hpp"

#include "toolchains/headers/answer_cache.hpp"

#include <chrono>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::json;

std::vector<std::string> asked(const std::vector<std::string>& question) {
  std::vector<std::string> all = question;
  all.insert(all.begin(), "lto-check 1");
  return all;
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
  // Compilers may print any bytes; the answer must be readable all the same.
  AnswerCache(tools.cache, tools.files)
      .keep(asked(question), answer.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!tools.cache.empty())
    forget_oldest(tools.cache, most_answers, most_answer_bytes);
}

} // namespace hostpin
