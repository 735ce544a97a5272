// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/select/difference.hpp"
#include "toolchains/redist/store/store.hpp"
#include "toolchains/redist/tree/features.hpp"

#include <cstdio>
#include <optional>
#include <utility>

namespace hostpin::redist {

namespace {

struct DiffOptions {
  std::string help;
  std::string from, to, store;
  bool json = false;
};

Result<DiffOptions> diff_options(Arguments arguments) {
  CLI::App app{"What differs between two manifests, locks or feature manifests: what breaks, what has to be "
               "fetched, and each package. "
               "The exit code is 0 if they are the same, 1 if they differ, and 2 if one cannot be read.",
               "hostpin redist diff"};
  options::add_usage(app, {"OLD NEW [--store DIR] [--json]"});
  DiffOptions chosen;
  app.add_option("--store", chosen.store,
                 "the store that `redist fetch` unpacked archives of both to: compares contents, too")
      ->type_name("DIR");
  app.add_flag("--json", chosen.json, "print JSON");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<DiffOptions>(operands);
  if (operands->words.size() != 2)
    return options::misuse(app, "diff needs two manifests, locks or feature manifests");
  chosen.from = operands->words[0];
  chosen.to = operands->words[1];
  return chosen;
}

/// What users depend on in the tree of an archive; nothing if the store does not have it.
Result<std::optional<ReleaseContent>> content_in(const Store& store, const std::string& sha256,
                                                 const std::string& package, const ContentFacts& facts) {
  const auto tree = store.tree(sha256);
  if (!tree)
    return std::nullopt;
  const auto contents = inspect(tree->path, package, facts);
  if (!contents)
    return tl::unexpected(contents.error());
  ReleaseContent content;
  for (std::string& output : outputs_of(*contents))
    content.outputs.insert(std::move(output));
  for (const Binary& binary : contents->binaries) {
    if (binary.output != "lib" || binary.kind != Binary::Kind::library)
      continue;
    if (!binary.soname.empty())
      content.sonames.insert(binary.soname);
    for (const gpus::Capability& capability : binary.machine_code)
      content.gpus.insert("sm_" + gpus::digits(capability));
  }
  return content;
}

/// Adds the contents of archives that are in both releases and differ. Returns how many of them are not in
/// the store.
Result<std::size_t> add_contents(const Context& context, const std::string& directory, Release& from,
                                 Release& to) {
  const auto facts = load_content_facts(context.files, context.data);
  if (!facts)
    return tl::unexpected(facts.error());
  const Store store(directory);
  std::size_t absent = 0;
  for (auto& [name, package] : from.packages) {
    const auto other = to.packages.find(name);
    if (other == to.packages.end())
      continue;
    for (auto& [key, archive] : package.archives) {
      const auto newer = other->second.archives.find(key);
      if (newer == other->second.archives.end() || newer->second.sha256 == archive.sha256)
        continue;
      for (ReleaseArchive* const one : {&archive, &newer->second}) {
        auto content = content_in(store, one->sha256, name, *facts);
        if (!content)
          return tl::unexpected(content.error());
        absent += *content ? 0 : 1;
        one->content = *std::move(content);
      }
    }
  }
  return absent;
}

} // namespace

Result<int> run_diff(const Context& context, Arguments arguments) {
  const auto chosen = diff_options(arguments);
  if (!chosen)
    return tl::unexpected(chosen.error());
  if (!chosen->help.empty())
    return print_help(context, chosen->help);
  const auto facts = load_facts(context.files, context.data);
  if (!facts)
    return tl::unexpected(facts.error());
  auto from = read_release(context.files, chosen->from);
  if (!from)
    return tl::unexpected(from.error());
  auto to = read_release(context.files, chosen->to);
  if (!to)
    return tl::unexpected(to.error());
  if (!chosen->store.empty()) {
    const auto absent = add_contents(context, chosen->store, *from, *to);
    if (!absent)
      return tl::unexpected(absent.error());
    if (*absent > 0)
      print_error("hostpin: note: " + std::to_string(*absent) + " archives that differ are not in " +
                  chosen->store + "; their contents are not compared\n");
  }
  const Difference found = difference(*facts, *from, *to);
  std::fputs((chosen->json ? json_of(found) : text_of(found)).c_str(), stdout);
  return found.is_none() ? exit_clean : exit_found;
}

} // namespace hostpin::redist
