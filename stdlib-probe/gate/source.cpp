// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/source.hpp"

#include "toolchains/base/search.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::probe {

namespace {

namespace fs = std::filesystem;

constexpr const char* include_directories[] = {"include", "targets/x86_64-linux/include",
                                               "targets/sbsa-linux/include", "targets/aarch64-linux/include"};
constexpr std::size_t size_limit = std::size_t{8} << 20U; // cuda.h, the larger one, has 1 MB

/// CUDA_VERSION of cuda.h: 12040 is 12.4.
std::optional<Version> release_in_cuda_h(const std::string& text) {
  constexpr std::string_view define = "#define CUDA_VERSION ";
  const std::size_t at = text.find(define);
  if (at == std::string::npos)
    return std::nullopt;
  const std::string_view rest = std::string_view(text).substr(at + define.size());
  int number = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec != std::errc() || number < 1000)
    return std::nullopt;
  return Version{number / 1000, number % 1000 / 10, 0};
}

/// `{"cuda": {"version": "12.4.1"}}`, of which the first two parts are the release.
std::optional<Version> release_in_json(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  const auto version = json.is_object() ? json.find("cuda") : json.end();
  if (version == json.end() || !version->is_object() || !version->contains("version") ||
      !version->at("version").is_string())
    return std::nullopt;
  const auto release = parse_version(version->at("version").get<std::string>());
  return release ? std::optional(Version{release->major, release->minor, 0}) : std::nullopt;
}

struct ReleaseFile {
  const char* path; ///< from the include directory
  std::optional<Version> (*read)(const std::string& text);
};
// A toolkit without the driver API, such as conda's compiler package, has no cuda.h.
constexpr ReleaseFile release_files[] = {{"cuda.h", release_in_cuda_h},
                                         {"../version.json", release_in_json},
                                         {"../../../version.json", release_in_json}};

void find_release(GateSource& source, const fs::path& include, const Files& files) {
  for (const ReleaseFile& file : release_files) {
    if (source.release)
      return;
    const std::string path = (include / file.path).lexically_normal().string();
    source.looked.push_back(path);
    if (const auto text = files.read(path, size_limit))
      source.release = file.read(*text);
  }
}

std::optional<GateSource> source_below(const fs::path& root, const Files& files) {
  GateSource source;
  for (const char* const each : include_directories) {
    const fs::path include = (root / each).lexically_normal();
    source.header = (include / "crt/host_config.h").string();
    if (files.status(source.header)) {
      find_release(source, include, files);
      return source;
    }
    source.looked.push_back(source.header);
  }
  return std::nullopt;
}

/// The toolkit of a real nvcc, which has its profile next to it; a script of that name may run any other
/// nvcc.
std::optional<fs::path> root_of_nvcc(const std::string& nvcc, const Files& files) {
  const auto real = files.real_path(nvcc);
  if (!real || !files.status((fs::path(*real).parent_path() / "nvcc.profile").string()))
    return std::nullopt;
  return fs::path(*real).parent_path().parent_path();
}

Result<GateSource> ask_nvcc(const std::string& named, const ProbeContext& context) {
  const NamedToolkit toolkit{named, "the command line"};
  const ToolkitSearch search =
      find_toolkits(context.files, context.environment, toolkit, {}, own_programs(context.files));
  TRY_ASSIGN(const auto chosen,
             chosen_toolkit(probe_toolkits(context.files, context.processes, search, {}), toolkit));
  if (chosen.host_config.empty())
    return failure(fmt::format("the toolkit at {} has no crt/host_config.h", chosen.root));
  return GateSource{chosen.host_config, chosen.version, {chosen.nvcc}};
}

} // namespace

Result<GateSource> gate_source(const std::string& named, const ProbeContext& context) {
  const fs::path path = fs::absolute(named).lexically_normal();
  const auto status = context.files.status(path.string());
  if (!status)
    return failure(fmt::format("{} {}", named, absence(context.files, path.string())),
                   "name a toolkit's directory, its nvcc, or a copy of its crt/host_config.h");
  std::optional<fs::path> root;
  if (status->kind == FileStatus::Kind::directory)
    root = path;
  else if (path.filename() == "nvcc")
    root = root_of_nvcc(path.string(), context.files);
  if (root)
    if (auto source = source_below(*root, context.files)) {
      source->looked.push_back(path.string());
      return *std::move(source);
    }
  if (root || path.filename() == "nvcc")
    return ask_nvcc(path.string(), context);

  GateSource source{path.string(), {}, {}};
  // The files around a copy elsewhere do not belong to its toolkit.
  if (path.parent_path().filename() == "crt")
    find_release(source, path.parent_path().parent_path(), context.files);
  return source;
}

} // namespace hostpin::probe
