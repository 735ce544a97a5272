// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/placement.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace hostpin::setup {

namespace {

constexpr std::array merged{"bin", "sbin", "lib", "lib32", "lib64", "libx32"};

constexpr std::array needless{"coreutils", "debconf",     "dpkg",          "libc-bin", "libperl",
                              "libpython", "mawk",        "perl",          "python",   "systemd",
                              "tar_",      "media-types", "sensible-utils"};

// NVIDIA's programs in the packages' /usr/bin; the others there are the user's own choice of a compiler.
constexpr std::array programs{"__nvcc_device_query", "bin2c",    "cu++filt", "cudafe++", "cuobjdump",
                              "fatbinary",           "nvdisasm", "nvlink",   "nvprune",  "ptxas"};

/// Its libraries that are taken from the packages, by the start of their names.
constexpr std::array libraries{"libcudart.", "libcudart_", "libcudadevrt", "libculibos",
                               "libnvptxcompiler_static.a"};

bool is_one_of(std::string_view name, const auto& all) {
  return std::ranges::find(all, name) != all.end();
}

bool begins_as_one_of(std::string_view name, const auto& all) {
  return std::ranges::any_of(all, [&](std::string_view start) { return name.starts_with(start); });
}

/// What follows `prefix` in the path, if it begins so.
std::optional<std::string> after(const std::string& path, std::string_view prefix) {
  return path.starts_with(prefix) ? std::optional(path.substr(prefix.size())) : std::nullopt;
}

std::string with_merged_usr(const std::string& path) {
  const std::string_view first = std::string_view(path).substr(0, path.find('/'));
  return is_one_of(first, merged) ? "usr/" + path : path;
}

/// `licenses/PACKAGE` for Debian's doc/PACKAGE/copyright and others' licenses/PACKAGE/NAME.
std::optional<std::string> place_of_license(const std::string& path) {
  if (const auto name = after(path, "usr/share/doc/"); name && name->ends_with("/copyright"))
    return "licenses/" + name->substr(0, name->find('/'));
  if (const auto name = after(path, "usr/share/licenses/"); name && std::ranges::count(*name, '/') == 1)
    return "licenses/" + *name;
  return std::nullopt;
}

/// A library in `usr/lib/TRIPLET`: its name below that.
std::optional<std::string> library_name(const std::string& path) {
  const auto rest = after(path, "usr/lib/");
  const std::size_t slash = rest ? rest->find("-linux-gnu/") : std::string::npos;
  return slash == std::string::npos
             ? std::nullopt
             : std::optional(rest->substr(slash + std::string_view("-linux-gnu/").size()));
}

} // namespace

std::optional<std::string> place_in_root(const std::string& path) {
  const std::string inner = with_merged_usr(path);
  if (auto license = place_of_license(inner))
    return license;
  if (inner.starts_with("usr/share/") || !(inner.starts_with("usr/") || inner.starts_with("opt/")))
    return std::nullopt;
  return inner;
}

std::optional<std::string> place_in_toolkit(const std::string& path, std::span<const std::string> more) {
  const std::string inner = with_merged_usr(path);
  if (auto license = place_of_license(inner))
    return license;
  if (const auto header = after(inner, "usr/include/"))
    return "include/" + *header;
  if (const auto tool = after(inner, "usr/bin/"))
    return is_one_of(*tool, programs) ? std::optional("bin/" + *tool) : std::nullopt;
  if (const auto part = after(inner, "usr/lib/nvidia-cuda-toolkit/")) {
    if (*part == "bin/cicc")
      return "nvvm/bin/cicc";
    if (*part == "bin/nvcc" || part->starts_with("bin/crt/"))
      return *part;
    return part->starts_with("libdevice/") ? std::optional("nvvm/" + *part) : std::nullopt;
  }
  const auto library = library_name(inner);
  if (library && library->starts_with("libnvvm.")) // nvlink -dlto loads it from there
    return "nvvm/lib64/" + *library;
  if (library && (*library == "stubs/libcuda.so" || begins_as_one_of(*library, libraries) ||
                  begins_as_one_of(lower_case(*library), more)))
    return "lib64/" + *library;
  return std::nullopt;
}

std::optional<std::string> library_in(const std::string& archive) {
  std::string_view name = base_name(archive);
  name = name.substr(0, name.find('_'));
  const std::size_t end = name.find_last_not_of("0123456789.");
  if (!name.starts_with("lib") || end + 1 == name.size())
    return std::nullopt;
  return std::string(name.substr(0, end + 1));
}

bool is_needless(const std::string& archive) {
  return begins_as_one_of(base_name(archive), needless);
}

Result<void> unpack_packages(std::span<const std::string> archives, const std::string& into,
                             const Placement& placement) {
  std::error_code error;
  if (!std::filesystem::create_directories(into, error))
    return failure("cannot create " + into + ": " + (error ? error.message() : "it exists already"));
  PackageUnpacker unpacker(into, placement);
  const std::atomic<bool> stop = false;
  for (const std::string& archive : archives)
    TRY(is_needless(archive) ? Result<void>() : unpacker.add(archive, stop));
  return unpacker.finish();
}

} // namespace hostpin::setup
