// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/native.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <dlfcn.h>
#include <string>
#include <utility>

namespace hostpin::gpus {

namespace {

// From cuda.h, whose numbers never change.
constexpr int success = 0, no_device = 100, attribute_major = 75, attribute_minor = 76;

class DriverLibrary {
public:
  DriverLibrary() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}

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

Result<int> attribute(const DriverLibrary& driver, int which, int gpu) {
  int value = 0;
  return driver.call("cuDeviceGetAttribute", &value, which, gpu).map([&] { return value; });
}

} // namespace

Result<std::vector<Capability>> driver_capabilities() {
  const DriverLibrary driver;
  if (!driver)
    return DriverLibrary::absence();
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

namespace {

constexpr const char* hint = "name the compute capabilities instead of `native`";

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

} // namespace

Result<std::vector<Capability>> read_native_capabilities(std::string_view output, const std::string& who) {
  std::vector<Capability> capabilities;
  while (!output.empty()) {
    const std::string line = first_line(output);
    output.remove_prefix(std::min(line.size() + 1, output.size()));
    if (line.empty())
      continue;
    const auto capability = capability_named(line);
    if (!capability)
      return failure(who + " printed \"" + line + "\" instead of compute capabilities", hint);
    capabilities.push_back(*capability);
  }
  if (capabilities.empty())
    return failure(who + " reports no GPU on this machine", hint);
  return capabilities;
}

namespace {

// Without persistence mode the driver takes seconds for each GPU.
constexpr std::chrono::milliseconds time_to_answer{60'000};

Outcome run(const Processes& processes, std::vector<std::string> words) {
  const std::array<Command, 1> commands = {Command{std::move(words), {}, {}, time_to_answer}};
  return processes.run(commands).front();
}

std::string why(const Outcome& outcome) {
  const std::string text = first_line(outcome.errors.empty() ? outcome.output : outcome.errors);
  return describe(outcome) + (text.empty() ? "" : ": " + text);
}

} // namespace

Result<std::vector<Capability>> native_capabilities(const Processes& processes,
                                                    std::vector<std::string> driver) {
  const Outcome smi = run(processes, {"nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"});
  auto answer = smi.ok() ? read_native_capabilities(smi.output)
                         : Result<std::vector<Capability>>(failure("nvidia-smi " + why(smi), hint));
  if (answer)
    return answer;
  const Outcome library = run(processes, std::move(driver));
  if (library.ok())
    return read_native_capabilities(library.output, "libcuda.so.1");
  if (smi.end == Outcome::End::not_started)
    return failure("no NVIDIA driver can be queried for this machine's GPUs: nvidia-smi: " + why(smi) + "; " +
                       first_line(library.errors.empty() ? describe(library) : library.errors),
                   hint);
  return answer;
}

} // namespace hostpin::gpus
