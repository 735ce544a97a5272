// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/emulator.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"

namespace hostpin::bind {

namespace {

/// The directory that is the root of the target's system, such as /usr/aarch64-linux-gnu; empty: the
/// root itself, or none was found.
std::string prefix_of(const std::string& loader, const std::string& sysroot, const Compiler& stdenv,
                      const Files& files) {
  if (!sysroot.empty())
    return sysroot;
  // Cross compilers have the headers in PREFIX/include or PREFIX/usr/include.
  const std::string above = directory_of(stdenv.c_headers);
  for (const std::string& prefix : {above, directory_of(above)})
    if (prefix.size() > 1 && files.status(prefix + loader))
      return prefix;
  return {};
}

} // namespace

std::vector<std::string> emulator(const std::string& machine, const std::string& loader,
                                  const std::string& sysroot, const Compiler& stdenv,
                                  const Environment& environment, const Files& files) {
  for (const char* const ending : {"-static", ""})
    for (const std::string& directory : path_directories(environment)) {
      const std::string path = directory + "/qemu-" + machine + ending;
      const auto status = files.status(path);
      if (!status || status->kind != FileStatus::Kind::regular || !status->executable)
        continue;
      std::vector<std::string> command{path};
      if (const std::string prefix = prefix_of(loader, sysroot, stdenv, files); !prefix.empty())
        command.insert(command.end(), {"-L", prefix});
      return command;
    }
  return {};
}

} // namespace hostpin::bind
