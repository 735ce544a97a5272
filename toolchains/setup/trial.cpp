// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/trial.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"

#include <chrono>
#include <string_view>
#include <vector>

namespace hostpin::setup {

namespace {

constexpr std::chrono::minutes longest{2};
constexpr std::string_view expected = "it works: 1.5\n";

// The preprocessor, libstdc++'s headers, the library and its run time have to agree.
constexpr const char* source = R"(#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::optional<std::string> joined(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  if (words.empty())
    throw std::runtime_error("it works");
  return words.front() + words.back();
}

int main(int count, char**) {
  double sum = 0;
  std::thread worker([&] { sum = std::cos(double(count - 1)) + std::cbrt(0.125 * count); });
  worker.join();
  if (joined({"b", "a"}) != "ab")
    return 1;
  try {
    joined({});
  } catch (const std::exception& thrown) {
    std::printf("%s: %.1f\n", thrown.what(), sum);
  }
}
)";

// What a user's environment adds to every compilation is no property of the compiler.
const std::vector<std::string> unset{"LIBRARY_PATH",    "CPATH",      "C_INCLUDE_PATH",  "CPLUS_INCLUDE_PATH",
                                     "LD_LIBRARY_PATH", "LD_PRELOAD", "GCC_EXEC_PREFIX", "COMPILER_PATH"};

Result<std::string> run(const Context& context, std::vector<std::string> argv, const std::string& doing,
                        const std::string& driver) {
  const Command command{std::move(argv), {}, unset, longest};
  Outcome outcome = context.processes.run({&command, 1}).front();
  if (outcome.ok())
    return std::move(outcome.output);
  return failure(driver + " cannot be used: " + doing + " failed (" + shell_words(command.argv) + ": " +
                 describe(outcome) + ')' + (outcome.errors.empty() ? "" : '\n' + outcome.errors));
}

Result<void> link_and_run(const Context& context, const std::string& driver, const std::string& linker,
                          const std::string& object, const std::string& program) {
  const std::string by = linker == driver ? "by itself" : "by " + linker;
  if (auto linked = run(context, {linker, "-pthread", object, "-o", program}, "a link " + by, driver);
      !linked)
    return tl::unexpected(linked.error());
  TRY_ASSIGN(const auto printed, run(context, {program}, "a program that was linked " + by, driver));
  return printed == expected ? Result<void>()
                             : failure(driver + " cannot be used: a program that was linked " + by +
                                       " printed '" + printed + '\'');
}

} // namespace

Result<void> try_compiler(const Context& context, const std::string& driver, const std::string& linker_driver,
                          const std::string& work) {
  TRY_ASSIGN(const auto scratch, ScratchDirectory::make(work));
  const std::string base = scratch.path() + "/trial";
  TRY(replace_file(base + ".cpp", source, false));
  auto compiled =
      run(context, {driver, "-std=c++17", "-O1", "-pthread", "-c", base + ".cpp", "-o", base + ".o"},
          "a compilation", driver);
  if (!compiled)
    return tl::unexpected(compiled.error());
  auto done = link_and_run(context, driver, driver, base + ".o", base + ".out");
  return done && linker_driver != driver
             ? link_and_run(context, driver, linker_driver, base + ".o", base + ".out")
             : done;
}

} // namespace hostpin::setup
