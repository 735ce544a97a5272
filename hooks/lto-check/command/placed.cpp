// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/placed.hpp"

#include <functional>

namespace hostpin {

namespace {

// A place is the number of a block and where in it; what begins in a block ends in it, however long it is.
constexpr unsigned block_bits = 16;
constexpr std::size_t block_size = std::size_t{1} << block_bits;

void add_number(std::string& bytes, std::size_t number) {
  for (; number > 0x7F; number >>= 7U)
    bytes += static_cast<char>(0x80U | (number & 0x7FU));
  bytes += static_cast<char>(number);
}

std::size_t take_number(std::string_view& bytes) {
  std::size_t number = 0;
  for (unsigned shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::size_t>(byte & 0x7FU) << shift;
    if (byte <= 0x7F)
      break;
  }
  return number;
}

void mix(std::size_t& all, std::size_t one) {
  all = (all ^ one) * 0x9E3779B97F4A7C15U;
  all ^= all >> 32U;
}

void mix(std::size_t& all, std::string_view text) {
  mix(all, std::hash<std::string_view>()(text));
}

void mix(std::size_t& all, const Bitstream& stream) {
  mix(all, static_cast<std::size_t>(stream.format));
  mix(all, stream.major ? *stream.major + std::size_t{1} : 0);
  mix(all, stream.minor);
  mix(all, stream.producer);
  mix(all, stream.slim ? 1 : 0);
  mix(all, stream.architecture);
}

} // namespace

std::size_t MemberNames::add(const std::vector<std::string>& member) {
  if (member.empty())
    return 0;
  if (blocks_.empty() || blocks_.back().size() >= block_size - 1)
    blocks_.emplace_back();
  std::string& block = blocks_.back();
  // 0 is no place.
  const std::size_t place = ((blocks_.size() - 1) << block_bits) + block.size() + 1;
  add_number(block, member.size());
  for (const std::string& name : member) {
    add_number(block, name.size());
    block += name;
  }
  return place;
}

std::vector<std::string> MemberNames::at(std::size_t place) const {
  std::vector<std::string> member;
  if (place == 0)
    return member;
  std::string_view bytes = blocks_[(place - 1) >> block_bits];
  bytes.remove_prefix((place - 1) & (block_size - 1));
  member.resize(take_number(bytes));
  for (std::string& name : member) {
    const std::size_t size = take_number(bytes);
    name = bytes.substr(0, size);
    bytes.remove_prefix(size);
  }
  return member;
}

bool is_alike(const LtoInput& one, const LtoInput& other) {
  return !one.unreadable && !other.unreadable && one.streams == other.streams;
}

bool is_alike(const Judgement& one, const Judgement& other) {
  return one.verdict == other.verdict && one.refused == other.refused && one.stream == other.stream &&
         one.expected == other.expected && one.reason == other.reason && one.cure == other.cure;
}

std::size_t likeness(const LtoInput& input) {
  std::size_t all = input.streams.size();
  for (const Bitstream& stream : input.streams)
    mix(all, stream);
  return all;
}

std::size_t likeness(const Judgement& judgement) {
  auto all = static_cast<std::size_t>(judgement.verdict);
  mix(all, judgement.refused ? 1 : 0);
  if (judgement.stream)
    mix(all, *judgement.stream);
  for (const std::string* text : {&judgement.expected, &judgement.reason, &judgement.cure})
    mix(all, *text);
  return all;
}

} // namespace hostpin
