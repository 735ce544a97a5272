// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/toolkit/target.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/binary/machine.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace hostpin {

namespace {

/// The CUDA runtime in a directory: the file, and its machine.
struct Runtime {
  std::string file;
  binary::ElfKind kind;
};

std::optional<Runtime> runtime_in(const std::string& directory, const Files& files) {
  constexpr std::size_t largest = std::size_t{64} << 20;
  for (const char* const name : {"/libcudart.so", "/libcudart_static.a", "/libcudadevrt.a"}) {
    const auto bytes = files.read(directory + name, largest);
    const auto kind = bytes ? binary::elf_kind(*bytes) : std::nullopt;
    if (kind)
      return Runtime{directory + name, *kind};
  }
  return std::nullopt;
}

/// Whether a platform's directory only leads to the files of another one, as composed toolkits have for
/// CMake.
bool is_alias(const Toolkit& toolkit, const Platform& platform, const ForeignTarget& target,
              const Files& files) {
  const auto libraries = [&](const Platform& each) {
    return files.real_path(toolkit.root + "/targets/" + each.target + "/lib");
  };
  const auto own = libraries(platform);
  return own && std::any_of(target.siblings.begin(), target.siblings.end(), [&](const Platform* other) {
           return other->name != platform.name && libraries(*other) == own &&
                  own->ends_with("/targets/" + other->target + "/lib");
         });
}

std::string release_of(const Toolkit& toolkit) {
  return "CUDA " + to_string(toolkit.version) + " in " + toolkit.root;
}

/// `12.4` of 12.4.131, with another separator in names of packages.
std::string short_version(const Version& version, char separator) {
  return std::to_string(version.major) + separator + std::to_string(version.minor);
}

/// What the toolkit has instead, for the error; without names that lead to the files of another.
std::string present_targets(const Toolkit& toolkit, const Files& files) {
  std::string names;
  const std::string targets = toolkit.root + "/targets/";
  for (const std::string& name : files.entries(targets))
    if (const auto real = files.real_path(targets + name + "/lib"); real && real->ends_with(name + "/lib"))
      names += (names.empty() ? "targets/" : ", targets/") + name;
  return names;
}

std::string how_to_get(const Toolkit& toolkit, const ForeignTarget& target, const Platform& platform) {
  std::string hint = "compose a toolkit that has them (hostpin redist lock MANIFEST --platforms " +
                     target.host + ',' + platform.name + " ..., then hostpin redist compose --target " +
                     platform.name + ")";
  std::string package = platform.cross_package;
  if (const std::size_t at = package.find("{cuda}"); at != std::string::npos)
    package.replace(at, std::string_view("{cuda}").size(), short_version(toolkit.version, '-'));
  if (!package.empty())
    hint += ", or install NVIDIA's package " + package;
  return hint + ", and name it with --toolkit";
}

/// The last release that has the platform, if this one is later.
std::optional<Version> last_release(const Toolkit& toolkit, const Platform& platform) {
  const auto last = platform.last_cuda.empty() ? std::nullopt : parse_version(platform.last_cuda);
  const Version release{toolkit.version.major, toolkit.version.minor};
  return last && *last < release ? last : std::nullopt;
}

Error nothing_for(const Toolkit& toolkit, const ForeignTarget& target, const Files& files) {
  const Platform& first = *target.platforms.front();
  const std::string has = present_targets(toolkit, files);
  Error error{release_of(toolkit) + " has no headers and libraries for " + target.triple +
                  (has.empty() ? "" : ", only " + has),
              how_to_get(toolkit, target, first)};
  const bool ended = std::all_of(target.platforms.begin(), target.platforms.end(), [&](const Platform* each) {
    return last_release(toolkit, *each).has_value();
  });
  if (ended) {
    error.message +=
        ": CUDA " + to_string(*last_release(toolkit, first)) + " is the last release with " + first.name;
    error.hint = "name a toolkit of an earlier release with --toolkit";
  }
  return error;
}

} // namespace

std::vector<std::string> rpath_links(const ToolkitTarget& target) {
  std::vector<std::string> options;
  for (const std::string& directory : target.libraries)
    if (!directory.ends_with("/stubs"))
      options.push_back("-Wl,-rpath-link," + directory);
  return options;
}

Result<Toolkit> toolkit_for(const Toolkit& toolkit, const ForeignTarget& target, const Files& files,
                            const Processes& processes, const std::string& preprocessor) {
  const Platform* platform = nullptr;
  ToolkitTarget found;
  for (const Platform* const each : target.platforms) {
    const std::string directory = toolkit.root + "/targets/" + each->target;
    if (last_release(toolkit, *each) || !is_directory(files, directory) ||
        is_alias(toolkit, *each, target, files))
      continue;
    if (platform != nullptr) {
      found.alternatives.push_back(each->name);
      continue;
    }
    platform = each;
    found = {target.triple, each->name, each->target, directory, each->machine, {}};
  }
  if (platform == nullptr) {
    if (is_directory(files, toolkit.root + "/targets"))
      return tl::unexpected(nothing_for(toolkit, target, files));
    platform = target.platforms.front();
    found = {target.triple, platform->name, {}, toolkit.root, platform->machine, {}};
  }

  Command dry = settings_command(toolkit.nvcc, preprocessor);
  if (!found.name.empty())
    dry.argv.insert(dry.argv.end(), {"-target-dir", found.name});
  const Outcome outcome = processes.run({&dry, 1}).front();
  const NvccSettings settings = nvcc_settings(outcome.errors);
  Toolkit result = toolkit;
  const auto libraries = settings.find("LIBRARIES");
  if (libraries != settings.end())
    for (const std::string& directory : directories_of_flags(libraries->second))
      found.libraries.push_back(files.real_path(directory).value_or(directory));
  if (!take_include_path(result, settings, files) || libraries == settings.end())
    return failure(release_of(toolkit) + " does not accept the target directory " + found.name + ": " +
                       describe(outcome),
                   "see what nvcc prints: " + shell_words(dry.argv), kind_of(outcome));

  std::optional<Runtime> runtime;
  for (const std::string& directory : found.libraries)
    if (!directory.ends_with("/stubs") && !runtime)
      runtime = runtime_in(directory, files);
  const auto wanted = binary::kind_of_triple(platform->triple);
  if (!runtime || (found.name.empty() && runtime->kind != wanted))
    return tl::unexpected(nothing_for(toolkit, target, files));
  if (runtime->kind != wanted)
    return failure(runtime->file + " is a library for " + binary::machine_name(runtime->kind) + ", not for " +
                       found.machine + " as the name of " + found.directory + " says",
                   "nvcc.profile may not follow -target-dir, or the toolkit was put together wrongly; " +
                       how_to_get(toolkit, target, *platform));
  for (const std::string& path : {result.host_config, runtime->file})
    if (std::find(result.files.begin(), result.files.end(), path) == result.files.end())
      result.files.push_back(path);
  result.target = std::move(found);
  return result;
}

} // namespace hostpin
