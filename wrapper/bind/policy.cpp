// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/policy.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/table/cuda_wheels.hpp"
#include "toolchains/table/policies.hpp"

#include <set>
#include <string_view>

namespace hostpin::bind {

namespace {

/// What a wheel may need: the policy's libraries, NVIDIA's, which its own wheels install, those of the NVIDIA
/// driver, and the loader, which every program has.
std::set<std::string> allowed_libraries(const ManylinuxPolicy& policy, const std::vector<CudaWheel>& wheels,
                                        const std::vector<std::string>& more) {
  std::set<std::string> names(policy.libraries.begin(), policy.libraries.end());
  for (const CudaWheel& wheel : wheels)
    names.insert(wheel.libraries.begin(), wheel.libraries.end());
  names.insert({"libcuda.so*", "libnvidia-*", "libnvcuvid.so*", "libnvoptix.so*", "libGLX_nvidia.so*"});
  names.insert("ld-linux*");
  names.insert(more.begin(), more.end());
  return names;
}

} // namespace

Result<void> set_policy(Binding& binding, const Request& request, const Files& files,
                        const std::string& data) {
  if (request.policy.empty())
    return {};
  const std::string architecture = binding.stdenv.target.substr(0, binding.stdenv.target.find('-'));
  TRY_ASSIGN(const auto policies, load_policies(files, data, architecture));
  const auto policy = policy_named(policies, request.policy);
  if (!policy)
    return tl::unexpected(policy.error());
  if (binding.plan.link_proof == CheckPolicy::off)
    return failure("--policy has no effect with link-proof = \"off\" in the configuration",
                   "set it to \"error\" or \"warn\"");
  if (binding.plan.loader.empty())
    return failure("--policy needs a stdenv for glibc, and " + shell_words(binding.stdenv.command) +
                       " shows no loader of glibc's",
                   "name another one with --stdenv");
  TRY_ASSIGN(const auto wheels, load_cuda_wheels(files, data));
  binding.plan.policy = policy->name + '_' + architecture;
  binding.plan.policy_versions = joined(policy->versions(), " ");
  binding.plan.policy_libraries = joined(allowed_libraries(*policy, wheels, request.allowed_libraries), " ");
  return {};
}

} // namespace hostpin::bind
