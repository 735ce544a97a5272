// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/judged_by.hpp"

#include "hooks/leak-check/command/in_force.hpp"

#include <array>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace hostpin {

namespace {

/// <prefix>/libexec/hostpin/leak-check belongs to <prefix>/bin/hostpin.
std::string hostpin_command() {
  std::array<char, 4096> buffer{};
  const ssize_t size = ::readlink("/proc/self/exe", buffer.data(), buffer.size());
  std::string path(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  for (int parents = 0; parents < 3 && !path.empty(); ++parents)
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  return path + "/bin/hostpin";
}

/// As named on the command line, made absolute and with symlinks resolved where it exists.
std::string absolute(const std::string& path, const Files& files) {
  std::error_code failed;
  const std::string whole = std::filesystem::absolute(path, failed).string();
  return files.real_path(whole).value_or(lexically_normal(failed ? path : whole));
}

} // namespace

std::vector<std::string> absolute(const std::vector<std::string>& paths, const Files& files) {
  std::vector<std::string> result;
  for (const std::string& path : paths)
    result.push_back(absolute(path, files));
  return result;
}

Result<Policy> policy_of(const LeakOptions& options, const Environment& environment, const Files& files) {
  Policy policy;
  for (const std::string& path : options.forbidden)
    policy.unwanted.push_back({path, UnwantedPath::Kind::forbidden});
  for (const std::string& path : options.forbidden_files)
    if (auto added = add_forbidden_file(policy, files, path); !added)
      return tl::unexpected(added.error());
  for (const std::string& path : absolute(options.build_directories, files))
    policy.unwanted.push_back({path, UnwantedPath::Kind::build_directory});
  if (!options.no_binding) {
    const std::string scratch = environment["TMPDIR"].value_or("/tmp");
    auto added = options.binding.empty() ? add_binding_in_force(policy, hostpin_command(), scratch, files)
                                         : add_binding(policy, files, options.binding);
    if (!added)
      return tl::unexpected(added.error());
  }
  policy.vendor = absolute(options.vendor, files);
  policy.stores = options.stores.empty() ? std::vector<std::string>{"/nix/store", "/gnu/store"}
                                         : absolute(options.stores, files);
  policy.driver_directory = options.driver_directory;
  policy.compat_directory = options.compat_directory;
  return policy;
}

} // namespace hostpin
