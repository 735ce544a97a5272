// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/features.hpp"

#include "toolchains/options/options.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/tree/archive_trees.hpp"
#include "toolchains/redist/tree/listed.hpp"

#include <utility>

#include <CLI/CLI.hpp>

namespace hostpin::redist {

namespace {

struct FeaturesOptions {
  std::string help, file, platform, output;
  std::vector<std::string> packages;
  TreeSources sources;
};

Result<FeaturesOptions> read_command(Arguments arguments) {
  CLI::App app{
      "Computes a feature manifest: what is in the archives for a platform. Each archive is verified "
      "first.",
      "hostpin redist features"};
  options::add_usage(app, {"MANIFEST|LOCK --platform P [--package X,...] "
                           "(--archives DIR | --store DIR) [-o FILE]"});
  FeaturesOptions wanted;
  app.add_option("--platform", wanted.platform, "the platform, such as linux-sbsa")->type_name("P");
  app.add_option("--package", wanted.packages, "only these packages: names with commas, or the option again")
      ->type_name("X")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--archives", wanted.sources.archives,
                 "directory with the archives, as they are published or all in one")
      ->type_name("DIR");
  app.add_option("--store", wanted.sources.store, "the store that `redist fetch` unpacked them to")
      ->type_name("DIR");
  app.add_option("-o,--output", wanted.output, "file to write (default: standard output)")->type_name("FILE");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<FeaturesOptions>(operands);
  if (operands->words.size() != 1)
    return options::misuse(app, "redist features needs one manifest or lock");
  if (wanted.platform.empty())
    return options::misuse(app, "redist features needs --platform");
  if (wanted.sources.archives.empty() == wanted.sources.store.empty())
    return options::misuse(app, "redist features needs either --archives or --store");
  wanted.file = operands->words.front();
  return wanted;
}

InspectedArchive features_of(const ListedArchive& archive, UnpackedArchive unpacked, Contents contents) {
  return {archive.package,  archive.name,    archive.license,          archive.license_path, archive.version,
          archive.platform, archive.variant, std::move(unpacked.tree), std::move(contents)};
}

Result<std::string> compute(const Context& context, const FeaturesOptions& wanted) {
  TRY_ASSIGN(const auto content, context.files.read(wanted.file, document::largest_document));
  TRY_ASSIGN(const auto facts, load_content_facts(context.files, context.data));
  TRY_ASSIGN(const auto listed, listed_archives(content, wanted.file, wanted.platform, wanted.packages));
  std::vector<InspectedArchive> all;
  for (const ListedArchive& archive : listed) {
    auto unpacked = unpack_listed(archive, wanted.sources, context.environment);
    if (!unpacked)
      return tl::unexpected(unpacked.error().error);
    TRY_ASSIGN(auto contents, inspect(unpacked->path, archive.package, facts));
    all.push_back(features_of(archive, *std::move(unpacked), std::move(contents)));
  }
  return features_text(all, facts);
}

Result<int> features(const Context& context, const FeaturesOptions& wanted) {
  TRY_ASSIGN(const auto text, compute(context, wanted));
  TRY(write_output(wanted.output, text));
  return exit_clean;
}

} // namespace

Result<int> run_features(const Context& context, Arguments arguments) {
  return run_with(context, read_command(arguments), features);
}

} // namespace hostpin::redist
