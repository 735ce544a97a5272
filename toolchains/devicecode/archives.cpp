// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/archive.hpp"
#include "toolchains/devicecode/objects.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::devicecode {

using namespace binary;

namespace {

constexpr std::size_t magic_size = 8, size_field_at = 48, size_field = 10;
constexpr std::size_t most_table = std::size_t{256} << 20U; ///< no archive's symbols take more
constexpr std::size_t most_depth = 8;                       ///< of archives in archives

constexpr std::string_view symbols_narrow = "/", symbols_wide = "/SYM64/", long_names = "//";

/// A big-endian number in place.
std::uint64_t big(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes)
    value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

void put_big(std::string& bytes, std::size_t at, std::size_t size, std::uint64_t value) {
  for (std::size_t i = 0; i < size; ++i)
    bytes[at + i] = static_cast<char>(value >> 8U * (size - 1 - i));
}

class ArchiveSlimming {
public:
  ArchiveSlimming(const Bytes& file, const Keeping& keeping, Slimming& slimming, std::size_t depth)
      : file_(file), keeping_(keeping), slimming_(slimming), depth_(depth), outer_(slimming.member) {}

  Reading<Rewriting> slim() {
    ArchiveReader reader(file_, ArchiveKind::ordinary);
    pieces_.emplace_back().copy(*file_.part(0, magic_size));
    new_at_ = old_at_ = magic_size;
    while (true) {
      TRY_ASSIGN(const auto member, reader.next_or_table());
      if (!member)
        break;
      TRY(take(*member));
    }
    slimming_.member = outer_;
    copy_up_to(file_.size());
    return finish();
  }

private:
  Reading<bool> take(const ArchiveMember& member) {
    copy_up_to(member.header);
    offsets_.emplace(member.header, new_at_);
    auto content = member.is_table ? table(member) : slim_member(member);
    if (!content)
      return tl::unexpected(std::move(content.error()));
    add_header(member, content->size());
    new_at_ += content->size();
    pieces_.push_back(std::move(*content));
    old_at_ = member.begin + member.content->size();
    return true;
  }

  /// The byte between members that makes offsets even.
  void copy_up_to(std::uint64_t header) {
    Rewriting& padding = pieces_.emplace_back();
    if (new_at_ % 2 == old_at_ % 2)
      padding.copy(*file_.part(old_at_, header - old_at_));
    else if (new_at_ % 2 != 0)
      padding.add("\n");
    new_at_ += padding.size();
    old_at_ = header;
  }

  void add_header(const ArchiveMember& member, std::uint64_t new_size) {
    const std::uint64_t old_size = member.content->size();
    Edits edits;
    if (new_size != old_size) {
      // A name may be between the header and the content, and counts as content.
      std::string text = std::to_string(member.begin - member.header - ArchiveReader::header_size + new_size);
      text.resize(size_field, ' ');
      edits.replace(size_field_at, size_field, std::move(text));
    }
    // Edits of the size field are inside the header, and one does not overlap itself.
    Rewriting& header =
        pieces_.emplace_back(edits.apply(*file_.part(member.header, member.begin - member.header)).value());
    new_at_ += header.size();
  }

  Reading<Rewriting> table(const ArchiveMember& member) {
    if (member.name == symbols_narrow || member.name == symbols_wide)
      tables_.push_back({pieces_.size() + 1, *member.content, member.name == symbols_wide});
    else if (member.name != long_names)
      other_table_ = true;
    return copied(member);
  }

  static Rewriting copied(const ArchiveMember& member) {
    Rewriting same;
    same.copy(*member.content);
    return same;
  }

  Reading<Rewriting> slim_member(const ArchiveMember& member) {
    slimming_.member = outer_.empty() ? member.name : outer_ + '(' + member.name + ')';
    const auto kind = carrier(*member.content);
    Reading<Rewriting> slim = kind ? slim_of(*kind, member) : tl::unexpected(kind.error());
    if (!slim)
      return damaged("its member " + member.name + ": " + slim.error().what);
    return slim;
  }

  Reading<Rewriting> slim_of(Carrier kind, const ArchiveMember& member) {
    switch (kind) {
    case Carrier::linked:
      return damaged("it is a program or a shared library in an archive");
    case Carrier::archive:
      if (depth_ == most_depth)
        return damaged("archives are nested deeper than in any real file");
      return ArchiveSlimming(*member.content, keeping_, slimming_, depth_ + 1).slim();
    case Carrier::object:
      return slim_object(*member.content, keeping_, slimming_);
    case Carrier::fatbin:
      return slim_fatbins(*member.content, keeping_, slimming_);
    case Carrier::none:
    case Carrier::thin:
      break;
    }
    return copied(member);
  }

  struct Table {
    std::size_t piece;
    Bytes content;
    bool wide;
  };

  Reading<Rewriting> finish() {
    std::uint64_t size = 0;
    for (const Rewriting& piece : pieces_)
      size += piece.size();
    if (size != file_.size()) {
      if (other_table_ || tables_.size() > 1)
        return damaged("its table of symbols is not of GNU's format: make the archive again with GNU ar");
      for (const Table& table : tables_)
        TRY(move_symbols(table));
    }
    Rewriting result;
    for (Rewriting& piece : pieces_)
      result.append(std::move(piece));
    return result;
  }

  /// A number of symbols, the offsets of their members, and their names.
  Reading<bool> move_symbols(const Table& table) {
    const std::size_t word = table.wide ? 8 : 4;
    if (table.content.size() > most_table)
      return damaged("its table of symbols is larger than in any real file");
    std::string bytes(static_cast<std::size_t>(table.content.size()), '\0');
    if (!table.content.read(0, bytes.data(), bytes.size()))
      return damaged("its table of symbols cannot be read");
    const std::uint64_t count = bytes.size() < word ? 0 : big(bytes.substr(0, word));
    if (count > bytes.size() / word || (count + 1) * word > bytes.size())
      return bytes.empty() ? Reading<bool>(true) : damaged("its table of symbols is truncated");
    for (std::size_t at = word; at < (count + 1) * word; at += word) {
      const auto found = offsets_.find(big(std::string_view(bytes).substr(at, word)));
      if (found == offsets_.end())
        return damaged("its table of symbols names a member that is not there");
      put_big(bytes, at, word, found->second);
    }
    pieces_[table.piece] = Rewriting();
    pieces_[table.piece].add(std::move(bytes));
    return true;
  }

  const Bytes& file_;
  const Keeping& keeping_;
  Slimming& slimming_;
  std::size_t depth_;
  std::string outer_; ///< the archives around this one
  std::vector<Rewriting> pieces_;
  std::vector<Table> tables_;
  bool other_table_ = false;
  std::map<std::uint64_t, std::uint64_t> offsets_; ///< of the members' headers
  std::uint64_t old_at_ = 0, new_at_ = 0;
};

} // namespace

Reading<Rewriting> slim_archive(const Bytes& file, const Keeping& keeping, Slimming& slimming) {
  return ArchiveSlimming(file, keeping, slimming, 0).slim();
}

} // namespace hostpin::devicecode
