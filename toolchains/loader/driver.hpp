// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/loader/loader.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Facts about the NVIDIA driver and its stand-ins in a process. leak-check, wheel and redist decide which
// finding each of them is.

namespace hostpin::loader {

/// Whether it is a library of the NVIDIA driver by its name; only the machine that runs a program has those.
bool is_of_driver(std::string_view name);

/// Whether all that a file needs is found, or comes with the driver.
bool is_whole(const Closure& closure);

/// Whether a directory has a toolkit's stubs of the driver's libraries by its name. They are for linking: a
/// program that loads one fails.
bool is_stub_directory(std::string_view path);

/// Whether a directory has a newer driver's libraries (the package cuda_compat) by its name.
bool is_compat_directory(std::string_view path);

using IsDirectory = std::function<bool(const std::string& path)>;

/// A run path that leads to the driver before compatibility libraries, which have no effect there.
struct DriverBeforeCompat {
  std::size_t driver, compat; ///< indices of the first directory of each
};
std::optional<DriverBeforeCompat> driver_before_compat(const std::vector<std::string>& directories,
                                                       const IsDirectory& leads_to_driver,
                                                       const IsDirectory& leads_to_compat);

/// The run path entry by which a file finds what is in a directory, both absolute: `$ORIGIN/../lib`.
std::string run_path_to(const std::string& directory, const std::string& file);

} // namespace hostpin::loader
