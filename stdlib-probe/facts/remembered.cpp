// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/remembered.hpp"

#include "toolchains/base/cache_place.hpp"
#include "toolchains/compiler/probe.hpp"

#include <utility>

namespace hostpin {

namespace {

std::string directory(const ProbeContext& context) {
  const Environment& environment = context.environment;
  const auto own = environment["HOSTPIN_CACHE_DIR"], xdg = environment["XDG_CACHE_HOME"],
             home = environment["HOME"];
  const auto place = cache_directory(CachePlace{own, xdg, home});
  return place ? *place + "/facts" : std::string();
}

} // namespace

RememberedFacts::RememberedFacts(const ProbeContext& context) : cache_(directory(context), context.files) {
  const std::string program = context.files.real_path("/proc/self/exe").value_or("");
  const FileStatus status = context.files.status(program).value_or(FileStatus{});
  circumstances_ = {"facts", program, std::to_string(status.size), std::to_string(status.modified),
                    context.files.real_path(".").value_or("")};
  for (std::string& variable : relevant_variables(context.environment))
    circumstances_.push_back(std::move(variable));
  circumstances_.emplace_back("--");
}

std::vector<std::string> RememberedFacts::question(const std::vector<std::string>& command) const {
  std::vector<std::string> words = circumstances_;
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::optional<std::string> RememberedFacts::find(const std::vector<std::string>& command) const {
  return cache_.find(question(command));
}

void RememberedFacts::keep(const std::vector<std::string>& command, std::string_view answer) const {
  cache_.keep(question(command), answer);
}

} // namespace hostpin
