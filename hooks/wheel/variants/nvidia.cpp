// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/nvidia.hpp"

#include <charconv>

namespace hostpin::wheel {

namespace {

// Bounds of the provider: CUDA releases from 11.0, with minors up to 20.
constexpr int oldest_cuda = 11, newest_cuda = 15, most_minors = 20;

std::string bound(int major, int minor) {
  return std::to_string(major) + '.' + std::to_string(minor);
}

CompatibleValues lower_bounds(const Version& cuda) {
  CompatibleValues values;
  for (int major = cuda.major; major >= oldest_cuda; --major) {
    for (int minor = major == cuda.major ? cuda.minor : most_minors; minor >= 0; --minor)
      values.push_back(bound(major, minor));
    values.push_back(std::to_string(major));
  }
  return values;
}

CompatibleValues upper_bounds(const Version& cuda) {
  CompatibleValues values;
  for (int major = newest_cuda; major >= cuda.major; --major) {
    for (int minor = most_minors; minor >= 0 && (major > cuda.major || minor > cuda.minor); --minor)
      values.push_back(bound(major, minor));
    if (major > cuda.major)
      values.push_back(std::to_string(major));
  }
  return values;
}

} // namespace

Compatible nvidia_machine(gpus::Capability gpu, const Version& cuda) {
  CompatibleValues architectures;
  for (int minor = gpu.minor; minor >= 0; --minor)
    architectures.push_back(sm_value({gpu.major, minor}, false));
  architectures.push_back(sm_value(gpu, true));
  return {{nvidia_namespace,
           {{cuda_lower_bound, lower_bounds(cuda)},
            {"cuda_version_upper_bound", upper_bounds(cuda)},
            {sm_arch, std::move(architectures)}}}};
}

std::string sm_value(gpus::Capability gpu, bool is_ptx) {
  if (is_ptx)
    return std::to_string(gpu.major) + "0_virtual";
  return gpus::digits(gpus::baseline(gpu)) + "_real";
}

std::optional<SmArch> read_sm_value(std::string_view value) {
  constexpr std::string_view real = "_real", ptx = "_virtual";
  SmArch read;
  read.is_ptx = value.ends_with(ptx);
  if (!read.is_ptx && !value.ends_with(real))
    return std::nullopt;
  value.remove_suffix(read.is_ptx ? ptx.size() : real.size());
  int digits = 0;
  const auto end = std::from_chars(value.data(), value.data() + value.size(), digits);
  constexpr int least = 10, beyond = 1000, base = 10;
  if (end.ec != std::errc() || end.ptr != value.data() + value.size() || digits < least || digits >= beyond)
    return std::nullopt;
  read.capability = {digits / base, digits % base};
  return read;
}

Properties nvidia_properties(const std::string& value, const Version& cuda) {
  Properties properties;
  properties[nvidia_namespace][sm_arch].insert(value);
  if (cuda.major >= oldest_cuda)
    properties[nvidia_namespace][cuda_lower_bound].insert(bound(cuda.major, cuda.minor));
  return properties;
}

VariantsFile nvidia_variants() {
  VariantsFile file;
  file.namespaces = {nvidia_namespace};
  file.features[nvidia_namespace] = {sm_arch, cuda_lower_bound};
  return file;
}

} // namespace hostpin::wheel
