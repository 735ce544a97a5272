// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/config/bound.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/bind/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// Appends `key = "value"`, or nothing for an empty value.
void line(std::string& text, std::string_view key, std::string_view value) {
  if (!value.empty())
    text += fmt::format("{} = {}\n", key, toml_string(value));
}

/// Appends those fields of toolchains/config/bound.hpp that have a value.
struct BoundLines {
  std::string& text;

  void operator()(std::string_view key, std::string_view value) const { line(text, key, value); }
  void operator()(std::string_view key, const std::vector<std::string>& values) const {
    text += fmt::format("{} = {}\n", key, toml_array(values));
  }
  void operator()(std::string_view key, int number) const {
    if (number != 0)
      text += fmt::format("{} = {}\n", key, number);
  }
  void operator()(std::string_view key, const Version& version) const {
    line(text, key, to_full_string(version));
  }
  void operator()(std::string_view key, const std::optional<Version>& version) const {
    line(text, key, version ? to_string(*version) : "");
  }
  void operator()(std::string_view key, Family family) const { line(text, key, to_string(family)); }
};

void append_judgement(std::string& text, const Judgement& judgement) {
  line(text, "verdict", to_string(judgement.verdict));
  line(text, "reason", judgement.reason);
  line(text, "source", judgement.source);
}

void append_turned_down(std::string& text, const Binding& binding) {
  for (const Judgement& candidate : binding.candidates) {
    if (candidate.compiler.command == binding.host.compiler.command)
      continue;
    text += "\n[[candidate]]\n";
    compiler_fields(candidate.compiler, BoundLines{text});
    append_judgement(text, candidate);
  }
  for (const BrokenCompiler& broken : binding.broken) {
    text += fmt::format("\n[[candidate]]\ncommand = {}\n", toml_array(broken.command));
    line(text, "origin", broken.origin);
    line(text, "verdict", to_string(Verdict::broken));
    line(text, "reason", broken.reason);
  }
}

void append_capabilities(std::string& text, const Binding& binding) {
  if (!binding.capabilities)
    return;
  text += "\n[capabilities] # of GPUs, as variables that a build may follow\n";
  for (const auto& [name, value] : binding.capabilities->variables)
    line(text, name, value);
}

/// BoundLines for a CMake toolchain file; empty if a build sets its own architectures.
std::string cmake_capabilities(const Binding& binding) {
  if (!binding.capabilities)
    return {};
  for (const auto& [name, value] : binding.capabilities->variables)
    if (name == cmake_architectures)
      // CMake reads the variable on the first configure only: later ones keep the value of that time.
      return fmt::format(
          "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND (HOSTPIN_CAPABILITIES OR \"$ENV{{{}}}\" STREQUAL "
          "\"\"))\n"
          "  set(CMAKE_CUDA_ARCHITECTURES {})\n"
          "  set(HOSTPIN_CAPABILITIES ON CACHE INTERNAL \"The GPUs are those of the binding\")\nendif()\n",
          name, cmake_string(value));
  return {};
}

void append_request(std::string& text, const Binding& binding) {
  const Request& request = binding.request;
  text += "\n# The names that `hostpin bind --refresh` decides again from.\n[request]\n";
  line(text, "toolkit", request.toolkit.value_or(""));
  line(text, "stdenv", request.stdenv.value_or(""));
  line(text, "host", request.host.value_or(""));
  line(text, "host-by", request.host ? request.host_by : "");
  if (request.allow_unsupported)
    text += "allow-unsupported = true\n";
  if (binding.capabilities) {
    line(text, "capabilities", binding.capabilities->list);
    if (!binding.capabilities->forward_compatible)
      text += "no-forward-compatibility = true\n";
  }
  if (binding.plan.named)
    text += "named = true\n";
  if (binding.plan.view)
    text += "view = true\n";
}

/// Configured values that differ from the defaults; the toolkit and compilers are in the request.
void append_configuration(std::string& text, const Config& config) {
  text += "\n# The configuration until then, also for host compilers that calls name.\n[configuration]\n";
  const auto choice = [&](std::string_view key, bool is_set, std::string_view value) {
    line(text, key, is_set ? value : "");
  };
  line(text, "family", config.family ? to_string(*config.family) : "");
  if (!config.compilers.empty())
    text += fmt::format("compilers = {}\n", toml_array(config.compilers));
  choice("search", !config.searches_machine, "named");
  choice("named-host", config.named_as_is, "as-is");
  line(text, "link-proof", to_string(config.link_proof));
  choice("identity", !config.answers_identity, "off");
  text += "\n[configuration.lto]\n";
  line(text, "check", to_string(config.lto_check));
  choice("on-mismatch", config.lto_dropped, "drop");
  if (!config.runtime.empty())
    text += "\n[configuration.runtime]\n";
  for (const auto& [feature, rule] : config.runtime)
    line(text, feature, rule);
}

void append_files(std::string& text, const Binding& binding, const Files& files) {
  std::vector<std::string> paths = binding.rests_on;
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (const std::string& path : paths) {
    text += "\n[[file]]\n";
    line(text, "path", path);
    if (const auto status = files.status(path))
      text += fmt::format("size = {}\nmodified = {} # nanoseconds since the epoch\n", status->size,
                          status->modified);
  }
}

/// By the stamp alone ccache would not notice a change of a compiler that the binding runs. Not set if the
/// user has set a compiler check for ccache.
constexpr std::string_view cmake_cache =
    R"(foreach(HOSTPIN_LAUNCHER IN ITEMS "${CMAKE_CUDA_COMPILER_LAUNCHER}" "$ENV{CMAKE_CUDA_COMPILER_LAUNCHER}")
  if(HOSTPIN_LAUNCHER)
    if(HOSTPIN_LAUNCHER MATCHES "^([^;]*/)?ccache$" AND (NOT DEFINED ENV{CCACHE_COMPILERCHECK} OR "$ENV{CCACHE_COMPILERCHECK}" MATCHES "hostpin-fingerprint"))
      set(CMAKE_CUDA_COMPILER_LAUNCHER env "CCACHE_COMPILERCHECK=%compiler% --hostpin-fingerprint %compiler%" "${HOSTPIN_LAUNCHER}")
    endif()
    break()
  endif()
endforeach()
)";

/// The variables by which CMake finds a toolkit and a C++ compiler. The variable CXX is read when a project
/// enables that language; CMAKE_CXX_COMPILER would make FindCUDAToolkit take it as enabled when it is not.
/// The FindCUDA module passes the C compiler to nvcc unless its own variable is set.
constexpr std::string_view cmake_names =
    R"(if(NOT DEFINED CUDAToolkit_ROOT AND NOT DEFINED ENV{{CUDAToolkit_ROOT}})
  set(CUDAToolkit_ROOT "${{HOSTPIN_ROOT}}")
endif()
if(NOT CUDA_TOOLKIT_ROOT_DIR)
  set(CUDA_TOOLKIT_ROOT_DIR "${{HOSTPIN_ROOT}}" CACHE PATH "Toolkit location.")
endif()
if("$ENV{{CUDAHOSTCXX}}" STREQUAL "")
  set(CUDA_HOST_COMPILER "${{CMAKE_CURRENT_LIST_DIR}}/c++" CACHE FILEPATH "Host side compiler used by NVCC")
endif()
if(NOT DEFINED CMAKE_CXX_COMPILER AND "$ENV{{CXX}}" STREQUAL "")
  set(ENV{{CXX}} {})
endif()
)";

/// A command as CMake reads it from the variable CXX: a path that exists is taken whole, with its blanks.
std::string cxx_variable(const std::vector<std::string>& command) {
  return command.size() == 1 ? command.front() : shell_words(command);
}

} // namespace

std::string binding_toml(const Binding& binding, const Files& files) {
  std::string text = "# One resolved decision, written by hostpin and read by people and tools; the programs "
                     "next to it follow\n"
                     "# `plan`, which has the same content.\nformat = 1\n\n[toolkit]\n";
  line(text, "version", to_string(binding.toolkit.version));
  toolkit_fields(binding.toolkit, BoundLines{text});

  text += "\n[host] # compiles\n";
  compiler_fields(binding.host.compiler, BoundLines{text});
  append_judgement(text, binding.host);
  if (binding.plan.host != binding.host.compiler.command)
    text += fmt::format("called-as = {}\n", toml_array(binding.plan.host));
  line(text, "chosen-because", binding.host_origin);
  line(text, "asked-each-time-because", binding.identity_because);

  text += "\n[stdenv] # what everything else is built with\n";
  compiler_fields(binding.stdenv, BoundLines{text});
  text += "\n[stdenv.libstdcxx]\n";
  library_fields(binding.stdenv.library, BoundLines{text});

  text += fmt::format("\n[link]\ncommand = {}\n", toml_array(binding.link.command));
  line(text, "how", binding.link.how);
  if (!binding.notes.empty())
    text += fmt::format("notes = {}\n", toml_array(binding.notes));

  for (const RuntimeRule& rule : binding.plan.runtimes) {
    text += "\n[[runtime]]\n";
    line(text, "feature", rule.feature);
    line(text, "rule", to_string(rule.rule));
    line(text, "reason", rule.reason);
  }
  append_capabilities(text, binding);
  append_turned_down(text, binding);
  append_request(text, binding);
  append_configuration(text, binding.config);
  append_files(text, binding, files);
  return text;
}

std::string toolchain_cmake(const Binding& binding) {
  // A view is moved with everything in it. A copy of a bound directory may have lost its links.
  const std::string root =
      binding.plan.view ? "get_filename_component(HOSTPIN_ROOT \"${CMAKE_CURRENT_LIST_DIR}\" DIRECTORY)\n"
                          "set(CMAKE_CUDA_COMPILER \"${HOSTPIN_ROOT}/bin/nvcc\")\n"
                        : fmt::format("set(HOSTPIN_ROOT \"${{CMAKE_CURRENT_LIST_DIR}}/cuda\")\n"
                                      "set(CMAKE_CUDA_COMPILER \"${{HOSTPIN_ROOT}}/bin/nvcc\")\n"
                                      "if(NOT EXISTS \"${{CMAKE_CUDA_COMPILER}}\")\n"
                                      "  set(CMAKE_CUDA_COMPILER \"${{CMAKE_CURRENT_LIST_DIR}}/nvcc\")\n"
                                      "  set(HOSTPIN_ROOT {})\n"
                                      "endif()\n",
                                      cmake_string(binding.toolkit.root));
  return fmt::format("# Written by hostpin. CUDA {} with {} compiling, {} linking.\n",
                     to_string(binding.toolkit.version), release_name(binding.host.compiler),
                     release_name(binding.stdenv))
      .append(root)
      .append(fmt::format(cmake_names, cmake_string(cxx_variable(binding.stdenv.command))))
      .append(cmake_cache)
      .append(cmake_capabilities(binding));
}

} // namespace hostpin
