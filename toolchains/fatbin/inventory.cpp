// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/inventory.hpp"

#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

namespace hostpin::fatbin {

using namespace binary;

namespace {

/// Limit of what is stored for the members of one archive.
constexpr std::size_t most_member_codes = std::size_t{1} << 20U;

Error damage(const std::string& what) {
  return {"it is damaged: " + what, "build it again"};
}

class FileReading {
public:
  FileReading(const std::string& path, const InputFile& file, std::vector<Unread>& unread)
      : file_(file), unread_(unread), known_unread_(unread.size()), found_{path, {}, file.size(), {}, {}} {}

  FileInventory read() {
    const ArchiveKind archive = archive_kind(Bytes(file_).up_to(0, 8));
    if (archive != ArchiveKind::none)
      found_.kind = CarrierKind::archive;
    objects_only_ = archive != ArchiveKind::thin;
    each_input(found_.path, file_, [&](const InputName& name, const Result<Bytes>& bytes) {
      if (bytes)
        take(name, *bytes);
      else
        unread_.push_back({to_string(name), bytes.error()});
      return true;
    });
    if (auto trouble = file_.trouble())
      unread_.push_back({found_.path, *std::move(trouble)});
    else if (found_.holding.overflown || member_codes_ > most_member_codes)
      unread_.push_back({found_.path, damage("it has more kinds of device code than any real file")});
    found_.whole = unread_.size() == known_unread_;
    found_.prunable = found_.whole && objects_only_;
    return std::move(found_);
  }

private:
  void take(const InputName& name, const Bytes& bytes) {
    Holding holding;
    const auto kind = read_device_code(bytes, holding);
    if (!kind)
      unread_.push_back({to_string(name), bytes.source().trouble().value_or(damage(kind.error().what))});
    else if (name.member.empty())
      found_.kind = *kind;
    objects_only_ = objects_only_ && kind == CarrierKind::object && name.member.size() <= 1;
    if (holding.fatbins == 0)
      return;
    found_.holding.add(holding);
    member_codes_ += holding.codes.size();
    if (!name.member.empty() && member_codes_ <= most_member_codes)
      found_.members.push_back({name.member, std::move(holding), outside(bytes)});
  }

  std::optional<MemberHolding::Outside> outside(const Bytes& bytes) const {
    if (&bytes.source() == &file_)
      return std::nullopt;
    return MemberHolding::Outside{bytes.source().identity(), bytes.begin()};
  }

  const InputFile& file_;
  std::vector<Unread>& unread_;
  std::size_t known_unread_;
  FileInventory found_;
  bool objects_only_ = true; ///< which nvprune reads
  std::size_t member_codes_ = 0;
};

} // namespace

FileInventory file_inventory(const std::string& path, const InputFile& file, std::vector<Unread>& unread) {
  return FileReading(path, file, unread).read();
}

namespace {

namespace fs = std::filesystem;

/// The entries of one directory, in byte order; the error is why some are missing.
std::vector<fs::directory_entry> entries_of(const fs::path& directory, std::error_code& failed) {
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator next(directory, failed), end; !failed && next != end; next.increment(failed))
    entries.push_back(*next);
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.path().native() < b.path().native(); });
  return entries;
}

class Collection {
public:
  void add(const std::string& path) {
    if (path.empty()) {
      found_.unread.push_back({"''", {"an empty name names no file", "name a file or a directory"}});
      return;
    }
    std::error_code failed;
    if (!fs::is_directory(path, failed))
      return add_file(path, true);
    found_.tree = true;
    add_tree(path);
  }

  Inventory take() {
    for (const std::string& link : links_) // last, so that a file's own path takes precedence
      add_file(link, false);
    for (const FileInventory& file : found_.files)
      if (has_outside(file) && count_outside(file))
        ++found_.distinct;
    if (found_.all.overflown)
      found_.unread.push_back(
          {"the sum of all files", {"there are too many kinds of device code to list", "name fewer files"}});
    return std::move(found_);
  }

private:
  /// Symlinks to directories are not followed, so that loops end; devices, FIFOs and sockets are skipped.
  void add_tree(const std::string& root) {
    std::vector<fs::path> directories{root}; // the next one last
    while (!directories.empty()) {
      const fs::path directory = std::move(directories.back());
      directories.pop_back();
      std::error_code failed;
      std::vector<fs::path> below;
      for (const fs::directory_entry& entry : entries_of(directory, failed)) {
        std::error_code ignored; // deleted meanwhile: ignored
        const fs::file_type type = entry.symlink_status(ignored).type();
        if (type == fs::file_type::directory)
          below.push_back(entry.path());
        else if (type == fs::file_type::regular)
          add_file(entry.path().native(), false);
        else if (type == fs::file_type::symlink && entry.is_regular_file(ignored))
          links_.push_back(entry.path().native());
      }
      if (failed)
        found_.unread.push_back({directory.native(), {"it cannot be read: " + failed.message(), {}}});
      directories.insert(directories.end(), below.rbegin(), below.rend());
    }
  }

  void add_file(const std::string& path, bool named) {
    const auto file = InputFile::open(path, &buffer_);
    if (!file) {
      Error error = file.error();
      if (error.hint.empty())
        error.hint = named ? "name a file that was built, or the directory that it is in"
                           : "make it readable, or name the files to read";
      found_.unread.push_back({path, std::move(error)});
      return;
    }
    const bool known = is_known((*file)->identity());
    if (known && !named)
      return;
    FileInventory one = file_inventory(path, **file, found_.unread);
    if (named && (*file)->size() == 0) {
      found_.unread.push_back({path, {"it is empty", "build it again"}});
      one.whole = false;
    }
    if (!named && one.holding.is_idle())
      return;
    if (!known)
      count(one);
    found_.files.push_back(std::move(one));
  }

  static bool has_outside(const FileInventory& archive) {
    return std::any_of(archive.members.begin(), archive.members.end(),
                       [](const MemberHolding& member) { return member.outside.has_value(); });
  }

  /// Files that a thin archive names are counted once all files that are scanned themselves are known.
  void count(const FileInventory& file) {
    if (!has_outside(file)) {
      found_.all.add(file.holding);
      ++found_.distinct;
      return;
    }
    for (const MemberHolding& member : file.members)
      if (!member.outside)
        found_.all.add(member.holding);
  }

  /// Whether there was code that no other file counts.
  bool count_outside(const FileInventory& archive) {
    bool any = false;
    for (const MemberHolding& member : archive.members) {
      if (!member.outside)
        continue;
      const auto& [file, begin] = *member.outside;
      if (identities_.contains({file.device, file.inode}) ||
          !outside_.insert({file.device, file.inode, begin}).second)
        continue;
      found_.all.add(member.holding);
      any = true;
    }
    return any;
  }

  /// Whether this is another name of a scanned file.
  bool is_known(const InputFile::Identity& identity) {
    return !identities_.insert({identity.device, identity.inode}).second;
  }

  Inventory found_;
  ReadBuffer buffer_;
  std::vector<std::string> links_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> identities_;
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> outside_;
};

} // namespace

Inventory inventory(const std::vector<std::string>& paths) {
  Collection collection;
  for (const std::string& path : paths)
    collection.add(path);
  return collection.take();
}

} // namespace hostpin::fatbin
