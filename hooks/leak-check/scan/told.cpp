// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/told.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace hostpin {

namespace {

constexpr std::size_t block = 16; // that an allocation takes beside its bytes

std::size_t size(const std::string& text) {
  return text.capacity() < sizeof text / 2 ? 0 : text.capacity() + block;
}

std::size_t size(const std::vector<std::string>& texts) {
  std::size_t bytes = texts.capacity() * sizeof(std::string) + block;
  for (const std::string& text : texts)
    bytes += size(text);
  return bytes;
}

std::size_t size(const Location& where) {
  return size(where.path) + size(where.member) + size(where.section);
}

std::size_t size(const FoundNeedle& found) {
  return sizeof found + size(found.where) + size(found.text) + size(found.common) +
         found.offsets.capacity() * sizeof(std::uint64_t) + block;
}

std::size_t size(const Unseen& unseen) {
  return sizeof unseen + size(unseen.where) + size(unseen.reason);
}

std::size_t size(const Image& image) {
  std::size_t bytes = size(image.soname) + size(image.interpreter) + size(image.needed) +
                      size(image.version_definitions) + size(image.loaded_besides) +
                      size(image.rpath.value_or("")) + size(image.runpath.value_or(""));
  for (const VersionNeed& need : image.version_needs)
    bytes += sizeof need + size(need.library) + size(need.versions);
  return bytes;
}

std::size_t size(const ElfFacts& facts) {
  std::size_t bytes = sizeof facts + size(facts.comment) + size(facts.build_id);
  for (const ElfNote& note : facts.notes)
    bytes += sizeof note + size(note.section) + size(note.owner) + size(note.description);
  return bytes + (facts.image ? size(*facts.image) : 0);
}

std::size_t size(const TextFacts& facts) {
  std::size_t bytes = facts.references.capacity() * sizeof(TextReference) + block;
  for (const TextReference& reference : facts.references)
    bytes += size(reference.key) + size(reference.path);
  return bytes;
}

std::size_t size(const ScannedPart& part) {
  return sizeof part + size(part.member) + (part.elf ? size(*part.elf) : 0) +
         (part.text ? size(*part.text) : 0) + (part.link_target ? size(*part.link_target) : 0);
}

/// Of those behind the first `counted`.
template <typename Value>
std::size_t size_behind(const std::vector<Value>& values, std::size_t& counted) {
  std::size_t bytes = 0;
  for (std::size_t i = std::min(counted, values.size()); i < values.size(); ++i)
    bytes += size(values[i]);
  counted = values.size();
  return bytes;
}

} // namespace

std::uint64_t ToldBytes::of(const ScannedFile& file) {
  bytes_ +=
      size_behind(file.parts, parts_) + size_behind(file.found, found_) + size_behind(file.unseen, unseen_);
  return bytes_;
}

} // namespace hostpin
