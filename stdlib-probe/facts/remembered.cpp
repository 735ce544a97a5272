// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/remembered.hpp"

#include "toolchains/base/cache_place.hpp"

#include <algorithm>
#include <array>

namespace hostpin {

namespace {

// Variables that compilers, their linkers and the launchers around them look at, by the beginnings of their
// names. PATH is where launchers find what they run.
constexpr auto relevant = std::to_array<std::string_view>({"CCACHE_",
                                                           "CCC_",
                                                           "CLANG_",
                                                           "COMPILER_PATH",
                                                           "CONDA_",
                                                           "CPATH",
                                                           "CPLUS_INCLUDE_PATH",
                                                           "C_INCLUDE_PATH",
                                                           "GCC_",
                                                           "HOMEBREW_",
                                                           "LDFLAGS",
                                                           "LDEMULATION",
                                                           "LD_",
                                                           "LIBRARY_PATH",
                                                           "LLVM_",
                                                           "MACOSX_",
                                                           "NIX_",
                                                           "OBJC_INCLUDE_PATH",
                                                           "PATH",
                                                           "POSIXLY_CORRECT",
                                                           "SDKROOT",
                                                           "SPACK_",
                                                           "SYSROOT"});

bool is_relevant(std::string_view name) {
  return std::any_of(relevant.begin(), relevant.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

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
  for (const auto& [name, value] : context.environment.variables())
    if (is_relevant(name))
      circumstances_.push_back(name + '=' + value);
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
