// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "hooks/lto-check/command/placed.hpp"
#include "hooks/lto-check/link/files.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/binary/bytes.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hostpin {

/// What one file holds. Nearly each file of a link is one input, which says what thousands of others say: it
/// costs two pointers then.
class FileInputs {
public:
  FileInputs() = default;
  /// The file itself and nothing else. `path` must outlive this.
  FileInputs(const std::string& path, std::shared_ptr<const LtoInput> alone)
      : path_(&path), alone_(std::move(alone)) {}
  explicit FileInputs(Placed<LtoInput>&& all) : all_(std::make_unique<Placed<LtoInput>>(std::move(all))) {}

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  /// `i` below `size()`. All of it but its place: path, member, offset.
  const LtoInput& content(std::size_t i) const { return all_ ? all_->content(i) : *alone_; }
  LtoInput at(std::size_t i) const;

private:
  const std::string* path_ = nullptr;
  std::shared_ptr<const LtoInput> alone_;
  std::unique_ptr<Placed<LtoInput>> all_;
};

/// Inputs without their places, those that are alike once. Several threads may ask.
class SharedInputs {
public:
  std::shared_ptr<const LtoInput> share(LtoInput&& input);

private:
  std::mutex mutex_;
  std::unordered_map<std::size_t, std::shared_ptr<const LtoInput>> known_; ///< by likeness
};

/// What is in the files of a link. A file is opened and read once, whoever asks for it and however often.
class Scans {
public:
  /// `in_link`: of files that a link names some may be anything; to GNU ld an empty one is a script without a
  /// word. By themselves they are to be inputs. `files` must outlive this.
  /// `memory`: bytes that what is in archives may cost, with what will be said of it; what is behind that is
  /// left out of its archive, which is `unreadable` then.
  Scans(const Files& files, bool in_link, std::size_t memory = most_memory)
      : files_(files), in_link_(in_link), left_(memory) {}

  /// Reads what a command names by path ahead of all questions: many files by several threads.
  void read_ahead(std::span<const cmdline::LinkerInput> inputs);

  /// What was found at a path.
  struct Scan {
    Seen seen = Seen::nothing;
    /// Inputs with something for a compiler, or something wrong; of a file without any, itself. Empty when
    /// there is nothing at the path.
    FileInputs inputs;
    std::size_t number = 0; ///< each path has its own, below `size()`
  };
  /// Valid as long as this lives.
  const Scan& of(const std::string& path);
  std::size_t size() const { return known_.size(); }
  /// Bytes that are left.
  std::size_t left() const { return left_; }

  /// Enough for a million members.
  static constexpr std::size_t most_memory = std::size_t{46} << 20U;

private:
  using Entry = std::pair<const std::string, Scan>;

  Scan scan(const std::string& path, std::size_t number, binary::ReadBuffer& buffer);
  bool add(Placed<LtoInput>& found, LtoInput&& input);
  FileInputs kept(const std::string& path, Placed<LtoInput>&& found);

  const Files& files_;
  bool in_link_;
  std::atomic<std::size_t> left_; ///< several threads scan
  binary::ReadBuffer buffer_;
  SharedInputs shared_;
  std::unordered_map<std::string, Scan> known_;
  std::vector<const Entry*> in_order_; ///< as they were asked for first
  std::size_t next_ = 0;               ///< whoever goes through the files of a link asks for this one next
};

} // namespace hostpin
