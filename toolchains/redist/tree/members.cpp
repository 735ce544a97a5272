// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/members.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/redist/lock.hpp"
#include "toolchains/redist/tree/origin.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace hostpin::redist {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "hostpin members 2";
constexpr std::size_t longest_file = std::size_t{64} << 20U;

tl::unexpected<Error> unusable(const std::string& path, const std::string& why) {
  return failure("cannot use " + escaped(path) + ": " + why,
                 "remove the tree from the store, and fetch the archive again");
}

std::int64_t time_of(const struct stat& status) {
  constexpr std::int64_t second = 1'000'000'000;
  return status.st_mtim.tv_sec * second + status.st_mtim.tv_nsec;
}

/// Whether the file or link is what it was when it was listed, without reading it.
bool is_unchanged(const std::string& directory, const Member& member) {
  const std::string path = directory + '/' + member.path;
  std::error_code error;
  if (!member.link.empty())
    return fs::read_symlink(path, error) == member.link && !error;
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::uint64_t>(status.st_size) == member.size && time_of(status) == member.modified &&
         ((status.st_mode & S_IXUSR) != 0) == member.executable &&
         wrong_mode(status.st_mode, member.executable).empty();
}

Result<Member> member_at(const fs::directory_entry& entry, std::string path, const FileDigest& digest) {
  std::error_code error;
  Member member{std::move(path), {}, {}, 0, false, 0};
  if (!is_path_below(member.path))
    return unusable(entry.path().string(), "its name has control characters or is not UTF-8");
  if (entry.is_symlink(error)) {
    member.link = fs::read_symlink(entry.path(), error).string();
    if (!error && (member.link.find_first_of("\t\n") != std::string::npos || !is_utf8(member.link)))
      return unusable(entry.path().string(), "it leads to a name with control characters or not in UTF-8");
    return error || member.link.empty() ? unusable(entry.path().string(), error.message())
                                        : Result<Member>(std::move(member));
  }
  struct stat status {};
  if (::lstat(entry.path().c_str(), &status) != 0)
    return unusable(entry.path().string(), std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode))
    return unusable(entry.path().string(), "it is neither a file nor a symbolic link");
  member.size = static_cast<std::uint64_t>(status.st_size);
  member.executable = (status.st_mode & S_IXUSR) != 0;
  if (const std::string wrong = wrong_mode(status.st_mode, member.executable); !wrong.empty())
    return unusable(entry.path().string(), "it " + wrong);
  member.modified = time_of(status);
  auto sha256 = digest(entry.path().string());
  if (!sha256)
    return tl::unexpected(sha256.error());
  member.sha256 = *std::move(sha256);
  return member;
}

/// A decimal number that is all of the text.
template <typename Number>
bool read_number(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

/// The fields of `line`: kind, digest or `-`, size, time, path, and for links what they contain.
std::optional<Member> member_in(const std::string& line) {
  const std::vector<std::string> fields = split(line, "\t");
  if (fields.size() != 6 || !is_path_below(fields[4]))
    return std::nullopt;
  Member member{fields[4], fields[5], {}, 0, fields[0] == "x", 0};
  if (fields[0] == "l")
    return member.link.empty() || !is_utf8(member.link) ? std::nullopt : std::optional(member);
  if ((fields[0] != "f" && fields[0] != "x") || !is_hex_digest(fields[1], 64) ||
      !read_number(fields[2], member.size) || !read_number(fields[3], member.modified) ||
      !member.link.empty())
    return std::nullopt;
  member.sha256 = fields[1];
  return member;
}

} // namespace

std::string wrong_mode(unsigned mode, bool executable) {
  if ((mode & (S_ISUID | S_ISGID | S_ISVTX)) != 0)
    return "is setuid, setgid or sticky, which no archive's file is";
  return executable && (mode & S_IXUSR) == 0 ? "may not be executed any more" : "";
}

Result<std::vector<Member>> members_of(const std::string& directory, const FileDigest& digest) {
  std::vector<Member> members;
  std::error_code error, ignored;
  fs::recursive_directory_iterator walk(directory, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    if (walk->symlink_status(ignored).type() == fs::file_type::directory)
      continue;
    TRY_ASSIGN(auto member, member_at(*walk, walk->path().string().substr(directory.size() + 1), digest));
    members.push_back(std::move(member));
  }
  if (error)
    return unusable(directory, error.message());
  std::ranges::sort(members, {}, &Member::path);
  return members;
}

std::string members_text(const std::vector<Member>& members) {
  std::string text = std::string(first_line) + '\n';
  for (const Member& one : members) {
    const bool link = !one.link.empty();
    text += link ? 'l' : one.executable ? 'x' : 'f';
    text += '\t' + (link ? "-" : one.sha256) + '\t' + std::to_string(one.size) + '\t' +
            std::to_string(one.modified) + '\t' + one.path + '\t' + one.link + '\n';
  }
  return text + "end\n";
}

Result<std::vector<Member>> read_members(std::string_view text, const std::string& file) {
  const std::vector<std::string> lines = split(text, "\n");
  const auto wrong = [&](std::size_t line) {
    return failure(file + ':' + std::to_string(line + 1) + ": this is not a list of members",
                   "remove the file; it is made again");
  };
  if (lines.size() < 3 || lines.front() != first_line || !lines.back().empty() ||
      lines[lines.size() - 2] != "end")
    return wrong(0);
  std::vector<Member> members;
  for (std::size_t line = 1; line + 2 < lines.size(); ++line) {
    auto member = member_in(lines[line]);
    if (!member || (!members.empty() && members.back().path >= member->path))
      return wrong(line);
    members.push_back(*std::move(member));
  }
  return members;
}

Result<std::vector<Member>> stored_members(const std::string& directory, const std::string& file,
                                           const FileDigest& digest, const TreeProof& proof, bool again) {
  const DiskFiles files;
  if (!again && files.status(file)) {
    TRY_ASSIGN(const auto text, files.read(file, longest_file));
    auto members = read_members(text, file);
    const auto is_same = [&](const Member& member) { return is_unchanged(directory, member); };
    // A list of another release is made again, as one of a tree that was copied without times.
    const bool is_other = !members && !text.starts_with(first_line);
    if (!is_other && (!members || std::ranges::all_of(*members, is_same)))
      return members;
  }
  TRY(proof());
  auto members = members_of(directory, digest);
  if (!members)
    return members;
  TRY(replace_file(file, members_text(*members), false));
  return members;
}

} // namespace hostpin::redist
