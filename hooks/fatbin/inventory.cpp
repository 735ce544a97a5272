// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/fatbin/inventory.hpp"

#include "hooks/fatbin/tree.hpp"
#include "hooks/lto-check/bitstream/archive.hpp"
#include "hooks/lto-check/bitstream/inputs.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace hostpin {

FileInventory file_inventory(const std::string& path, const InputFile& file, std::vector<Unread>& unread) {
  FileInventory found{path, CarrierKind::none, file.size(), {}, {}};
  if (archive_kind(Bytes(file).up_to(0, 8)) != ArchiveKind::none)
    found.kind = CarrierKind::archive;
  each_input(path, file, [&](const InputName& name, const Result<Bytes>& bytes) {
    if (!bytes) {
      unread.push_back({to_string(name), bytes.error()});
      return true;
    }
    Holding holding;
    const auto kind = read_device_code(*bytes, holding);
    if (!kind)
      unread.push_back({to_string(name), bytes->source().trouble().value_or(Error{
                                             "it is damaged: " + kind.error().what, "build it again"})});
    else if (name.member.empty())
      found.kind = *kind;
    if (holding.empty())
      return true;
    found.holding.add(holding);
    if (!name.member.empty())
      found.members.push_back({name.member, std::move(holding)});
    return true;
  });
  if (auto trouble = file.trouble())
    unread.push_back({path, *std::move(trouble)});
  return found;
}

namespace {

class Collection {
public:
  void add(const std::string& path) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed))
      return add_file(path, true);
    found_.tree = true;
    each_file(
        path, [&](const std::string& file) { add_file(file, false); },
        [&](const std::string& directory, const Error& error) {
          found_.unread.push_back({directory, error});
        });
  }

  Inventory take() { return std::move(found_); }

private:
  void add_file(const std::string& path, bool named) {
    const auto file = InputFile::open(path, &buffer_);
    if (!file) {
      found_.unread.push_back({path, file.error()});
      return;
    }
    if (named && (*file)->size() == 0)
      found_.unread.push_back({path, {"it is empty", "build it again"}});
    FileInventory one = file_inventory(path, **file, found_.unread);
    if (!named && (one.holding.empty() || is_known((*file)->identity())))
      return;
    found_.all.add(one.holding);
    found_.files.push_back(std::move(one));
  }

  /// A hard link to what was counted.
  bool is_known(const InputFile::Identity& identity) {
    return !identities_.insert({identity.device, identity.inode}).second;
  }

  Inventory found_;
  ReadBuffer buffer_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> identities_;
};

} // namespace

Inventory inventory(const std::vector<std::string>& paths) {
  Collection collection;
  for (const std::string& path : paths)
    collection.add(path);
  return collection.take();
}

} // namespace hostpin
