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

/// The content of one file. Nearly every file of a link is one input, equal to thousands of others: then it
/// takes two pointers.
class FileInputs {
public:
  FileInputs() = default;
  /// The file itself and nothing else. `path` must outlive this.
  FileInputs(const std::string& path, std::shared_ptr<const LtoInput> alone)
      : path_(&path), alone_(std::move(alone)) {}
  explicit FileInputs(Placed<LtoInput>&& all) : all_(std::make_unique<Placed<LtoInput>>(std::move(all))) {}

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  /// `i` below `size()`. All of it except the origin: path, member, offset.
  const LtoInput& content(std::size_t i) const { return all_ ? all_->content(i) : *alone_; }
  LtoInput at(std::size_t i) const;

private:
  const std::string* path_ = nullptr;
  std::shared_ptr<const LtoInput> alone_;
  std::unique_ptr<Placed<LtoInput>> all_;
};

/// Inputs without their origins, equal ones stored once. Thread-safe.
class SharedInputs {
public:
  std::shared_ptr<const LtoInput> share(LtoInput&& input);

private:
  std::mutex mutex_;
  std::unordered_map<std::size_t, std::shared_ptr<const LtoInput>> known_; ///< by hash
};

/// The content of the files of a link. A file is opened and read once, whatever the number of queries.
class Scans {
public:
  /// `in_link`: files that a link names may be of any kind; to GNU ld an empty one is an empty script.
  /// Otherwise they have to be inputs. `files` must outlive this. `memory`: bytes for the members of archives
  /// and the report on them; members beyond that are left out of their archive, which is then `unreadable`.
  Scans(const Files& files, bool in_link, std::size_t memory = most_memory)
      : files_(files), in_link_(in_link), left_(memory) {}

  /// Reads the files that a command names by path in advance: many files by several threads.
  void read_ahead(std::span<const cmdline::LinkerInput> inputs);

  /// The result for one path.
  struct Scan {
    Seen seen = Seen::nothing;
    /// Inputs with intermediate code or a defect; if there is none, the file itself. Empty if nothing exists
    /// at the path.
    FileInputs inputs;
    std::size_t number = 0; ///< unique for each path, below `size()`
  };
  /// Valid as long as this lives.
  const Scan& of(const std::string& path);
  std::size_t size() const { return known_.size(); }
  /// The remaining bytes.
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
  std::vector<const Entry*> in_order_; ///< in the order of first use
  std::size_t next_ = 0;               ///< the next one, if the files of a link are read in order
};

} // namespace hostpin
