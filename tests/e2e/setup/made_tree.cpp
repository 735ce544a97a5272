// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// made-tree gcc|clang MAJOR machine|suite|TREE LINKER DIRECTORY ARCHIVE...: makes a compiler of packages in
// DIRECTORY and tries it. made-tree stdenv MAJOR DIRECTORY ARCHIVE...: a stdenv. made-tree headers|toolkit
// DIRECTORY ARCHIVE...: makes those. Prints the error that was returned, and exits with 1.
#include "toolchains/setup/compiler_root.hpp"
#include "toolchains/setup/toolkit_tree.hpp"
#include "toolchains/setup/trial.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

int ended(const Result<void>& done) {
  if (!done)
    std::fprintf(stderr, "%s\nhint: %s\n", done.error().message.c_str(), done.error().hint.c_str());
  return done ? 0 : 1;
}

HeaderChoice headers_of(const std::string& text) {
  if (text == "machine" || text == "suite")
    return {text == "machine" ? HeaderChoice::From::machine : HeaderChoice::From::suite, {}};
  return {HeaderChoice::From::tree, text};
}

Result<void> compiler(const Context& context, const std::vector<std::string>& arguments) {
  const Family family = arguments[0] == "gcc" ? Family::gcc : Family::clang;
  const CompilerOffer offer{family, std::atoi(arguments[1].c_str()), {}, {}};
  const std::string place = arguments[4], work = place + ".new";
  const std::vector<std::string> archives(arguments.begin() + 5, arguments.end());
  const auto made = make_compiler(archives, work, place, offer, headers_of(arguments[2]));
  if (!made)
    return tl::unexpected(made.error());
  std::filesystem::rename(work, place);
  return try_compiler(context, made->driver, arguments[3], place);
}

Result<void> stdenv(const Context& context, const std::vector<std::string>& arguments) {
  const CompilerOffer offer{Family::gcc, std::atoi(arguments[1].c_str()), {}, {}};
  const std::string place = arguments[2], work = place + ".new";
  const std::vector<std::string> archives(arguments.begin() + 3, arguments.end());
  const auto made = make_stdenv(archives, work, place, offer);
  if (!made)
    return tl::unexpected(made.error());
  std::filesystem::rename(work, place);
  return try_compiler(context, made->driver, made->driver, place);
}

} // namespace

int main(int count, char** values, char** variables) {
  const std::vector<std::string> arguments(values + 1, values + count);
  if (arguments.size() < 3)
    return 2;
  const Environment environment = Environment::from(variables);
  const DiskFiles files;
  const HostProcesses processes;
  const Context context{environment, files, processes};
  if (arguments[0] == "gcc" || arguments[0] == "clang")
    return arguments.size() < 6 ? 2 : ended(compiler(context, arguments));
  if (arguments[0] == "stdenv")
    return arguments.size() < 4 ? 2 : ended(stdenv(context, arguments));
  const std::vector<std::string> archives(arguments.begin() + 2, arguments.end());
  const auto make = arguments[0] == "headers" ? make_headers : make_toolkit;
  return ended(make(context, archives, arguments[1], arguments[1]));
}
