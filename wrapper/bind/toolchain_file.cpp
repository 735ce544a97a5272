// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/templates.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/bind/run_path.hpp"
#include "wrapper/bind/text.hpp"

#include <utility>

#include <fmt/format.h>

namespace hostpin::bind {

namespace templates {
extern const std::string_view toolchain_cmake;
}

namespace {

/// Options for links of C and C++, a line each.
std::string run_path_options(const std::vector<std::string>& directories) {
  std::string text;
  for (const std::string& directory : directories)
    if (is_for_cmake(directory))
      text += fmt::format("add_link_options(\"$<$<LINK_LANGUAGE:C,CXX>:-Wl,-rpath,{}>\")\n", directory);
  return text;
}

/// A command as CMake reads it from the variable CXX: a path that exists is taken whole, with its blanks.
std::string cxx_variable(const std::vector<std::string>& command) {
  return command.size() == 1 ? command.front() : shell_words(command);
}

/// The C driver next to a C++ driver, as its name tells: gcc of g++; empty for other names.
std::string c_driver(const std::string& driver) {
  const std::size_t slash = driver.rfind('/');
  for (const auto& [cxx, c] :
       {std::pair<std::string_view, std::string_view>("clang++", "clang"), {"g++", "gcc"}, {"c++", "cc"}}) {
    const std::size_t at = driver.rfind(cxx);
    if (at != std::string::npos && (slash == std::string::npos || at > slash))
      return driver.substr(0, at).append(c).append(driver.substr(at + cxx.size()));
  }
  return {};
}

void add_target(TemplateValues& values, const Binding& binding) {
  values["MACHINE"] = binding.toolkit.target->machine;
  std::vector<std::string> driver = binding.stdenv.command;
  driver.front() = c_driver(driver.front());
  values["CC"] = driver.front().empty() ? "" : cmake_string(cxx_variable(driver));
  values["SYSROOT"] = binding.request.sysroot ? cmake_string(*binding.request.sysroot) : "";
  std::string flags;
  for (const std::string& option : rpath_links(*binding.toolkit.target))
    flags += ' ' + option;
  values["RPATH_LINKS"] = cmake_string(flags);
  for (const std::string& word : binding.emulator)
    values["EMULATOR"] += ' ' + cmake_string(word);
}

/// Nothing if a build sets its own architectures.
void add_capabilities(TemplateValues& values, const BoundCapabilities& capabilities) {
  for (const auto& [name, value] : capabilities.variables)
    if (name == cmake_architectures) {
      values["VARIABLE"] = name;
      values["ARCHITECTURES"] = cmake_string(value);
    }
}

} // namespace

std::string toolchain_cmake(const Binding& binding) {
  TemplateValues values{{"CUDA", to_string(binding.toolkit.version)},
                        {"HOST", release_name(binding.host.compiler)},
                        {"LINK", release_name(binding.stdenv)},
                        {"VIEW", binding.plan.view ? "yes" : ""},
                        {"ROOT", binding.plan.view ? "" : cmake_string(binding.toolkit.root)},
                        {"CXX", cmake_string(cxx_variable(binding.stdenv.command))},
                        {"RUN_PATH", run_path_options(binding.plan.run_path)},
                        {"DRIVER_PATH", run_path_options(binding.plan.driver_directories)}};
  if (binding.toolkit.target)
    add_target(values, binding);
  if (binding.capabilities)
    add_capabilities(values, *binding.capabilities);
  return expanded(templates::toolchain_cmake, values);
}

std::string cmake_command(const std::string& directory) {
  return shell_words({"cmake", "-B", "build", "-DCMAKE_TOOLCHAIN_FILE=" + directory + "/toolchain.cmake"});
}

} // namespace hostpin::bind
