// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/driver.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace hostpin::loader {

bool is_of_driver(std::string_view name) {
  constexpr std::array<std::string_view, 5> starts = {"libcuda.so", "libnvidia-", "libnvcuvid.so",
                                                      "libnvoptix.so", "libGLX_nvidia.so"};
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

bool is_whole(const Closure& closure) {
  return std::all_of(closure.missing.begin(), closure.missing.end(),
                     [](const MissingLibrary& missing) { return is_of_driver(missing.name); });
}

bool is_stub_directory(std::string_view path) {
  return base_name(path) == "stubs";
}

bool is_compat_directory(std::string_view path) {
  return base_name(path) == "compat" || path.find("cuda_compat") != std::string_view::npos ||
         path.find("cuda-compat") != std::string_view::npos;
}

std::optional<DriverBeforeCompat> driver_before_compat(const std::vector<std::string>& directories,
                                                       const IsDirectory& leads_to_driver,
                                                       const IsDirectory& leads_to_compat) {
  const auto first = [&](const IsDirectory& is_one) {
    const auto found = std::find_if(directories.begin(), directories.end(), is_one);
    return static_cast<std::size_t>(found - directories.begin());
  };
  const DriverBeforeCompat order{first(leads_to_driver), first(leads_to_compat)};
  return order.driver < order.compat && order.compat < directories.size() ? std::optional(order)
                                                                          : std::nullopt;
}

std::string run_path_to(const std::string& directory, const std::string& file) {
  namespace fs = std::filesystem;
  const std::string way = fs::path(directory).lexically_relative(fs::path(file).parent_path()).string();
  return way == "." ? "$ORIGIN" : "$ORIGIN/" + way;
}

} // namespace hostpin::loader
