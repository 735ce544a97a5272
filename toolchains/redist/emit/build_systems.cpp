// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/emit/emit.hpp"
#include "toolchains/redist/emit/names.hpp"

#include <map>

namespace hostpin::redist {

namespace {

std::string comment(std::string_view text) {
  return std::string("# ").append(text).append("\n");
}

/// A string of Nix.
std::string quoted_nix(std::string_view text) {
  std::string quoted = "\"";
  for (const char one : text) {
    if (one == '\n')
      quoted += "\\n";
    else if (one == '"' || one == '\\' || one == '$')
      quoted.append("\\").append(1, one);
    else
      quoted += one;
  }
  return quoted + '"';
}

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
  std::string text = "    " + quoted_nix(archive.package) + " = {\n";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      text.append("      ").append(name).append(" = ").append(quoted_nix(value)).append(";\n");
  };
  add("version", archive.version);
  add("product", archive.product);
  add("label", archive.label);
  add("variant", archive.variant);
  add("license", archive.license);
  add("top", stem(archive));
  text += "      src = archive " + quoted_nix(base_of(lock, archive)) + ' ' + quoted_nix(archive.path) + ' ' +
          quoted_nix(file_name(archive)) + ' ' + quoted_nix(archive.sha256) + ";\n";
  return text + "    };\n";
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
  std::string text =
      comment(made_by) +
      "{\n"
      "  # Nixpkgs' function or Nix's own; both take url, name and sha256.\n"
      "  fetchurl ? import <nix/fetchurl.nix>,\n"
      "  # Instead of all servers, such as file:///srv/redist.\n"
      "  mirror ? null,\n"
      "}:\n"
      "let\n"
      "  archive =\n"
      "    base: path: name: sha256:\n"
      "    fetchurl {\n"
      "      inherit name sha256;\n"
      "      url = (if mirror == null then base else builtins.head (builtins.match \"(.*[^/])/*\" mirror) + "
      "\"/\") + path;\n"
      "    };\n"
      "in\n"
      "{\n";
  for (const auto& [platform, archives] : platforms) {
    text += "  " + quoted_nix(platform) + " = {\n";
    for (const auto& [package, archive] : archives)
      text += archive;
    text += "  };\n";
  }
  return text + "}\n";
}

Result<std::string> bazel_text(const Emission& emission) {
  TRY_ASSIGN(const auto names, identifiers(emission.lock, '_'));
  std::string text = std::string("\"\"\"").append(made_by).append("\"\"\"\n\n") +
                     "load(\"@bazel_tools//tools/build_defs/repo:http.bzl\", \"http_archive\")\n\n"
                     "ARCHIVES = {\n";
  for (std::size_t index = 0; index < names.size(); ++index) {
    const LockedArchive& archive = emission.lock.archives[index];
    text += "    " + quoted_json(names[index]) + ": {\n";
    for (const auto& [key, value] :
         std::map<std::string, std::string>{{"base", base_of(emission.lock, archive)},
                                            {"license", archive.license},
                                            {"package", archive.package},
                                            {"path", archive.path},
                                            {"platform", archive.platform},
                                            {"sha256", archive.sha256},
                                            {"strip_prefix", stem(archive)},
                                            {"version", archive.version}})
      text += "        " + quoted_json(key) + ": " + quoted_json(value) + ",\n";
    text += "    },\n";
  }
  return text + R"(}

_BUILD = """
filegroup(
    name = "all",
    srcs = glob(["**"]),
    visibility = ["//visibility:public"],
)
"""

def redist_archives(mirrors = [], build_file_content = _BUILD):
    """Declares a repository for each archive.

    Args:
      mirrors: URLs to try before the archive's own.
      build_file_content: the BUILD file of each repository.
    """
    for name, archive in ARCHIVES.items():
        http_archive(
            name = name,
            build_file_content = build_file_content,
            sha256 = archive["sha256"],
            strip_prefix = archive["strip_prefix"],
            urls = [base.rstrip("/") + "/" + archive["path"] for base in mirrors + [archive["base"]]],
        )
)";
}

Result<std::string> cmake_text(const Emission& emission) {
  TRY_ASSIGN(const auto names, identifiers(emission.lock, '_'));
  std::string text =
      comment(made_by) +
      R"(# After include() of this file, FetchContent_MakeAvailable(NAME) downloads and unpacks an archive to ${NAME_SOURCE_DIR}.
# Needs CMake 3.24.
include_guard()
include(FetchContent)
set(HOSTPIN_REDIST_MIRROR "" CACHE STRING "URL or directory instead of all servers of archives")

function(_hostpin_redist_archive name base path sha256)
  if(HOSTPIN_REDIST_MIRROR)
    string(REGEX REPLACE "/+$" "" base "${HOSTPIN_REDIST_MIRROR}")
    string(APPEND base "/")
  endif()
  # The directory does not exist, so nothing in an archive is taken for a project.
  FetchContent_Declare(${name} URL "${base}${path}" URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP TRUE
    SOURCE_SUBDIR no-project)
endfunction()

)";
  for (std::size_t index = 0; index < names.size(); ++index) {
    const LockedArchive& archive = emission.lock.archives[index];
    text += "_hostpin_redist_archive(" + names[index] + "\n  " +
            quoted_cmake(base_of(emission.lock, archive)) + "\n  " + quoted_cmake(archive.path) + "\n  " +
            archive.sha256 + ")\n";
  }
  return text;
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
