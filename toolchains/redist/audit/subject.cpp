// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/audit/subject.hpp"

#include "toolchains/archive/record.hpp"
#include "toolchains/archive/zip.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/audit/originals.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace hostpin::redist {

namespace {

namespace fs = std::filesystem;

/// Limits of what the author of a zip chooses, as those of `hostpin wheel`.
constexpr std::uint64_t most_ratio = 200, always_allowed = std::uint64_t{1} << 30U;

/// Reads a tree, and goes on where a part of it cannot be read.
class Walk {
public:
  Walk(std::string root, Subject& subject) : root_(std::move(root)), subject_(subject) {}

  Result<void> run() {
    std::vector<std::string> left{""};
    while (!left.empty()) {
      const std::string below = std::move(left.back());
      left.pop_back();
      std::error_code error;
      fs::directory_iterator entries(root_ + '/' + below, error);
      for (; !error && entries != fs::directory_iterator(); entries.increment(error))
        add(below.empty() ? entries->path().filename().string()
                          : below + '/' + entries->path().filename().string(),
            left);
      if (error && below.empty())
        return failure("cannot read " + escaped(root_) + ": " + error.message());
      if (error)
        trouble(below + '/', "the directory cannot be read: " + error.message());
    }
    std::ranges::sort(subject_.files, {}, &SubjectFile::path);
    find_hard_links();
    return {};
  }

private:
  void trouble(const std::string& path, const std::string& what, bool failed = true) {
    SubjectFile file;
    file.path = path;
    file.trouble = what;
    file.failed = failed;
    subject_.files.push_back(std::move(file));
  }

  void add(const std::string& path, std::vector<std::string>& directories) {
    struct stat status {};
    if (::lstat((root_ + '/' + path).c_str(), &status) != 0)
      return trouble(path, std::string("it cannot be reached: ") + std::strerror(errno));
    if (S_ISDIR(status.st_mode)) {
      directories.push_back(path);
    } else if (S_ISLNK(status.st_mode)) {
      add_link(path);
    } else if (!S_ISREG(status.st_mode)) {
      trouble(path, "it is a device, a FIFO or a socket", false);
    } else {
      SubjectFile file;
      file.path = path;
      file.disk = root_ + '/' + path;
      file.size = static_cast<std::uint64_t>(status.st_size);
      if (status.st_nlink > 1)
        shared_.emplace_back(std::pair<std::uint64_t, std::uint64_t>(status.st_dev, status.st_ino), path);
      subject_.files.push_back(std::move(file));
    }
  }

  void add_link(const std::string& path) {
    std::error_code error;
    const std::string target = fs::read_symlink(root_ + '/' + path, error).string();
    if (error)
      return trouble(path, "the symbolic link cannot be read: " + error.message());
    const fs::path real = fs::canonical(root_ + '/' + path, error);
    const fs::path real_root = fs::canonical(root_, error);
    const std::string inside = real.lexically_relative(real_root).string();
    if (real.empty())
      return trouble(path, "it is a symbolic link to " + target + ", which does not exist", false);
    if (inside.empty() || inside == ".." || inside.starts_with("../"))
      return trouble(path, "it is a symbolic link that leads outside, to " + target, false);
    ++subject_.links;
  }

  void find_hard_links() {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> first;
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> inodes;
    for (auto& [inode, path] : shared_)
      inodes.emplace(std::move(path), inode);
    for (std::size_t index = 0; index < subject_.files.size(); ++index)
      if (const auto found = inodes.find(subject_.files[index].path); found != inodes.end())
        if (const auto [same, is_first] = first.emplace(found->second, index); !is_first)
          subject_.files[index].same_as = same->second;
  }

  std::string root_;
  Subject& subject_;
  std::vector<std::pair<std::pair<std::uint64_t, std::uint64_t>, std::string>> shared_;
};

/// The digests that RECORD of a wheel has for its members. One that cannot be read proves nothing, and is
/// trouble of its own.
void read_own_record(SubjectFile& file, Subject& subject) {
  const auto bytes = content_of(subject, file);
  const auto text = bytes ? bytes->all(longest_record) : tl::unexpected(bytes.error());
  const auto rows = text ? read_record(*text) : tl::unexpected(text.error());
  if (!rows) {
    file.trouble = "RECORD cannot be read: " + rows.error().message;
    file.failed = true;
    return;
  }
  for (const RecordRow& row : *rows)
    if (std::ranges::binary_search(subject.files, row.path, {}, &SubjectFile::path))
      subject.record.emplace(row.path, row.hash);
}

Result<void> read_zip(const binary::Blob& zip, const std::string& path, Subject& subject) {
  const auto entries = central_directory(zip);
  if (!entries)
    return failure(escaped(path) + ": " + entries.error().message, entries.error().hint);
  std::uint64_t left = std::max(always_allowed, most_ratio * zip.size());
  for (const DirectoryEntry& entry : *entries) {
    if (entry.name.ends_with('/'))
      continue;
    if (entry.size > left)
      return failure(escaped(path) + ": it expands without end", "it is not a wheel that can be installed");
    left -= entry.size;
    SubjectFile file;
    file.path = entry.name;
    file.size = entry.size;
    if (auto packed = packed_data(zip, entry))
      file.packed = *std::move(packed);
    else
      file.trouble = packed.error().message, file.failed = true;
    subject.files.push_back(std::move(file));
  }
  std::ranges::sort(subject.files, {}, &SubjectFile::path);
  // A wheel has one; of more only the first is read, so that many large ones do not add up.
  const auto own = std::ranges::find_if(subject.files, [](const SubjectFile& file) {
    return file.packed && file.path.ends_with(".dist-info/RECORD") && std::ranges::count(file.path, '/') == 1;
  });
  if (own != subject.files.end())
    read_own_record(*own, subject);
  return {};
}

Result<void> prove_wheel(const binary::Blob& zip, const std::string& path, const std::string& sha256,
                         Subject& subject) {
  if (sha256.empty())
    return {};
  const auto hash = content_sha256(zip);
  if (!hash)
    return failure("cannot read " + escaped(path) + ": " + hash.error().message);
  if (*hash != sha256)
    return failure(escaped(path) + " has another SHA-256 than " + escaped(sha256) + ": " + *hash,
                   "it is not the wheel that its index lists; download it again");
  subject.proven = base_name(path);
  return {};
}

} // namespace

std::set<std::uint64_t> Subject::sizes() const {
  std::set<std::uint64_t> all;
  for (const SubjectFile& file : files)
    all.insert(file.size);
  return all;
}

Result<Subject> subject_at(const std::string& path, const std::string& sha256, const std::string& scratch) {
  Subject subject;
  subject.scratch = scratch;
  const auto no_wheel = [&] {
    return failure(escaped(path) + " is no wheel, and --hash is of a wheel",
                   "name the wheel, or leave --hash out");
  };
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (!sha256.empty())
      return no_wheel();
    TRY(Walk(path, subject).run());
    return subject;
  }
  const auto bytes = binary::open_blob(path);
  if (!bytes)
    return failure("cannot read " + escaped(path) + ": " + bytes.error().message,
                   "name a file, a directory or a wheel");
  subject.is_wheel = bytes->beginning(4) == std::string_view("PK\3\4");
  if (!subject.is_wheel) {
    if (!sha256.empty())
      return no_wheel();
    SubjectFile file;
    file.path = base_name(path);
    file.disk = path;
    file.size = bytes->size();
    subject.files.push_back(std::move(file));
    return subject;
  }
  auto read = read_zip(*bytes, path, subject);
  if (read)
    read = prove_wheel(*bytes, path, sha256, subject);
  return read ? Result<Subject>(std::move(subject)) : tl::unexpected(read.error());
}

Result<binary::Blob> content_of(const Subject& subject, const SubjectFile& file) {
  return file.packed ? decompressed(*file.packed, subject.scratch) : binary::open_blob(file.disk);
}

} // namespace hostpin::redist
