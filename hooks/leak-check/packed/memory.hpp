// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace hostpin {

/// What the decoders of all files may keep together, cut into shares: a file takes one where it needs any,
/// and waits until one is free. One that needs more than a share is to be unpacked again, alone.
class SharedMemory {
public:
  SharedMemory(std::uint64_t limit, unsigned threads);

  std::uint64_t limit() const { return limit_; }
  std::uint64_t share() const { return limit_ / shares_; }
  /// Waits. Whoever has one must not take another, nor wait for anybody who may want one.
  void take(bool all);
  void give_back(bool all);

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t limit_;
  unsigned shares_, free_;
  unsigned wanting_all_ = 0;
};

/// What the decoders of one file may keep at hand of what they have unpacked, all that are nested in it
/// together: how much that is, whoever packed it chose.
class Memory {
public:
  explicit Memory(std::uint64_t limit) : limit_(limit) {}
  /// Keeps a reference. `alone`: all of it, or else a share.
  Memory(SharedMemory& shared, bool alone)
      : shared_(&shared), alone_(alone), limit_(alone ? shared.limit() : shared.share()) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (holds_share_)
      shared_->give_back(alone_);
  }

  std::uint64_t left() const { return limit_ - taken_ - std::min(told_, limit_ - taken_); }
  /// Whether something was refused that there would have been memory for, alone.
  bool wants_all() const { return wants_all_; }
  /// What is to be told of the file takes that much beside its decoders.
  void tell(std::uint64_t bytes) { told_ = bytes; }

private:
  friend class Hold;
  void begin();

  SharedMemory* shared_ = nullptr;
  bool alone_ = true;
  bool holds_share_ = false, wants_all_ = false;
  std::uint64_t limit_;
  std::uint64_t taken_ = 0, told_ = 0;
};

/// What one decoder has of it; given back when it goes.
class Hold {
public:
  /// Keeps a reference.
  explicit Hold(Memory& memory) : memory_(memory) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { memory_.taken_ -= bytes_; }

  /// Makes it that many bytes, where it is fewer; the error names the option that allows them.
  Result<void> reach(std::uint64_t bytes);

private:
  Memory& memory_;
  std::uint64_t bytes_ = 0;
};

/// `bytes` as --memory takes them, rounded up: `64M`.
std::string memory_text(std::uint64_t bytes);

/// What a frame of zstd keeps at hand, by its header; 0 for all else.
std::uint64_t zstd_window(std::string_view beginning);
/// How many bytes of a frame `zstd_window` looks at.
inline constexpr std::size_t zstd_header = 18;

/// The same of a member of a zip, by its compression as libarchive calls it, `lzma` or `ppmd-1`, and the
/// first bytes of its data; 0 for kinds that keep little, and for those that tell it later.
std::uint64_t zip_window(std::string_view compression, std::string_view beginning);

} // namespace hostpin
