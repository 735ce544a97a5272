// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/inputs.hpp"

#include "toolchains/binary/archive.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace hostpin::binary {

namespace {

// No linker follows archives inside archives. Thin archives that name each other could multiply without end.
constexpr std::size_t deepest = 8;
constexpr std::size_t most_nested_members = std::size_t{1} << 20U;

std::string in_directory_of(const std::string& archive, const std::string& name) {
  const std::size_t slash = archive.rfind('/');
  return name.starts_with('/') || slash == std::string::npos ? name : archive.substr(0, slash + 1) + name;
}

class Walk {
public:
  Walk(const std::string& path, const InputVisitor& visit) : path_(path), visit_(visit) {}

  /// The path of the file on disk that contains the bytes; thin archives name files next to it.
  bool input(const std::string& file, const Bytes& bytes) {
    const ArchiveKind kind = archive_kind(bytes.up_to(0, 8));
    return kind == ArchiveKind::none ? visit_({path_, member_}, bytes) : archive(file, bytes, kind);
  }

  bool file(const std::string& file) {
    const auto source = InputFile::open(file);
    return source ? input(file, Bytes(**source)) : visit_({path_, member_}, tl::unexpected(source.error()));
  }

private:
  bool broken(const std::string& what) {
    return visit_({path_, member_}, failure("it is a damaged archive: " + what, "create it again with ar"));
  }

  /// Why an archive must not be followed; nothing if it can be.
  std::optional<std::string> refusal(const Bytes& bytes) const {
    // Only a thin archive leads to another file; an archive in memory has no identity.
    const InputFile::Identity identity = bytes.source().identity();
    if (bytes.whole_file() && identity != InputFile::Identity{} &&
        std::find(open_.begin(), open_.end(), identity) != open_.end())
      return "it contains itself";
    if (open_.size() == deepest)
      return "it is nested more than " + std::to_string(deepest) + " levels deep";
    return std::nullopt;
  }

  bool archive(const std::string& file, const Bytes& bytes, ArchiveKind kind) {
    if (const auto why = refusal(bytes))
      return broken(*why);
    open_.push_back(bytes.source().identity());
    const bool go_on = members(file, bytes, kind);
    open_.pop_back();
    return go_on;
  }

  bool members(const std::string& file, const Bytes& bytes, ArchiveKind kind) {
    ArchiveReader reader(bytes, kind);
    while (true) {
      auto next = reader.next();
      if (!next)
        return broken(next.error().what);
      if (!*next)
        break;
      if (open_.size() > 1 && ++nested_members_ > most_nested_members)
        return broken("there are more members in archives inside archives than in any real one");
      if (!one(file, **next))
        return false;
    }
    if (auto trouble = bytes.whole_file() ? bytes.source().trouble() : std::nullopt)
      return visit_({path_, member_}, tl::unexpected(*std::move(trouble)));
    return true;
  }

  bool one(const std::string& file, ArchiveMember& found) {
    member_.push_back(std::move(found.name));
    const std::string& name = member_.back();
    const bool go_on = found.content     ? input(file, *found.content)
                       : found.nested_at ? proxy(in_directory_of(file, name), *found.nested_at)
                                         : this->file(in_directory_of(file, name));
    member_.pop_back();
    return go_on;
  }

  /// A member of another archive that a thin one names.
  bool proxy(const std::string& other, std::uint64_t header) {
    const auto source = InputFile::open(other);
    if (!source)
      return visit_({path_, member_}, tl::unexpected(source.error()));
    const Bytes bytes(**source);
    if (const auto why = refusal(bytes))
      return broken(*why);
    const ArchiveKind kind = archive_kind(bytes.up_to(0, 8));
    auto found =
        kind == ArchiveKind::none ? damaged("it is not an archive") : ArchiveReader(bytes, kind).at(header);
    if (!found || !*found || (*found)->is_table)
      return broken(found ? "there is no such member" : found.error().what);
    open_.push_back(bytes.source().identity());
    const bool go_on = one(other, **found);
    open_.pop_back();
    return go_on;
  }

  const std::string& path_;
  const InputVisitor& visit_;
  std::vector<std::string> member_;
  std::vector<InputFile::Identity> open_; ///< the archives around the current input
  std::size_t nested_members_ = 0;
};

} // namespace

std::string to_string(const InputName& name) {
  std::string text = name.path;
  for (const std::string& member : name.member)
    text += '(' + member;
  return text.append(name.member.size(), ')');
}

void each_input(const std::string& path, const InputVisitor& visit) {
  Walk(path, visit).file(path);
}

void each_input(const std::string& path, const InputFile& source, const InputVisitor& visit) {
  Walk(path, visit).input(path, Bytes(source));
}

} // namespace hostpin::binary
