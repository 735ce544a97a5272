// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/memory.hpp"

#include <array>
#include <string>

namespace hostpin {

namespace {

constexpr unsigned megabyte = 20; // as a shift
// With less than that for each most of what is packed would have to be unpacked alone: xz -6 keeps 8 MB.
constexpr std::uint64_t least_share = std::uint64_t{10} << megabyte;

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i > 0; --i)
    value = (value << 8U) | static_cast<unsigned char>(at + i <= bytes.size() ? bytes[at + i - 1] : '\0');
  return value;
}

tl::unexpected<Error> refusal(std::uint64_t bytes, std::uint64_t taken) {
  std::string text = "unpacking it takes " + memory_text(bytes) + " of memory";
  if (taken > 0)
    text += " beside " + memory_text(taken) + " for what it lies in";
  if (bytes > ~std::uint64_t{0} / 2)
    return failure(text + ", which no decoder has");
  return failure(text + "; --memory " + memory_text(bytes + taken) + " allows that");
}

} // namespace

std::string memory_text(std::uint64_t bytes) {
  const bool is_whole = (bytes & ((std::uint64_t{1} << megabyte) - 1)) == 0;
  return std::to_string((bytes >> megabyte) + (is_whole ? 0U : 1U)) + 'M';
}

SharedMemory::SharedMemory(std::uint64_t limit, unsigned threads)
    : limit_(limit), shares_(static_cast<unsigned>(
                         std::clamp<std::uint64_t>(limit / least_share, 1, std::max(threads, 1U)))),
      free_(shares_) {}

void SharedMemory::take(bool all) {
  std::unique_lock lock(mutex_);
  wanting_all_ += all ? 1U : 0U;
  // Who wants all goes first, or would never see all of them free.
  changed_.wait(lock, [&] { return all ? free_ == shares_ : free_ > 0 && wanting_all_ == 0; });
  wanting_all_ -= all ? 1U : 0U;
  free_ -= all ? shares_ : 1;
}

void SharedMemory::give_back(bool all) {
  const std::lock_guard lock(mutex_);
  free_ += all ? shares_ : 1;
  changed_.notify_all();
}

void Memory::begin() {
  if (shared_ == nullptr || holds_share_)
    return;
  shared_->take(alone_);
  holds_share_ = true;
}

Result<void> Hold::reach(std::uint64_t bytes) {
  if (bytes <= bytes_)
    return {};
  memory_.begin();
  const std::uint64_t others = memory_.taken_ - bytes_;
  if (bytes - bytes_ > memory_.left()) {
    memory_.wants_all_ = memory_.wants_all_ || (!memory_.alone_ && bytes <= memory_.shared_->limit() &&
                                                others <= memory_.shared_->limit() - bytes);
    return refusal(bytes, others);
  }
  memory_.taken_ += bytes - bytes_;
  bytes_ = bytes;
  return {};
}

// RFC 8878, 3.1.1.1.
std::uint64_t zstd_window(std::string_view beginning) {
  if (!beginning.starts_with("\x28\xb5\x2f\xfd"))
    return 0;
  const std::uint64_t descriptor = number(beginning, 4, 1);
  if ((descriptor & 0x20U) == 0) {
    const std::uint64_t window = number(beginning, 5, 1), base = std::uint64_t{1} << (10 + (window >> 3U));
    return base + base / 8 * (window & 7U);
  }
  constexpr std::array<std::size_t, 4> dictionary = {0, 1, 2, 4}, content = {1, 2, 4, 8};
  const std::size_t size = content[descriptor >> 6U];
  return number(beginning, 5 + dictionary[descriptor & 3U], size) + (size == 2 ? 256 : 0);
}

// APPNOTE.TXT of PKWARE: 5.8.8 (LZMA: a version, a length, and the properties as in .lzma), 5.10 (PPMd).
std::uint64_t zip_window(std::string_view compression, std::string_view beginning) {
  if (compression == "lzma")
    return number(beginning, 5, 4);
  if (compression.starts_with("ppmd"))
    return (((number(beginning, 0, 2) >> 4U) & 0xffU) + 1) << megabyte;
  return 0;
}

} // namespace hostpin
