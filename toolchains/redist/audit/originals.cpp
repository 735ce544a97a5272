// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/audit/originals.hpp"

#include "toolchains/archive/record.hpp"
#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/threads.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace hostpin::redist {

namespace {

namespace fs = std::filesystem;

/// `libcudart.so` of `libcudart.so.13.0.96`: what stays the same between releases.
std::string stem(std::string_view name) {
  const std::size_t at = name.find(".so.");
  return std::string(at == std::string_view::npos ? name : name.substr(0, at + 3));
}

/// `crt/host_config.h`
std::string last_two(std::string_view path) {
  const std::size_t name = path.rfind('/');
  const std::size_t directory =
      name == std::string_view::npos || name == 0 ? std::string_view::npos : path.rfind('/', name - 1);
  return std::string(directory == std::string_view::npos ? path : path.substr(directory + 1));
}

/// `nvidia-cuda-runtime 13.0.96` of `nvidia_cuda_runtime-13.0.96.dist-info`; empty for others' distributions.
std::string distribution(std::string_view info) {
  constexpr std::string_view end = ".dist-info";
  if (!info.starts_with("nvidia") || !info.ends_with(end))
    return {};
  std::string name(info.substr(0, info.size() - end.size()));
  std::ranges::replace(name, '_', '-');
  if (const std::size_t version = name.rfind('-'); version != std::string::npos)
    name[version] = ' ';
  return name;
}

/// Files of .dist-info that installers and tools that pack wheels write, with the same bytes for everybody's.
bool is_of_tools(std::string_view path) {
  constexpr auto names = std::to_array<std::string_view>(
      {"INSTALLER", "REQUESTED", "WHEEL", "direct_url.json", "top_level.txt", "uv_cache.json"});
  return directory_of(path).ends_with(".dist-info") &&
         std::ranges::find(names, base_name(path)) != names.end();
}

} // namespace

Result<std::string> content_sha256(const binary::Blob& bytes) {
  if (const auto memory = bytes.in_memory())
    return hostpin::sha256_of(*memory);
  Sha256 hash;
  std::vector<char> buffer(std::size_t{256} << 10U);
  for (std::uint64_t done = 0; done < bytes.size();) {
    TRY_ASSIGN(const auto count, bytes.read(done, buffer));
    if (count == 0)
      return failure("it became shorter while it was read");
    hash.update({buffer.data(), count});
    done += count;
  }
  if (bytes.has_changed())
    return failure("it was written to while it was read");
  return hash.hex();
}

Originals::Stamp Originals::stamp(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

std::size_t Originals::add_owner(std::string name, std::string proof) {
  owners_.push_back({std::move(name), std::move(proof)});
  return owners_.size() - 1;
}

void Originals::add(Original original) {
  if (original.size == 0)
    return; // empty files are everybody's
  const std::size_t index = originals_.size();
  if (!original.hash.empty())
    by_hash_.emplace(original.hash, index);
  for (auto* const same : {&by_path_[last_two(original.name)], &by_name_[stem(base_name(original.name))]})
    if (same->size() < 16)
      same->push_back(index);
  originals_.push_back(std::move(original));
}

std::optional<binary::Blob> Originals::content(const Original& original) {
  auto bytes = binary::open_blob(original.file);
  const auto sha256 = bytes ? content_sha256(*bytes) : tl::unexpected(bytes.error());
  if (!sha256 || (!original.hash.empty() && record_hash(*sha256) != original.hash))
    return std::nullopt;
  return *std::move(bytes);
}

void Originals::add_archive(const std::string& name, const std::string& proof, const std::string& directory,
                            const std::vector<Member>& members) {
  const std::size_t owner = add_owner(name, proof);
  for (const Member& member : members)
    if (member.link.empty())
      add({member.path, directory + '/' + member.path, member.size, owner, record_hash(member.sha256)});
}

Result<void> Originals::add_site(const std::string& directory) {
  const DiskFiles files;
  const std::size_t before = owners_.size();
  for (const std::string& name : files.entries(directory)) {
    const std::string dist = distribution(name);
    if (dist.empty())
      continue;
    TRY_ASSIGN(const auto text, files.read(directory + '/' + name + "/RECORD", longest_record));
    const auto rows = read_record(text);
    if (!rows)
      return failure(escaped(directory + '/' + name) + "/RECORD: " + rows.error().message, rows.error().hint);
    const std::size_t owner = add_owner(dist, "RECORD in " + escaped(directory + '/' + name));
    for (const RecordRow& row : *rows)
      if (row.hash.starts_with("sha256=") && is_path_below(row.path) && !is_of_tools(row.path))
        add({row.path, directory + '/' + row.path, row.size.value_or(1), owner, row.hash});
  }
  return owners_.size() == before
             ? Result<void>(failure(escaped(directory) + ": no distribution of NVIDIA is installed there",
                                    "name a site-packages directory with nvidia_*.dist-info"))
             : Result<void>();
}

Result<void> Originals::add_toolkit(const std::string& directory) {
  const std::size_t owner = add_owner("toolkit " + escaped(directory), "its file there");
  const std::size_t before = originals_.size();
  std::error_code error, ignored;
  for (fs::recursive_directory_iterator walk(directory, error);
       !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    if (walk->symlink_status(ignored).type() != fs::file_type::regular)
      continue;
    const std::string file = walk->path().string();
    const std::uintmax_t size = walk->file_size(ignored);
    if (!ignored && size != 0)
      add({file.substr(directory.size() + 1), file, size, owner});
  }
  if (error)
    return failure("cannot read the toolkit " + escaped(directory) + ": " + error.message(),
                   "name the root of a toolkit that can be read");
  if (originals_.size() == before)
    return failure(escaped(directory) + ": no file of a toolkit is there",
                   "name the root of a toolkit; a tree of symbolic links to one has no files");
  return {};
}

void Originals::hash(const std::set<std::uint64_t>& sizes) {
  std::vector<std::size_t> left;
  for (std::size_t index = 0; index < originals_.size(); ++index)
    if (originals_[index].hash.empty() && sizes.contains(originals_[index].size))
      left.push_back(index);
  std::ranges::sort(left, std::greater(), [&](std::size_t index) { return originals_[index].size; });
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  run_in_threads(processor_threads(), [&] {
    for (std::size_t at = next++; at < left.size(); at = next++) {
      Original& original = originals_[left[at]];
      const auto bytes = binary::open_blob(original.file);
      auto sha256 = bytes ? content_sha256(*bytes) : tl::unexpected(bytes.error());
      if (!sha256)
        continue;
      original.hash = record_hash(*sha256);
      const std::lock_guard lock(mutex);
      by_hash_.emplace(original.hash, left[at]);
      stamps_.emplace(stamp(bytes->file()->status()), *std::move(sha256));
    }
  });
}

const Original* Originals::with_hash(const std::string& sha256) const {
  const auto found = by_hash_.find(record_hash(sha256));
  return found == by_hash_.end() ? nullptr : &originals_[found->second];
}

std::vector<const Original*> Originals::found(const Index& index, const std::string& key) const {
  std::vector<const Original*> all;
  if (const auto same = index.find(key); same != index.end())
    for (const std::size_t one : same->second)
      all.push_back(&originals_[one]);
  return all;
}

std::vector<const Original*> Originals::with_name(std::string_view name) const {
  return found(by_name_, stem(base_name(name)));
}

std::vector<const Original*> Originals::with_path(std::string_view path) const {
  return found(by_path_, last_two(path));
}

std::string Originals::hash_of(const struct stat& status) const {
  const auto found = stamps_.find(stamp(status));
  return found == stamps_.end() ? std::string() : found->second;
}

} // namespace hostpin::redist
