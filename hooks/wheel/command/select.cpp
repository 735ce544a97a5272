// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/select.hpp"

#include "hooks/wheel/command/commands.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/options/options.hpp"

#include <cstdio>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::wheel {

namespace {

using Json = nlohmann::ordered_json;

/// A tag such as `manylinux_2_28_x86_64`, or this machine's as one.
Result<void> set_platform(Machine& machine, std::string tag) {
  if (tag.empty()) {
    utsname system{};
    uname(&system);
    const auto glibc = parse_version(gnu_get_libc_version());
    tag = fmt::format("manylinux_2_{}_{}", glibc ? glibc->minor : 0, system.machine);
  }
  constexpr std::string_view start = "manylinux_2_";
  machine.architecture = architecture_of_tag(tag);
  const bool is_tag = tag.starts_with(start) && tag.ends_with('_' + machine.architecture);
  const auto minor = is_tag ? parse_version(std::string_view(tag).substr(
                                  start.size(), tag.size() - start.size() - 1 - machine.architecture.size()))
                            : std::nullopt;
  if (!minor || minor->minor != 0)
    return failure("--platform takes a tag such as manylinux_2_28_x86_64, not " + escaped(tag));
  machine.glibc = minor->major;
  return {};
}

Result<Machine> machine_of(const Context& context, const SelectOptions& options) {
  Machine machine;
  const auto python = parse_version(options.python);
  if (!python || python->major != 3)
    return failure("--python takes a version such as 3.12, not " + escaped(options.python));
  machine.python = python->minor;
  machine.python_patch = python->patch;
  TRY(set_platform(machine, options.platform));
  if (!options.driver.empty()) {
    const auto drivers = gpus::load_drivers(context.files, context.data);
    auto driver = drivers ? gpus::driver_named(*drivers, options.driver) : tl::unexpected(drivers.error());
    if (!driver)
      return tl::unexpected(driver.error());
    machine.driver = *std::move(driver);
  }
  if (!options.gpu.empty()) {
    const auto gpu = gpus::capability_named(options.gpu);
    if (!gpu || *gpu != gpus::baseline(*gpu))
      return failure("--gpu takes the compute capability of a GPU, such as 9.0, not " + escaped(options.gpu));
    machine.gpu = *gpu;
  }
  return machine;
}

Json json_of(const Selection& selection) {
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  Json json{{"schema", 1},
            {"wheel", or_null(selection.chosen)},
            {"variant", or_null(selection.label)},
            {"properties", texts_of(selection.properties)},
            {"missing", Json::array()},
            {"rejected", Json::array()}};
  for (const MissingCode& one : selection.missing)
    json["missing"].push_back(
        {{"member", one.member}, {"fatbin", one.fatbin}, {"kernels", one.kernels}, {"reason", one.reason}});
  for (const RejectedWheel& one : selection.rejected)
    json["rejected"].push_back({{"wheel", one.file}, {"reason", one.reason}});
  return json;
}

std::string text_of(const Selection& selection) {
  constexpr std::size_t most = 20;
  std::string text = selection.chosen.empty() ? "no wheel is compatible\n" : escaped(selection.chosen) + '\n';
  for (const std::string& property : texts_of(selection.properties))
    text += "  " + property + '\n';
  for (const RejectedWheel& one : selection.rejected)
    text += fmt::format("not {}: {}\n", escaped(one.file), escaped(one.reason));
  for (std::size_t i = 0; i < selection.missing.size() && i < most; ++i) {
    const MissingCode& one = selection.missing[i];
    std::string kernels;
    for (const std::string& kernel : one.kernels)
      kernels += (kernels.empty() ? " (" : ", ") + escaped(kernel);
    text += fmt::format("missing: fatbin {}{} of {}: {}\n", one.fatbin, kernels.empty() ? "" : kernels + ')',
                        escaped(one.member), one.reason);
  }
  if (selection.missing.size() > most)
    text += fmt::format("missing: and {} more; --json lists all\n", selection.missing.size() - most);
  return text;
}

Result<int> select_wheel(const Context& context, const SelectOptions& options) {
  TRY_ASSIGN(const auto machine, machine_of(context, options));
  TRY_ASSIGN(const auto gpus, gpus::load_gpus(context.files, context.data));
  TRY_ASSIGN(const auto selection, select({options.directory, options.name, options.version}, machine, gpus));
  const std::string text = options.json
                               ? json_of(selection).dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                               : text_of(selection);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return selection.chosen.empty() || !selection.missing.empty() ? exit_found : exit_clean;
}

} // namespace

Result<int> run_select(const Context& context, Arguments arguments) {
  const auto options = select_options(arguments);
  if (!options)
    return tl::unexpected(options.error());
  if (options->help.empty())
    return select_wheel(context, *options);
  std::fputs(options::wrapped_help(options->help, context.terminal.width()).c_str(), stdout);
  return exit_clean;
}

} // namespace hostpin::wheel
