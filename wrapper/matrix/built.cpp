// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/built.hpp"

#include "toolchains/archive/reader.hpp"
#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/matrix/json.hpp"
#include "wrapper/matrix/key.hpp"
#include "wrapper/pack/archive.hpp"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

/// What of a work directory is not needed any more.
constexpr const char* temporary_name = "tmp";

std::string archive_path(const std::string& directory, const std::string& digest) {
  return fmt::format("{}/{}.tar.zst", directory, digest);
}

/// Directories, files and symlinks below a directory, sorted. Sockets and FIFOs are of processes that ended.
Result<std::vector<pack::Entry>> entries_below(const std::string& work) {
  std::vector<pack::Entry> entries;
  std::error_code error;
  fs::recursive_directory_iterator entry(work, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    if (entry.depth() == 0 && entry->path().filename() == temporary_name) {
      entry.disable_recursion_pending();
      continue;
    }
    const fs::file_status status = entry->symlink_status(error);
    if (fs::is_directory(status) || fs::is_symlink(status) || fs::is_regular_file(status))
      entries.push_back({pack::Entry::Kind::dated, entry->path().string(), {}});
  }
  if (error)
    return failure(fmt::format("cannot list {}: {}", work, error.message()));
  std::ranges::sort(entries, {}, &pack::Entry::path);
  return entries;
}

/// Writes what an archive has below the directory that it was made of. No member is written through a link:
/// links are created last.
class Unpacker {
public:
  Unpacker(archive* reader, const std::string& from, std::string into)
      : reader_(reader), prefix_(from.substr(1) + '/'), into_(std::move(into)) {}

  Result<void> run() {
    for (;;) {
      archive_entry* entry = nullptr;
      const int code = archive_read_next_header(reader_, &entry);
      if (code == ARCHIVE_EOF)
        break;
      if (code != ARCHIVE_OK)
        return damaged();
      TRY(member(entry));
    }
    for (const auto& [path, target] : links_)
      if (::symlink(target.c_str(), path.c_str()) != 0)
        return os_failure("create " + path);
    return {};
  }

private:
  tl::unexpected<Error> damaged() const {
    return failure("it is damaged: " + archive_reason(reader_, "its format is unknown"));
  }

  Result<void> member(archive_entry* entry) {
    const char* const found = archive_entry_pathname(entry);
    std::string name = found == nullptr ? "" : found;
    while (name.ends_with('/'))
      name.pop_back();
    if (name.size() < prefix_.size()) // directories above
      return {};
    if (!name.starts_with(prefix_) || ('/' + name + '/').find("/../") != std::string::npos)
      return failure(fmt::format("it has a member {} elsewhere", name));
    const std::string path = into_ + '/' + name.substr(prefix_.size());
    switch (archive_entry_filetype(entry)) {
    case AE_IFDIR:
      return ::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST ? Result<void>()
                                                                 : os_failure("create " + path);
    case AE_IFLNK:
      links_.emplace_back(path, archive_entry_symlink(entry));
      return {};
    case AE_IFREG:
      return file(path, archive_entry_perm(entry));
    default:
      return failure(fmt::format("its member {} is no file", name));
    }
  }

  Result<void> file(const std::string& path, mode_t mode) const {
    const Descriptor output(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode & 0777U));
    if (output.number() < 0)
      return os_failure("create " + path);
    for (;;) {
      const void* bytes = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int code = archive_read_data_block(reader_, &bytes, &size, &offset);
      if (code == ARCHIVE_EOF)
        return {};
      if (code != ARCHIVE_OK)
        return damaged();
      if (!write_all(output.number(), {static_cast<const char*>(bytes), size}))
        return os_failure("write " + path);
    }
  }

  archive* reader_;
  std::string prefix_, into_;
  std::vector<std::pair<std::string, std::string>> links_;
};

} // namespace

std::string terms_of(const PlannedCell& cell, const Project& project) {
  return question_of(cell, project, {});
}

std::string built_path(const std::string& output) {
  return fs::path(output).replace_extension(".built").string();
}

std::string built_json(const Built& built) {
  return json_text({{"kind", "built"},
                    {"form", json_form},
                    {"terms", built.terms},
                    {"work", built.work},
                    {"archive", built.archive},
                    {"source", built.source},
                    {"result", Json::parse(result_json(built.result))}});
}

Result<Built> read_built(std::string_view text, const std::string& of) {
  return read_json<Built>(text, "built", of, [&](const Json& json) -> Result<Built> {
    Built built;
    json.at("terms").get_to(built.terms);
    json.at("work").get_to(built.work);
    json.at("archive").get_to(built.archive);
    json.at("source").get_to(built.source);
    auto result = read_result(json.at("result").dump(), of);
    if (!result)
      return tl::unexpected(result.error());
    built.result = *std::move(result);
    if (!built.work.starts_with('/') || built.archive.find('/') != std::string::npos)
      return failure(of + " is damaged", "run the cell with --stage build again");
    return built;
  });
}

std::string archives_of(const std::string& output) {
  return (fs::path(output).parent_path() / "built").string();
}

void remove_built(const Files& files, const std::string& output) {
  const std::string path = built_path(output);
  std::error_code error;
  // the record last: without it nobody would find the archive of a process that is killed here
  if (const auto text = files.read(path, largest_file))
    if (const auto built = read_built(*text, path))
      fs::remove(archive_path(archives_of(output), built->archive), error);
  fs::remove(path, error);
}

Result<std::string> pack_built(const std::string& work, const std::string& directory) {
  TRY_ASSIGN(auto entries, entries_below(work));
  std::error_code error;
  fs::create_directories(directory, error);
  std::string draft = directory + "/XXXXXX";
  const Descriptor file(::mkostemp(draft.data(), O_CLOEXEC));
  if (file.number() < 0)
    return os_failure("create a file in " + directory);
  const auto written = pack::write_archive(file.number(), {0, std::move(entries)});
  auto digest =
      written && ::fchmod(file.number(), 0644) == 0
          ? sha256_of_file(draft)
          : Result<std::string>(written ? os_failure("write " + draft) : tl::unexpected(written.error()));
  if (digest && ::rename(draft.c_str(), archive_path(directory, *digest).c_str()) != 0)
    digest = os_failure("write into " + directory);
  if (!digest)
    ::unlink(draft.c_str());
  return digest;
}

Result<void> unpack_built(const std::string& directory, const Built& built, const std::string& work) {
  constexpr std::size_t piece = std::size_t{128} << 10U;
  constexpr const char* hint = "bring it here again, or run the cell with --stage build again";
  const std::string path = archive_path(directory, built.archive);
  const auto digest = sha256_of_file(path);
  if (!digest)
    return failure(digest.error().message, hint);
  if (*digest != built.archive)
    return failure(path + " is damaged: its bytes have another SHA-256", hint);
  std::error_code error;
  fs::remove_all(work, error);
  if (!fs::create_directories(work, error) && error)
    return failure(fmt::format("cannot create {}: {}", work, error.message()));
  const auto reader = archive_reader(archive_zstd | archive_tar);
  if (archive_read_open_filename(reader.get(), path.c_str(), piece) != ARCHIVE_OK)
    return failure(path + " cannot be opened", hint);
  const auto done = Unpacker(reader.get(), built.work, work).run();
  return done ? done : failure(fmt::format("{}: {}", path, done.error().message), done.error().hint);
}

} // namespace hostpin::matrix
