// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/wheel_site.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/archive/unpack.hpp"
#include "toolchains/base/threads.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

Result<void> unpack_one(const std::string& wheel, const std::string& into, const std::atomic<bool>& stop) {
  std::error_code error;
  fs::create_directories(into, error);
  if (error)
    return failure(fmt::format("cannot create {}: {}", into, error.message()));
  PackageUnpacker unpacker(into, [](const std::string& path) { return std::optional(path); });
  TRY(unpacker.add(wheel, stop));
  if (auto finished = unpacker.finish(); !finished)
    return failure(fmt::format("cannot unpack {}: {}", wheel, finished.error().message));
  return {};
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(a, error)) ||
      !fs::is_regular_file(fs::symlink_status(b, error)))
    return false;
  const auto first = sha256_of_file(a.string()), second = sha256_of_file(b.string());
  return first && second && *first == *second;
}

Result<void> merge(const fs::path& from, const fs::path& to) {
  std::error_code error;
  std::vector<fs::path> names; // before the directory changes
  for (fs::directory_iterator entries(from, error), end; !error && entries != end; entries.increment(error))
    names.push_back(entries->path().filename());
  for (const fs::path& name : names) {
    const fs::path inner = from / name, target = to / name;
    const auto type = fs::symlink_status(target, error).type();
    error.clear();
    if (type == fs::file_type::not_found) {
      fs::rename(inner, target, error);
    } else if (type == fs::file_type::directory && fs::is_directory(fs::symlink_status(inner, error))) {
      TRY(merge(inner, target));
    } else if (!is_same_file(inner, target)) {
      return failure(fmt::format("two wheels have other files of one name: {}", escaped(target.string())),
                     "name another release with --cuda");
    }
    if (error)
      break;
  }
  return error
             ? failure(fmt::format("cannot put {} into {}: {}", from.string(), to.string(), error.message()))
             : Result<void>();
}

} // namespace

Result<void> make_wheel_site(std::span<const std::string> wheels, const std::string& site) {
  std::vector<std::string> order(wheels.begin(), wheels.end());
  const auto size = [](const std::string& path) {
    std::error_code error;
    const auto bytes = fs::file_size(path, error);
    return error ? 0 : bytes;
  };
  std::ranges::stable_sort(order, std::greater(), size); // so that threads end at about the same time
  const std::string parts = site + "-parts";
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  Result<void> done;
  const auto part = [&](std::size_t i) { return fmt::format("{}/{}", parts, i); };
  std::error_code error;
  fs::remove_all(parts, error);
  run_in_threads(std::min<std::size_t>(processor_threads(), order.size()), [&] {
    for (std::size_t i = next++; i < order.size() && !stop; i = next++)
      if (auto unpacked = unpack_one(order[i], part(i), stop); !unpacked) {
        const std::lock_guard guard(mutex);
        if (!stop.exchange(true))
          done = unpacked;
      }
  });
  if (done)
    fs::create_directories(site, error);
  for (std::size_t i = 0; i < order.size() && done; ++i)
    done = merge(part(i), site);
  fs::remove_all(parts, error);
  return done;
}

} // namespace hostpin::setup
