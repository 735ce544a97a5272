// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/source.hpp"

#include "toolchains/base/own_programs.hpp"
#include "toolchains/toolkit/discovery.hpp"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

namespace hostpin {

namespace {

namespace fs = std::filesystem;

constexpr const char* include_directories[] = {"include", "targets/x86_64-linux/include",
                                               "targets/sbsa-linux/include", "targets/aarch64-linux/include"};
constexpr std::size_t cuda_h_limit = std::size_t{8} << 20U; // real ones have 1 MB

/// CUDA_VERSION of cuda.h: 12040 is 12.4.
std::optional<Version> release_in(const std::string& include, const Files& files) {
  const auto text = files.read(include + "/cuda.h", cuda_h_limit);
  constexpr std::string_view define = "#define CUDA_VERSION ";
  const std::size_t at = text ? text->find(define) : std::string::npos;
  if (at == std::string::npos)
    return std::nullopt;
  const std::string_view rest = std::string_view(*text).substr(at + define.size());
  int number = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec != std::errc() || number < 1000)
    return std::nullopt;
  return Version{number / 1000, number % 1000 / 10, 0};
}

std::optional<GateSource> source_in(const std::string& include, const Files& files) {
  const std::string header = include + "/crt/host_config.h";
  if (!files.status(header))
    return std::nullopt;
  return GateSource{header, release_in(include, files)};
}

Result<GateSource> ask_nvcc(const std::string& named, const ProbeContext& context) {
  const NamedToolkit toolkit{named, "the command line"};
  const ToolkitSearch search =
      find_toolkits(context.files, context.environment, toolkit, {}, own_programs(context.files));
  const auto chosen = chosen_toolkit(probe_toolkits(context.files, context.processes, search, {}), toolkit);
  if (!chosen)
    return tl::unexpected(chosen.error());
  if (chosen->host_config.empty())
    return failure(fmt::format("the toolkit at {} has no crt/host_config.h", chosen->root));
  return GateSource{chosen->host_config, chosen->version};
}

} // namespace

Result<GateSource> gate_source(const std::string& named, const ProbeContext& context) {
  const fs::path path = fs::absolute(named).lexically_normal();
  const auto status = context.files.status(path.string());
  if (!status)
    return failure(fmt::format("{} does not exist", named),
                   "name a toolkit's directory, its nvcc, or a copy of its crt/host_config.h");
  if (status->kind == FileStatus::Kind::directory) {
    for (const char* const include : include_directories)
      if (auto source = source_in((path / include).lexically_normal().string(), context.files))
        return *std::move(source);
    return ask_nvcc(path.string(), context);
  }
  if (path.filename() == "nvcc")
    return ask_nvcc(path.string(), context);
  return GateSource{path.string(), release_in(path.parent_path().parent_path().string(), context.files)};
}

} // namespace hostpin
