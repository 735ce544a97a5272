// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/prove.hpp"

#include "toolchains/base/text.hpp"
#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/inputs.hpp"
#include "toolchains/devicecode/host_half.hpp"
#include "toolchains/devicecode/same_code.hpp"
#include "toolchains/fatbin/choice.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace hostpin::devicecode {

using namespace binary;
using fatbin::Choice;
using fatbin::Entries;

namespace {

/// One fatbin of a file.
struct Piece {
  std::string where;
  Entries entries;
  bool linked = false; ///< of a wrapper of version 2
  bool links = false;  ///< input of a link: of nvlink, or of the driver when a program starts
};

/// A file, or a member of an archive.
struct Part {
  Readable file;
  std::optional<Image> image;            ///< of an ELF file
  std::map<std::uint64_t, Piece> pieces; ///< by the addresses of wrappers, or in order
};

Reading<bool> add_raw(Part& part) {
  return each_whole_fatbin(part.file.bytes, [&](const EmbeddedFatbin& found) -> Reading<bool> {
    const std::size_t number = part.pieces.size() + 1;
    part.pieces.emplace(number, Piece{"fatbin " + std::to_string(number), found.entries, false, false});
    return true;
  });
}

std::string wrapper_name(std::uint64_t address) {
  return "the fatbin of the wrapper at " + hexadecimal(address);
}

/// Fatbins of a linked file that no wrapper points to have to stay where they are: see `Fatbin`.
void add_linked(Part& part, const DeviceSection& section, const Fatbin& fatbin) {
  const bool is_unnamed = fatbin.wrappers.empty();
  if (is_unnamed)
    part.pieces.emplace(fatbin.address,
                        Piece{"a fatbin without wrapper", fatbin.entries, false, section.relocatable});
  for (const std::size_t i : fatbin.wrappers) {
    const Wrapper& wrapper = part.image->wrappers[i];
    part.pieces.emplace(wrapper.address, Piece{wrapper_name(wrapper.address), fatbin.entries,
                                               wrapper.version == Wrapper::linked, section.relocatable});
  }
}

void add_pieces(Part& part) {
  for (const DeviceSection& section : part.image->sections)
    for (const Fatbin& fatbin : section.fatbins) {
      if (part.image->is_linked()) {
        add_linked(part, section, fatbin);
        continue;
      }
      const std::size_t number = part.pieces.size() + 1;
      part.pieces.emplace(
          number, Piece{"fatbin " + std::to_string(number), fatbin.entries, false, section.relocatable});
    }
}

Reading<Part> read_part(const Readable& file) {
  Part part{file, {}, {}};
  if (is_fatbin(file.bytes.up_to(0, FatbinHead::bytes))) {
    TRY(add_raw(part));
    return part;
  }
  auto image = read_image(file.bytes);
  if (!image)
    return tl::unexpected(std::move(image.error()));
  part.image = std::move(*image);
  if (part.image)
    add_pieces(part);
  return part;
}

class Prover {
public:
  explicit Prover(const ProofTerms& terms) : terms_(terms) {}

  Reading<bool> compare(const std::string& name, const Part& before, const Part& after) {
    member_ = name;
    if (before.image.has_value() != after.image.has_value()) {
      differ("", {}, "a file of another kind");
      return true;
    }
    if (before.image) {
      TRY(compare_host_halves(
          before.file.bytes, *before.image, after.file.bytes, *after.image,
          [&](const std::string& where, const std::string& what) { differ(where, {}, what); }));
    } else if (before.pieces.empty() && after.pieces.empty())
      return compare_whole(before.file.bytes, after.file.bytes);
    return compare_pieces(before, after);
  }

  void lacks(const std::string& member, const char* which) {
    member_ = member;
    differ("", {}, which);
  }

  Proof take() { return std::move(proof_); }

private:
  void differ(const std::string& where, std::optional<gpus::Capability> gpu, std::string what) {
    if (++proof_.count > Proof::most_listed)
      return;
    std::string name = member_.empty() || where.empty() ? member_ + where : member_ + ": " + where;
    proof_.differences.push_back({name.empty() ? "the file" : name, gpu, std::move(what)});
  }

  /// Files that are neither ELF files nor fatbins.
  Reading<bool> compare_whole(const Bytes& before, const Bytes& after) {
    if (before.size() != after.size()) {
      differ("", {}, "another size");
      return true;
    }
    TRY_ASSIGN(const auto found, first_difference(before, 0, after, 0, before.size()));
    if (found)
      differ("", {}, "other bytes");
    return true;
  }

  Reading<bool> compare_pieces(const Part& before, const Part& after) {
    for (const auto& [key, piece] : after.pieces)
      if (!before.pieces.contains(key) && !piece.entries.empty())
        differ(piece.where, {}, "only in the new file");
    for (const gpus::Capability& gpu : terms_.gpus)
      is_served_[gpu] = is_linked_for(before, gpu) && is_linked_for(after, gpu);
    for (const auto& [key, piece] : before.pieces) {
      ++proof_.fatbins;
      const auto other = after.pieces.find(key);
      const Piece missing{piece.where, {}, piece.linked, piece.links};
      if (auto read =
              compare_piece(before, piece, after, other == after.pieces.end() ? missing : other->second);
          !read)
        return read;
    }
    return true;
  }

  /// Whether device links left code for this GPU in all their fatbins, so that nothing is linked at the
  /// start.
  bool is_linked_for(const Part& part, const gpus::Capability& gpu) const {
    bool any = false;
    for (const auto& [key, piece] : part.pieces)
      if (piece.linked) {
        any = true;
        if (!fatbin::choice(piece.entries, terms_of(gpu)).selected)
          return false;
      }
    return any;
  }

  fatbin::ChoiceTerms terms_of(const gpus::Capability& gpu) const {
    return {terms_.rows, gpu, terms_.driver};
  }

  Reading<bool> compare_piece(const Part& before, const Piece& a, const Part& after, const Piece& b) {
    equal_.clear();
    for (const gpus::Capability& gpu : terms_.gpus) {
      if (a.links && before.image->is_linked() && is_served_[gpu])
        continue;
      const fatbin::ChoiceTerms terms = terms_of(gpu);
      auto read = compare_choices({before, a, fatbin::choice(a.entries, terms)},
                                  {after, b, fatbin::choice(b.entries, terms)}, gpu);
      if (read && a.links && !before.image->is_linked())
        read = compare_choices({before, a, lto_choice(a.entries, terms)},
                               {after, b, lto_choice(b.entries, terms)}, gpu);
      if (!read)
        return read;
    }
    return true;
  }

  /// What a link with -dlto reads: LTO-IR serves the same GPUs as PTX.
  static Choice lto_choice(Entries entries, const fatbin::ChoiceTerms& terms) {
    for (EmbeddedCode& entry : entries) {
      entry.code = entry.code == DeviceCode::ltoir ? DeviceCode::ptx : DeviceCode::other;
      entry.major = entry.minor = 0; // those of a container
    }
    return fatbin::choice(entries, terms);
  }

  struct Chosen {
    const Part& part;
    const Piece& piece;
    Choice choice;

    const EmbeddedCode& entry() const { return piece.entries[*choice.selected]; }
    std::string text() const {
      return choice.selected
                 ? gpus::to_string(fatbin::capability_of(entry())) + " " + fatbin::name_of(entry().code)
                 : "nothing";
    }
  };

  Reading<bool> compare_choices(const Chosen& a, const Chosen& b, const gpus::Capability& gpu) {
    if (!a.choice.selected && !b.choice.selected)
      return true;
    if (a.text() != b.text()) {
      differ(a.piece.where, gpu, b.text() + " instead of " + a.text());
      return true;
    }
    TRY_ASSIGN(const auto what, difference(a, b));
    if (!what.empty())
      differ(a.piece.where, gpu, "other " + a.text() + ": " + what);
    else if (a.choice.entry && !b.choice.entry)
      differ(a.piece.where, gpu, a.text() + " that this driver cannot load");
    const bool zstd = b.entry().packing == DevicePacking::zstd && a.entry().packing != DevicePacking::zstd;
    proof_.needs_zstd = proof_.needs_zstd || zstd;
    return true;
  }

  /// Several GPUs often select the same entries.
  Reading<std::string> difference(const Chosen& a, const Chosen& b) {
    const std::pair key(*a.choice.selected, *b.choice.selected);
    if (const auto known = equal_.find(key); known != equal_.end())
      return known->second;
    TRY_ASSIGN(auto found, codes_.difference(a.part.file, a.entry(), b.part.file, b.entry()));
    return equal_[key] = found.value_or("");
  }

  const ProofTerms& terms_;
  CodeComparison codes_;
  Proof proof_;
  std::string member_; ///< of an archive
  std::map<gpus::Capability, bool> is_served_;
  std::map<std::pair<std::size_t, std::size_t>, std::string> equal_; ///< how two entries differ
};

/// The members of an archive that hold bytes of their own, by name; the second of a name is `a.o#2`.
Result<std::map<std::string, Bytes>> members_of(const std::string& path, const InputFile& file) {
  std::map<std::string, Bytes> members;
  std::optional<Error> failed;
  each_input(path, file, [&](const InputName& name, const Result<Bytes>& bytes) {
    if (!bytes)
      failed = Error{"it cannot be read: " + bytes.error().message, bytes.error().hint};
    else if (&bytes->source() != &file)
      failed = Error{"it is a thin archive", "name its members instead"};
    else {
      std::string member = joined(name.member, "/");
      for (std::size_t again = 2; !members.emplace(member, *bytes).second; ++again)
        member = member.substr(0, member.find('#')) + '#' + std::to_string(again);
    }
    return !failed;
  });
  if (failed)
    return tl::unexpected(*std::move(failed));
  return members;
}

Error not_comparable(const char* which, const std::string& member, const Damage& damage) {
  return {std::string("the ") + which + " file cannot be compared: " + (member.empty() ? "" : member + ": ") +
              damage.what,
          {}};
}

Result<bool> compare_members(Prover& prover, const std::string& name, const Readable& before,
                             const Readable& after) {
  auto a = read_part(before), b = read_part(after);
  if (!a)
    return tl::unexpected(not_comparable("old", name, a.error()));
  if (!b)
    return tl::unexpected(not_comparable("new", name, b.error()));
  auto done = prover.compare(name, *a, *b);
  if (!done)
    return failure("the files cannot be compared: " + (name.empty() ? "" : name + ": ") + done.error().what);
  return true;
}

Result<bool> compare_archives(Prover& prover, const InputFile& before, const Blob& before_blob,
                              const InputFile& after, const Blob& after_blob) {
  const auto a = members_of("OLD", before), b = members_of("NEW", after);
  if (!a)
    return failure("the old file cannot be compared: " + a.error().message, a.error().hint);
  if (!b)
    return failure("the new file cannot be compared: " + b.error().message, b.error().hint);
  for (const auto& [name, bytes] : *b)
    if (!a->contains(name))
      prover.lacks(name, "only in the new file");
  for (const auto& [name, bytes] : *a) {
    const auto other = b->find(name);
    if (other == b->end()) {
      prover.lacks(name, "not in the new file");
      continue;
    }
    TRY(compare_members(prover, name, {bytes, before_blob}, {other->second, after_blob}));
  }
  return true;
}

} // namespace

Result<Proof> prove(const Blob& before, const Blob& after, const ProofTerms& terms) {
  Prover prover(terms);
  const InputFile a(before), b(after);
  const bool archives = archive_kind(Bytes(a).up_to(0, 8)) != ArchiveKind::none;
  if (archives != (archive_kind(Bytes(b).up_to(0, 8)) != ArchiveKind::none)) {
    prover.lacks("", "a file of another kind");
    return prover.take();
  }
  const auto done = archives ? compare_archives(prover, a, before, b, after)
                             : compare_members(prover, "", {Bytes(a), before}, {Bytes(b), after});
  for (const auto* const file : {&a, &b})
    if (auto trouble = file->trouble())
      return tl::unexpected(*std::move(trouble));
  if (!done)
    return tl::unexpected(done.error());
  return prover.take();
}

} // namespace hostpin::devicecode
