// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/needs/names.hpp"

#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

namespace hostpin::redist {

namespace {

PackageNames names_row(document::Reader& row) {
  PackageNames names;
  names.packages = row.required_strings("packages");
  names.conda = row.required("conda");
  names.split = row.boolean("split").value_or(false);
  names.pip = row.required("pip");
  row.required("source");
  return names;
}

using Spelling = std::function<std::string(const PackageNames&, const std::string& output)>;

/// The names of all parts, each once, sorted.
Result<std::vector<std::string>> spelled(const Recipe& recipe, const std::vector<NeededPart>& parts,
                                         const Spelling& spelling) {
  std::set<std::string> all;
  for (const NeededPart& part : parts) {
    const auto row = std::ranges::find_if(recipe.names, [&](const PackageNames& names) {
      return std::ranges::find(names.packages, part.package) != names.packages.end();
    });
    if (row == recipe.names.end())
      return failure("it is not known what " + escaped(part.package) + " is called there",
                     "add a row to share/hostpin/data/redist-names.toml, or use --for compose or nix, which "
                     "have NVIDIA's names");
    all.insert(spelling(*row, part.output));
  }
  return std::vector<std::string>(all.begin(), all.end());
}

std::string conda_name(const PackageNames& names, const std::string& output) {
  return names.conda + (!names.split ? "" : output == "static" ? "-static" : output == "lib" ? "" : "-dev");
}

Result<std::string> conda_text(const Recipe& recipe) {
  std::vector<NeededPart> tools, libraries;
  for (const NeededPart& part : recipe.needs.build)
    (part.output == "bin" ? tools : libraries).push_back(part);
  std::string text = "# Made by `hostpin redist needs`.\nrequirements:\n";
  const std::array<std::pair<const char*, const std::vector<NeededPart>*>, 3> sections{
      {{"build", &tools}, {"host", &libraries}, {"run", &recipe.needs.run}}};
  for (const auto& [name, parts] : sections) {
    TRY_ASSIGN(const auto names, spelled(recipe, *parts, conda_name));
    text += std::string("  ") + name + (names.empty() ? ": []\n" : ":\n");
    for (const std::string& one : names)
      text += "    - " + one + '\n';
  }
  return text;
}

/// The CUDA release of the toolkit, `12.4`; empty if it is not known.
std::string release_of(const Origin& origin) {
  for (const LockedArchive& archive : origin.archives)
    if (archive.product == "cuda")
      return archive.label.substr(0, archive.label.find('.', archive.label.find('.') + 1));
  return {};
}

/// Wheels have whole packages, so what is needed where programs run is in the same line.
Result<std::string> pip_text(const Recipe& recipe) {
  std::vector<NeededPart> parts = recipe.needs.build;
  parts.insert(parts.end(), recipe.needs.run.begin(), recipe.needs.run.end());
  const auto names =
      spelled(recipe, parts, [](const PackageNames& one, const std::string&) { return one.pip; });
  if (!names)
    return tl::unexpected(names.error());
  const std::string extras = joined(*names, ",");
  const std::string release = release_of(recipe.origin);
  return "# Made by `hostpin redist needs`.\ncuda-toolkit[" + extras + ']' +
         (release.empty() ? "" : "==" + release + ".*") + '\n';
}

std::string nix_list(const std::vector<NeededPart>& parts) {
  std::set<std::string> items; // an archive for each of several platforms is one package
  for (const NeededPart& part : parts)
    items.insert("    (lib.getOutput \"" + part.output + "\" cudaPackages." + part.package + ")\n");
  std::string text = "[\n";
  for (const std::string& item : items)
    text += item;
  return text + "  ];\n";
}

Result<std::string> nix_text(const Recipe& recipe) {
  std::vector<NeededPart> tools, inputs;
  for (const NeededPart& part : recipe.needs.build)
    (part.output == "bin" ? tools : inputs).push_back(part);
  for (const NeededPart& part : recipe.needs.run)
    if (std::ranges::none_of(inputs, [&](const NeededPart& one) { return name_of(one) == name_of(part); }))
      inputs.push_back(part);
  return "# Made by `hostpin redist needs`.\n{ lib, cudaPackages }:\n{\n  nativeBuildInputs = " +
         nix_list(tools) + "  buildInputs = " + nix_list(inputs) + "}\n";
}

Result<std::string> compose_text(const Recipe& recipe) {
  std::set<std::string> parts;
  for (const auto* const list : {&recipe.needs.build, &recipe.needs.run})
    for (const NeededPart& part : *list)
      parts.insert(name_of(part));
  return joined(parts, ",") + '\n';
}

constexpr RecipeForm forms_table[] = {
    {"compose", "a list for `hostpin redist compose --outputs`", compose_text},
    {"conda", "the `requirements` section of a recipe, with conda-forge's names", conda_text},
    {"nix", "a function of lib and cudaPackages, with inputs", nix_text},
    {"pip", "a line of a requirements file", pip_text},
};

} // namespace

Result<std::vector<PackageNames>> load_package_names(const Files& files, const std::string& directory) {
  std::vector<PackageNames> rows;
  TRY(document::read_tables(files, directory + "/redist-names.toml", {}, [&](document::Reader& document) {
    document.rows("name", "a row has `packages`, `conda`, `split`, `pip`, `source`", rows, names_row);
  }));
  return rows;
}

std::span<const RecipeForm> recipe_forms() {
  return forms_table;
}

} // namespace hostpin::redist
