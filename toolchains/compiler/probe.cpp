// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/probe.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

namespace hostpin {

namespace {

// Only numbers are queried, each on a separate line, so that nothing else in a preprocessor's output can be
// mistaken for an answer. uClibc claims to be glibc as well.
constexpr const char* question = R"(#if defined __has_include
#if __has_include(<cstddef>)
#include <cstddef>
#endif
#if __has_include(<features.h>)
#include <features.h>
#endif
#endif
hostpin_probe cplusplus __cplusplus
#ifdef __SIZEOF_POINTER__
hostpin_probe pointer __SIZEOF_POINTER__
#endif
#ifdef __GNUC__
hostpin_probe gnuc __GNUC__ __GNUC_MINOR__ __GNUC_PATCHLEVEL__
#endif
#ifdef __clang__
hostpin_probe clang_version __clang_major__ __clang_minor__ __clang_patchlevel__
#endif
#ifdef __INTEL_LLVM_COMPILER
hostpin_probe icpx 1
#endif
#ifdef __INTEL_COMPILER
hostpin_probe icpc 1
#endif
#ifdef __NVCOMPILER
hostpin_probe nvcxx __NVCOMPILER_MAJOR__ __NVCOMPILER_MINOR__ __NVCOMPILER_PATCHLEVEL__
#endif
#ifdef __PIE__
hostpin_probe pie 1
#endif
#ifdef __GLIBC__
hostpin_probe glibc __GLIBC__ __GLIBC_MINOR__
#endif
#ifdef __GLIBCXX__
hostpin_probe any_libstdcxx 1
#endif
#ifdef _GLIBCXX_RELEASE
hostpin_probe libstdcxx _GLIBCXX_RELEASE
#endif
#ifdef _GLIBCXX_USE_CXX11_ABI
hostpin_probe cxx11_abi _GLIBCXX_USE_CXX11_ABI
#endif
#ifdef _LIBCPP_VERSION
hostpin_probe libcxx _LIBCPP_VERSION
#endif
#ifdef __UCLIBC__
hostpin_probe uclibc 1
#endif
#ifdef __BIONIC__
hostpin_probe bionic 1
#endif
#ifdef __NEWLIB__
hostpin_probe newlib 1
#endif
#ifdef __MINGW32__
hostpin_probe mingw 1
#endif
#ifdef __APPLE__
hostpin_probe apple 1
#endif
hostpin_probe end 1
)";

constexpr auto probe_arguments = std::to_array<const char*>({"-v", "-E", "-x", "c++", "-"});

// C++ libraries have their own <math.h>, next to <cmath>.
std::string c_headers(const Files& files, const Compiler& compiler) {
  for (const std::string& directory : compiler.include_directories)
    if (files.status(directory + "/math.h") && !files.status(directory + "/cmath"))
      return directory;
  return {};
}

} // namespace

std::string_view probe_question() {
  return question;
}

std::vector<std::string> variables_a_probe_hides() {
  std::vector<std::string> names = variables_that_write_files();
  for (const char* const searched :
       {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "LIBRARY_PATH"})
    names.emplace_back(searched);
  return names;
}

std::vector<std::string> variables_that_write_files() {
  return {"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"};
}

Command probe_command(const std::vector<std::string>& driver) {
  Command command{driver, question, variables_a_probe_hides()};
  command.argv.insert(command.argv.end(), probe_arguments.begin(), probe_arguments.end());
  command.inquiry = Inquiry::driver;
  return command;
}

std::vector<std::string> probed_driver(const Command& command) {
  return {command.argv.begin(), command.argv.end() - std::ssize(probe_arguments)};
}

std::vector<Command> probe_commands(std::span<const DriverCandidate> candidates) {
  std::vector<Command> commands;
  commands.reserve(candidates.size());
  for (const DriverCandidate& candidate : candidates)
    commands.push_back(probe_command(candidate.command));
  return commands;
}

std::vector<ProbeAnswer> probe_drivers(const Files& files, const Processes& processes,
                                       std::span<const DriverCandidate> candidates) {
  return read_answers(files, candidates, processes.run(probe_commands(candidates)));
}

std::vector<ProbeAnswer> read_answers(const Files& files, std::span<const DriverCandidate> candidates,
                                      std::span<const Outcome> outcomes) {
  std::vector<ProbeAnswer> answers;
  answers.reserve(outcomes.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    answers.push_back(read_answer(files, candidates[i], outcomes[i]));
    if (auto* const compiler = std::get_if<Compiler>(&answers.back())) {
      compiler->c_headers = c_headers(files, *compiler);
      // The verdict depends on the C library, whose <math.h> changes with each release.
      if (!compiler->c_headers.empty())
        compiler->files.push_back(compiler->c_headers + "/math.h");
    }
  }
  return answers;
}

bool same_compiler(const Compiler& a, const Compiler& b) {
  const auto identity = [](const Compiler& c) {
    return std::tie(c.front_end, c.target, c.include_directories, c.glibc, c.family, c.version);
  };
  return identity(a) == identity(b);
}

CompilerSurvey distinct_compilers(std::vector<ProbeAnswer> answers) {
  CompilerSurvey survey;
  for (ProbeAnswer& answer : answers) {
    if (auto* broken = std::get_if<BrokenCompiler>(&answer)) {
      survey.broken.push_back(std::move(*broken));
      continue;
    }
    auto& compiler = std::get<Compiler>(answer);
    const auto kept = std::find_if(survey.compilers.begin(), survey.compilers.end(),
                                   [&](const Compiler& known) { return same_compiler(known, compiler); });
    if (kept == survey.compilers.end())
      survey.compilers.push_back(std::move(compiler));
    else
      survey.duplicates.push_back({std::move(compiler), kept->command});
  }
  return survey;
}

} // namespace hostpin
