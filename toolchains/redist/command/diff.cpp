// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/command/release_contents.hpp"
#include "toolchains/redist/select/difference.hpp"
#include "toolchains/redist/tree/proof.hpp"

#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>

namespace hostpin::redist {

namespace {

struct DiffOptions {
  std::string help;
  std::vector<std::string> files; ///< the old and the new one
  std::string platform;           ///< the only one to compare; empty: all
  TreeSources sources;            ///< of the contents of manifests and locks
  bool json = false;
};

Result<DiffOptions> diff_options(Arguments arguments) {
  CLI::App app{
      "What differs between two manifests, locks, feature manifests or composed toolkits: what breaks, what "
      "has to be fetched, and each package; of contents lost libraries, symbols, GPUs and outputs. "
      "The exit code is 0 if they are the same, 1 if they differ, and 2 if one cannot be read.",
      "hostpin redist diff"};
  options::add_usage(app, {"OLD NEW [--platform P] [--archives DIR | --store DIR] [--json]"});
  DiffOptions chosen;
  app.add_option("--archives", chosen.sources.archives,
                 "directory with archives of both: compares contents, too, which composed toolkits have")
      ->type_name("DIR");
  app.add_option("--store", chosen.sources.store, "the same for a store of `redist fetch`")->type_name("DIR");
  app.add_option("--platform", chosen.platform, "only the archives of this platform, and those for all")
      ->type_name("P");
  app.add_flag("--json", chosen.json, "print JSON");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<DiffOptions>(operands);
  if (operands->words.size() != 2)
    return options::misuse(app, "diff needs two manifests, locks, feature manifests or composed toolkits");
  if (!chosen.sources.archives.empty() && !chosen.sources.store.empty())
    return options::misuse(app, "--archives and --store cannot be combined");
  chosen.files = operands->words;
  return chosen;
}

/// Reads a release, and where its contents are. A composed toolkit has its own.
Result<Release> release_at(const Context& context, const std::string& path, const std::string& platform,
                           ReleaseContents& contents) {
  if (!is_composed_root(path))
    return platform.empty() ? read_release(context.files, path)
                            : read_release(context.files, path, {&platform, 1});
  TRY_ASSIGN(auto origin, origin_at(path));
  contents = ReleaseContents::of_root(path, origin);
  return release_of(Lock{manifests_of(origin), origin.archives});
}

/// Adds the contents of archives that are in both releases and differ. Returns how many of them are not
/// there.
Result<std::size_t> add_contents(Release& from, const ReleaseContents& in_from, Release& to,
                                 const ReleaseContents& in_to, const ContentFacts& facts) {
  std::size_t absent = 0;
  for (auto& [name, package] : from.packages) {
    const auto other = to.packages.find(name);
    if (other == to.packages.end())
      continue;
    for (auto& [key, archive] : package.archives) {
      const auto newer = other->second.archives.find(key);
      if (newer == other->second.archives.end() || newer->second.sha256 == archive.sha256)
        continue;
      for (const auto& [one, contents] : {std::pair(&archive, &in_from), std::pair(&newer->second, &in_to)}) {
        if (one->content)
          continue; // of a feature manifest
        auto content = contents->read(name, key.first, *one, facts);
        if (!content)
          return tl::unexpected(content.error());
        absent += *content ? 0 : 1;
        one->content = *std::move(content);
      }
    }
  }
  return absent;
}

Result<int> diff(const Context& context, const DiffOptions& chosen) {
  TRY_ASSIGN(const auto facts, load_facts(context.files, context.data));
  TRY_ASSIGN(const auto content_facts, load_content_facts(context.files, context.data));
  ReleaseContents in_from(chosen.sources, context.environment), in_to = in_from;
  TRY_ASSIGN(auto from, release_at(context, chosen.files[0], chosen.platform, in_from));
  TRY_ASSIGN(auto to, release_at(context, chosen.files[1], chosen.platform, in_to));
  if (!chosen.platform.empty()) {
    from = limited(std::move(from), chosen.platform);
    to = limited(std::move(to), chosen.platform);
    if (from.packages.empty() && to.packages.empty())
      return failure("neither of them has an archive for " + escaped(chosen.platform),
                     "name a platform as NVIDIA does, such as linux-x86_64");
  }
  if (in_from.are_known() && in_to.are_known()) {
    TRY_ASSIGN(const auto absent, add_contents(from, in_from, to, in_to, content_facts));
    if (absent > 0)
      print_error("hostpin: note: " + std::to_string(absent) + " archives that differ are not in " +
                  chosen.sources.archives + chosen.sources.store + "; their contents are not compared\n");
  }
  const Difference found = difference(facts, from, to);
  std::fputs((chosen.json ? json_of(found) : text_of(found)).c_str(), stdout);
  return found.is_none() ? exit_clean : exit_found;
}

} // namespace

Result<int> run_diff(const Context& context, Arguments arguments) {
  return run_with(context, diff_options(arguments), [](const Context& offline, const DiffOptions& chosen) {
    return with_documents(offline, chosen.files,
                          [&](const Context& fetched) { return diff(fetched, chosen); });
  });
}

} // namespace hostpin::redist
