// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/lock.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/options/progress_line.hpp"
#include "toolchains/redist/check/documents.hpp"
#include "toolchains/redist/check/report.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/select/release_list.hpp"
#include "toolchains/redist/select/selection.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace hostpin::redist {

namespace {

struct LockOptions {
  std::string help;
  std::vector<std::string> files;
  std::vector<std::string> bases; ///< PRODUCT=URL
  Wish wish;
  std::string output = "redist.lock";
};

/// `12`, `cuda12` or `13.3`.
bool is_variant(std::string_view text) {
  if (text.starts_with("cuda"))
    text.remove_prefix(4);
  return !text.empty() && text.front() != '.' && text.back() != '.' &&
         text.find("..") == std::string_view::npos &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

Result<LockOptions> lock_options(Arguments arguments) {
  CLI::App app{"Selects archives of manifests, and writes every choice and every hash to one file. The same "
               "manifests and options give the same bytes.",
               "hostpin redist lock"};
  options::add_usage(app, {"MANIFEST|URL... [RELEASES]... --platforms PLATFORM,... [OPTION]..."});
  LockOptions chosen;
  app.add_option("--platforms", chosen.wish.platforms,
                 "NVIDIA's names of platforms, such as linux-x86_64,linux-sbsa")
      ->type_name("LIST")
      ->delimiter(',');
  app.add_option("--packages", chosen.wish.packages,
                 "packages by their keys; default: all. PACKAGE@PLATFORM is for one platform only")
      ->type_name("LIST")
      ->delimiter(',');
  app.add_option(
         "--cuda-variant", chosen.wish.cuda_variant,
         "CUDA release of what is published for several, such as 12; default: that of the CUDA manifest")
      ->type_name("N");
  app.add_option("--base", chosen.bases,
                 "where the archives of a product are, in place of NVIDIA's server; may be repeated")
      ->type_name("PRODUCT=URL")
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false);
  app.add_option("-o,--output", chosen.output, "the lock; default: redist.lock; - is standard output")
      ->type_name("FILE");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<LockOptions>(operands);
  chosen.files = operands->words;
  if (chosen.files.empty())
    return options::misuse(app, "lock needs a manifest");
  if (chosen.wish.platforms.empty())
    return options::misuse(app, "lock needs --platforms");
  if (!chosen.wish.cuda_variant.empty() && !is_variant(chosen.wish.cuda_variant))
    return options::misuse(app,
                           "--cuda-variant " + chosen.wish.cuda_variant + " is no CUDA release, such as 12");
  for (const std::string& base : chosen.bases) {
    const std::size_t equals = base.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == base.size())
      return options::misuse(app, "--base " + without_user(base) + " is not PRODUCT=URL");
    TRY(check_no_user(base));
    chosen.wish.bases[base.substr(0, equals)] = base.substr(equals + 1);
  }
  return chosen;
}

/// Reads manifests and lists of releases.
Result<Documents> read_documents(const Context& context, const std::vector<std::string>& files,
                                 std::vector<Finding>& findings) {
  Documents documents;
  for (const std::string& file : files) {
    const std::size_t others = documents.locks + documents.features.size();
    TRY(read_document(context.files, file, true, documents, findings));
    if (documents.locks + documents.features.size() != others)
      return failure(escaped(file) + (documents.locks != 0 ? " is a lock" : " is a feature manifest") +
                         ", and locks are made of manifests",
                     "name the manifest, such as redistrib_12.4.1.json");
  }
  return documents;
}

/// The CUDA release that lists of releases are searched for.
std::string cuda_release(const Documents& documents, const Wish& wish) {
  std::string release = cuda_of(documents.manifests, wish);
  for (const CheckedManifest& one : documents.manifests) // of several majors the first one
    if (release.empty() && product_of(one.manifest) == "cuda")
      release = label_of(one.manifest);
  return release;
}

/// Adds the release of each list that fits the manifests.
Result<void> select_releases(const Context& context, const Facts& facts, const Wish& wish,
                             Documents& documents) {
  for (const Releases& list : documents.releases) {
    TRY_ASSIGN(const auto content, context.files.read(list.file, document::largest_document));
    const Product* const row = facts.product(list.product);
    const auto given = wish.bases.find(list.product);
    ReleaseWish wanted{cuda_release(documents, wish), wish.platforms, {}, given != wish.bases.end()};
    if (given != wish.bases.end())
      wanted.base = given->second.ends_with('/') ? given->second : given->second + '/';
    else if (row != nullptr)
      wanted.base = row->base;
    TRY_ASSIGN(auto release, newest_release(list, sha256_of(content), wanted));
    documents.manifests.push_back(std::move(release));
  }
  return {};
}

void print_findings(std::vector<Finding>& findings) {
  sort(findings);
  std::string text;
  for (const Finding& one : findings)
    text += finding_line(one);
  print_error(text);
}

/// Each --base is for a product that is locked.
Result<void> check_bases(const Wish& wish, const Lock& lock) {
  for (const auto& [product, url] : wish.bases)
    if (std::ranges::find(lock.manifests, product, &LockedManifest::product) == lock.manifests.end())
      return failure("--base: no manifest is of the product '" + escaped(product) + '\'',
                     "the manifests are of " + joined(lock.manifests, ", ", &LockedManifest::product));
  return {};
}

std::string summary(const Selection& selected, const std::string& output) {
  std::uint64_t bytes = 0;
  std::string titles;
  for (const LockedArchive& archive : selected.lock.archives)
    bytes += archive.size.value_or(0);
  for (const LockedManifest& manifest : selected.lock.manifests)
    titles += (titles.empty() ? "" : ", ") + manifest.product + ' ' + manifest.label;
  const std::size_t archives = selected.lock.archives.size();
  std::string text = "hostpin: " + output + ": " + std::to_string(archives) +
                     (archives == 1 ? " archive of " : " archives of ") + titles + ", " +
                     options::amount_text(bytes) + '\n';
  for (const auto& [platform, packages] : selected.left_out) {
    text += "hostpin: not published for " + platform + ':';
    for (const std::string& package : packages)
      text += ' ' + package;
    text += '\n';
  }
  return text;
}

Result<int> lock(const Context& context, const LockOptions& chosen) {
  TRY_ASSIGN(const auto facts, load_facts(context.files, context.data));
  std::vector<Finding> findings;
  TRY_ASSIGN(auto documents, read_documents(context, chosen.files, findings));
  check_documents(documents, facts, findings);
  const auto added = select_releases(context, facts, chosen.wish, documents);
  forgive_unselected(documents.manifests, chosen.wish, findings);
  print_findings(findings);
  if (most_severe(findings) == Severity::error)
    return failure(
        "no lock was made: the manifests have errors in what was selected",
        "get the manifest again from NVIDIA's server, or select without these packages or platforms; "
        "`hostpin redist rules` explains each error");
  if (!added)
    return tl::unexpected(added.error());
  TRY_ASSIGN(const auto selected, selection(facts, documents.manifests, chosen.wish));
  TRY(check_bases(chosen.wish, selected.lock));
  const bool prints = chosen.output == "-";
  TRY(write_output(prints ? "" : chosen.output, lock_text(selected.lock)));
  print_error(summary(selected, prints ? "standard output" : chosen.output));
  return exit_clean;
}

} // namespace

Result<int> run_lock(const Context& context, Arguments arguments) {
  return run_with(context, lock_options(arguments), [](const Context& offline, const LockOptions& chosen) {
    return with_documents(offline, chosen.files,
                          [&](const Context& fetched) { return lock(fetched, chosen); });
  });
}

} // namespace hostpin::redist
