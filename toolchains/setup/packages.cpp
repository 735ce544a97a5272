// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/packages.hpp"

#include "toolchains/base/search.hpp"
#include "toolchains/setup/apt.hpp"

namespace hostpin::setup {

Result<std::unique_ptr<PackageClient>>
package_client(const Context& context, const std::string& state_directory, const ClientOptions& options) {
  if (executable("apt-get", context.environment))
    return apt_client(context, state_directory, options);
  return failure("this machine has none of the package clients that hostpin uses (apt)",
                 "bring a toolkit and a compiler, or the files of one: hostpin setup DIR --from DIR");
}

std::vector<std::string> compiler_packages(const CompilerOffer& compiler) {
  return {compiler.package};
}

std::vector<std::string> header_packages() {
  return {"libc6-dev", "linux-libc-dev", "libcrypt-dev"};
}

} // namespace hostpin::setup
