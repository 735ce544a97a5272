// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/audit/audit.hpp"

#include "toolchains/archive/record.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/threads.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/audit/comparison.hpp"
#include "toolchains/redist/audit/nature.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace hostpin::redist {

namespace {

using binary::Blob;

constexpr std::size_t longest_text = std::size_t{8} << 20U;
constexpr std::string_view zip_magic = "PK\3\4";

/// The number of the first line that differs; 0 if they are not texts that can be compared.
std::size_t first_difference(const Blob& left, const Blob& right) {
  const auto one = left.all(longest_text), other = right.all(longest_text);
  if (!one || !other || one->find('\0') != std::string::npos || other->find('\0') != std::string::npos)
    return 0;
  const auto at = std::ranges::mismatch(*one, *other).in1;
  return static_cast<std::size_t>(std::count(one->begin(), at, '\n')) + 1;
}

/// Judges single files; what only all files together show is left to `finish`.
class Judge {
public:
  Judge(const Subject& subject, const Originals& originals, const AuditFacts& facts)
      : subject_(subject), originals_(originals), facts_(facts), files_(subject.files.size()),
        alike_(subject.files.size()), other_(subject.files.size()) {}

  Audit run() {
    std::vector<std::size_t> order(files_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // The largest first, so that no thread is left with one at the end.
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t index) { return subject_.files[index].size; });
    std::atomic<std::size_t> next = 0;
    run_in_threads(processor_threads(), [&] {
      for (std::size_t at = next++; at < order.size(); at = next++)
        if (!subject_.files[order[at]].same_as)
          judge(order[at]);
    });
    finish();
    return {std::move(files_), subject_.links};
  }

private:
  static void refuse(AuditedFile& file, std::string why, bool failed) {
    file.verdict = Verdict::not_judged;
    file.details.push_back(std::move(why));
    file.failed = failed;
  }

  void judge(std::size_t index) {
    const SubjectFile& from = subject_.files[index];
    AuditedFile& file = files_[index];
    file.path = from.path;
    file.size = from.size;
    if (!from.trouble.empty())
      return refuse(file, from.trouble, from.failed);
    const auto content = content_of(subject_, from);
    if (!content)
      return refuse(file, "it cannot be read: " + content.error().message, true);
    if (content->file() != nullptr)
      file.sha256 = originals_.hash_of(content->file()->status());
    if (file.sha256.empty()) {
      auto hash = content_sha256(*content);
      if (!hash)
        return refuse(file, "it cannot be read: " + hash.error().message, true);
      file.sha256 = *std::move(hash);
    }
    if (!find_original(file))
      judge_content(index, *content);
  }

  bool find_original(AuditedFile& file) const {
    const Original* const original = originals_.with_hash(file.sha256);
    if (original != nullptr) {
      file.part = base_name(original->name);
      set_original(file, *original);
      if (base_name(file.path) != file.part)
        file.details.push_back("it is " + escaped(file.part) + " under another name");
    } else if (!subject_.proven.empty() && file.size != 0) {
      file.part = base_name(file.path);
      file.original = subject_.proven;
      file.proof = "the SHA-256 of the wheel, which was given";
    } else {
      return false;
    }
    file.verdict = Verdict::unchanged;
    return true;
  }

  void set_original(AuditedFile& file, const Original& original) const {
    file.original = originals_.owner(original).name + ": " + original.name;
    file.proof = originals_.owner(original).proof;
  }

  void judge_content(std::size_t index, const Blob& content) {
    AuditedFile& file = files_[index];
    Nature nature = nature_of(content, base_name(file.path), facts_);
    file.part = nature.part;
    file.linked = std::move(nature.linked);
    if (!nature.why.empty())
      file.details.push_back(nature.why);
    if (nature.kind == Nature::Kind::nvidia) {
      note_own_record(file);
      file.verdict = Verdict::unproven;
      if (nature.is_elf)
        compare_elf(index, content);
      else
        alike_[index] = originals_.with_path(file.path);
    } else if (nature.kind == Nature::Kind::other && nature.is_damaged) {
      if (!changed_from(file, content, originals_.with_name(file.path)) && file.verdict != Verdict::changed)
        file.verdict = Verdict::not_judged;
    } else if (nature.kind == Nature::Kind::other && file.size != 0 &&
               matches_any(base_name(file.path), facts_.archives)) {
      refuse(file,
             content.beginning(zip_magic.size()) == zip_magic
                 ? "it is an archive, which is not opened: name it to `redist audit`, or unpack it"
                 : "it is an archive, which is not opened: unpack it",
             false);
    } else {
      file.verdict = nature.kind == Nature::Kind::open_source ? Verdict::open_source
                     : nature.kind == Nature::Kind::linked    ? Verdict::linked
                                                              : Verdict::other;
      const bool is_open = nature.kind == Nature::Kind::open_source;
      if (nature.is_elf)
        changed_from(file, content, is_open ? closed_libraries(file.path) : originals_.with_name(file.path));
      else if (is_open)
        find_closed(index);
      else if (nature.kind == Nature::Kind::other)
        find_alike(index);
    }
  }

  /// A soname or a license that somebody wrote into a file does not open what it was made from.
  std::vector<const Original*> closed_libraries(const std::string& path) const {
    std::vector<const Original*> originals = originals_.with_name(path);
    std::erase_if(originals, [&](const Original* one) {
      const LibraryFamily* const family = family_of(base_name(one->name), facts_);
      return family != nullptr && !family->license.empty();
    });
    return originals;
  }

  void find_closed(std::size_t index) {
    for (const Original* const original : originals_.with_path(files_[index].path))
      if (const auto bytes = Originals::content(*original);
          bytes && nature_of(*bytes, base_name(original->name), facts_).kind == Nature::Kind::nvidia)
        alike_[index].push_back(original);
  }

  /// A text without a notice, such as nvcc.profile, is NVIDIA's by its whole path.
  void find_alike(std::size_t index) {
    const std::string path = '/' + files_[index].path;
    for (const Original* const original : originals_.with_path(path))
      if (original->name.find('/') != std::string::npos && path.ends_with('/' + original->name))
        alike_[index].push_back(original);
  }

  /// What the wheel's own RECORD has proves nothing: who packed the wheel wrote it.
  void note_own_record(AuditedFile& file) const {
    if (!subject_.is_wheel)
      return;
    const auto row = subject_.record.find(file.path);
    if (row == subject_.record.end() || row->second.empty())
      file.details.emplace_back("the wheel's own RECORD has no hash of it");
    else if (row->second == record_hash(file.sha256))
      file.details.emplace_back("the wheel's own RECORD has this hash, which proves nothing: whoever packs a "
                                "wheel writes it");
    else
      file.details.emplace_back(
          "the wheel's own RECORD has another hash: it was changed after that was written");
  }

  void compare_elf(std::size_t index, const Blob& content) {
    AuditedFile& file = files_[index];
    std::vector<const Original*> candidates = originals_.with_name(file.part);
    for (const Original* one : originals_.with_name(file.path))
      if (std::ranges::find(candidates, one) == candidates.end())
        candidates.push_back(one);
    if (changed_from(file, content, candidates))
      return;
    const auto other = std::ranges::find_if(
        candidates, [&](const Original* one) { return Originals::content(*one).has_value(); });
    if (other != candidates.end()) {
      other_[index] = *other;
      file.details.push_back("it is another build than " + originals_.owner(**other).name + ": " +
                             (**other).name);
    }
    const std::vector<std::string> tools = marks_of_tools(content);
    if (!tools.empty())
      file.details.push_back("it has the marks of " + joined(tools) + ", as some of NVIDIA's own files have");
    if (std::ranges::find(tools, "hostpin") != tools.end())
      file.verdict = Verdict::changed;
  }

  /// Whether one of the candidates is an original of the same build.
  bool changed_from(AuditedFile& file, const Blob& content,
                    const std::vector<const Original*>& candidates) const {
    for (const Original* const candidate : candidates) {
      const auto bytes = Originals::content(*candidate);
      if (!bytes) {
        note_lost(file, *candidate);
        continue;
      }
      const ElfComparison comparison = compared(*bytes, content);
      if (!comparison.is_same_build)
        continue;
      file.part = base_name(candidate->name);
      set_changed(file, *candidate, comparison);
      return true;
    }
    return false;
  }

  /// The original is not at hand any more. At its own path, as in a site-packages directory that is audited
  /// by its own RECORDs, the file is what it became.
  void note_lost(AuditedFile& file, const Original& original) const {
    if (file.path != original.name)
      return;
    file.verdict = Verdict::changed;
    set_original(file, original);
    file.details.emplace_back(
        "it is not what was published there, and no unchanged copy is at hand to compare with");
  }

  void set_changed(AuditedFile& file, const Original& original, const ElfComparison& comparison) const {
    file.verdict = Verdict::changed;
    set_original(file, original);
    file.details = comparison.differences;
    if (file.details.empty())
      file.details.emplace_back("it differs outside of its sections");
    if (!comparison.tools.empty())
      file.details.push_back("it has the marks of " + joined(comparison.tools));
  }

  /// A text has no build. Where a tree has other files of the same archive or toolkit, it is of that release.
  void compare_text(std::size_t index, const std::set<std::size_t>& present) {
    AuditedFile& file = files_[index];
    const auto& alike = alike_[index];
    const auto chosen = std::ranges::find_if(
        alike, [&](const Original* original) { return present.contains(original->owner); });
    if (file.verdict != Verdict::unproven && chosen == alike.end())
      return; // anybody's file of that path
    const Original& original = chosen == alike.end() ? *alike.front() : **chosen;
    set_original(file, original);
    const auto bytes = Originals::content(original);
    const auto content = content_of(subject_, subject_.files[index]);
    if (!bytes)
      note_lost(file, original);
    const std::size_t line = bytes && content ? first_difference(*content, *bytes) : 0;
    file.details.push_back(line == 0
                               ? "it differs from that original"
                               : "it differs from that original from line " + std::to_string(line) + " on");
    if (chosen != alike.end()) {
      file.verdict = Verdict::changed;
      file.part = base_name(original.name);
    } else {
      file.details.emplace_back("it was edited, or is of another release");
    }
  }

  /// Archives and toolkits of the release that the tree has: at least as many of its texts are unchanged as
  /// differ, and no library is of another build. Releases have many texts in common.
  std::set<std::size_t> present_owners() const {
    std::map<std::size_t, std::ptrdiff_t> balance;
    std::set<std::string_view> counted; // copies of one file show no more than the file
    for (std::size_t index = 0; index < files_.size(); ++index) {
      if (files_[index].verdict == Verdict::unchanged && counted.insert(files_[index].sha256).second)
        if (const Original* const original = originals_.with_hash(files_[index].sha256); original != nullptr)
          ++balance.try_emplace(original->owner).first->second;
      for (const Original* const original : alike_[index])
        --balance[original->owner];
    }
    std::set<std::size_t> present;
    for (const auto& [owner, files] : balance)
      if (files >= 0 && std::ranges::none_of(other_, [&](const Original* one) {
            return one != nullptr && one->owner == owner;
          }))
        present.insert(owner);
    return present;
  }

  void finish() {
    const std::set<std::size_t> present = present_owners();
    for (std::size_t index = 0; index < files_.size(); ++index) {
      if (!alike_[index].empty())
        compare_text(index, present);
      AuditedFile& file = files_[index];
      if (const auto same = subject_.files[index].same_as) {
        file = files_[*same];
        file.path = subject_.files[index].path;
        file.details.push_back("it is a hard link of " + escaped(files_[*same].path));
      }
    }
  }

  const Subject& subject_;
  const Originals& originals_;
  const AuditFacts& facts_;
  std::vector<AuditedFile> files_;
  /// Originals of the same path, of files that have no build.
  std::vector<std::vector<const Original*>> alike_;
  std::vector<const Original*> other_; ///< an original of another build
};

} // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 7> names{"other",    "open-source", "unchanged", "linked",
                                                  "unproven", "changed",     "not-judged"};
  return names.at(static_cast<std::size_t>(verdict));
}

std::size_t Audit::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(files, verdict, &AuditedFile::verdict));
}

bool Audit::is_incomplete() const {
  return std::ranges::any_of(files, &AuditedFile::failed);
}

Audit audited(const Subject& subject, const Originals& originals, const AuditFacts& facts) {
  return Judge(subject, originals, facts).run();
}

PartListing listing(std::string_view part, const AuditFacts& facts) {
  const ListedParts* const row = listing_of(part, facts);
  return row == nullptr ? PartListing{"unknown", ""}
                        : PartListing{row->listed ? "listed" : "not listed", row->agreement};
}

} // namespace hostpin::redist
