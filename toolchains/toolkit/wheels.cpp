// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/toolkit/wheels.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
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

bool is_made_of_wheels(const std::string& root) {
  const std::string_view name = base_name(root);
  return base_name(directory_of(root)) == "nvidia" && name.size() > 2 && name.starts_with("cu") &&
         std::isdigit(static_cast<unsigned char>(name[2])) != 0;
}

namespace {

struct Part {
  std::string_view path;  ///< below the root
  std::string_view wheel; ///< the distribution that has it
};
// Source: RECORD of each wheel of CUDA 13.0 and 13.5. nvcc's first, the runtime's last.
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

/// The installed versions of a distribution, by its directories `nvidia_cuda_crt-13.0.88.dist-info`: several
/// after an update that was interrupted.
std::vector<Version> installed_versions(std::string_view wheel, const std::vector<std::string>& site) {
  std::string start(wheel);
  std::replace(start.begin(), start.end(), '-', '_');
  start += '-';
  constexpr std::string_view end = ".dist-info";
  std::vector<Version> versions;
  for (const std::string& name : site)
    if (name.starts_with(start) && name.ends_with(end))
      if (const auto version = parse_version(
              std::string_view(name).substr(start.size(), name.size() - start.size() - end.size())))
        versions.push_back(*version);
  return versions;
}

bool is_of(const Version& version, const Version& release) {
  return version.major == release.major && version.minor == release.minor;
}

/// What is wrong with one of the wheels that programs are built with.
struct WheelState {
  std::string_view wheel;
  std::string_view missing;         ///< a part that is not there, below the root; empty: none
  std::vector<Version> versions;    ///< that are installed
  bool is_of_other_release = false; ///< one of those
};

/// The wheels, and whether they have their parts. `nvcc`: its version; nothing if there is none.
std::vector<WheelState> wheel_states(const std::string& root, const std::optional<Version>& nvcc,
                                     const Files& files) {
  const std::vector<std::string> site = files.entries(directory_of(directory_of(root)));
  std::vector<WheelState> states;
  for (const Part& part : parts) {
    if (states.empty() || states.back().wheel != part.wheel)
      states.push_back({part.wheel, {}, installed_versions(part.wheel, site), false});
    if (states.back().missing.empty() && !files.status(root + '/' + std::string(part.path)))
      states.back().missing = part.path;
  }
  if (nvcc)
    states.front().versions = {*nvcc}; // what it reports of itself
  return states;
}

/// The release that the wheels should have: that of the runtime, to which libraries and packages such as
/// PyTorch are pinned; otherwise nvcc's.
Version wanted_release(const std::vector<WheelState>& states) {
  const auto has = [&](const Version& release, const std::vector<Version>& versions) {
    return std::any_of(versions.begin(), versions.end(),
                       [&](const Version& version) { return is_of(version, release); });
  };
  const std::vector<Version>&of_nvcc = states.front().versions, &of_runtime = states.back().versions;
  if (of_runtime.empty() || (!of_nvcc.empty() && has(of_nvcc.front(), of_runtime)))
    return of_nvcc.empty() ? Version{} : of_nvcc.front();
  return of_runtime.front();
}

void append(std::string& list, std::string_view separator, const std::string& item) {
  list.append(list.empty() ? std::string_view() : separator).append(item);
}

/// One command that leads to whole wheels of one release. pip does nothing for a version that is recorded.
std::string repairing_command(const std::vector<WheelState>& states, const Version& release) {
  std::string wheels;
  bool again = false;
  for (const WheelState& state : states)
    if (!state.missing.empty() || state.is_of_other_release) {
      append(wheels, " ", '\'' + std::string(state.wheel) + "==" + release_text(release) + ".*'");
      again = again || state.versions.size() > 1 || (!state.missing.empty() && !state.versions.empty());
    }
  return (again ? "pip install --force-reinstall --no-deps " : "pip install ") + wheels;
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

/// The directories that Python packages are installed to which a user may mean: the directory itself, the one
/// around `nvidia` or `nvidia/cuda_nvcc`, and those of a virtual environment.
std::vector<std::string> sites_of(const std::string& directory, const Files& files) {
  std::vector<std::string> sites;
  const std::string above = directory_of(directory);
  if (base_name(directory) == "nvidia")
    sites.push_back(above);
  else if (base_name(above) == "nvidia")
    sites.push_back(directory_of(above));
  else
    sites.push_back(directory);
  for (const std::string& name : files.entries(directory + "/lib"))
    if (name.starts_with("python3"))
      for (const char* const packages : {"/site-packages", "/dist-packages"})
        sites.push_back(directory + "/lib/" + name + packages);
  return sites;
}

/// What NVIDIA's wheels there are instead of a toolkit; empty if there are none.
std::string lack_of_nvcc(const std::string& site, const Files& files) {
  const std::string whole = "(pip install 'cuda-toolkit[nvcc,crt,cudart,cccl,nvvm]==13.*')";
  const std::vector<std::string> names = files.entries(site + "/nvidia");
  for (auto name = names.rbegin(); name != names.rend(); ++name)
    if (const std::string root = site + "/nvidia/" + *name; is_made_of_wheels(root)) {
      if (files.status(root + "/bin/nvcc"))
        return "has no bin/nvcc; the toolkit of NVIDIA's wheels is " + root;
      std::vector<WheelState> states = wheel_states(root, std::nullopt, files);
      const Version release = wanted_release(states);
      states.front().missing = "bin/nvcc";
      return "has no bin/nvcc: of NVIDIA's wheels, the compiler's are not installed " +
             (release.major == 0 ? whole : '(' + repairing_command(states, release) + ')');
    }
  for (const std::string& installed : files.entries(site))
    for (const std::string_view start : {"nvidia_cuda_nvcc_cu", "nvidia_cuda_runtime_cu"})
      if (installed.starts_with(start) && installed.ends_with(".dist-info"))
        return "has no bin/nvcc: NVIDIA's wheels for CUDA " +
               installed.substr(start.size(), installed.find('-') - start.size()) +
               " have ptxas and cicc, but no nvcc; those for CUDA 13 and newer have it " + whole;
  return {};
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

std::optional<std::string> lack_of_wheels(const std::string& root, const Version& release,
                                          const Files& files) {
  if (!is_made_of_wheels(root))
    return std::nullopt;
  std::vector<WheelState> states = wheel_states(root, release, files);
  const Version wanted = wanted_release(states);
  std::string missing, same, other;
  for (WheelState& state : states) {
    state.is_of_other_release = std::any_of(state.versions.begin(), state.versions.end(),
                                            [&](const Version& version) { return !is_of(version, wanted); });
    const std::string text =
        std::string(state.wheel) + ' ' +
        joined(state.versions, " and ", [](const Version& version) { return to_string(version); });
    if (!state.missing.empty())
      append(missing, ", ",
             std::string(state.missing) +
                 (state.versions.empty() ? "" : " of " + text + ", which is installed"));
    if (state.is_of_other_release)
      append(other, ", ", text);
    else if (same.empty() || state.wheel == states.back().wheel)
      same = state.versions.empty() ? same : text; // the runtime, else nvcc
  }
  std::string reason;
  if (!missing.empty())
    reason = "is incomplete: it has no " + missing;
  if (!other.empty())
    append(reason, "; it ", "is made of wheels of different releases: " + same + ", but " + other);
  if (reason.empty())
    return std::nullopt;
  return reason + " (" + repairing_command(states, wanted) + ')';
}

std::string wheels_without_nvcc(const std::string& directory, const Files& files) {
  for (const std::string& site : sites_of(directory, files))
    if (std::string reason = lack_of_nvcc(site, files); !reason.empty())
      return reason;
  return {};
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
