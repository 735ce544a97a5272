// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/archive_trees.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/archive/unpack.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/redist/store/nar.hpp"
#include "toolchains/redist/store/store.hpp"

#include <atomic>
#include <fcntl.h>
#include <utility>

namespace hostpin::redist {

namespace {

using Kind = ArchiveProblem::Kind;
using Unpacking = tl::expected<UnpackedArchive, ArchiveProblem>;

tl::unexpected<ArchiveProblem> problem(Kind kind, std::string message, std::string hint) {
  return tl::unexpected(ArchiveProblem{kind, {std::move(message), std::move(hint)}});
}

tl::unexpected<ArchiveProblem> failed(const Error& error) {
  return problem(Kind::failed, error.message, error.hint);
}

Unpacking in_store(const ListedArchive& archive, const std::string& store) {
  auto stored = Store(store).tree(archive.sha256);
  if (!stored)
    return problem(Kind::absent, "the store " + store + " does not have " + name_of(archive),
                   "run `hostpin redist fetch` with a lock that has it");
  return UnpackedArchive{std::move(stored->path), std::move(stored->tree), std::move(stored->top),
                         std::nullopt};
}

/// The bytes that are verified are those of the open file that is unpacked.
std::optional<ArchiveProblem> verify(const ListedArchive& archive, const std::string& path, int file) {
  Sha256 hash;
  const auto read = update_from_file(hash, file, ~std::uint64_t{0}, path);
  if (!read)
    return ArchiveProblem{Kind::failed, read.error()};
  const std::string found = hash.hex();
  if (found == archive.sha256)
    return std::nullopt;
  return ArchiveProblem{Kind::other_hash,
                        {path + " is not " + name_of(archive) + ": its SHA-256 is " + found +
                             ", and that in the list is " + archive.sha256,
                         "get the archive again; if it stays so, one of the two was replaced"}};
}

Unpacking in_scratch(const ListedArchive& archive, const std::string& path, int file,
                     const Environment& environment) {
  auto scratch = ScratchDirectory::make(environment);
  if (!scratch)
    return failed(scratch.error());
  const std::atomic<bool> stop = false;
  auto unpacked = unpack(file, scratch->path(), {}, stop);
  if (!unpacked)
    return problem(Kind::unsafe,
                   "cannot unpack " + path + " (" + name_of(archive) + "): " + unpacked.error().message,
                   unpacked.error().hint);
  auto tree = nar_sha256(unpacked->path);
  if (!tree)
    return failed(tree.error());
  return UnpackedArchive{std::move(unpacked->path), *std::move(tree), std::move(unpacked->top),
                         *std::move(scratch)};
}

/// An archive is below its published path, or next to the others.
Unpacking in_archives(const ListedArchive& archive, const std::string& directory,
                      const Environment& environment) {
  const std::string name(base_name(archive.path));
  for (const std::string& below : {archive.path, name}) {
    const std::string path = directory + '/' + below;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
      continue;
    const binary::OpenFile file(descriptor);
    if (auto wrong = verify(archive, path, file.descriptor()))
      return tl::unexpected(*std::move(wrong));
    return in_scratch(archive, path, file.descriptor(), environment);
  }
  return problem(Kind::absent, "there is no " + archive.path + " and no " + name + " in " + directory,
                 "download the archive there, or use `hostpin redist fetch` and --store");
}

} // namespace

Unpacking unpack_listed(const ListedArchive& archive, const TreeSources& sources,
                        const Environment& environment) {
  return sources.store.empty() ? in_archives(archive, sources.archives, environment)
                               : in_store(archive, sources.store);
}

} // namespace hostpin::redist
