// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/driver.hpp"

#include <dlfcn.h>
#include <string>

namespace hostpin {

namespace {

// From cuda.h, whose numbers never change.
constexpr int success = 0, no_device = 100, attribute_major = 75, attribute_minor = 76;

class Driver {
public:
  Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}

  static tl::unexpected<Error> absence() {
    const char* const reason = dlerror();
    return failure(reason != nullptr ? reason : "libcuda.so.1 cannot be loaded");
  }

  explicit operator bool() const { return library_ != nullptr; }

  /// Calls one of its functions; the error names it.
  template <typename... Arguments>
  Result<void> call(const char* name, Arguments... arguments) const {
    // POSIX guarantees that the object pointer converts to a function pointer.
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name));
    if (function == nullptr)
      return failure(std::string("libcuda.so.1 has no ") + name);
    const int code = function(arguments...);
    if (code == no_device)
      return failure("libcuda.so.1 reports no GPU on this machine");
    if (code != success)
      return failure(std::string("libcuda.so.1: ") + name + " fails with " + std::to_string(code));
    return {};
  }

private:
  void* library_; ///< never closed: it does not support unloading
};

Result<int> attribute(const Driver& driver, int which, int gpu) {
  int value = 0;
  return driver.call("cuDeviceGetAttribute", &value, which, gpu).map([&] { return value; });
}

} // namespace

Result<std::vector<Capability>> driver_capabilities() {
  const Driver driver;
  if (!driver)
    return Driver::absence();
  int count = 0;
  auto asked = driver.call("cuInit", 0U);
  if (asked)
    asked = driver.call("cuDeviceGetCount", &count);
  if (!asked)
    return tl::unexpected(asked.error());
  std::vector<Capability> capabilities;
  for (int gpu = 0; gpu < count; ++gpu) {
    const auto major = attribute(driver, attribute_major, gpu),
               minor = attribute(driver, attribute_minor, gpu);
    if (!major || !minor)
      return tl::unexpected(major ? minor.error() : major.error());
    capabilities.push_back({*major, *minor, {}});
  }
  return capabilities;
}

} // namespace hostpin
