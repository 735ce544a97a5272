// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/archive/wheel_file.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/threads.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

namespace hostpin::wheel {

namespace {

constexpr std::size_t piece = std::size_t{256} << 10U;
constexpr std::size_t longest_text = std::size_t{16} << 20U;

tl::unexpected<Error> in_member(const std::string& name, const Error& error) {
  return failure("its member " + escaped(name) + ": " + error.message, error.hint);
}

/// Two members of one name, or a file where another member needs a directory: installers differ in which they
/// take.
Result<void> check_names(const std::vector<Member>& members) {
  std::set<std::string, std::less<>> files, directories;
  for (const Member& member : members) {
    std::string name = member.entry.name;
    if (name.ends_with('/'))
      name.pop_back();
    if (!(member.entry.is_directory ? directories : files).insert(name).second && !member.entry.is_directory)
      return failure("it has two members of the name " + escaped(name));
    for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
      directories.insert(name.substr(0, slash));
  }
  for (const std::string& file : files)
    if (directories.contains(file))
      return failure("its member " + escaped(file) + " is a file and a directory");
  return {};
}

/// The members without their content.
Result<std::vector<Member>> list(const binary::Blob& zip, const WheelLimits& limits) {
  TRY_ASSIGN(const auto directory, central_directory(zip));
  TRY_ASSIGN(auto reader, ZipReader::open(zip));
  std::vector<Member> members;
  std::uint64_t total = 0;
  for (;;) {
    TRY_ASSIGN(auto entry, reader->next());
    if (!entry)
      break;
    total += std::min(entry->size, ~std::uint64_t{0} - total);
    if (members.size() == limits.members)
      return failure("it has more than " + std::to_string(limits.members) + " members");
    members.push_back({*std::move(entry), {}, {}, {}, {}});
  }
  const bool agree = std::equal(
      members.begin(), members.end(), directory.begin(), directory.end(),
      [](const Member& member, const DirectoryEntry& entry) { return member.entry.name == entry.name; });
  if (!agree)
    return failure("its members have other names than its central directory");
  if (total > limits.small && total / limits.ratio > zip.size())
    return failure("it expands to more than " + std::to_string(limits.ratio) + " times its size");
  TRY(check_names(members));
  return members;
}

/// Reads members in several threads: each has a reader of its own, and takes what no other has taken.
class Content {
public:
  Content(const binary::Blob& zip, std::vector<Member>& members, const WheelReading& how,
          const WheelLimits& limits)
      : zip_(zip), members_(members), how_(how), limits_(limits), taken_(members.size()) {}

  Result<void> run() {
    run_in_threads(how_.threads, [this] { work(); });
    return error_ ? Result<void>(tl::unexpected(*error_)) : Result<void>();
  }

private:
  void work() {
    if (auto done = read_all(); !done) {
      const std::scoped_lock lock(mutex_);
      if (!error_)
        error_ = done.error();
      failed_ = true;
    }
  }

  Result<void> read_all() {
    TRY_ASSIGN(auto reader, ZipReader::open(zip_));
    for (Member& member : members_) {
      if (failed_)
        break;
      auto entry = reader->next();
      if (!entry)
        return tl::unexpected(entry.error());
      if (!*entry || (*entry)->name != member.entry.name)
        return failure("it changed while it was read");
      const auto index = static_cast<std::size_t>(&member - members_.data());
      if (!member.entry.is_directory && !taken_[index].exchange(true))
        if (auto read = read_member(*reader, member); !read)
          return in_member(member.entry.name, read.error());
    }
    return {};
  }

  bool is_kept(const Member& member) const {
    return member.entry.name.find(".dist-info/") != std::string::npos;
  }

  bool is_source(const Member& member) const {
    return !is_kept(member) && is_python_source(member.entry.name) && member.entry.size <= longest_source;
  }

  Result<void> read_member(ZipReader& reader, Member& member) {
    constexpr std::uint64_t large = std::uint64_t{64} << 20U;
    std::unique_lock<std::mutex> one_at_a_time(large_, std::defer_lock);
    if (member.entry.size > large) // bounds the memory
      one_at_a_time.lock();
    std::vector<char> buffer(piece);
    Sha256 hash;
    std::string content;
    bool is_elf = false;
    for (bool first = true;; first = false) {
      TRY_ASSIGN(const auto count, fill(reader, buffer));
      const std::string_view bytes(buffer.data(), count);
      if (first) {
        is_elf = bytes.starts_with("\x7f"
                                   "ELF");
        if (is_elf && member.entry.size > limits_.elf)
          return failure("an ELF file of more than 3 GB is not read");
        if (is_elf || is_kept(member) || is_source(member))
          content.reserve(static_cast<std::size_t>(member.entry.size));
      }
      if (bytes.empty())
        break;
      if (how_.hashes)
        hash.update(bytes);
      if (is_elf || is_source(member) || (is_kept(member) && content.size() + bytes.size() <= longest_text))
        content.append(bytes);
    }
    if (how_.hashes)
      member.hash = record_hash(hash.hex());
    if (is_elf)
      take_facts(content, member);
    else if (is_source(member))
      take_source(content, member);
    else
      member.text = std::move(content);
    return {};
  }

  /// As much as fits, so that only the last piece is shorter.
  static Result<std::size_t> fill(ZipReader& reader, std::vector<char>& buffer) {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
      TRY_ASSIGN(const auto count, reader.read(std::span(buffer).subspan(filled)));
      if (count == 0)
        break;
      filled += count;
    }
    return filled;
  }

  static void take_source(const std::string& content, Member& member) {
    if (may_have_libraries(content) || is_package_file(member.entry.name))
      member.python = read_python_source(content);
  }

  void take_facts(const std::string& content, Member& member) const {
    const binary::InputFile file{std::string_view(content)};
    auto facts = read_elf_facts(binary::Bytes(file), base_name(member.entry.name), how_.depth);
    if (facts)
      member.elf = *std::move(facts);
    else
      member.trouble = facts.error().message;
  }

  const binary::Blob& zip_;
  std::vector<Member>& members_;
  const WheelReading& how_;
  const WheelLimits& limits_;
  std::vector<std::atomic<bool>> taken_;
  std::mutex mutex_, large_;
  std::optional<Error> error_;
  std::atomic<bool> failed_ = false;
};

/// Sets what the files in *.dist-info say.
Result<void> take_metadata(WheelFile& wheel) {
  for (const Member& member : wheel.members) {
    const std::size_t slash = member.entry.name.find('/');
    const std::string_view top = std::string_view(member.entry.name).substr(0, slash);
    if (!top.ends_with(".dist-info"))
      continue;
    if (!wheel.info.empty() && wheel.info != top)
      return failure("it has two .dist-info directories");
    wheel.info = top;
  }
  const Member* const metadata = wheel.member(wheel.info + "/METADATA");
  const Member* const tags = wheel.member(wheel.info + "/WHEEL");
  if (wheel.info.empty() || metadata == nullptr || tags == nullptr)
    return failure("it has no .dist-info directory with METADATA and WHEEL, so no installer takes it");
  wheel.metadata = read_fields(metadata->text);
  wheel.wheel = read_fields(tags->text);
  wheel.requirements = requirements_of(wheel.metadata);
  if (const Member* const record = wheel.member(wheel.info + "/RECORD")) {
    auto rows = read_record(record->text);
    if (rows)
      wheel.record = *std::move(rows);
    else
      wheel.record_error = rows.error().message;
  }
  return {};
}

/// Which of two members is installed as one file depends on the installer.
Result<void> check_places(const WheelFile& wheel) {
  std::map<InstalledPath, const Member*> members;
  for (const Member& member : wheel.members)
    if (!member.entry.is_directory)
      if (const auto [first, fresh] = members.emplace(installed_path(wheel, member.entry.name), &member);
          !fresh)
        return failure("its members " + escaped(first->second->entry.name) + " and " +
                       escaped(member.entry.name) + " are installed as the same file");
  return {};
}

} // namespace

InstalledPath installed_path(const WheelFile& wheel, std::string_view member) {
  const auto normal = [](const std::string& path) {
    return std::filesystem::path(path).lexically_normal().string();
  };
  const std::string plain = normal(std::string(member));
  const std::string data =
      wheel.info.substr(0, wheel.info.size() -
                               std::min(wheel.info.size(), std::string_view(".dist-info").size())) +
      ".data/";
  if (!plain.starts_with(data))
    return {true, plain};
  const std::string_view below = std::string_view(plain).substr(data.size());
  const std::size_t slash = below.find('/');
  const std::string_view scheme = below.substr(0, slash);
  const std::string rest(slash == std::string_view::npos ? "" : below.substr(slash + 1));
  if (scheme == "purelib" || scheme == "platlib")
    return {true, rest};
  if (scheme == "scripts")
    return {false, "bin/" + rest};
  if (scheme == "headers")
    return {false, "include/" + wheel.name.distribution + '/' + rest};
  return {false, rest};
}

const Member* WheelFile::member(std::string_view member_name) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& one) { return one.entry.name == member_name; });
  return found == members.end() ? nullptr : &*found;
}

std::string WheelFile::distribution() const {
  return normalised(name.distribution);
}

bool WheelFile::is_purelib() const {
  return value_of(wheel, "root-is-purelib").value_or("") == "true";
}

Result<WheelFile> read_wheel(const binary::Blob& zip, const std::string& path, const WheelReading& how,
                             const WheelLimits& limits) {
  WheelFile wheel;
  wheel.path = path;
  wheel.size = zip.size();
  auto name = read_wheel_name(base_name(path));
  if (!name)
    return tl::unexpected(name.error());
  wheel.name = *std::move(name);
  const auto in_file = [&](const Error& error) {
    return failure(escaped(path) + " cannot be installed: " + error.message, error.hint);
  };
  auto members = list(zip, limits);
  if (!members)
    return in_file(members.error());
  wheel.members = *std::move(members);
  if (auto read = Content(zip, wheel.members, how, limits).run(); !read)
    return in_file(read.error());
  if (auto read = take_metadata(wheel); !read)
    return in_file(read.error());
  if (auto checked = check_places(wheel); !checked)
    return in_file(checked.error());
  return wheel;
}

Result<WheelFile> read_wheel(const std::string& path, const WheelReading& how, const WheelLimits& limits) {
  auto zip = binary::open_blob(path);
  if (!zip)
    return failure(escaped(path) + " cannot be read: " + zip.error().message);
  return read_wheel(*zip, path, how, limits);
}

std::vector<Requirement> requirements_of(const std::vector<Field>& metadata) {
  std::vector<Requirement> requirements;
  for (const std::string& text : values_of(metadata, "requires-dist"))
    if (auto one = read_requirement(text); one && one->is_for_linux())
      requirements.push_back(*std::move(one));
  return requirements;
}

} // namespace hostpin::wheel
