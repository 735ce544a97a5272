// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/toolkit/wheels.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/stub_library.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
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

struct DriverLibrary {
  std::string_view name, soname;
  std::string_view header; ///< that declares its functions
  std::string_view prefix; ///< of their names, before a capital letter
};
constexpr auto driver_libraries =
    std::to_array<DriverLibrary>({{"libcuda.so", "libcuda.so.1", "cuda.h", "cu"},
                                  {"libnvidia-ml.so", "libnvidia-ml.so.1", "nvml.h", "nvml"}});

/// The names in a header that begin with the prefix and a capital letter, definitions of macros such as
/// `cuMemAlloc cuMemAlloc_v2` among them, and those that macros make for streams of each thread.
std::set<std::string> functions_in(std::string_view text, std::string_view prefix) {
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::set<std::string> names;
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string_view::npos;) {
    std::size_t end = at;
    while (end < text.size() && in_name(text[end]))
      ++end;
    const std::string_view name = text.substr(at, end - at);
    const bool whole = at == 0 || !in_name(text[at - 1]);
    if (whole && name.size() > prefix.size() &&
        std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0) {
      names.emplace(name);
      for (const auto& [macro, suffix] :
           {std::pair("__CUDA_API_PTDS(", "_ptds"), {"__CUDA_API_PTSZ(", "_ptsz"}})
        if (text.substr(0, at).ends_with(macro))
          names.insert(std::string(name) + suffix);
    }
    at = end;
  }
  return names;
}

/// e_machine of an ELF file; 0 if it is none.
std::uint16_t machine_of(const std::string& path, const Files& files) {
  constexpr std::size_t limit = std::size_t{16} << 20;
  constexpr std::size_t offset = 18;
  const auto bytes = files.read(path, limit);
  return !bytes || bytes->size() < offset + 2
             ? std::uint16_t{0}
             : static_cast<std::uint16_t>(static_cast<unsigned char>((*bytes)[offset]) |
                                          static_cast<unsigned char>((*bytes)[offset + 1]) << 8U);
}

} // namespace

std::span<const CompilerWheel> compiler_wheels() {
  // Source: METADATA of cuda-toolkit 13.0 to 13.4. CCCL has releases of its own since 13.3.
  static constexpr auto wheels = std::to_array<CompilerWheel>({{"nvidia-cuda-nvcc", "nvcc"},
                                                               {"nvidia-cuda-crt", "crt"},
                                                               {"nvidia-nvvm", "nvvm"},
                                                               {"nvidia-cuda-runtime", "cudart"},
                                                               {"nvidia-cuda-nvrtc", "nvrtc"},
                                                               {"nvidia-cuda-cccl", "cccl", false}});
  return wheels;
}

std::string root_of_wheels(const std::string& site, int major) {
  return site + "/nvidia/cu" + std::to_string(major);
}

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

std::string wheel_libraries(const std::string& root, const Files& files) {
  return is_made_of_wheels(root) && !files.status(root + "/lib64") ? root + "/lib" : std::string();
}

std::vector<std::string> lacking_stubs(const std::string& root, const Files& files) {
  std::vector<std::string> names;
  if (is_made_of_wheels(root))
    for (const DriverLibrary& library : driver_libraries)
      if (files.status(root + "/include/" + std::string(library.header)) &&
          !files.status(root + "/lib/stubs/" + std::string(library.name)))
        names.emplace_back(library.name);
  return names;
}

std::map<std::string, std::string> driver_stubs(const std::string& root, const Files& files) {
  constexpr std::size_t longest = std::size_t{16} << 20;
  std::map<std::string, std::string> stubs;
  const std::uint16_t machine = machine_of(root + "/bin/bin2c", files);
  if (!binary::has_stubs(machine))
    return stubs;
  const std::vector<std::string> lacking = lacking_stubs(root, files);
  for (const DriverLibrary& library : driver_libraries) {
    const auto header = files.read(root + "/include/" + std::string(library.header), longest);
    if (!header || std::find(lacking.begin(), lacking.end(), library.name) == lacking.end())
      continue;
    binary::StubLibrary stub{machine, std::string(library.soname), {}};
    for (const std::string& name : functions_in(*header, library.prefix))
      stub.functions.try_emplace(name);
    stubs.emplace(library.name, binary::stub_bytes(stub));
  }
  return stubs;
}

} // namespace hostpin
