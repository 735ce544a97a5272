// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/placed.hpp"

#include <functional>

namespace hostpin {

namespace {

// A record that begins in a block ends in it, whatever its length.
constexpr std::size_t block_size = std::size_t{1} << 16U;
// An index entry is the number of a block and an offset in it; the records in between are read in sequence.
constexpr unsigned block_bits = 32;
constexpr std::size_t records_a_mark = 16;

void add_number(std::string& bytes, std::uint64_t number) {
  for (; number > 0x7F; number >>= 7U)
    bytes += static_cast<char>(0x80U | (number & 0x7FU));
  bytes += static_cast<char>(number);
}

std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte <= 0x7F)
      break;
  }
  return number;
}

/// Encodes signed differences so that small ones take few bytes.
std::uint64_t zigzag(std::uint64_t step) {
  return (step << 1U) ^ (step >> 63U != 0 ? ~std::uint64_t{0} : 0);
}

std::uint64_t from_zigzag(std::uint64_t number) {
  return (number >> 1U) ^ ((number & 1U) != 0 ? ~std::uint64_t{0} : 0);
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
  mix(all, stream.device_label ? 1 : 0);
}

} // namespace

struct Places::Record {
  std::uint32_t path = 0;
  std::uint64_t offset = 0;
  std::uint64_t names = 0;
  std::string_view rest; ///< the names, and the rest of the block
};

/// Reads record after record.
class Places::Walk {
public:
  Walk(const Places& places, std::uint64_t mark)
      : places_(places), block_(mark >> block_bits),
        bytes_(std::string_view(places.block(block_)).substr(mark & ((std::uint64_t{1} << block_bits) - 1))) {
  }

  Record next() {
    if (bytes_.empty())
      bytes_ = places_.block(++block_);
    Record record;
    record.path = static_cast<std::uint32_t>(take_number(bytes_));
    record.offset = offset_ += from_zigzag(take_number(bytes_));
    record.names = take_number(bytes_);
    record.rest = bytes_;
    return record;
  }
  void skip() {
    for (std::uint64_t left = next().names; left > 0; --left)
      bytes_.remove_prefix(take_number(bytes_));
  }

private:
  const Places& places_;
  std::size_t block_;
  std::string_view bytes_;
  std::uint64_t offset_ = 0;
};

void Places::add(std::uint32_t path, std::uint64_t offset, const std::vector<std::string>& member) {
  std::string* block = others_.empty() ? &first_ : &others_.back();
  if (block->size() >= block_size)
    block = &others_.emplace_back();
  if (size_ % records_a_mark == 0) {
    if (size_ > 0) // the first offset is 0
      marks_.push_back((std::uint64_t{others_.size()} << block_bits) + block->size());
    last_offset_ = 0;
  }
  ++size_;
  add_number(*block, path);
  add_number(*block, zigzag(offset - std::exchange(last_offset_, offset)));
  add_number(*block, member.size());
  for (const std::string& name : member) {
    add_number(*block, name.size());
    *block += name;
  }
}

Places::Walk Places::walk(std::size_t i) const {
  Walk walk(*this, i < records_a_mark ? 0 : marks_[i / records_a_mark - 1]);
  for (std::size_t left = i % records_a_mark; left > 0; --left)
    walk.skip();
  return walk;
}

Places::Place Places::at(std::size_t i) const {
  Record record = walk(i).next();
  Place place{record.path, record.offset, std::vector<std::string>(record.names)};
  for (std::string& name : place.member) {
    const auto size = static_cast<std::size_t>(take_number(record.rest));
    name = record.rest.substr(0, size);
    record.rest.remove_prefix(size);
  }
  return place;
}

std::uint32_t Places::path(std::size_t i) const {
  return walk(i).next().path;
}

bool Places::is_member(std::size_t i) const {
  return walk(i).next().names > 0;
}

bool is_alike(const LtoInput& one, const LtoInput& other) {
  const auto says_the_same = [](const Error& a, const Error& b) {
    return a.message == b.message && a.hint == b.hint;
  };
  return one.streams == other.streams && one.unreadable.has_value() == other.unreadable.has_value() &&
         (!one.unreadable || says_the_same(*one.unreadable, *other.unreadable));
}

bool is_alike(const Judgement& one, const Judgement& other) {
  return one.verdict == other.verdict && one.refused == other.refused && one.stream == other.stream &&
         one.expected == other.expected && one.reason == other.reason && one.cure == other.cure;
}

std::size_t likeness(const LtoInput& input) {
  std::size_t all = input.streams.size();
  for (const Bitstream& stream : input.streams)
    mix(all, stream);
  if (input.unreadable)
    mix(all, input.unreadable->message);
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
