// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/document/reader.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

// The keys of binding.toml, for those who write and who read it: `visit(key, member)`, in the order of the
// file.

void toolkit_fields(auto& toolkit, const auto& visit) {
  visit("root", toolkit.root);
  visit("nvcc", toolkit.nvcc);
  visit("origin", toolkit.origin);
}

void compiler_fields(auto& compiler, const auto& visit) {
  visit("command", compiler.command);
  visit("origin", compiler.origin);
  visit("family", compiler.family);
  visit("product", compiler.product);
  visit("version", compiler.version);
  visit("target", compiler.target);
  visit("glibc", compiler.glibc);
  visit("front-end", compiler.front_end);
  visit("gcc-install", compiler.gcc_install);
}

/// Of a foreign target: the table [target], which bindings for this machine do not have.
void target_fields(auto& target, const auto& visit) {
  visit("triple", target.triple);
  visit("platform", target.platform);
  visit("name", target.name);
  visit("directory", target.directory);
  visit("machine", target.machine);
  visit("libraries", target.libraries);
}

void library_fields(auto& library, const auto& visit) {
  visit("kind", library.kind);
  visit("release", library.release);
  visit("path", library.path);
  visit("glibcxx", library.glibcxx);
  visit("cxxabi", library.cxxabi);
}

/// The loader of a target whose programs another machine runs, as described when the binding was made; the
/// members are the same as of loader::LoaderDescription.
struct BoundLoader {
  std::string path;                         ///< as programs name it; empty if this machine runs them
  std::string root;                         ///< sysroot, or empty
  std::vector<std::string> directories;     ///< searched on this machine
  std::vector<std::string> own_directories; ///< that the loader searches where it runs
  std::string library_name, platform;

  bool operator==(const BoundLoader&) const = default;
};

void loader_fields(auto& loader, const auto& visit) {
  visit("path", loader.path);
  visit("root", loader.root);
  visit("directories", loader.directories);
  visit("own-directories", loader.own_directories);
  visit("library-name", loader.library_name);
  visit("platform", loader.platform);
}

/// Reads the members of a table, which may be null; what is not there is left as it is.
struct BoundFields {
  const document::Value* table;

  /// That table in this one.
  BoundFields operator[](std::string_view key) const;
  void operator()(std::string_view key, auto& member) const {
    if (const document::Value* const value = find(key))
      take(*value, member);
  }

private:
  const document::Value* find(std::string_view key) const;
  static void take(const document::Value& value, std::string& text);
  static void take(const document::Value& value, std::vector<std::string>& texts);
  static void take(const document::Value& value, int& number);
  static void take(const document::Value& value, Version& version);
  static void take(const document::Value& value, std::optional<Version>& version);
  static void take(const document::Value& value, Family& family);
};

/// A compiler and the C++ library below it.
Compiler bound_compiler(const BoundFields& fields);

/// Who was bound.
struct BoundTools {
  Toolkit toolkit; ///< with its `target`, if that is foreign
  Compiler host, stdenv;
  BoundLoader loader; ///< of the stdenv's programs
};

/// Where the bound toolchain of a directory is: inside a toolkit view in its folder `hostpin`, else in the
/// directory itself.
std::string bound_room(const Files& files, const std::string& directory);

/// Parses `directory`/binding.toml; an error when it is missing or not TOML.
Result<document::Value> read_bound(const Files& files, const std::string& directory);

/// The tools of a parsed one; an error when some are not named.
Result<BoundTools> bound_tools(const document::Value& toml, const std::string& directory);

} // namespace hostpin
