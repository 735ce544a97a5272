// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/toolkit/wheels.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

namespace hostpin {

namespace {

struct Part {
  std::string_view path;  ///< below the root
  std::string_view wheel; ///< the distribution that has it
};
// Source: RECORD of each wheel of CUDA 13.0 and 13.5.
constexpr auto parts = std::to_array<Part>({{"bin/cudafe++", "nvidia-cuda-nvcc"},
                                            {"include/crt/host_config.h", "nvidia-cuda-crt"},
                                            {"nvvm/bin/cicc", "nvidia-nvvm"},
                                            {"nvvm/libdevice", "nvidia-nvvm"},
                                            {"include/cuda_runtime.h", "nvidia-cuda-runtime"},
                                            {"lib/libcudadevrt.a", "nvidia-cuda-runtime"},
                                            {"lib/libcudart_static.a", "nvidia-cuda-runtime"}});

std::string release_text(const Version& version) {
  return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

std::string install_command(std::string_view wheel, const Version& release) {
  return "pip install '" + std::string(wheel) + "==" + release_text(release) + ".*'";
}

/// The version of a distribution by its directory `nvidia_cuda_crt-13.0.88.dist-info`; of several any one.
std::optional<Version> installed_version(std::string_view wheel, const std::vector<std::string>& site) {
  std::string start(wheel);
  std::replace(start.begin(), start.end(), '-', '_');
  start += '-';
  constexpr std::string_view end = ".dist-info";
  for (const std::string& name : site)
    if (name.starts_with(start) && name.ends_with(end))
      return parse_version(
          std::string_view(name).substr(start.size(), name.size() - start.size() - end.size()));
  return std::nullopt;
}

} // namespace

bool is_made_of_wheels(const std::string& root) {
  const std::string_view name = base_name(root);
  return base_name(directory_of(root)) == "nvidia" && name.size() > 2 && name.starts_with("cu") &&
         std::isdigit(static_cast<unsigned char>(name[2])) != 0;
}

std::optional<std::string> lack_of_wheels(const std::string& root, const Version& release,
                                          const Files& files) {
  if (!is_made_of_wheels(root))
    return std::nullopt;
  for (const Part& part : parts)
    if (!files.status(root + '/' + std::string(part.path)))
      return "is incomplete: it has no " + std::string(part.path) + " (" +
             install_command(part.wheel, release) + ")";
  const std::vector<std::string> site = files.entries(directory_of(directory_of(root)));
  for (const Part& part : parts) {
    const auto installed = installed_version(part.wheel, site);
    if (installed && (installed->major != release.major || installed->minor != release.minor))
      return "is made of wheels of different releases: nvcc " + to_string(release) + ", " +
             std::string(part.wheel) + ' ' + to_string(*installed) + " (" +
             install_command(part.wheel, release) + ")";
  }
  return std::nullopt;
}

std::string unsearched_libraries(const std::string& root, const Files& files) {
  return is_made_of_wheels(root) && !files.status(root + "/lib64") ? root + "/lib" : std::string();
}

} // namespace hostpin
