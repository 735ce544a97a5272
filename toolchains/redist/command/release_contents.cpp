// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/command/release_contents.hpp"

#include "toolchains/binary/blob.hpp"
#include "toolchains/redist/tree/dynamic_symbols.hpp"
#include "toolchains/redist/tree/features.hpp"

#include <algorithm>
#include <elf.h>
#include <string_view>
#include <utility>

namespace hostpin::redist {

namespace {

/// Of the class and byte order whose symbols are read: those of all platforms but Windows.
bool has_symbols(std::string_view bytes) {
  return bytes.size() > EI_DATA && bytes.starts_with(ELFMAG) && bytes[EI_CLASS] == ELFCLASS64 &&
         bytes[EI_DATA] == ELFDATA2LSB;
}

/// Adds what others depend on in a library at `directory`/`library.path`.
Result<void> add_library(const std::string& directory, const Binary& library, ReleaseContent& content) {
  for (const gpus::Capability& capability : library.machine_code)
    content.gpus.insert("sm_" + gpus::digits(capability));
  if (library.soname.empty())
    return {};
  content.sonames.insert(library.soname);
  const std::string path = directory + '/' + library.path;
  const auto bytes = binary::MappedFile::or_empty(path);
  if (!has_symbols(bytes.bytes()))
    return {};
  auto symbols = read_dynamic_symbols(bytes.bytes());
  if (!symbols)
    return failure(path + ' ' + symbols.error().message);
  content.symbols[library.soname].merge(std::move(symbols->exported));
  return {};
}

bool is_library(const Binary& binary) {
  return binary.output == "lib" && binary.kind == Binary::Kind::library;
}

Result<ReleaseContent> content_of(const std::string& directory, const Contents& contents) {
  ReleaseContent content;
  for (std::string& output : outputs_of(contents))
    content.outputs.insert(std::move(output));
  for (const Binary& binary : contents.binaries)
    if (is_library(binary))
      TRY(add_library(directory, binary, content));
  return content;
}

} // namespace

ReleaseContents ReleaseContents::of_root(const std::string& directory, const Origin& origin) {
  ReleaseContents contents;
  contents.root_ = directory;
  for (const OriginEntry& entry : origin.entries) {
    if (!entry.archive)
      continue;
    RootFiles& files = contents.files_[origin.archives.at(*entry.archive).sha256];
    files.outputs.insert(entry.output);
    if (entry.output == "lib" && entry.link.empty())
      files.libraries.push_back(entry.path);
  }
  return contents;
}

bool ReleaseContents::are_known() const {
  return !root_.empty() || !sources_.archives.empty() || !sources_.store.empty();
}

Result<ReleaseContent> ReleaseContents::in_root(const RootFiles& files, const ContentFacts& facts) const {
  ReleaseContent content;
  content.outputs = files.outputs;
  content.outputs.erase("license"); // which each archive has
  std::vector<DamagedFile> damaged;
  for (const std::string& path : files.libraries) {
    auto binary = read_binary(root_, path, facts, damaged);
    if (!binary || binary->kind != Binary::Kind::library)
      continue;
    TRY(add_library(root_, *binary, content));
  }
  if (!damaged.empty())
    return failure(root_ + '/' + damaged.front().path + ' ' + damaged.front().what,
                   "`hostpin redist check " + root_ + "` compares it with its archive");
  return content;
}

Result<std::optional<ReleaseContent>> ReleaseContents::read(const std::string& package,
                                                            const std::string& platform,
                                                            const ReleaseArchive& archive,
                                                            const ContentFacts& facts) const {
  const auto found = [](ReleaseContent content) { return std::optional(std::move(content)); };
  if (!root_.empty()) {
    const auto files = files_.find(archive.sha256);
    return files == files_.end() ? Result<std::optional<ReleaseContent>>(std::nullopt)
                                 : in_root(files->second, facts).map(found);
  }
  ListedArchive listed;
  listed.package = package;
  listed.platform = platform;
  listed.path = archive.path;
  listed.sha256 = archive.sha256;
  const auto tree = unpack_listed(listed, sources_, *environment_);
  if (!tree && tree.error().kind == ArchiveProblem::Kind::absent)
    return std::nullopt;
  if (!tree)
    return tl::unexpected(tree.error().error);
  TRY_ASSIGN(const auto contents, inspect(tree->path, package, facts));
  return content_of(tree->path, contents).map(found);
}

std::vector<LockedManifest> manifests_of(const Origin& origin) {
  std::vector<LockedManifest> manifests;
  for (const LockedArchive& archive : origin.archives)
    if (std::ranges::none_of(manifests, [&](const LockedManifest& one) {
          return one.product == archive.product && one.label == archive.label;
        }))
      manifests.push_back({archive.product, archive.label, {}, {}, {}});
  return manifests;
}

} // namespace hostpin::redist
