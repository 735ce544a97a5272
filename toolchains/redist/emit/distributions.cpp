// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/emit/emit.hpp"
#include "toolchains/redist/emit/names.hpp"

#include <map>
#include <set>

namespace hostpin::redist {

namespace {

/// conda-build drops a line whose selector does not apply. Without one, the line would be in recipes for all
/// platforms.
Result<std::string> selector(const Facts& facts, const std::string& platform) {
  if (platform == "source")
    return "";
  if (platform == "linux-all")
    return "  # [linux]";
  const Platform* const row = facts.platform(platform);
  if (row == nullptr || row->conda.empty())
    return failure("no selector of conda is known for the platform " + escaped(platform),
                   "name another platform with --platform, or leave this one out of the lock");
  return "  # [" + row->conda + "]";
}

/// What Spack would call the release of a product in this lock.
std::string spack_version(const LockedArchive& archive, const Product& product) {
  const std::string& release = product.spack_version.starts_with("label") ? archive.label : archive.version;
  const bool has_cuda = product.spack_version.ends_with("-cuda") && archive.variant.starts_with("cuda");
  return has_cuda ? release + '-' + archive.variant.substr(4) : release;
}

/// Spack's specs have a grammar of their own; versions and names that it does not take are not quoted in it.
bool is_version(const std::string& text) {
  return !text.empty() && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                                 "0123456789._-") == std::string::npos;
}

/// By product the archive that has the version: one with a CUDA variant, which not all packages have.
std::map<std::string, const LockedArchive*> main_archives(const Lock& lock) {
  std::map<std::string, const LockedArchive*> archives;
  for (const LockedArchive& archive : lock.archives)
    if (const LockedArchive*& chosen = archives[archive.product];
        chosen == nullptr || (chosen->variant.empty() && !archive.variant.empty()))
      chosen = &archive;
  return archives;
}

} // namespace

Result<std::string> conda_text(const Emission& emission) {
  std::string text = std::string("# ").append(made_by).append("\nsource:\n");
  for (const LockedArchive& archive : emission.lock.archives) {
    TRY_ASSIGN(const auto only, selector(emission.facts, archive.platform));
    text += "  - url: " + quoted_json(url_of(emission.lock, archive)) + only + '\n';
    text += "    sha256: " + quoted_json(archive.sha256) + only + '\n';
    text += "    folder: " + quoted_json(archive.package) + only + '\n';
  }
  return text;
}

Result<std::string> spack_text(const Emission& emission) {
  std::set<std::string> platforms;
  for (const LockedArchive& archive : emission.lock.archives)
    if (archive.platform != "source" && archive.platform != "linux-all")
      platforms.insert(archive.platform);
  if (platforms.size() > 1)
    return failure("the lock is for several platforms, and a prefix is for one", "name one with --platform");
  if (emission.prefix.empty())
    return failure("an external package of Spack needs a prefix", "name the composed tree with --prefix");
  std::string text = std::string("# ").append(made_by).append("\npackages:\n");
  for (const auto& [product, archive] : main_archives(emission.lock)) {
    const Product* const row = emission.facts.product(product);
    if (row == nullptr || row->spack.empty())
      continue;
    const std::string version = spack_version(*archive, *row);
    if (!is_version(version))
      return failure("'" + version + "' is not a version for Spack", "make the lock again");
    text += "  " + row->spack + ":\n    externals:\n    - spec: " + quoted_json(row->spack + '@' + version) +
            "\n      prefix: " + quoted_json(emission.prefix) + "\n    buildable: false\n";
  }
  if (text.ends_with("packages:\n"))
    return failure("no product of the lock has a package in Spack", "`spack` in data/redist.toml lists them");
  return text;
}

} // namespace hostpin::redist
