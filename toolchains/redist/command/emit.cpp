// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/emit/emit.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/command/release_contents.hpp"
#include "toolchains/redist/manifest.hpp"
#include "toolchains/redist/tree/proof.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <CLI/CLI.hpp>

namespace hostpin::redist {

namespace {

struct EmitOptions {
  std::string help;
  std::string lock, form, platform, product, prefix, output;
};

Result<EmitOptions> emit_options(Arguments arguments) {
  CLI::App app{
      "Prints the archives of a lock for other build systems: each with its URL and its SHA-256, which the "
      "build system verifies. Of a composed toolkit what is in it, as SPDX, with the license of each "
      "package.",
      "hostpin redist emit"};
  options::add_usage(app, {"LOCK --for FORM [OPTION]...", "DIR --for spdx [-o FILE]"});
  EmitOptions chosen;
  std::string forms_text;
  for (const Form& form : forms())
    forms_text.append(forms_text.empty() ? "" : "; ").append(form.name).append(": ").append(form.description);
  app.add_option("--for", chosen.form, forms_text)->type_name("FORM");
  app.add_option("--platform", chosen.platform, "only the archives of this platform, and those for all")
      ->type_name("P");
  app.add_option("--product", chosen.product, "only the archives of this product, such as cudnn")
      ->type_name("NAME");
  app.add_option("--prefix", chosen.prefix, "absolute path of the composed tree, for spack")
      ->type_name("DIR");
  app.add_option("-o,--output", chosen.output, "a file; default, and -: standard output")->type_name("FILE");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<EmitOptions>(operands);
  if (operands->words.size() != 1)
    return options::misuse(app, "emit needs a lock or a composed toolkit");
  chosen.lock = operands->words.front();
  if (chosen.form.empty())
    return options::misuse(app, "emit needs --for");
  if (!chosen.prefix.empty() && !chosen.prefix.starts_with('/'))
    return options::misuse(app, "--prefix " + chosen.prefix + " is not an absolute path");
  return chosen;
}

Result<const Form*> form_named(const std::string& name) {
  std::vector<std::string> known;
  for (const Form& form : forms())
    if (form.name == name)
      return &form;
    else
      known.emplace_back(form.name);
  const std::string near = nearest(name, known);
  return failure("there is no form '" + escaped(name) + "'",
                 near.empty() ? "forms are " + joined(known) : "did you mean " + near + "?");
}

/// An error, which lists what there is, if no archive of the lock has `wanted`.
Result<void> require(const Lock& lock, const std::string& wanted, std::string LockedArchive::*field) {
  std::set<std::string> there;
  for (const LockedArchive& archive : lock.archives)
    there.insert(archive.*field);
  if (there.contains(wanted))
    return {};
  return failure("the lock has no archive for " + escaped(wanted), "it has " + joined(there, ", ", escaped));
}

/// Leaves the archives for one platform and for all platforms, the archives of one product, and their
/// manifests.
Result<Lock> limited(Lock lock, const std::string& platform, const std::string& product) {
  if (!product.empty()) {
    TRY(require(lock, product, &LockedArchive::product));
    std::erase_if(lock.archives, [&](const LockedArchive& archive) { return archive.product != product; });
  }
  if (!platform.empty()) {
    TRY(require(lock, platform, &LockedArchive::platform));
    std::erase_if(lock.archives,
                  [&](const LockedArchive& archive) { return !serves(archive.platform, platform); });
  }
  if (platform.empty() && product.empty())
    return lock;
  std::erase_if(lock.manifests, [&](const LockedManifest& manifest) {
    return std::ranges::none_of(lock.archives, [&](const LockedArchive& archive) {
      return archive.product == manifest.product && archive.label == manifest.label;
    });
  });
  return lock;
}

/// What is emitted: a lock, or the archives that a composed toolkit has files of, with their licenses.
struct Described {
  Lock lock;
  std::map<std::string, std::string> licenses; ///< by SHA-256 of the archive
};

Result<Described> described_toolkit(const Context& context, const std::string& directory) {
  constexpr std::size_t largest_license = std::size_t{4} << 20U;
  TRY_ASSIGN(auto origin, origin_at(directory));
  Described described{{manifests_of(origin), {}}, {}};
  std::set<std::size_t> used;
  for (const OriginEntry& entry : origin.entries) {
    if (!entry.archive)
      continue;
    used.insert(*entry.archive);
    if (entry.output != "license" || !entry.link.empty())
      continue;
    TRY_ASSIGN(const auto text, context.files.read(directory + '/' + entry.path, largest_license));
    std::string& all = described.licenses[origin.archives[*entry.archive].sha256];
    all += (all.empty() ? "" : "\n") + text;
  }
  for (const std::size_t index : used)
    described.lock.archives.push_back(std::move(origin.archives[index]));
  return described;
}

Result<Described> described(const Context& context, const EmitOptions& chosen, const Form& form) {
  if (is_composed_root(chosen.lock)) {
    if (form.name != "spdx")
      return failure(escaped(chosen.lock) + " is a composed toolkit, which --for spdx describes",
                     "name the lock that it was composed from");
    return described_toolkit(context, chosen.lock);
  }
  TRY_ASSIGN(const auto content, context.files.read(chosen.lock, document::largest_document));
  return read_lock(content, chosen.lock).map([](Lock lock) {
    for (LockedManifest& manifest : lock.manifests) { // of a lock that was edited
      manifest.base = without_user(manifest.base);
      manifest.url = without_user(manifest.url);
    }
    return Described{std::move(lock), {}};
  });
}

Result<int> emit(const Context& context, const EmitOptions& chosen) {
  TRY_ASSIGN(const auto form, form_named(chosen.form));
  TRY_ASSIGN(const auto facts, load_facts(context.files, context.data));
  TRY_ASSIGN(auto source, described(context, chosen, *form));
  TRY_ASSIGN(const auto lock, limited(std::move(source.lock), chosen.platform, chosen.product));
  TRY_ASSIGN(const auto text, form->text({facts, lock, chosen.prefix, std::move(source.licenses)}));
  TRY(write_output(chosen.output, text));
  return exit_clean;
}

} // namespace

Result<int> run_emit(const Context& context, Arguments arguments) {
  return run_with(context, emit_options(arguments), emit);
}

} // namespace hostpin::redist
