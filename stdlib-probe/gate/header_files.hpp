// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace llvm::vfs {
class FileSystem;
} // namespace llvm::vfs

namespace hostpin::probe {

/// The files that a toolkit's header can include: regular ones of bounded size. Each is read once, so that
/// all readings see the same bytes, and its status is taken before that.
class HeaderFiles {
public:
  /// The part of the C library that depends only on the compiler is served from memory in this directory.
  static constexpr std::string_view c_library = "/<C library>";

  /// `header`: absolute.
  HeaderFiles(const Files& files, const std::string& header);

  /// Nothing for files that do not exist, and for a C library in the same directory as the toolkit's headers.
  std::optional<FileStatus> status(const std::string& path);

  /// The bytes of a regular file, which live as long as this object. Nothing otherwise; a file that exists
  /// but cannot be used is also reported by `complaint`.
  std::optional<std::string_view> content(const std::string& path);

  /// The same number for every path of one file.
  std::uint64_t number(const std::string& path);

  /// The first file that exists but cannot be used, and why; empty if there is none.
  const std::string& complaint() const { return complaint_; }

  /// Every requested path except directories, with its status before it was read; zeros if it did not exist.
  std::vector<std::pair<std::string, FileStatus>> identities() const;

private:
  bool hidden(const std::string& path) const;
  void complain(std::string text);

  const Files& files_;
  std::string hidden_directory_; ///< empty: none
  std::string shown_directory_;  ///< inside it
  std::map<std::string, std::optional<FileStatus>> statuses_;
  std::map<std::string, std::string> contents_;
  std::map<std::string, std::uint64_t> numbers_; ///< by real path
  std::size_t budget_;
  std::string complaint_;
};

/// `files` as Clang sees them; they must outlive it. It belongs to the first llvm::IntrusiveRefCntPtr that
/// holds it.
llvm::vfs::FileSystem* header_view(HeaderFiles& files);

} // namespace hostpin::probe
