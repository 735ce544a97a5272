// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/document/reader.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/redist/check/documents.hpp"
#include "toolchains/redist/check/report.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/tree/archive_check.hpp"
#include "toolchains/redist/tree/proof.hpp"
#include "toolchains/redist/tree/root_rules.hpp"

#include <algorithm>
#include <cstdio>
#include <gnu/libc-version.h>
#include <iterator>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

namespace hostpin::redist {

namespace {

struct CheckOptions {
  std::string help;
  std::vector<std::string> paths;
  std::string against;  ///< a lock; may be empty
  TreeSources archives; ///< of which archives are checked too, if it is not empty
  std::vector<std::string> gpus;
  std::string fail_on = "error";
  bool json = false;
  bool sarif = false;
};

bool wants_archives(const TreeSources& sources) {
  return !sources.archives.empty() || !sources.store.empty();
}

Result<CheckOptions> check_options(Arguments arguments) {
  CLI::App app{
      "Checks manifests of NVIDIA's redistributables, feature manifests, lists of releases and "
      "locks: shape, content, and what several of them show together; and composed toolkits: each "
      "file, and what is missing. Only what is named by a URL is fetched. `redist rules` lists what is "
      "found.",
      "hostpin redist check"};
  options::add_usage(app, {"FILE|DIRECTORY|URL... [--archives DIR | --store DIR] [OPTION]..."});
  app.footer("Exit code: 0 nothing found at the level of --fail-on, 1 something was found, 2 a file is not "
             "readable.");
  CheckOptions chosen;
  app.add_option("--against", chosen.against, "a lock: its manifests must be the ones that it was made from")
      ->type_name("LOCK");
  app.add_option("--archives", chosen.archives.archives,
                 "check the archives of the manifests in this directory too: hashes and content")
      ->type_name("DIR");
  app.add_option("--store", chosen.archives.store, "the same for a store of `redist fetch`")
      ->type_name("DIR");
  app.add_option("--gpus", chosen.gpus,
                 "capabilities, such as 8.7,9.0, that libraries of archives should have code for")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--fail-on", chosen.fail_on, "the lowest severity that causes exit code 1; default: error")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"error", "warning", "note", "never"}));
  app.add_flag("--json", chosen.json, "the findings as JSON");
  app.add_flag("--sarif", chosen.sarif, "the findings as SARIF 2.1.0");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<CheckOptions>(operands);
  chosen.paths = operands->words;
  if (chosen.paths.empty())
    return options::misuse(app, "check needs a file, directory or URL");
  if (!chosen.archives.archives.empty() && !chosen.archives.store.empty())
    return options::misuse(app, "--archives and --store cannot be combined");
  if (!chosen.gpus.empty() && !wants_archives(chosen.archives))
    return options::misuse(app, "--gpus needs --archives or --store");
  if (chosen.json && chosen.sarif)
    return options::misuse(app, "--json and --sarif cannot be combined");
  return chosen;
}

/// Appends the findings about a composed toolkit.
Result<void> check_toolkit(const Context& context, const std::string& directory,
                           std::vector<Finding>& findings) {
  TRY_ASSIGN(const auto facts, load_tree_facts(context.files, context.data));
  TRY_ASSIGN(auto found, check_root(directory, facts, {parse_version(::gnu_get_libc_version()), {}}));
  for (Finding& one : found) {
    one.file.insert(0, directory + '/');
    findings.push_back(std::move(one));
  }
  return {};
}

/// Reads files for `documents`, and checks composed toolkits; the number of those.
Result<std::size_t> read_paths(const Context& context, const CheckOptions& options, Documents& documents,
                               std::vector<Finding>& findings) {
  std::size_t toolkits = 0;
  for (const std::string& path : options.paths) {
    if (is_composed_root(path)) {
      TRY(check_toolkit(context, path, findings));
      ++toolkits;
      continue;
    }
    const auto files = document_files(context.files, path);
    if (!files)
      return tl::unexpected(files.error());
    for (const std::string& file : *files)
      TRY(read_document(context.files, file, file == path, documents, findings));
  }
  if (documents.count() == 0 && toolkits == 0)
    return failure(options.paths.front() +
                       ": none of the files below it is a manifest, a list of releases or a lock",
                   "name a manifest, such as redistrib_12.4.1.json, or a directory with manifests");
  return toolkits;
}

Result<void> compare_with_lock(const Context& context, const std::string& path, const Documents& documents,
                               std::vector<Finding>& findings) {
  if (path.empty())
    return {};
  TRY_ASSIGN(const auto content, context.files.read(path, document::largest_document));
  TRY_ASSIGN(const auto lock, read_lock(content, path));
  if (check_against(lock, documents.manifests, findings) == 0)
    return failure("none of the files is a manifest of " + path,
                   "name the manifests that the lock was made from");
  return {};
}

Result<WantedGpus> wanted_gpus(const Context& context, const std::vector<std::string>& names) {
  WantedGpus gpus;
  for (const std::string& name : names) {
    const auto capability = gpus::capability_named(name);
    if (!capability)
      return failure(document::quoted(name) + " is not a compute capability",
                     "write capabilities as in 8.7,9.0");
    gpus.wanted.push_back(*capability);
  }
  auto table = gpus::load_gpus(context.files, context.data);
  if (!table)
    return tl::unexpected(table.error());
  gpus.table = *std::move(table);
  return gpus;
}

/// Appends what is found in the archives of all manifests.
Result<void> check_content(const Context& context, const CheckOptions& options, const Documents& documents,
                           const Facts& facts, std::vector<Finding>& findings) {
  if (!wants_archives(options.archives))
    return {};
  TRY_ASSIGN(const auto content_facts, load_content_facts(context.files, context.data));
  TRY_ASSIGN(const auto gpus, wanted_gpus(context, options.gpus));
  std::size_t checked = 0;
  for (const CheckedManifest& one : documents.manifests) {
    auto found = check_archives(well_formed_archives(one.manifest), options.archives, facts, content_facts,
                                gpus, context.environment);
    if (!found.errors.empty())
      return tl::unexpected(found.errors.front());
    checked += found.checked;
    std::move(found.findings.begin(), found.findings.end(), std::back_inserter(findings));
  }
  if (checked == 0)
    return failure(
        "none of the manifests' archives is in " + options.archives.archives + options.archives.store,
        options.archives.store.empty()
            ? "download them there below their paths in the manifest, or use `hostpin redist fetch`"
            : "run `hostpin redist fetch` with a lock of these manifests and this store first");
  return {};
}

int exit_code(const std::vector<Finding>& findings, const Documents& documents, const CheckOptions& options) {
  if (documents.unreadable != 0)
    return exit_failed;
  const auto most = most_severe(findings);
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error})
    if (to_string(severity) == options.fail_on)
      return most && *most >= severity ? exit_found : exit_clean;
  return exit_clean;
}

Result<int> check(const Context& context, const CheckOptions& chosen) {
  TRY_ASSIGN(const auto facts, load_facts(context.files, context.data));
  Documents documents;
  std::vector<Finding> findings;
  TRY_ASSIGN(const auto toolkits, read_paths(context, chosen, documents, findings));
  check_documents(documents, facts, findings);
  TRY(compare_with_lock(context, chosen.against, documents, findings));
  TRY(check_content(context, chosen, documents, facts, findings));
  sort(findings);
  const std::size_t count = documents.count() + toolkits;
  const std::string text = chosen.json    ? report_json(findings, count)
                           : chosen.sarif ? report_sarif(findings, HOSTPIN_VERSION)
                                          : report_text(findings, count, context.terminal);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_code(findings, documents, chosen);
}

} // namespace

Result<int> run_check(const Context& context, Arguments arguments) {
  return run_with(context, check_options(arguments), [](const Context& offline, const CheckOptions& chosen) {
    return with_documents(offline, chosen.paths,
                          [&](const Context& fetched) { return check(fetched, chosen); });
  });
}

} // namespace hostpin::redist
