// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/emit/emit.hpp"
#include "toolchains/redist/emit/names.hpp"

#include <algorithm>
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
std::string spack_version(const LockedArchive& archive) {
  if (archive.product == "cuda")
    return archive.label;
  if (!archive.variant.starts_with("cuda"))
    return archive.version;
  return archive.version + '-' + archive.variant.substr(4); // cudnn@9.8.0.87-12
}

/// Spack's specs have a grammar of their own; versions and names that it does not take are not quoted in it.
bool is_version(const std::string& text) {
  return !text.empty() && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                                 "0123456789._-") == std::string::npos;
}

} // namespace

Result<std::string> conda_text(const Emission& emission) {
  std::string text = std::string("# ").append(made_by).append("\nsource:\n");
  for (const LockedArchive& archive : emission.lock.archives) {
    const auto only = selector(emission.facts, archive.platform);
    if (!only)
      return tl::unexpected(only.error());
    text += "  - url: " + quoted_json(url_of(emission.lock, archive)) + *only + '\n';
    text += "    sha256: " + quoted_json(archive.sha256) + *only + '\n';
    text += "    folder: " + quoted_json(archive.package) + *only + '\n';
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
  std::set<std::string> done;
  for (const LockedArchive& archive : emission.lock.archives) {
    if (!done.insert(archive.product).second)
      continue;
    const Product* const row = emission.facts.product(archive.product);
    if (row == nullptr || row->spack.empty())
      continue;
    if (!is_version(spack_version(archive)))
      return failure("'" + spack_version(archive) + "' is not a version for Spack", "make the lock again");
    text += "  " + row->spack +
            ":\n    externals:\n    - spec: " + quoted_json(row->spack + '@' + spack_version(archive)) +
            "\n      prefix: " + quoted_json(emission.prefix) + "\n    buildable: false\n";
  }
  if (text.ends_with("packages:\n"))
    return failure("no product of the lock has a package in Spack", "`spack` in data/redist.toml lists them");
  return text;
}

} // namespace hostpin::redist
