// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/library.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/compiler/probe.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t largest_library = std::size_t{256} << 20;

Command ask_for(const Compiler& compiler, const std::string& name) {
  Command command{compiler.command, "", variables_a_probe_hides()};
  command.argv.push_back("-print-file-name=" + name);
  return command;
}

/// A driver that does not find the file prints the bare name again.
std::string answered_path(const Files& files, const Outcome& outcome) {
  if (!outcome.ok())
    return {};
  const std::string path = outcome.output.substr(0, outcome.output.find_first_of("\r\n"));
  return path.starts_with('/') && files.status(path) ? path : std::string();
}

struct Resolved {
  std::string path;
  binary::SharedObject object;
};

/// Follows links and linker scripts, such as devtoolset's, which adds a static part to the system's library.
class Resolver {
public:
  Resolver(const Files& files, const Processes& processes, const Compiler& compiler, std::string stem)
      : files_(files), processes_(processes), compiler_(compiler), stem_(std::move(stem)) {}

  Result<Resolved> resolve(const std::string& path, int depth = 0) {
    const std::string real = files_.real_path(path).value_or(path);
    visited_.push_back(path);
    TRY_ASSIGN(const auto bytes, files_.read(real, largest_library));
    auto object = binary::read_shared_object(bytes);
    if (object)
      return Resolved{real, std::move(*object)};
    if (bytes.starts_with("\x7f"))
      return failure(real + " cannot be used: " + object.error().message);
    constexpr int deepest = 3;
    constexpr std::size_t longest_script = 65536;
    if (depth < deepest && bytes.size() <= longest_script)
      for (const std::string& input : script_inputs(bytes)) {
        const std::string next = locate(input, directory_of(real));
        if (next.empty())
          continue;
        auto resolved = resolve(next, depth + 1);
        if (resolved && resolved->object.soname.starts_with(stem_))
          return resolved;
      }
    return failure(real + " is neither a shared library nor a linker script that names one");
  }

  std::vector<std::string> visited() && { return std::move(visited_); }

private:
  std::string locate(const std::string& input, const std::string& directory) const {
    // Only the library itself is searched; other inputs supplement it.
    const std::string file = input.starts_with("-l") ? "lib" + input.substr(2) + ".so" : input;
    const std::string name = file.substr(file.rfind('/') + 1);
    if (!name.starts_with(stem_))
      return {};
    for (const std::string& path : {file, directory + '/' + name})
      if (path.starts_with('/') && files_.status(path))
        return path;
    const Command command = ask_for(compiler_, name);
    return answered_path(files_, processes_.run({&command, 1}).front());
  }

  const Files& files_;
  const Processes& processes_;
  const Compiler& compiler_;
  std::string stem_; ///< `libstdc++.so`
  std::vector<std::string> visited_;
};

/// `GLIBCXX_3.4.30` after its prefix, or nothing if that is not a version.
std::optional<Version> version_after(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? parse_version(name.substr(prefix.size())) : std::nullopt;
}

std::string highest_of(const std::vector<std::string>& names, std::string_view prefix) {
  std::optional<Version> highest;
  std::string text;
  for (const std::string& name : names) {
    const auto version = version_after(name, prefix);
    if (version && (!highest || *highest < *version)) {
      highest = version;
      text = name.substr(prefix.size());
    }
  }
  return text;
}

} // namespace

std::string highest_version(const binary::SharedObject& object, std::string_view prefix) {
  return highest_of(object.version_definitions, prefix);
}

std::string highest_needed_version(const binary::SharedObject& object, std::string_view prefix) {
  std::vector<std::string> names;
  for (const binary::VersionNeed& need : object.version_needs)
    names.insert(names.end(), need.versions.begin(), need.versions.end());
  return highest_of(names, prefix);
}

std::vector<std::string> script_inputs(std::string_view text) {
  constexpr auto commands = std::to_array<std::string_view>({"INPUT", "GROUP"});
  return script_words(text, commands);
}

std::vector<std::string> script_words(std::string_view text, std::span<const std::string_view> commands) {
  std::vector<std::string> tokens;
  bool in_token = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with("/*")) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 1;
      in_token = false;
    } else if (c == '(' || c == ')') {
      tokens.emplace_back(1, c);
      in_token = false;
    } else if (std::string_view(" \t\r\n,;\"").find(c) != std::string_view::npos) {
      in_token = false;
    } else {
      if (!in_token)
        tokens.emplace_back();
      in_token = true;
      tokens.back() += c;
    }
  }
  // AS_NEEDED ( ... ) may be nested inside; its members are inputs too.
  std::vector<std::string> inputs;
  std::size_t depth = 0;
  bool wanted = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    if (token == "(") {
      if (++depth == 1)
        wanted = i > 0 && std::find(commands.begin(), commands.end(), tokens[i - 1]) != commands.end();
    } else if (token == ")") {
      depth -= depth > 0 ? 1 : 0;
    } else if (depth > 0 && wanted && token != "AS_NEEDED") {
      inputs.push_back(token);
    }
  }
  return inputs;
}

Result<LibraryFacts> library_facts(const Files& files, const Processes& processes, const Compiler& compiler) {
  LibraryFacts facts;
  facts.library = compiler.library;
  if (facts.library.kind.empty())
    facts.library.kind = "libstdc++";
  const std::string stem = facts.library.kind + ".so";
  const std::array commands{ask_for(compiler, stem), ask_for(compiler, "libgcc_s.so.1")};
  const std::vector<Outcome> outcomes = processes.run(commands);
  facts.found = answered_path(files, outcomes[0]);
  facts.libgcc = answered_path(files, outcomes[1]);
  const std::string& driver = compiler.command.front();
  if (facts.found.empty())
    return failure(driver + " links no shared " + facts.library.kind + ": it finds no " + stem,
                   "install the development files of its C++ standard library");

  Resolver resolver(files, processes, compiler, stem);
  auto resolved = resolver.resolve(facts.found);
  if (!resolved)
    return failure("the standard library of " + driver + ": " + resolved.error().message,
                   "reinstall that library, or name another stdenv with --stdenv");
  if (!resolved->object.soname.starts_with(stem))
    return failure("the standard library of " + driver + ": " + resolved->path + " is '" +
                       resolved->object.soname + "', not " + stem,
                   "reinstall that library, or name another stdenv with --stdenv");
  facts.library.path = resolved->path;
  facts.library.glibcxx = highest_version(resolved->object, "GLIBCXX_");
  facts.library.cxxabi = highest_version(resolved->object, "CXXABI_");
  facts.files = std::move(resolver).visited();
  if (std::find(facts.files.begin(), facts.files.end(), facts.library.path) == facts.files.end())
    facts.files.push_back(facts.library.path);
  return facts;
}

} // namespace hostpin
