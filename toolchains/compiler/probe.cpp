// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/probe.hpp"

#include "toolchains/cmdline/driver_variables.hpp"
#include "toolchains/compiler/driver_output.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
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
  return command;
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

namespace {

Version version_of(const std::vector<long>& numbers) {
  const auto part = [&](std::size_t i) { return i < numbers.size() ? static_cast<int>(numbers[i]) : 0; };
  return {part(0), part(1), part(2)};
}

std::string_view value_after(const Lines& lines, std::string_view key) {
  for (const std::string_view line : lines)
    if (line.starts_with(key))
      return line.substr(key.size());
  return {};
}

/// The program that compiles, from the -v lines that show how it was started: ` /path/cc1plus -E ...` of
/// GCC, whose path may contain spaces, or ` "/path/clang" -cc1 ...` of Clang.
std::string front_end(const Lines& lines) {
  constexpr std::string_view gcc_marker = "/cc1plus ";
  constexpr std::string_view clang_marker = "\" -cc1 ";
  for (const std::string_view line : lines) {
    if (const std::size_t at = line.find(gcc_marker); line.starts_with(" /") && at != std::string_view::npos)
      return std::string(line.substr(1, at + gcc_marker.size() - 2));
    if (const std::size_t at = line.find(clang_marker);
        line.starts_with(" \"/") && at != std::string_view::npos) {
      std::string path;
      const std::string_view quoted = line.substr(2, at - 2);
      for (std::size_t i = 0; i < quoted.size(); ++i)
        path += quoted[i] == '\\' && i + 1 < quoted.size() ? quoted[++i] : quoted[i];
      return path;
    }
  }
  return {};
}

std::vector<std::string> include_directories(const Files& files, const Lines& lines) {
  std::vector<std::string> directories;
  bool listed = false;
  for (const std::string_view line : lines) {
    if (line.starts_with("End of search list"))
      break;
    if (listed && line.starts_with(" /")) {
      std::string directory(line.substr(1));
      directories.push_back(files.real_path(directory).value_or(directory));
    }
    listed = listed || line.starts_with("#include <");
  }
  return directories;
}

/// Clang prints which GCC installation it uses; GCC lists its own directory in LIBRARY_PATH.
std::string gcc_installation(const Files& files, const Lines& lines) {
  if (const auto selected = value_after(lines, "Selected GCC installation: "); !selected.empty())
    return files.real_path(std::string(selected)).value_or(std::string(selected));
  std::string_view searched = value_after(lines, "LIBRARY_PATH=");
  while (!searched.empty()) {
    const std::size_t end = std::min(searched.find(':'), searched.size());
    const std::string directory(searched.substr(0, end));
    searched.remove_prefix(std::min(end + 1, searched.size()));
    if (directory.starts_with('/') && files.status(directory + "/crtbegin.o"))
      return files.real_path(directory).value_or(directory);
  }
  return {};
}

/// The dependencies of the answer, so that a change of any is noticed: each program of the command (a
/// launcher is followed by another one), its symlink target, and the front end.
std::vector<std::string> dependencies(const Files& files, const Compiler& compiler) {
  std::vector<std::string> result;
  const auto add = [&](const std::string& path) {
    if (std::find(result.begin(), result.end(), path) == result.end())
      result.push_back(path);
  };
  for (const std::string& word : compiler.command) {
    if (!word.starts_with('/'))
      continue;
    const auto status = files.status(word);
    if (!status || status->kind != FileStatus::Kind::regular)
      continue;
    add(word);
    add(files.real_path(word).value_or(word));
  }
  if (files.status(compiler.front_end))
    add(compiler.front_end);
  return result;
}

/// Order matters: Intel's and NVIDIA's compilers also claim to be Clang or GCC, and Clang claims to be
/// GCC 4.2.
bool identify(const Marked& marked, Compiler& compiler) {
  struct Row {
    const char* key;
    const char* version;
    Family family;
    const char* product;
  };
  constexpr auto rows = std::to_array<Row>({{"icpx", "clang_version", Family::other, "icpx"},
                                            {"icpc", "gnuc", Family::other, "icpc"},
                                            {"nvcxx", "nvcxx", Family::other, "nvc++"},
                                            {"clang_version", "clang_version", Family::clang, ""},
                                            {"gnuc", "gnuc", Family::gcc, ""}});
  for (const Row& row : rows) {
    if (marked.find(row.key) == marked.end())
      continue;
    const auto version = marked.find(row.version);
    if (version == marked.end())
      return false;
    compiler.family = row.family;
    compiler.product = row.product;
    compiler.version = version_of(version->second);
    return compiler.version.major > 0;
  }
  return false;
}

} // namespace

std::string normalised_target(std::string_view target, long pointer_bytes) {
  const std::size_t system = target.find("-linux");
  if (system == std::string_view::npos)
    return std::string(target);
  std::string architecture(target.substr(0, target.find('-')));
  std::string_view environment = target.substr(system + std::string_view("-linux").size());
  if (environment.empty())
    environment = "-gnu";
  const bool narrow_x86 =
      architecture.size() == 4 && architecture.front() == 'i' && architecture.ends_with("86");
  if (narrow_x86 || (architecture == "x86_64" && pointer_bytes == 4))
    architecture = "i686";
  else if (architecture == "i686" && pointer_bytes == 8)
    architecture = "x86_64";
  return architecture + "-linux" + std::string(environment);
}

Compiler library_answer(const Marked& marked) {
  Compiler compiler;
  const auto value = [&](std::string_view key) {
    const auto found = marked.find(key);
    return found == marked.end() ? 0 : static_cast<int>(found->second.front());
  };
  compiler.default_cplusplus = value("cplusplus");
  for (const char* const other : {"uclibc", "bionic", "newlib", "mingw", "apple"})
    if (value(other) != 0)
      compiler.c_library = other;
  if (const auto glibc = marked.find("glibc"); glibc != marked.end() && compiler.c_library.empty()) {
    compiler.c_library = "glibc";
    compiler.glibc = version_of(glibc->second);
  }
  StandardLibrary& library = compiler.library;
  library.release = value("libstdcxx");
  library.version = value("libcxx");
  // Before GCC 7 libstdc++ did not name its release.
  const bool libstdcxx = library.release != 0 || value("any_libstdcxx") != 0;
  library.kind = library.version != 0 ? "libc++" : libstdcxx ? "libstdc++" : "";
  if (const auto abi = marked.find("cxx11_abi"); abi != marked.end())
    library.cxx11_abi = abi->second.front() != 0;
  return compiler;
}

ProbeAnswer read_answer(const Files& files, const DriverCandidate& candidate, const Outcome& outcome) {
  const Lines errors = lines_of(outcome.errors);
  const auto broken = [&](std::string reason) -> ProbeAnswer {
    return BrokenCompiler{candidate.command, candidate.origin, std::move(reason), kind_of(outcome)};
  };
  if (!outcome.ok()) {
    std::string reason = describe(outcome);
    const bool complained = outcome.end == Outcome::End::exited && outcome.code != 0;
    if (const std::string text = complaint(errors); complained && !text.empty())
      reason += ": " + text;
    return broken(std::move(reason));
  }
  const Marked marked = marked_numbers(outcome.output);
  // The last line proves that the preprocessor read all of its input and that its output is complete.
  if (marked.find("end") == marked.end())
    return broken("did not preprocess C++ from its standard input");

  Compiler compiler = library_answer(marked);
  compiler.command = candidate.command;
  compiler.origin = candidate.origin;
  if (!identify(marked, compiler))
    return broken("printed no version");
  const auto value = [&](std::string_view key) {
    const auto found = marked.find(key);
    return found == marked.end() ? 0 : found->second.front();
  };
  if (compiler.default_cplusplus < 199711)
    return broken("is not a C++ compiler");
  compiler.default_pie = value("pie") != 0;
  const auto target = words_of(value_after(errors, "Target:"), 2);
  if (target.size() != 1)
    return broken("printed no target");
  compiler.target = normalised_target(target.front(), value("pointer"));

  compiler.front_end = front_end(errors);
  if (const auto real = files.real_path(compiler.front_end); real && !compiler.front_end.empty())
    compiler.front_end = *real;
  else if (compiler.family == Family::other)
    compiler.front_end = files.real_path(candidate.command.front()).value_or(candidate.command.front());
  else
    return broken("did not show which program compiles");
  compiler.include_directories = include_directories(files, errors);
  compiler.gcc_install = gcc_installation(files, errors);
  compiler.files = dependencies(files, compiler);
  return compiler;
}

namespace {

// Prefixes of more names than `is_read_by_drivers` has. Launchers find what they run on PATH, and their
// users' configuration in HOME.
constexpr auto relevant = std::to_array<std::string_view>({"CCACHE_",
                                                           "CC_LOG_",
                                                           "CC_PRINT_",
                                                           "CLANG_",
                                                           "COLLECT_",
                                                           "CONDA_",
                                                           "CPATH",
                                                           "CPLUS_INCLUDE_PATH",
                                                           "C_INCLUDE_PATH",
                                                           "FORCE_CLANG_",
                                                           "GCC_",
                                                           "GLIBC_TUNABLES",
                                                           "HOME",
                                                           "LDFLAGS",
                                                           "LDEMULATION",
                                                           "LD_",
                                                           "LLVM_",
                                                           "MACOSX_",
                                                           "OBJC_INCLUDE_PATH",
                                                           "PATH",
                                                           "POSIXLY_CORRECT",
                                                           "SOURCE_DATE_EPOCH",
                                                           "SYSROOT"});

bool is_relevant(std::string_view name) {
  return cmdline::is_read_by_drivers(name) ||
         std::any_of(relevant.begin(), relevant.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

} // namespace

std::vector<std::string> relevant_variables(const Environment& environment) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment.variables())
    if (is_relevant(name))
      variables.push_back(name + '=' + value);
  return variables;
}

} // namespace hostpin
