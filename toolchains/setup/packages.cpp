// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/packages.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/setup/apt.hpp"
#include "toolchains/setup/repository_client.hpp"

#include <filesystem>
#include <system_error>

namespace hostpin::setup {

namespace fs = std::filesystem;

Result<std::unique_ptr<PackageClient>>
package_client(const Context& context, const std::string& state_directory, const ClientOptions& options) {
  const std::string& client = options.distribution.client;
  if (client == "dnf")
    return dnf_client(context, state_directory, options);
  if (client == "zypper")
    return zypper_client(context, state_directory, options);
  if (client == "pacman")
    return pacman_client(context, state_directory, options);
  if (executable("apt-get", context.environment))
    return apt_client(context, state_directory, options);
  return failure("this machine has none of the package clients that hostpin uses (apt, dnf, zypper, pacman)",
                 "bring a toolkit and a compiler, or the files of one: hostpin setup DIR --from DIR");
}

Version upstream(std::string_view version) {
  if (const std::size_t colon = version.find(':'); colon != std::string_view::npos)
    version.remove_prefix(colon + 1);
  return parse_version(version.substr(0, version.find_first_of("~-+"))).value_or(Version{});
}

Result<void> remove_damaged(std::span<const Package> packages, const std::string& directory) {
  for (const Package& each : packages) {
    const std::string path = directory + '/' + each.file;
    std::error_code error;
    if (!fs::exists(fs::symlink_status(path, error)))
      continue;
    const auto hash = sha256_of_file(path);
    if (hash && *hash == each.sha256)
      continue;
    fs::remove(path, error);
    if (error)
      return failure(path + ": cannot remove it: " + error.message());
  }
  return {};
}

std::vector<std::string> compiler_packages(const CompilerOffer& compiler) {
  std::vector<std::string> packages{compiler.package};
  packages.insert(packages.end(), compiler.more.begin(), compiler.more.end());
  return packages;
}

std::vector<std::string> header_packages() {
  return {"libc6-dev", "linux-libc-dev", "libcrypt-dev"};
}

} // namespace hostpin::setup
