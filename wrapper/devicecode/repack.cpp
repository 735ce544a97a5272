// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/repack.hpp"

#include "toolchains/base/threads.hpp"
#include "toolchains/gpus/drivers.hpp"
#include "wrapper/devicecode/commands.hpp"
#include "wrapper/devicecode/source.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

/// Which NVIDIA drivers decompress it.
std::string needed_driver(const devicecode::Repacked& repacked, const std::vector<gpus::Driver>& drivers) {
  const auto first =
      std::find_if(drivers.begin(), drivers.end(), [](const gpus::Driver& each) { return each.zstd; });
  if (!repacked.zstd || first == drivers.end())
    return "every NVIDIA driver that runs its code decompresses it";
  return fmt::format("it needs NVIDIA driver {} (CUDA {}) or newer, because of zstd",
                     to_string(first->version), to_string(first->cuda));
}

/// A link keeps leading to the file.
std::string output_of(const RepackOptions& options) {
  if (options.output)
    return *options.output;
  std::error_code missing;
  const std::string real = std::filesystem::canonical(options.path, missing).string();
  return missing ? options.path : real;
}

int repack(const Context& context, const RepackOptions& options) {
  const auto mode = fatbin::compress_mode_named(options.compress);
  if (options.all && *mode == fatbin::CompressMode::none)
    return failed({"--all compresses all device code, and --compress none nothing", "leave one of them out"});
  const auto drivers = gpus::load_drivers(context.files, context.tree.data);
  if (!drivers)
    return failed(drivers.error());
  if (options.output)
    if (const auto wrong = wrong_output(*options.output, {options.path}))
      return failed(*wrong);
  const auto file = open_source(options.path);
  if (!file)
    return failed(file.error());
  if (file->source.code.slice_of)
    return failed({fmt::format("{} is a slice", file->source.name), "compress what it is merged into"});
  if (const auto refusal = forbidden(*file, options.licensed_to_modify)) {
    report(*refusal);
    return exit_refused;
  }
  auto repacked =
      devicecode::repacked(file->source.bytes, file->source.code, {*mode, options.all}, processor_threads());
  if (!repacked)
    return failed({fmt::format("{}: {}", file->source.name, repacked.error().message), {}});
  if (repacked->inflates) {
    report(
        {fmt::format("the device code of {} would become larger: --compress {} leaves machine code "
                     "uncompressed, as nvcc's mode of that name does",
                     file->source.name, options.compress),
         "--all compresses it too, as fatbinary's -compress-all; --compress none decompresses everything"});
    return exit_refused;
  }
  if (repacked->after > repacked->before && *mode != fatbin::CompressMode::none)
    report_note(
        fmt::format("{} bytes of device code become {}: --compress {}{} compresses it less than it was",
                    repacked->before, repacked->after, options.compress, options.all ? " --all" : ""));
  const std::string output = output_of(options);
  if (const auto written =
          write_with_fatbins(*file, std::move(repacked->fatbins), {}, output,
                             options.in_place ? devicecode::Properties::all : devicecode::Properties::mode);
      !written)
    return failed(written.error());
  fmt::print("{}: {} bytes of device code became {}; {}\n", output, repacked->before, repacked->after,
             needed_driver(*repacked, *drivers));
  return exit_fine;
}

} // namespace

int run_fatbin_repack(const Context& context, const RepackOptions& options) {
  return run_and_commit(context, [&](const Context& inner) { return repack(inner, options); });
}

} // namespace hostpin::command
