// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/command.hpp"

#include "stdlib-probe/gate/source.hpp"
#include "stdlib-probe/libc/clashes.hpp"
#include "stdlib-probe/libc/options.hpp"
#include "stdlib-probe/parse/layout.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/terminal.hpp"
#include "toolchains/compiler/discovery.hpp"
#include "toolchains/compiler/probe.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::probe {

namespace {

struct LibcAnswer {
  Comparison comparison;
  std::int64_t asked = 0; ///< when reading began, in nanoseconds since the epoch
};

using Json = nlohmann::ordered_json;

Json declaration(const Clash::Declaration& declaration) {
  return {{"file", declaration.file},
          {"line", declaration.line},
          {"throws", declaration.throws},
          {"says", declaration.says}};
}

std::string line(const char* who, const Clash::Declaration& declaration) {
  return fmt::format("    {:8} {}:{}: {}\n", who, declaration.file, declaration.line, declaration.says);
}

/// As README.md describes it.
std::string libc_json(const LibcAnswer& answer, const Files& files) {
  const Comparison& comparison = answer.comparison;
  Json json;
  json["c_library"] = comparison.c_library.empty() ? Json() : Json(comparison.c_library);
  json["compared"] = comparison.compared;
  json["lenient"] = comparison.system;
  json["clashes"] = Json::array();
  for (const Clash& clash : comparison.clashes)
    json["clashes"].push_back({{"name", clash.name},
                               {"kind", to_string(clash.kind)},
                               {"toolkit", declaration(clash.toolkit)},
                               {"libc", declaration(clash.libc)}});
  json["rests_on"] = Json::array();
  for (const std::string& path : comparison.files) {
    const FileStatus status = settled_status(path, answer.asked, files);
    json["rests_on"].push_back({{"path", path}, {"size", status.size}, {"modified", status.modified}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// As text: each function, both locations, and what each promises.
std::string libc_text(const LibcAnswer& answer, const Terminal& terminal) {
  const Comparison& comparison = answer.comparison;
  const std::string library = comparison.c_library.empty() ? "the C library" : comparison.c_library;
  if (comparison.clashes.empty())
    return paragraph(fmt::format("{} functions are declared compatibly by {} and by the toolkit",
                                 comparison.compared, library),
                     terminal, 0, 2);
  std::string text =
      paragraph(fmt::format("{} and the toolkit declare {} differently, of {} functions that both declare; "
                            "nvcc therefore refuses every .cu file",
                            library, names(comparison.clashes), comparison.compared),
                terminal, 0, 2);
  for (const Clash& clash : comparison.clashes)
    text += fmt::format("  {}: {}\n", clash.name, to_string(clash.kind)) + line("libc", clash.libc) +
            line("toolkit", clash.toolkit);
  return text;
}

namespace fs = std::filesystem;

constexpr Version usual_gcc{12, 2, 0}; // for headers without a named compiler

Result<ToolkitHeaders> toolkit_headers(const LibcOptions& options, const ProbeContext& context) {
  if (!options.toolkit_include.empty())
    return ToolkitHeaders{options.toolkit_include, options.release};
  TRY_ASSIGN(const auto source, gate_source(options.toolkit, context));
  const std::string include = fs::path(source.header).parent_path().parent_path().string();
  return ToolkitHeaders{{include}, options.release ? options.release : source.release};
}

/// Headers without a compiler lack those that come with one; Clang's own are used, before the C library's.
void complete(HostHeaders& host, const ProbeContext& context) {
  const auto has = [&](const char* name) {
    return std::find_if(host.directories.begin(), host.directories.end(), [&](const std::string& directory) {
      return context.files.status(directory + '/' + name).has_value();
    });
  };
  if (has("stddef.h") == host.directories.end())
    host.directories.insert(has("features.h"), context.resources + "/include");
}

Result<HostHeaders> sysroot_host(const LibcOptions& options, const ProbeContext& context) {
  const HeaderLayout layout = sysroot_headers(context.files, options.sysroot);
  for (const HeaderSet& set : layout.sets)
    if (options.target.empty() || set.triple == options.target)
      return HostHeaders{options.clang,
                         options.compiler.value_or(parse_version(set.version).value_or(usual_gcc)),
                         set.directories, options.target};
  return failure(fmt::format("{} contains no headers of a C++ standard library{}", options.sysroot,
                             options.target.empty() ? "" : " for " + options.target),
                 "name the root of an extracted system, with usr/include in it");
}

Result<HostHeaders> loose_host(const LibcOptions& options, const ProbeContext& context) {
  for (const std::string& directory : options.headers)
    if (!context.files.status(directory))
      return failure(fmt::format("{} does not exist", directory),
                     "name the directories that contain the headers");
  return HostHeaders{options.clang, options.compiler.value_or(usual_gcc), options.headers, options.target};
}

Result<HostHeaders> driver_headers(const LibcOptions& options, const ProbeContext& context) {
  NamedDriver named{options.driver.front(), "the command line"};
  TRY_ASSIGN(auto candidate,
             named_driver(context.files, context.environment, named, own_programs(context.files)));
  candidate.command.insert(candidate.command.end(), options.driver.begin() + 1, options.driver.end());
  std::vector<ProbeAnswer> answers = probe_drivers(context.files, context.processes, {&candidate, 1});
  if (const auto* const broken = std::get_if<BrokenCompiler>(answers.data()))
    return failure(
        fmt::format("{} is not a usable C++ compiler: {}", options.driver.front(), broken->reason));
  const auto& compiler = std::get<Compiler>(answers.front());
  return HostHeaders{compiler.family == Family::clang, compiler.version, compiler.include_directories,
                     compiler.target};
}

Result<HostHeaders> host_headers(const LibcOptions& options, const ProbeContext& context) {
  if (!options.driver.empty())
    return driver_headers(options, context);
  auto host = options.sysroot.empty() ? loose_host(options, context) : sysroot_host(options, context);
  if (host)
    complete(*host, context);
  return host;
}

Result<LibcAnswer> answer(const LibcOptions& options, const ProbeContext& context) {
  const std::int64_t asked = now();
  TRY_ASSIGN(const auto toolkit, toolkit_headers(options, context));
  TRY_ASSIGN(const auto host, host_headers(options, context));
  auto compared = compare_declarations(toolkit, host, context.resources);
  if (!compared)
    return failure(fmt::format("the declarations could not be compared: {}", compared.error().message),
                   compared.error().hint);
  return LibcAnswer{*std::move(compared), asked};
}

} // namespace

int run_libc(const ProbeContext& context, std::span<const char* const> arguments) {
  return answered(context, libc_options(arguments), answer, [&](const auto& options, const auto& found) {
    fmt::print("{}", options.json ? libc_json(found, context.files) : libc_text(found, context.terminal));
    return found.comparison.clashes.empty() ? probe_fine : probe_found;
  });
}

} // namespace hostpin::probe
