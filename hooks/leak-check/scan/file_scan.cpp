// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/file_scan.hpp"

#include "hooks/leak-check/archive/ar.hpp"
#include "hooks/leak-check/text/text.hpp"

#include <algorithm>
#include <utility>

namespace hostpin {

namespace {

ScannedFile::Kind kind_of(const Subject& subject) {
  switch (subject.sniffed.content) {
  case Content::elf:
    return ScannedFile::Kind::elf;
  case Content::static_archive:
    return ScannedFile::Kind::static_archive;
  case Content::packed:
  case Content::closed:
    return ScannedFile::Kind::packed;
  default:
    return subject.part.text ? ScannedFile::Kind::text : ScannedFile::Kind::other;
  }
}

bool has_facts(const ScannedPart& part) {
  return part.elf || part.text || part.link_target;
}

} // namespace

FileScan::FileScan(const NeedleSet& needles, const ScanOptions& options)
    : options_(options), content_(needles), inflater_(options.limits.window) {}

void FileScan::glance(const Blob& blob, ScannedFile& file) {
  if (sniff(blob.beginning(sniffed_bytes), file.path).content != Content::elf)
    return;
  ElfReading reading = read_elf(BlobSource(blob));
  ScannedPart& part = file.parts.emplace_back();
  part.size = blob.size();
  part.elf = std::move(reading.facts);
}

Subject FileScan::begin(Blob blob, const std::string& name, std::vector<std::string> member,
                        ScannedFile& file) {
  const std::string beginning = blob.beginning(sniffed_bytes);
  Subject subject{std::move(blob), std::move(member), sniff(beginning, name), {}, nullptr};
  subject.part.member = subject.member;
  subject.part.size = subject.blob.size();
  if (subject.sniffed.content == Content::elf)
    begin_elf(subject, file);
  else if (subject.sniffed.content == Content::static_archive)
    begin_archive(subject, file);
  else if (subject.sniffed.content == Content::script || subject.sniffed.content == Content::other)
    begin_text(subject, name, beginning, file);
  if (!subject.places)
    subject.places = std::make_unique<OnePlace>(
        subject.member, subject.part.text ? std::string(to_string(subject.part.text->kind)) : std::string());
  if (subject.member.empty())
    file.kind = kind_of(subject);
  return subject;
}

void FileScan::begin_elf(Subject& subject, ScannedFile& file) {
  const BlobSource source(subject.blob);
  ElfReading reading = read_elf(source);
  for (std::string& trouble : reading.troubles)
    tell_unseen(file, subject.member, {}, std::move(trouble));
  subject.frame = std::make_unique<ElfFrame>(std::move(reading.frame));
  subject.places = std::make_unique<ElfPlaces>(subject.member, subject.frame->sections);
  subject.part.elf = std::move(reading.facts);
}

void FileScan::begin_archive(Subject& subject, ScannedFile& file) const {
  if (!options_.content)
    return;
  bool has_more = false;
  ArIndex members(subject.blob);
  const auto read = read_ar(subject.blob, [&](const ArMember& member) {
    has_more = members.size() == options_.limits.members;
    if (!has_more)
      members.add(member);
    return !has_more;
  });
  if (!read)
    tell_unseen(file, subject.member, {}, read.error().message);
  if (has_more)
    tell_unseen(file, subject.member, {},
                "it has more than " + std::to_string(members.size()) + " members; the rest was not opened");
  subject.places = std::make_unique<ArPlaces>(subject.blob, subject.member, std::move(members));
}

void FileScan::begin_text(Subject& subject, const std::string& name, std::string_view beginning,
                          ScannedFile& file) {
  const auto kind = text_kind(name, beginning);
  if (!kind)
    return;
  // Of a script only the first line is read; behind it may follow anything.
  const Blob wanted = *kind == TextFacts::Kind::script ? subject.blob.part(0, 4096) : subject.blob;
  const auto bytes = wanted.all(longest_text);
  if (bytes)
    subject.part.text = read_text(*kind, *bytes);
  if (subject.part.text && subject.part.text->is_cut)
    tell_unseen(file, subject.member, std::string(to_string(*kind)),
                "it holds more paths, or longer variables or names, than are read");
  if (!bytes)
    tell_unseen(file, subject.member, std::string(to_string(*kind)), bytes.error().message);
}

Result<void> FileScan::content(const Subject& subject, std::uint64_t begin, std::uint64_t end,
                               Gleaned& gleaned) {
  if (subject.frame)
    gleaned.linked_in = LinkedIn(subject.frame->sections);
  return content_.range(subject.blob, begin, end, *subject.places, gleaned.hits, gleaned.linked_in);
}

void FileScan::end(Subject&& subject, Gleaned&& gleaned, ScannedFile& file, Budget& budget) {
  if (gleaned.hits.is_full() && !budget.is_alone())
    return budget.want_all();
  for (FoundNeedle& one : gleaned.hits.take(*subject.places, file.path))
    file.found.push_back(std::move(one));
  const std::size_t own_end = file.found.size();
  if (gleaned.hits.is_full())
    tell_unseen(file, subject.member, {}, "it has more references than can be told");
  if (subject.part.elf)
    gleaned.linked_in.tell(*subject.part.elf);
  if (has_facts(subject.part))
    file.parts.push_back(std::move(subject.part));
  budget.account(file);
  if (!options_.content || !options_.unpack)
    return;
  switch (subject.sniffed.content) {
  case Content::elf:
    open_elf(subject, file, budget);
    open_payload(subject, file, budget);
    return;
  case Content::static_archive:
    open_archive(subject, file, budget);
    return;
  case Content::packed:
    open_packed(subject, subject.blob, file, budget);
    break;
  case Content::closed:
    tell_unseen(file, subject.member, {},
                "nothing here opens files of its kind: " + std::string(subject.sniffed.format));
    return;
  case Content::script:
  case Content::other:
    open_payload(subject, file, budget);
    return;
  }
  drop_told_again(file.found, own_end,
                  [&](const FoundNeedle& one) { return one.where.member == subject.member; });
}

void FileScan::link(const std::string& target, std::vector<std::string> member, ScannedFile& file) {
  OnePlace places(member, "symlink");
  Gleaned gleaned(options_.limits.kinds_at_once);
  const Blob blob(target);
  if (const auto looked = content_.range(blob, 0, blob.size(), places, gleaned.hits, gleaned.linked_in);
      looked)
    for (FoundNeedle& one : gleaned.hits.take(places, file.path))
      file.found.push_back(std::move(one));
  ScannedPart part;
  part.member = std::move(member);
  part.size = target.size();
  part.link_target = target;
  file.parts.push_back(std::move(part));
}

} // namespace hostpin
