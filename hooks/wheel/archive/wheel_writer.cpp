// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/archive/wheel_writer.hpp"

#include "hooks/wheel/archive/zip_writer.hpp"
#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace hostpin::wheel {

namespace {

class Writing {
public:
  Writing(const std::string& info, const WheelWriting& how, int descriptor)
      : info_(info), how_(how), zip_(descriptor, how.modified) {}

  Result<void> add(NewFile& file) {
    if (file.packed && how_.level) {
      TRY_ASSIGN(auto content, decompressed(*file.packed, how_.scratch));
      file.set(std::move(content));
    }
    const ZipMember member{file.name, file.is_executable};
    if (file.packed) {
      rows_.push_back({file.name, file.hash, file.packed->size});
      return zip_.copy(member, *file.packed);
    }
    Sha256 hash;
    auto done = zip_.compress(member, file.content, {how_.level.value_or(how_.level_of_new), how_.threads},
                              [&](std::string_view bytes) { hash.update(bytes); });
    rows_.push_back({file.name, record_hash(hash.hex()), file.content.size()});
    return done;
  }

  Result<std::vector<RecordRow>> finish() {
    rows_.push_back({info_ + "/RECORD", {}, {}});
    const binary::Blob record(record_text(rows_));
    if (auto added = zip_.compress({rows_.back().path}, record, {how_.level.value_or(how_.level_of_new), 1},
                                   [](std::string_view) {});
        !added)
      return tl::unexpected(added.error());
    TRY(zip_.finish());
    return std::move(rows_);
  }

private:
  const std::string& info_;
  const WheelWriting& how_;
  ZipWriter zip_;
  std::vector<RecordRow> rows_;
};

} // namespace

void NewFile::set(binary::Blob bytes) {
  packed.reset();
  hash.clear();
  content = std::move(bytes);
}

Result<std::vector<NewFile>> files_of(const binary::Blob& zip, const WheelFile& wheel) {
  TRY_ASSIGN(const auto directory, central_directory(zip));
  if (directory.size() != wheel.members.size())
    return failure("it changed while it was read");
  std::vector<NewFile> files;
  for (std::size_t i = 0; i < directory.size(); ++i) {
    const DirectoryEntry& entry = directory[i];
    const Member& member = wheel.members[i];
    if (entry.name != member.entry.name)
      return failure("it changed while it was read");
    if (member.entry.is_directory || is_record(entry.name, wheel.info))
      continue;
    if (!entry.is_utf8)
      return failure("the name of its member " + escaped(entry.name) + " is not in UTF-8",
                     "pack it again: python -m wheel unpack, then python -m wheel pack");
    TRY_ASSIGN(auto data, packed_data(zip, entry));
    files.push_back({entry.name, entry.is_executable, std::move(data), member.hash, {}});
  }
  return files;
}

Result<std::vector<RecordRow>> write_wheel(std::vector<NewFile> files, const std::string& info,
                                           const WheelWriting& how, int descriptor) {
  const auto place = [&](const NewFile& file) {
    return std::tuple(file.name.starts_with(info + '/'), std::string_view(file.name));
  };
  std::sort(files.begin(), files.end(),
            [&](const NewFile& a, const NewFile& b) { return place(a) < place(b); });
  Writing writing(info, how, descriptor);
  for (NewFile& file : files) {
    if (auto added = writing.add(file); !added)
      return failure("its member " + escaped(file.name) + ": " + added.error().message, added.error().hint);
    file = {}; // frees what is in memory
  }
  return writing.finish();
}

} // namespace hostpin::wheel
