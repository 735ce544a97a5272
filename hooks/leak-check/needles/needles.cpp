// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/needles/needles.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace hostpin::leak {

namespace {

constexpr std::string_view store_marker = "/store/";

std::size_t bucket_of(std::uint64_t window, unsigned shift) {
  return static_cast<std::size_t>(mixed(window) >> shift);
}

/// Whether a path is certainly normal, decided by single bytes and their predecessors; most paths are.
bool is_plain(std::string_view path) {
  if (path.size() < 2 || path.front() != '/' || path.back() == '/')
    return false;
  unsigned doubtful = 0; // without a branch, so that compilers vectorise the loop
  for (std::size_t i = 1; i < path.size(); ++i)
    doubtful |=
        static_cast<unsigned>(path[i - 1] == '/') & static_cast<unsigned>(path[i] == '/' || path[i] == '.');
  return doubtful == 0;
}

Error refusal(const std::string& path, std::string_view reason) {
  return {"cannot search for '" + path + "': " + std::string(reason),
          "name an absolute path, such as /opt/gcc-11"};
}

} // namespace

std::string lexically_normal(std::string_view path) {
  if (is_plain(path))
    return std::string(path);
  std::string normal;
  normal.reserve(path.size());
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view component = path.substr(begin, end - begin);
    begin = end + 1;
    if (component.empty() || component == ".")
      continue;
    if (component == "..") {
      normal.resize(normal.empty() ? 0 : normal.rfind('/'));
      continue;
    }
    normal += '/';
    normal += component;
  }
  return normal.empty() ? "/" : normal;
}

std::string_view store_hash(std::string_view path) {
  const std::size_t marker = path.find(store_marker);
  if (marker == std::string_view::npos)
    return {};
  const std::string_view name = path.substr(marker + store_marker.size());
  const bool is_hash = name.size() > hash_length && name[hash_length] == '-' &&
                       std::all_of(name.begin(), name.begin() + hash_length, is_hash_character);
  return is_hash ? name.substr(0, hash_length) : std::string_view();
}

Result<NeedleSet> NeedleSet::make(std::vector<std::string> paths) {
  NeedleSet set;
  set.paths_.reserve(paths.size()); // so that views of them stay valid
  set.by_text_.reserve(paths.size());
  for (std::string& path : paths) {
    if (path.empty() || path.front() != '/')
      return tl::unexpected(refusal(path, "it is not an absolute path"));
    if (path.find('\0') != std::string::npos)
      return tl::unexpected(refusal(path, "it contains a NUL byte"));
    std::string other = is_plain(path) ? std::string() : lexically_normal(path);
    std::string& normal = other.empty() ? path : other;
    if (normal.size() < shortest)
      return tl::unexpected(refusal(path, "it is too short to be identified in a binary"));
    if (normal.size() > longest)
      return tl::unexpected(refusal(path, "it is longer than any path"));
    set.longest_text_ = std::max(set.longest_text_, normal.size());
    const auto index = static_cast<std::uint32_t>(set.paths_.size());
    set.paths_.push_back(std::move(normal));
    if (!set.by_text_.try_emplace(set.paths_.back(), index).second)
      set.paths_.pop_back();
  }
  set.choose_anchors();
  return set;
}

std::optional<std::uint32_t> NeedleSet::covering(std::string_view normal_path) const {
  for (std::string_view directory = normal_path; directory.size() >= shortest;
       directory = directory.substr(0, directory.rfind('/')))
    if (const auto known = by_text_.find(directory); known != by_text_.end())
      return known->second;
  return std::nullopt;
}

void NeedleSet::choose_anchors() {
  // How often a window is in use, or another with the same counter: an estimate, which only affects speed.
  const unsigned bits = static_cast<unsigned>(std::bit_width(paths_.size())) + 3;
  std::vector<unsigned> used(std::size_t{1} << bits);
  std::vector<Anchor> wide;
  wide.reserve(paths_.size());
  std::vector<Anchor> narrow;
  for (std::uint32_t index = 0; index < paths_.size(); ++index) {
    const std::string& path = paths_[index];
    const bool is_wide = path.size() >= wide_window;
    const std::size_t length = is_wide ? wide_window : narrow_window;
    std::optional<Anchor> best;
    unsigned fewest = 0;
    for (std::size_t slash = path.find('/'); slash != std::string::npos && slash + length <= path.size();
         slash = path.find('/', slash + 1)) {
      const std::uint64_t window = load_window(path.data() + slash, length);
      const unsigned users = used[bucket_of(window, 64 - bits)];
      // Among equals the deepest: `/usr/lib` begins half of all paths, `/gcc-11` few.
      if (!best || users <= fewest) {
        best = Anchor{window, index, static_cast<std::uint32_t>(slash)};
        fewest = users;
      }
    }
    ++used[bucket_of(best->window, 64 - bits)]; // the first slash always qualifies
    (is_wide ? wide : narrow).push_back(*best);
    if (const std::string_view hash = store_hash(path); !hash.empty())
      hashes_.push_back({load_window(hash.data(), wide_window), index, std::string(hash)});
  }
  for (const char detour : {'/', '.'}) // either may begin another spelling of any needle
    slashes_.want_all_after(detour);
  slashes_.want('\\', '/'); // the same, where slashes are escaped
  want_slashes(wide);
  want_slashes(narrow);
  wide_ = arrange(std::move(wide));
  narrow_ = arrange(std::move(narrow));
  // Of several needles in one store path the shortest is found wherever another is.
  std::sort(hashes_.begin(), hashes_.end(), [&](const Hash& a, const Hash& b) {
    return std::pair(std::string_view(a.text), paths_[a.needle].size()) <
           std::pair(std::string_view(b.text), paths_[b.needle].size());
  });
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end(),
                            [](const Hash& a, const Hash& b) { return a.text == b.text; }),
                hashes_.end());
  std::sort(hashes_.begin(), hashes_.end(), [](const Hash& a, const Hash& b) {
    return std::tie(a.window, a.text) < std::tie(b.window, b.text);
  });
}

void NeedleSet::want_slashes(const std::vector<Anchor>& anchors) {
  for (const Anchor& anchor : anchors) {
    const char* const after = paths_[anchor.needle].data() + anchor.offset + 1;
    slashes_.want(after[0], after[1]);
    slashes_.want('\0', after[0]); // in UTF-16
    if (after[1] == '/')
      slashes_.want(after[0], '\\'); // where slashes are escaped
  }
}

NeedleSet::Windows NeedleSet::arrange(std::vector<Anchor> anchors) const {
  Windows windows;
  if (anchors.empty())
    return windows;
  const unsigned bits = std::max(4U, static_cast<unsigned>(std::bit_width(anchors.size())));
  windows.shift = 64 - bits;
  std::sort(anchors.begin(), anchors.end(), [&](const Anchor& a, const Anchor& b) {
    const std::uint64_t mix = mixed(a.window); // its high bits are the bucket; mixed() is a bijection
    const std::uint64_t other = mixed(b.window);
    if (mix != other)
      return mix < other;
    return a.offset != b.offset ? a.offset < b.offset : paths_[a.needle] < paths_[b.needle];
  });
  windows.first.assign((std::size_t{1} << bits) + 1, 0);
  windows.members.reserve(anchors.size());
  for (const Anchor& anchor : anchors) {
    if (windows.alike.empty() || windows.alike.back().window != anchor.window ||
        windows.alike.back().offset != anchor.offset) {
      const auto first = static_cast<std::uint32_t>(windows.members.size());
      windows.alike.push_back({anchor.window, anchor.offset, first});
      ++windows.first[bucket_of(anchor.window, windows.shift) + 1];
      windows.filter.add(anchor.window);
    }
    windows.members.push_back({anchor.needle});
  }
  windows.alike.push_back({0, 0, static_cast<std::uint32_t>(windows.members.size())});
  std::partial_sum(windows.first.begin(), windows.first.end(), windows.first.begin());
  link_beginnings(windows);
  return windows;
}

/// Texts are sorted, so every prefix of a text comes before it.
void NeedleSet::link_beginnings(Windows& windows) const {
  std::vector<Member>& members = windows.members;
  for (std::size_t group = 0; group + 1 < windows.alike.size(); ++group)
    for (std::uint32_t i = windows.alike[group].first + 1; i < windows.alike[group + 1].first; ++i) {
      const std::string_view text = paths_[members[i].needle];
      const auto begins = [&](const std::string& other) {
        return other.size() < text.size() && text.starts_with(other);
      };
      std::uint32_t before = i - 1;
      while (before != none && !begins(paths_[members[before].needle]))
        before = members[before].beginning;
      members[i].beginning = before;
    }
}

} // namespace hostpin::leak
