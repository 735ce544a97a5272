// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/needles/scan.hpp"

#include "hooks/leak-check/needles/needles.hpp"
#include "hooks/leak-check/needles/path_text.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace hostpin::leak {

namespace {

constexpr std::size_t alignment = PageAligned<char>::alignment;

// What may matter on either side of a slash: the longest needle in UTF-16, and the text before it.
constexpr std::size_t reach = 2 * NeedleSet::longest + 256;
constexpr std::size_t reach_before = 132; // the characters that `beginning` reads
constexpr std::size_t reach_after = 2;    // those that `ends_name` reads

/// Whether a slash must be examined whatever follows: UTF-16, or a path that is not normal.
bool is_special(char after_slash) {
  return after_slash == '\0' || after_slash == '/' || after_slash == '.';
}

/// `length` characters from a slash on; nothing past the end.
std::optional<std::uint64_t> window_at(std::string_view bytes, std::size_t at, std::size_t stride,
                                       std::size_t length) {
  if (at + (length - 1) * stride >= bytes.size())
    return std::nullopt;
  if (stride == 1)
    return load_window(bytes.data() + at, length);
  char characters[wide_window] = {};
  for (std::size_t i = 0; i < length; ++i)
    characters[i] = bytes[at + i * stride];
  return load_window(characters, length);
}

bool occurs_at(std::string_view bytes, std::size_t begin, std::size_t stride, std::string_view text) {
  if (begin + (text.size() - 1) * stride >= bytes.size())
    return false;
  if (stride == 1)
    return std::memcmp(bytes.data() + begin, text.data(), text.size()) == 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (bytes[begin + i * 2] != text[i] || (i + 1 < text.size() && bytes[begin + i * 2 + 1] != '\0'))
      return false;
  return true;
}

/// The first characters of UTF-16, `most` at most, up to one whose other half is not zero.
std::string narrowed(std::string_view bytes, std::size_t most) {
  std::string characters;
  for (std::size_t i = 0; i < bytes.size() && characters.size() < most; i += 2) {
    characters += bytes[i];
    if (i + 1 < bytes.size() && bytes[i + 1] != '\0')
      break;
  }
  return characters;
}

constexpr std::array<unsigned char, 256> hash_characters = [] {
  std::array<unsigned char, 256> table{};
  for (unsigned c = 0; c < table.size(); ++c)
    table[c] = is_hash_character(static_cast<char>(c)) ? 1 : 0;
  return table;
}();

/// A number, so that several can be joined without a branch for each.
unsigned in_hash(char c) {
  return hash_characters[static_cast<unsigned char>(c)];
}

} // namespace

NeedleScan::NeedleScan(const NeedleSet& needles, Report report, std::size_t piece)
    : needles_(needles), report_(std::move(report)), piece_(std::max<std::size_t>(piece, 1)),
      buffer_(2 * reach + alignment + piece_ + Slashes::slack) {}

std::span<char> NeedleScan::space() {
  const std::size_t usable = buffer_.size() - Slashes::slack;
  if (usable - filled_ < piece_) {
    const std::size_t unneeded = std::min(scanned_ - std::min(scanned_, reach), filled_);
    const std::size_t drop = unneeded / alignment * alignment;
    std::memmove(buffer_.data(), buffer_.data() + drop, filled_ - drop);
    filled_ -= drop;
    scanned_ -= drop;
    detour_end_ -= std::min(detour_end_, drop);
    base_ += drop;
  }
  return {buffer_.data() + filled_, std::min(piece_, usable - filled_)};
}

void NeedleScan::advance(std::size_t count) {
  filled_ += count;
  if (filled_ > scanned_ + reach)
    scan(filled_ - reach);
}

void NeedleScan::finish() {
  scan(filled_);
  filled_ = scanned_ = detour_end_ = 0;
  base_ = 0;
}

void NeedleScan::scan(std::size_t end) {
  if (!needles_.paths_.empty())
    scan_slashes(scanned_, end);
  if (!needles_.hashes_.empty())
    scan_hashes(scanned_, end);
  scanned_ = end;
}

void NeedleScan::scan_slashes(std::size_t begin, std::size_t end) {
  const char* const bytes = buffer_.data();
  const bool only_wide = needles_.narrow_.members.empty();
  for (std::size_t block = begin; block < end; block += Slashes::block) {
    const std::size_t count =
        needles_.slashes_.find(bytes + block, std::min(Slashes::block, end - block), positions_);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t slash = block + positions_[i];
      // Nearly all slashes end here: nothing special after them, and no needle has these eight bytes.
      if (only_wide && slash + wide_window <= filled_ && !is_special(bytes[slash + 1]) &&
          !needles_.wide_.filter.may_hold(load_window(bytes + slash, wide_window)) && !is_escaped(slash))
        continue;
      check_slash(slash);
    }
  }
}

void NeedleScan::check_slash(std::size_t slash) {
  const std::size_t left = filled_ - slash;
  const char second = left > 1 ? buffer_[slash + 1] : ' ';
  const Text text{{buffer_.data(), filled_},
                  slash,
                  second == '\0' && left > 2 ? Hit::Encoding::utf16 : Hit::Encoding::bytes,
                  slash};
  look_up(text, needles_.wide_, wide_window);
  look_up(text, needles_.narrow_, narrow_window);
  if (is_escaped(slash))
    check_escaped(slash);
  if (second == '/' || second == '.' || (second == '\\' && is_escaped(slash)))
    check_detour(slash);
}

/// The text before an escaped slash that matters for the needles there, without escapes.
std::string NeedleScan::unescaped_before(std::size_t slash) const {
  const std::size_t end = slash - 1;
  const std::size_t begin = end - std::min(end, 2 * (needles_.longest_text_ + reach_before));
  return unescaped({buffer_.data() + begin, end - begin});
}

void NeedleScan::check_escaped(std::size_t slash) {
  const std::string_view bytes(buffer_.data(), filled_);
  const auto may_be_in = [&](const NeedleSet::Windows& windows, std::size_t length) {
    const auto window = window_at(unescaped(bytes.substr(slash, 2 * length)), 0, 1, length);
    return window && !windows.members.empty() && windows.filter.may_hold(*window);
  };
  if (!may_be_in(needles_.wide_, wide_window) && !may_be_in(needles_.narrow_, narrow_window))
    return;
  std::string plain = unescaped_before(slash);
  const std::size_t at = plain.size();
  plain += unescaped(bytes.substr(slash, 2 * (needles_.longest_text_ + reach_after)));
  const Text text{plain, at, Hit::Encoding::escaped, slash};
  look_up(text, needles_.wide_, wide_window);
  look_up(text, needles_.narrow_, narrow_window);
}

/// Where a path begins in the buffer of which every slash is escaped, and whose byte `offset` is at `at`;
/// nothing if it is not there.
std::optional<std::size_t> NeedleScan::escaped_beginning(std::string_view path, std::size_t offset,
                                                         std::size_t at) const {
  const std::string_view bytes(buffer_.data(), filled_);
  const std::size_t before = escaped(path.substr(0, offset + 1)).size() - 1;
  const std::string spelt = escaped(path);
  if (at < before || bytes.substr(at - before, spelt.size()) != spelt)
    return std::nullopt;
  return at - before + 1; // after the first backslash
}

void NeedleScan::look_up(const Text& text, const NeedleSet::Windows& windows, std::size_t length) {
  if (windows.members.empty())
    return;
  const auto window = window_at(text.bytes, text.slash, text.stride(), length);
  if (!window || !windows.filter.may_hold(*window))
    return;
  const auto bucket = static_cast<std::size_t>(mixed(*window) >> windows.shift);
  for (std::uint32_t i = windows.first[bucket]; i < windows.first[bucket + 1]; ++i) {
    const NeedleSet::Alike& alike = windows.alike[i];
    const std::size_t before = alike.offset * text.stride();
    if (alike.window != *window || text.slash < before)
      continue;
    const std::uint32_t last = windows.alike[i + 1].first;
    if (last - alike.first > 1) {
      look_up_among(text, text.slash - before, windows, alike.first, last);
      continue;
    }
    const std::uint32_t needle = windows.members[alike.first].needle;
    if (occurs_at(text.bytes, text.slash - before, text.stride(), needles_.paths_[needle]))
      report(text, needle, text.slash - before);
  }
}

/// Among several, those that occur here are prefixes of the last one that is not greater than the text.
void NeedleScan::look_up_among(const Text& text, std::size_t begin, const NeedleSet::Windows& windows,
                               std::uint32_t first, std::uint32_t last) {
  std::string narrow;
  std::string_view found = text.bytes.substr(begin, needles_.longest_text_);
  if (text.stride() == 2) {
    narrow = narrowed(text.bytes.substr(begin), needles_.longest_text_);
    found = narrow;
  }
  const auto path = [&](const NeedleSet::Member& member) -> std::string_view {
    return needles_.paths_[member.needle];
  };
  const auto members = windows.members.begin();
  const auto after =
      std::upper_bound(members + first, members + last, found,
                       [&](std::string_view at_hand, const auto& one) { return at_hand < path(one); });
  if (after == members + first)
    return;
  const std::string_view nearest = path(*std::prev(after));
  const auto same = static_cast<std::size_t>(
      std::mismatch(nearest.begin(), nearest.end(), found.begin(), found.end()).first - nearest.begin());
  for (auto i = static_cast<std::uint32_t>(std::prev(after) - members); i != NeedleSet::none;
       i = windows.members[i].beginning)
    if (path(windows.members[i]).size() <= same)
      report(text, windows.members[i].needle, begin);
}

/// Reports a needle unless it is part of another path.
void NeedleScan::report(const Text& text, std::uint32_t needle, std::size_t begin) {
  const std::string& path = needles_.paths_[needle];
  const std::size_t length = path.size() * text.stride();
  const Surroundings surroundings{text.bytes, text.stride()};
  const Beginning how = beginning(surroundings, begin);
  if (how == Beginning::inside || !ends_name(surroundings, begin + length))
    return;
  Hit hit{needle, base_ + begin, length, Hit::How::exact, text.encoding, how == Beginning::attached};
  if (text.encoding == Hit::Encoding::escaped) {
    const auto escaped_begin = escaped_beginning(path, text.slash - begin, text.origin);
    if (!escaped_begin)
      return;
    hit.offset = base_ + *escaped_begin;
    hit.length = escaped(path).size() - 1;
  } else if (is_escaped(begin) && path.rfind('/') == 0) {
    return; // found as an escaped path
  }
  report_(hit);
}

/// A slash before a dot or another slash: the path around it may normalise to a needle.
void NeedleScan::check_detour(std::size_t slash) {
  if (slash < detour_end_)
    return;
  const std::string_view bytes(buffer_.data(), filled_);
  const std::string_view path = path_around(bytes, slash, NeedleSet::longest);
  const auto begin = static_cast<std::size_t>(path.data() - bytes.data());
  detour_end_ = begin + path.size();
  if (!is_escaped(slash)) {
    if (const auto detour = detour_in(bytes, begin, path.size()))
      report_({detour->needle, base_ + detour->root, detour_end_ - detour->root, Hit::How::normalised,
               Hit::Encoding::bytes, false});
    return;
  }
  const std::size_t from = begin - std::min(begin, 2 * reach_before);
  const std::string_view around = bytes.substr(from, detour_end_ - from);
  const std::string plain = unescaped(around);
  const std::size_t size = unescaped(path).size();
  if (const auto detour = detour_in(plain, plain.size() - size, size)) {
    const std::size_t root = from + escaped_length(around, detour->root + 1) - 1;
    report_({detour->needle, base_ + root, detour_end_ - root, Hit::How::normalised, Hit::Encoding::escaped,
             false});
  }
}

/// The needle that the path at `begin` normalises to or is below, unless the exact search finds it.
std::optional<NeedleScan::Detour> NeedleScan::detour_in(std::string_view bytes, std::size_t begin,
                                                        std::size_t size) const {
  std::string_view path = bytes.substr(begin, size);
  const std::size_t root = std::min(path.find_first_not_of('/', path.find('/')), path.size()) - 1;
  path.remove_prefix(root);
  if (beginning({bytes, 1}, begin + root) != Beginning::path)
    return std::nullopt; // after `..` or a name it is a relative path
  const auto needle = needles_.covering(lexically_normal(path));
  if (!needle)
    return std::nullopt;
  const std::string& spelt = needles_.paths_[*needle];
  if (path.substr(0, spelt.size()) == spelt && ends_name({path, 1}, spelt.size()))
    return std::nullopt;
  return Detour{*needle, begin + root};
}

/// Every run of 32 characters contains a position of a stride of 32, and one 16 bytes before or after that,
/// so most bytes are never read.
void NeedleScan::scan_hashes(std::size_t begin, std::size_t end) {
  constexpr std::size_t half = hash_length / 2;
  const char* const bytes = buffer_.data();
  // A hash that begins at `end` or later is left for the next call, one before `begin` was seen by the last.
  for (std::size_t at = begin + hash_length - 1; at < std::min(filled_, end + hash_length - 1);
       at += hash_length) {
    const unsigned further = at + half < filled_ ? in_hash(bytes[at + half]) : 0U;
    if ((in_hash(bytes[at]) & (in_hash(bytes[at - half]) | further)) == 0)
      continue;
    std::size_t first = at;
    while (first > begin && at - first < hash_length - 1 && in_hash(bytes[first - 1]) != 0)
      --first;
    std::size_t last = at + 1;
    while (last < filled_ && last - at < hash_length && in_hash(bytes[last]) != 0)
      ++last;
    for (; first + hash_length <= last && first < end; ++first)
      look_up_hash(first);
  }
}

/// Whether the hash at `at` is part of its needle, spelt out as a whole path, which is reported instead.
bool NeedleScan::is_spelt_out(const NeedleSet::Hash& hash, std::size_t at) const {
  const std::string& path = needles_.paths_[hash.needle];
  const std::size_t before = path.find(hash.text);
  const auto is_whole = [&](std::string_view bytes, std::size_t begin) {
    const Surroundings surroundings{bytes, 1};
    return beginning(surroundings, begin) == Beginning::path && ends_name(surroundings, begin + path.size());
  };
  const std::string_view bytes(buffer_.data(), filled_);
  if (at >= before && occurs_at(bytes, at - before, 1, path))
    return is_whole(bytes, at - before);
  if (at == 0 || !is_escaped(at - 1) || !escaped_beginning(path, before, at))
    return false;
  const std::string plain = unescaped_before(at - 1) + '/';
  return is_whole(plain + unescaped(bytes.substr(at, 2 * (path.size() + reach_after))),
                  plain.size() - before);
}

void NeedleScan::look_up_hash(std::size_t at) {
  const char* const bytes = buffer_.data() + at;
  const std::uint64_t window = load_window(bytes, wide_window);
  const auto hash = std::lower_bound(needles_.hashes_.begin(), needles_.hashes_.end(), window,
                                     [&](const NeedleSet::Hash& a, std::uint64_t b) {
                                       return a.window != b
                                                  ? a.window < b
                                                  : std::memcmp(a.text.data(), bytes, hash_length) < 0;
                                     });
  if (hash == needles_.hashes_.end() || std::memcmp(bytes, hash->text.data(), hash_length) != 0 ||
      is_spelt_out(*hash, at))
    return;
  const bool escapes = at > 0 && buffer_[at - 1] == '/' && is_escaped(at - 1);
  report_({hash->needle, base_ + at, hash_length, Hit::How::hash,
           escapes ? Hit::Encoding::escaped : Hit::Encoding::bytes, false});
}

} // namespace hostpin::leak
