// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/discovery.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/compiler/real_driver.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace hostpin {

Result<std::vector<std::string>> driver_words(const Files& files, const std::string& text) {
  constexpr std::string_view blanks = " \t";
  for (std::size_t end = text.size(); end != std::string::npos && end > 0;
       end = text.find_last_of(blanks, end - 1)) {
    const std::string path = text.substr(0, end);
    const auto status = path.find('/') == std::string::npos ? std::nullopt : files.status(path);
    if (!status || status->kind != FileStatus::Kind::regular)
      continue;
    return cmdline::command_words(std::string_view(text).substr(end))
        .map([&](std::vector<std::string>&& rest) {
          rest.insert(rest.begin(), path);
          return std::move(rest);
        });
  }
  return cmdline::command_words(text);
}

namespace {

// Where to search for compilers that are not on PATH.
constexpr auto patterns = std::to_array<SearchPattern>({
    {"CONDA_PREFIX", "bin", "conda"},
    {"HOME", ".nix-profile/bin", "Nix profile"},
    {nullptr, "/nix/var/nix/profiles/default/bin", "Nix profile"},
    {nullptr, "/run/current-system/sw/bin", "Nix profile"},
    {nullptr, "/opt/rh/*/root/usr/bin", "toolset"},
    {"SPACK_ROOT", "opt/spack/*/*/gcc-*/bin", "Spack"},
    {"SPACK_ROOT", "opt/spack/*/*/llvm-*/bin", "Spack"},
    {"SPACK_ROOT", "opt/spack/*/gcc-*/bin", "Spack"},
    {"SPACK_ROOT", "opt/spack/*/llvm-*/bin", "Spack"},
    {nullptr, "/usr/local/gcc*/bin", "/usr/local"},
    {nullptr, "/opt/gcc*/bin", "/opt"},
    {nullptr, "/opt/gcc/*/bin", "/opt"},
    {nullptr, "/usr/lib/llvm-*/bin", "LLVM package"},
    {nullptr, "/usr/lib64/llvm*/bin", "LLVM package"},
    {nullptr, "/usr/lib/llvm/*/bin", "LLVM package"},
    {"HOMEBREW_PREFIX", "bin", "Homebrew"},
    {nullptr, "/home/linuxbrew/.linuxbrew/bin", "Homebrew"},
});

bool is_program(const Files& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->kind == FileStatus::Kind::regular && status->executable;
}

/// A bare name's first program on PATH that is not hostpin's; any other path made absolute.
Result<std::string> program(const Files& files, const Environment& environment, const std::string& name,
                            const IsOwn& is_own) {
  if (name.find('/') == std::string::npos) {
    for (const std::string& directory : path_directories(environment)) {
      const std::string path = directory + '/' + name;
      if (is_program(files, path) && !is_own(path))
        return path;
    }
    return failure("there is no program named '" + name + "' on PATH");
  }
  const std::string path = name.front() == '/' ? name : files.real_path(".").value_or("") + '/' + name;
  if (!files.status(path))
    return failure(path + ' ' + absence(files, path));
  if (!is_program(files, path))
    return failure(path + " is not an executable file");
  if (is_own(path))
    return failure(path + " is hostpin's own compiler driver");
  return path;
}

/// `ccache g++`: the program after the launcher is looked up as well, so that a later PATH cannot change it.
Result<DriverCandidate> candidate(const Files& files, const Environment& environment,
                                  const NamedDriver& named, const IsOwn& is_own) {
  TRY_ASSIGN(auto words, driver_words(files, named.words));
  if (words.empty())
    return failure("it is empty");
  TRY_ASSIGN(const auto driver, program(files, environment, words.front(), is_own));
  words.front() = driver;
  const bool launched =
      words.size() > 1 && !driver_name(base_name(driver)) && driver_name(base_name(words[1]));
  if (launched) {
    TRY_ASSIGN(const auto compiler, program(files, environment, words[1], is_own));
    words[1] = compiler;
  }
  return DriverCandidate{std::move(words), named.by};
}

/// Collects drivers, each real one once.
class Search {
public:
  Search(const Files& files, const IsOwn& is_own) : files_(files), is_own_(is_own) {}

  void add(DriverCandidate found) {
    if (seen_.insert(identity(found.command)).second)
      result_.candidates.push_back(std::move(found));
  }

  void add_directory(const std::string& directory, const std::string& origin) {
    look(directory);
    const auto real = files_.real_path(directory);
    if (!real || !directories_.insert(*real).second)
      return;
    for (const std::string& name : drivers_in(directory)) {
      const std::string path = directory + '/' + name;
      if (is_program(files_, path) && !is_own_(path))
        add({{path}, origin});
    }
  }

  void look(const std::string& directory) {
    if (std::find(result_.looked.begin(), result_.looked.end(), directory) == result_.looked.end())
      result_.looked.push_back(directory);
  }

  void reject(BrokenCompiler broken) { result_.rejected.push_back(std::move(broken)); }

  DriverSearch take() { return std::move(result_); }

private:
  std::vector<std::string> drivers_in(const std::string& directory) const {
    std::vector<std::pair<DriverName, std::string>> drivers;
    for (std::string& name : files_.entries(directory))
      if (auto parsed = driver_name(name))
        drivers.emplace_back(std::move(*parsed), std::move(name));
    std::stable_sort(drivers.begin(), drivers.end(),
                     [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
    std::vector<std::string> names;
    names.reserve(drivers.size());
    for (auto& [parsed, name] : drivers)
      names.push_back(std::move(name));
    return names;
  }

  /// Equal for two commands that certainly run one compiler. A program not named like a driver (ccache, an
  /// MPI wrapper) selects one by the name it is called by, and Clang derives its target from that name.
  std::string identity(const std::vector<std::string>& command) const {
    std::string key = command.front();
    const std::string real = files_.real_path(key).value_or(key);
    const std::string_view name = base_name(real);
    if (name.starts_with("clang") || driver_name(name))
      key = real;
    if (name.find("clang") != std::string::npos)
      if (const auto called = driver_name(base_name(command.front())))
        key += '\n' + called->target;
    for (std::size_t i = 1; i < command.size(); ++i)
      key += '\0' + command[i];
    return key;
  }

  const Files& files_;
  const IsOwn& is_own_;
  DriverSearch result_;
  std::set<std::string> seen_;
  std::set<std::string> directories_;
};

} // namespace

Result<DriverCandidate> named_driver(const Files& files, const Environment& environment,
                                     const NamedDriver& named, const IsOwn& is_own) {
  if (named.words.empty())
    return failure(named.by + " is empty", "name a C++ compiler such as g++-13, or leave it out");
  auto found = candidate(files, environment, named, is_own);
  if (!found)
    return failure(named.by + " names '" + named.words + "', but " + found.error().message,
                   "name a C++ compiler such as g++-13 or /usr/bin/g++-13");
  return found;
}

Result<DriverCandidate> find_stdenv(const Files& files, const Environment& environment,
                                    const std::optional<NamedDriver>& named, const IsOwn& is_own) {
  if (named)
    return named_driver(files, environment, *named, is_own);
  if (const auto cxx = environment["CXX"]) {
    // A build configured to use our c++ exports it as CXX; the stdenv is then chosen as if CXX were not set.
    const IsOwn nothing = [](const std::string&) { return false; };
    const auto found = candidate(files, environment, {*cxx, "$CXX"}, nothing);
    const bool ours =
        found && std::any_of(found->command.begin(), found->command.end(),
                             [&](const auto& word) { return word.starts_with('/') && is_own(word); });
    if (!ours)
      return named_driver(files, environment, {*cxx, "$CXX"}, is_own);
  }
  for (const char* name : {"c++", "g++", "clang++"})
    if (auto found = candidate(files, environment, {name, "PATH"}, is_own))
      return found;
  return failure("there is no C++ compiler: CXX is not set, and PATH has neither c++ nor g++ nor clang++",
                 "install g++, or name one with --stdenv or CXX");
}

Result<DriverCandidate> find_cross_stdenv(const Files& files, const Environment& environment,
                                          const std::string& triple, const IsOwn& is_own) {
  for (const char* const name : {"-c++", "-g++", "-clang++"})
    if (auto found = candidate(files, environment, {triple + name, "PATH"}, is_own))
      return found;
  return failure("there is no C++ compiler for " + triple + " on PATH, such as " + triple + "-g++");
}

DriverSearch discover_drivers(const Files& files, const Environment& environment,
                              const std::vector<std::string>& configured, const IsOwn& is_own,
                              SearchScope scope) {
  Search search(files, is_own);
  for (const std::string& words : configured) {
    const NamedDriver named{words, "configuration"};
    if (auto found = candidate(files, environment, named, is_own))
      search.add(std::move(*found));
    else
      search.reject({{words}, named.by, found.error().message, found.error().kind});
  }
  if (scope == SearchScope::named)
    return search.take();
  for (const std::string& directory : path_directories(environment))
    search.add_directory(directory, "PATH");
  for (const SearchPattern& pattern : patterns) {
    const Expansion expansion = expand(files, environment, pattern);
    for (const std::string& directory : expansion.looked)
      search.look(directory);
    for (const std::string& directory : expansion.directories)
      search.add_directory(directory, pattern.origin);
  }
  return search.take();
}

} // namespace hostpin
