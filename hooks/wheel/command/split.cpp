// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/split.hpp"

#include "hooks/wheel/command/commands.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/gpus/item.hpp"
#include "toolchains/options/options.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::wheel {

namespace {

using Json = nlohmann::ordered_json;

/// The listed GPUs, ascending. Variants of capabilities (`a`, `f`) have no property, and PTX alone has no
/// variant of its own.
Result<std::vector<gpus::Capability>> listed_gpus(const std::string& list, const Tables& tables) {
  TRY_ASSIGN(const auto expanded, gpus::expand(list, {tables.gpus, std::nullopt, false, {}}));
  std::vector<gpus::Capability> gpus;
  for (const gpus::GpuTarget& target : expanded.targets) {
    if (target.ptx || target.capability != gpus::baseline(target.capability))
      return failure(
          "--gpus takes GPUs such as 9.0: code for 9.0a stays in the variant for 9.0, and PTX in the null "
          "variant");
    gpus.push_back(target.capability);
  }
  return gpus;
}

Result<std::string> made_directory(const std::string& directory) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed)
    return failure(escaped(directory) + " cannot be made: " + failed.message(), "name another one with -o");
  return directory;
}

Json json_of(const SplitResult& result) {
  Json json{
      {"schema", 1}, {"wheels", Json::array()}, {"variants", result.variants_file}, {"left", Json::array()}};
  for (const WrittenVariant& one : result.wheels)
    json["wheels"].push_back({{"path", one.path},
                              {"label", one.label},
                              {"size", one.size},
                              {"properties", texts_of(one.properties)}});
  for (const LeftFile& one : result.left)
    json["left"].push_back({{"member", one.member}, {"reason", one.reason}});
  return json;
}

std::string text_of(const SplitResult& result) {
  constexpr double megabyte = 1e6;
  std::string text;
  for (const WrittenVariant& one : result.wheels) {
    const std::string properties = joined(texts_of(one.properties));
    text += fmt::format("{}: {:.1f} MB, {}\n", escaped(one.path), static_cast<double>(one.size) / megabyte,
                        properties.empty() ? "for every machine" : properties);
  }
  text +=
      fmt::format("{}: describes them to installers, next to the wheels\n", escaped(result.variants_file));
  for (const LeftFile& one : result.left)
    text += fmt::format("note: {} is the same in all of them: {}\n", escaped(one.member), one.reason);
  return text;
}

Result<int> split_wheel(const Context& context, const SplitOptions& options) {
  TRY_ASSIGN(const auto tables, load_tables(context, options.wheel));
  TRY_ASSIGN(auto gpus, listed_gpus(options.gpus, tables));
  const auto directory =
      made_directory(options.directory.empty() ? directory_of(options.wheel) : options.directory);
  if (!directory)
    return tl::unexpected(directory.error());
  const Splitting how{std::move(gpus), options.may_change_nvidia, options.level, reading_threads(),
                      *directory};
  TRY_ASSIGN(const auto result, split(options.wheel, tables, how, *directory));
  const std::string text = options.json
                               ? json_of(result).dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                               : text_of(result);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_clean;
}

} // namespace

Result<int> run_split(const Context& context, Arguments arguments) {
  const auto options = split_options(arguments);
  if (!options)
    return tl::unexpected(options.error());
  if (options->help.empty())
    return split_wheel(context, *options);
  std::fputs(options::wrapped_help(options->help, context.terminal.width()).c_str(), stdout);
  return exit_clean;
}

} // namespace hostpin::wheel
