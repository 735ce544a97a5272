// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin {

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
    return BrokenCompiler{candidate.command, candidate.origin, std::move(reason)};
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

} // namespace hostpin
