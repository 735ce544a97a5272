// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/audit/audit.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/redist/check/report.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/command/trees.hpp"

#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>

namespace hostpin::redist {

namespace {

struct AuditOptions {
  std::string help;
  std::string subject, lock, store, site, toolkit, sha256;
  bool all = false, json = false, sarif = false;
};

Result<AuditOptions> audit_options(Arguments arguments) {
  CLI::App app{
      "What of NVIDIA's is in a file, a tree or a wheel: which files are byte for byte NVIDIA's, which "
      "were changed and how, which have NVIDIA's code linked in, and which the license agreement lists "
      "as redistributable. It reports facts, and gives no legal advice.",
      "hostpin redist audit"};
  options::add_usage(app,
                     {"FILE|TREE|WHEEL [--lock LOCK --store DIR | --site DIR | --toolkit DIR] [OPTION]..."});
  app.footer("Exit code: 0 no file was changed, 1 files were changed, 2 something could not be read.");
  AuditOptions chosen;
  app.add_option("--lock", chosen.lock, "compare with the archives of this lock, of which --store has some")
      ->type_name("LOCK");
  app.add_option("--store", chosen.store, "directory that `redist fetch` unpacks archives into")
      ->type_name("DIR");
  app.add_option("--site", chosen.site,
                 "compare with NVIDIA's wheels that are installed in this site-packages")
      ->type_name("DIR");
  app.add_option("--toolkit", chosen.toolkit, "compare with the files of this toolkit")->type_name("DIR");
  app.add_option("--hash", chosen.sha256,
                 "SHA-256 of a wheel of NVIDIA's, as its index lists it, which proves all files of the wheel")
      ->type_name("HEX");
  app.add_flag("--all", chosen.all,
               "a line for each file, also for those that are unchanged or not NVIDIA's");
  app.add_flag("--json", chosen.json, "every file as JSON");
  app.add_flag("--sarif", chosen.sarif, "what was found as SARIF 2.1.0");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<AuditOptions>(operands);
  if (operands->words.size() != 1)
    return options::misuse(app, "audit needs one file, directory or wheel");
  if (chosen.lock.empty() != chosen.store.empty())
    return options::misuse(app, "--lock and --store need each other");
  if (!chosen.sha256.empty() && !is_hex_digest(chosen.sha256, 64))
    return options::misuse(app, "--hash needs 64 lower-case hexadecimal digits");
  if (chosen.json && chosen.sarif)
    return options::misuse(app, "--json and --sarif cannot be combined");
  chosen.subject = operands->words.front();
  return chosen;
}

/// A directory's path without slashes at its end.
std::string directory_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/'))
    path.pop_back();
  return path;
}

Result<void> add_lock(const Context& context, const AuditOptions& options, Originals& originals) {
  const auto text = context.files.read(options.lock, document::largest_document);
  const auto lock = text ? read_lock(*text, options.lock) : tl::unexpected(text.error());
  if (!lock)
    return tl::unexpected(lock.error());
  for (const LockedArchive& archive : lock->archives) {
    if (!is_in_store(options.store, archive))
      continue;
    TRY_ASSIGN(const auto tree, archive_tree(options.store, archive, false));
    originals.add_archive(name_of(archive),
                          "archive " + archive.sha256 + " of " + std::string(base_name(options.lock)),
                          tree.directory, tree.members);
  }
  return originals.is_empty()
             ? Result<void>(failure("no archive of " + escaped(options.lock) + " is in the store " +
                                        escaped(options.store),
                                    "run `hostpin redist fetch` with this lock and store first"))
             : Result<void>();
}

Result<Originals> originals_of(const Context& context, const AuditOptions& options) {
  Originals originals;
  Result<void> added;
  if (!options.lock.empty())
    added = add_lock(context, options, originals);
  if (added && !options.site.empty())
    added = originals.add_site(directory_path(options.site));
  if (added && !options.toolkit.empty())
    added = originals.add_toolkit(directory_path(options.toolkit));
  return added ? Result<Originals>(std::move(originals)) : tl::unexpected(added.error());
}

Result<int> audit(const Context& context, const AuditOptions& options) {
  TRY_ASSIGN(const auto facts, load_audit_facts(context.files, context.data));
  TRY_ASSIGN(auto originals, originals_of(context, options));
  TRY_ASSIGN(const auto subject, subject_at(directory_path(options.subject), options.sha256,
                                            context.environment["TMPDIR"].value_or("/tmp")));
  originals.hash(subject.sizes());
  const Audit result = audited(subject, originals, facts);
  const std::string text = options.json ? audit_json(result, facts)
                           : options.sarif
                               ? report_sarif(audit_findings(result), HOSTPIN_VERSION, "hostpin redist audit")
                               : audit_text(result, facts, options.all);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return result.is_incomplete() ? exit_failed : result.count(Verdict::changed) != 0 ? exit_found : exit_clean;
}

} // namespace

Result<int> run_audit(const Context& context, Arguments arguments) {
  return run_with(context, audit_options(arguments), audit);
}

} // namespace hostpin::redist
