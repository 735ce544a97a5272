// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/templates.hpp"
#include "toolchains/redist/emit/emit.hpp"
#include "toolchains/redist/emit/names.hpp"

#include <map>

namespace hostpin::redist {

namespace templates {
extern const std::string_view redist_bzl, redist_cmake, redist_nix;
}

namespace {

/// A quoted argument of CMake.
std::string quoted_cmake(std::string_view text) {
  std::string quoted = "\"";
  for (const char one : text) {
    if (one == '"' || one == '\\' || one == '$')
      quoted += '\\';
    quoted += one;
  }
  return quoted + '"';
}

std::string nix_archive(const Lock& lock, const LockedArchive& archive) {
  std::string text = nix_string(archive.package) + " = {\n";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      text.append("  ").append(name).append(" = ").append(nix_string(value)).append(";\n");
  };
  add("version", archive.version);
  add("product", archive.product);
  add("label", archive.label);
  add("variant", archive.variant);
  add("license", archive.license);
  add("top", stem(archive));
  text += "  src = archive " + nix_string(base_of(lock, archive)) + ' ' + nix_string(archive.path) + ' ' +
          nix_string(file_name(archive)) + ' ' + nix_string(archive.sha256) + ";\n";
  return text + "};\n";
}

} // namespace

Result<std::string> nix_text(const Emission& emission) {
  TRY(identifiers(emission.lock, '_'));
  std::map<std::string, std::map<std::string, std::string>> platforms;
  for (const LockedArchive& archive : emission.lock.archives) {
    const auto [other, is_new] =
        platforms[archive.platform].try_emplace(archive.package, nix_archive(emission.lock, archive));
    if (!is_new)
      return failure(archive.package + " is in the lock for several CUDA majors",
                     "make a lock for one of them");
  }
  std::string text;
  for (const auto& [platform, archives] : platforms) {
    std::string all;
    for (const auto& [package, archive] : archives)
      all += archive;
    text += expanded("@PLATFORM@ = {\n  @ARCHIVES@\n};\n",
                     {{"PLATFORM", nix_string(platform)}, {"ARCHIVES", all}});
  }
  return expanded(templates::redist_nix, {{"MADE_BY", made_by}, {"PLATFORMS", text}});
}

Result<std::string> bazel_text(const Emission& emission) {
  TRY_ASSIGN(const auto names, identifiers(emission.lock, '_'));
  std::string text;
  for (std::size_t index = 0; index < names.size(); ++index) {
    const LockedArchive& archive = emission.lock.archives[index];
    text += quoted_json(names[index]) + ": {\n";
    for (const auto& [key, value] :
         std::map<std::string, std::string>{{"base", base_of(emission.lock, archive)},
                                            {"license", archive.license},
                                            {"package", archive.package},
                                            {"path", archive.path},
                                            {"platform", archive.platform},
                                            {"sha256", archive.sha256},
                                            {"strip_prefix", stem(archive)},
                                            {"version", archive.version}})
      text += "    " + quoted_json(key) + ": " + quoted_json(value) + ",\n";
    text += "},\n";
  }
  return expanded(templates::redist_bzl, {{"MADE_BY", made_by}, {"ARCHIVES", text}});
}

Result<std::string> cmake_text(const Emission& emission) {
  TRY_ASSIGN(const auto names, identifiers(emission.lock, '_'));
  std::string text;
  for (std::size_t index = 0; index < names.size(); ++index) {
    const LockedArchive& archive = emission.lock.archives[index];
    text += "_hostpin_redist_archive(" + names[index] + "\n  " +
            quoted_cmake(base_of(emission.lock, archive)) + "\n  " + quoted_cmake(archive.path) + "\n  " +
            archive.sha256 + ")\n";
  }
  return expanded(templates::redist_cmake, {{"MADE_BY", made_by}, {"ARCHIVES", text}});
}

std::span<const Form> forms() {
  static constexpr Form all[] = {
      {"bazel", "a .bzl file with an http_archive for each archive", bazel_text},
      {"cmake", "a file to include, with a FetchContent_Declare for each archive", cmake_text},
      {"conda", "the source section of a recipe", conda_text},
      {"nix", "a function of fetchurl: a derivation for each archive", nix_text},
      {"nixpkgs", "a redistrib_LABEL.json of what is locked, for Nixpkgs' buildRedist", nixpkgs_text},
      {"spack", "a packages.yaml with external packages below --prefix", spack_text},
      {"spdx", "an SPDX 2.3 document: packages, checksums and licenses", spdx_text},
  };
  return all;
}

} // namespace hostpin::redist
