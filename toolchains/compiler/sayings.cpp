// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/sayings.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>

namespace hostpin {

namespace {

constexpr std::string_view installed = "InstalledDir: ";
constexpr std::string_view user_directory = "User configuration file directory: ";

} // namespace

std::vector<std::string> said(const Lines& lines, std::string_view marker) {
  std::vector<std::string> texts;
  for (const std::string_view line : lines)
    if (line.starts_with(marker))
      texts.emplace_back(line.substr(marker.size()));
  return texts;
}

bool is_driver_itself(const Lines& lines, const RealDriver& driver, Family family, const Files& files) {
  const auto prints = [&](std::string_view marker, const std::string& text) {
    const std::vector<std::string> texts = said(lines, marker);
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  };
  if (family == Family::gcc)
    return prints("COLLECT_GCC=", driver.program);
  const std::string real = files.real_path(driver.program).value_or(driver.program);
  return prints(installed, directory_of(driver.program)) || prints(installed, directory_of(real));
}

std::vector<std::string> specs_names(const Compiler& compiler) {
  const std::string& install = compiler.gcc_install; // .../gcc/MACHINE/VERSION
  const std::string machine(base_name(directory_of(install)));
  return {machine + '/' + std::string(base_name(install)) + "/specs", "specs"};
}

std::vector<std::string> specs_files(const Lines& lines, const Compiler& compiler) {
  std::vector<std::string> paths = said(lines, "Reading specs from ");
  const std::string& install = compiler.gcc_install;
  const std::string machine = directory_of(install);
  for (const std::string& directory : {install, machine, directory_of(machine)})
    paths.push_back(directory + "/specs");
  for (const std::string& name : specs_names(compiler))
    paths.push_back(install + "/../../../../" + std::string(base_name(machine)) + "/lib/" + name);
  return paths;
}

std::vector<std::string> configuration_files(const Lines& lines, const RealDriver& driver) {
  std::vector<std::string> paths = said(lines, "Configuration file: ");
  std::vector<std::string> directories = said(lines, installed);
  for (const std::string_view more :
       {std::string_view("System configuration file directory: "), user_directory})
    for (const std::string& directory : said(lines, more))
      directories.push_back(directory);
  directories.push_back(directory_of(driver.program));
  std::vector<std::string> names = {"clang++", "clang", std::string(base_name(driver.program))};
  for (const std::string& target : said(lines, "Target: "))
    for (const std::string& more : {target, target + "-clang++", target + "-clang"})
      names.push_back(more);
  for (const std::string& directory : directories)
    for (const std::string& name : names)
      paths.push_back(directory + '/' + name + ".cfg");
  return paths;
}

std::string user_configuration(const Lines& lines) {
  const std::vector<std::string> directories = said(lines, user_directory);
  return directories.empty() ? std::string() : directories.front();
}

} // namespace hostpin
