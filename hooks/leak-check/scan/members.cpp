// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of FileScan that opens archives and compressed files, and scans what is in them.
#include "hooks/leak-check/scan/containers.hpp"
#include "hooks/leak-check/scan/file_scan.hpp"
#include "hooks/leak-check/scan/text.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/binary/machine.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hostpin::leak {

namespace {

constexpr std::size_t in_memory = std::size_t{1}
                                  << 20U; // larger members that are read in any order are stored in a file
constexpr std::size_t piece = std::size_t{64} << 10U;

/// The name of the content of a compressed file.
std::string content_name(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  for (const std::string_view ending : {".gz", ".xz", ".lzma", ".zst", ".bz2"})
    if (name.size() > ending.size() && name.ends_with(ending))
      return name.substr(0, name.size() - ending.size());
  return "unpacked";
}

/// Whether a path at its end would seem to continue with the name of the next member, which directly follows.
bool ends_in_a_name(const binary::Blob& member) {
  const std::string last = member.part(member.size() - 1, 1).beginning(1);
  return !last.empty() && last.front() > ' ';
}

} // namespace

void FileScan::open_archive(const ScanItem& item, ScannedFile& file, Budget& budget) {
  std::set<std::vector<std::string>> with_hits;
  for (const FoundNeedle& one : file.found)
    if (one.where.member.size() > item.member.size())
      with_hits.insert(one.where.member);
  std::uint64_t count = 0;
  // Damage of the archive itself was reported by begin_archive.
  static_cast<void>(read_ar(item.blob, [&](const ArMember& member) {
    if (++count > options_.limits.members)
      return false;
    if (member.is_index || member.size == 0)
      return true;
    const binary::Blob blob = item.blob.part(member.offset, member.size);
    const Content content = sniff(blob.beginning(sniffed_bytes), member.name).content;
    if (content != Content::elf && content != Content::packed && content != Content::closed &&
        content != Content::static_archive && !ends_in_a_name(blob))
      return true;
    budget.count_entries(file);
    if (budget.is_spent()) {
      add_unseen(file, item.member, {}, budget.reason(count - 1));
      return false;
    }
    std::vector<std::string> names = item.member;
    names.push_back(member.name);
    if (content == Content::elf) {
      open_archived_elf(blob, std::move(names), file, budget);
      return true;
    }
    const std::size_t known = file.found.size();
    nested(blob, member.name, names, file, budget);
    if (file.found.size() > known && with_hits.contains(names))
      drop_repeated(file.found, known, [&](const FoundNeedle& one) { return one.where.member == names; });
    return true;
  }));
}

namespace {

/// Only for kinds with a name, so that no archive can have many.
void count_object(const std::vector<std::string>& member, const binary::ElfKind& kind, ScannedFile& file) {
  const auto is_in_it = [&](const std::vector<std::string>& archive) {
    return archive.size() + 1 == member.size() && std::equal(archive.begin(), archive.end(), member.begin());
  };
  if (!binary::runs_linux(kind))
    return;
  for (auto known = file.objects.rbegin(); known != file.objects.rend() && is_in_it(known->archive); ++known)
    if (known->kind == kind) {
      ++known->number;
      return;
    }
  file.objects.push_back({{member.begin(), member.end() - 1}, kind, member.back(), 1});
}

} // namespace

/// Its bytes were scanned with the archive's.
void FileScan::open_archived_elf(const binary::Blob& blob, std::vector<std::string> names, ScannedFile& file,
                                 Budget& budget) {
  ScanItem inner{blob, std::move(names), {Content::elf, {}}, {}, nullptr};
  const binary::BlobSource source(blob);
  auto frame = read_header(source);
  const auto read = frame ? read_sections(source, *frame) : tl::unexpected(frame.error());
  if (!read)
    return add_unseen(file, inner.member, {},
                      source.trouble().empty() ? read.error().message : source.trouble());
  count_object(inner.member, frame->kind, file);
  inner.frame = std::make_unique<ElfFrame>(*std::move(frame));
  open_elf(inner, file, budget);
}

void FileScan::open_payload(const ScanItem& item, ScannedFile& file, Budget& budget) {
  const auto payload = payload_of(item);
  if (!payload)
    return;
  if (payload->sniffed.content != Content::packed) {
    add_unseen(file, item.member, {},
               "it contains a payload that cannot be opened: " + std::string(payload->sniffed.format));
    return;
  }
  const std::size_t known = file.found.size();
  open_packed(item, payload->bytes, file, budget);
  drop_repeated(file.found, known, [&](const FoundNeedle& one) {
    return one.where.member == item.member && one.where.offset >= payload->offset;
  });
}

void FileScan::open_packed(const ScanItem& item, const binary::Blob& packed, ScannedFile& file,
                           Budget& budget) {
  if (!budget.allows_depth(item.member.size() + 1)) {
    add_unseen(file, item.member, {},
               "it is nested deeper than " + std::to_string(options_.limits.depth) + " levels");
    return;
  }
  const std::uint64_t window = declared_window(packed);
  if (!budget.reserve_window(window))
    return add_unseen(file, item.member, {},
                      "its dictionary and those it is nested in take more than " +
                          std::to_string(options_.limits.windows >> 20U) + " MB");
  std::uint64_t number = 0;
  const auto opened = each_packed_member(packed, [&](PackedMember& member) {
    ++number;
    std::string name = member.name();
    if (name.empty())
      name = number > 1            ? "member " + std::to_string(number)
             : item.member.empty() ? content_name(file.path)
                                   : content_name(item.member.back());
    std::vector<std::string> names = item.member;
    names.push_back(std::move(name));
    const bool more = budget.spend_member() && open_member(member, std::move(names), file, budget);
    budget.count_entries(file);
    return more && !budget.is_spent();
  });
  budget.release_window(window);
  if (budget.is_spent())
    add_unseen(file, item.member, {}, budget.reason(number));
  else if (!opened)
    add_unseen(file, item.member, {}, opened.error().message);
}

bool FileScan::open_member(PackedMember& member, std::vector<std::string> names, ScannedFile& file,
                           Budget& budget) {
  if (const auto target = member.link_target()) {
    link(*target, std::move(names), file);
    return true;
  }
  if (!member.is_file())
    return true;
  std::string first(piece, '\0');
  std::size_t filled = 0;
  std::optional<Error> wrong;
  while (filled < sniffed_bytes) { // a reader returns as much as it has
    const auto count = member.read(std::span<char>(first).subspan(filled));
    if (!count)
      wrong = count.error();
    if (!count || *count == 0)
      break;
    filled += *count;
  }
  first.resize(filled);
  const Content content = sniff(first, names.back()).content;
  const bool in_any_order = content != Content::other || text_kind(names.back(), first).has_value();
  if (!wrong && in_any_order) {
    auto blob = spool(member, std::move(first), budget);
    if (blob)
      nested(*std::move(blob), names.back(), names, file, budget);
    else if (!budget.is_spent())
      add_unseen(file, names, {}, blob.error().message);
    return !budget.is_spent();
  }
  OneLocation locations(names, {});
  const Spend spend = [&](std::uint64_t count) { return budget.spend(count); };
  StreamResult scanned = stream(locations, spend, [&](binary::Target& target) -> Result<void> {
    for (std::string_view rest = first; !rest.empty();) {
      const std::span<char> space = target.space();
      const std::size_t count = std::min(space.size(), rest.size());
      std::copy_n(rest.begin(), count, space.begin());
      rest.remove_prefix(count);
      if (!target.advance(count))
        return {};
    }
    if (wrong)
      return tl::unexpected(*wrong);
    for (;;) {
      TRY_ASSIGN(const auto count, member.read(target.space()));
      if (count == 0 || !target.advance(count))
        return {};
    }
  });
  const auto read = add_stream(std::move(scanned), locations, file);
  if (!read && !budget.is_spent())
    add_unseen(file, names, {}, read.error().message);
  return !budget.is_spent();
}

/// Decompresses the rest of a member after its first bytes, into memory or a file.
Result<binary::Blob> FileScan::spool(PackedMember& member, std::string bytes, Budget& budget) {
  if (!budget.spend(bytes.size()))
    return failure(budget.reason());
  std::shared_ptr<const binary::OpenFile> scratch;
  std::uint64_t size = 0;
  std::string space(piece, '\0');
  for (;;) {
    TRY_ASSIGN(const auto count, member.read(space));
    if (count > 0 && !budget.spend(count))
      return failure(budget.reason());
    bytes.append(space, 0, count);
    if (count == 0 && !scratch)
      return binary::Blob(std::move(bytes));
    if (bytes.size() > in_memory || count == 0) {
      if (!scratch) {
        TRY_ASSIGN(auto made, binary::open_scratch(options_.scratch));
        scratch = std::move(made);
      }
      if (!write_all(scratch->descriptor(), bytes))
        return failure("it cannot be decompressed in " + options_.scratch + ": " + binary::system_reason());
      size += bytes.size();
      bytes.clear();
    }
    if (count == 0)
      return binary::Blob(std::move(scratch), size);
  }
}

void FileScan::nested(binary::Blob blob, const std::string& name, std::vector<std::string> member,
                      ScannedFile& file, Budget& budget) {
  if (!budget.allows_depth(member.size())) {
    add_unseen(file, member, {},
               "it is nested deeper than " + std::to_string(options_.limits.depth) + " levels");
    return;
  }
  ScanItem item = begin(std::move(blob), name, std::move(member), file);
  ContentResult content_result(options_.limits.kinds);
  if (const auto read = content(item, content_result); !read)
    add_unseen(file, item.member, {}, read.error().message);
  end(std::move(item), std::move(content_result), file, budget);
}

} // namespace hostpin::leak
