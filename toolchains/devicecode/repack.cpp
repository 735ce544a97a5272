// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/repack.hpp"

#include "toolchains/base/threads.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace hostpin::devicecode {

using binary::Bytes;
using binary::device_code_head;
using binary::DeviceCodeHead;
using binary::DevicePacking;
using binary::EmbeddedCode;

namespace {

bool is_loaded(const DeviceContent::Part& fatbin, const DeviceCodeHead& head) {
  return !fatbin.relocatable &&
         (head.code == binary::DeviceCode::cubin || head.code == binary::DeviceCode::ptx);
}

/// Compresses entries with several threads.
class Entries {
public:
  Entries(const Bytes& file, const DeviceContent& code, fatbin::Compression compression)
      : file_(file), compression_(compression) {
    for (std::size_t i = 0; i < code.fatbins.size(); ++i)
      for (const EmbeddedCode& entry : code.fatbins[i].entries) {
        entries_.push_back({&entry, i, code.fatbins[i].fixed, {}, false});
        before_ += entry.header + entry.payload;
      }
  }

  /// Whether it stopped because the code becomes larger. With any number of threads the first entry in file
  /// order that decides so, or that fails, counts: all entries before a begun entry were begun too.
  Result<bool> repack(std::size_t threads) {
    run_in_threads(std::min(threads, entries_.size()), [&] {
      while (Entry* const entry = next())
        repack(*entry);
    });
    Growth growth;
    for (std::size_t i = 0; i < begun_; ++i) {
      if (i == failed_)
        return failure(trouble_ + " (fatbin " + std::to_string(entries_[i].fatbin + 1) + ')');
      growth.add(entries_[i]);
      if (inflates(growth))
        return true;
    }
    return false;
  }

  /// The bytes of the next one in order.
  std::string take() { return std::move(entries_[taken_++].bytes); }

private:
  struct Entry {
    const EmbeddedCode* code;
    std::size_t fatbin;
    bool fixed;
    std::string bytes;         ///< the new ones
    bool decompresses = false; ///< machine code
  };

  /// Of changed entries.
  struct Growth {
    std::uint64_t after = 0; ///< bytes
    bool decompresses = false;

    void add(const Entry& entry) {
      after += entry.bytes.size();
      decompresses = decompresses || entry.decompresses;
    }
  };

  /// Whether the code becomes larger because machine code is decompressed, without a request for that.
  bool inflates(const Growth& growth) const {
    return growth.decompresses && growth.after > before_ && compression_.mode != fatbin::CompressMode::none;
  }

  Entry* next() {
    const std::lock_guard lock(mutex_);
    return begun_ < std::min(entries_.size(), failed_) && !inflates(growth_) ? &entries_[begun_++] : nullptr;
  }

  void repack(Entry& entry) {
    auto bytes = read(entry);
    if (!bytes)
      return fail(entry, "its device code cannot be read");
    if (entry.fixed)
      return add(entry, *std::move(bytes));
    auto changed = fatbin::recompressed(*bytes, compression_);
    if (!changed)
      return fail(entry, changed.error().message);
    add(entry, *std::move(changed));
  }

  void add(Entry& entry, std::string bytes) {
    const auto head = device_code_head(bytes);
    entry.bytes = std::move(bytes);
    entry.decompresses = entry.code->code == binary::DeviceCode::cubin && head &&
                         entry.code->packing != head->packing && head->packing == DevicePacking::none;
    const std::lock_guard lock(mutex_);
    growth_.add(entry);
  }

  std::optional<std::string> read(const Entry& entry) {
    const std::lock_guard lock(mutex_); // a file is read by one thread at a time
    return entry_bytes(file_, *entry.code);
  }

  /// Entries before it were begun before it, so the first one that fails does not depend on the threads.
  void fail(const Entry& entry, const std::string& trouble) {
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(&entry - entries_.data());
    if (index < failed_) {
      failed_ = index;
      trouble_ = trouble;
    }
  }

  const Bytes& file_;
  fatbin::Compression compression_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::size_t begun_ = 0, taken_ = 0;
  std::uint64_t before_ = 0;             ///< bytes of all entries
  Growth growth_;                        ///< of those that are done, in any order
  std::size_t failed_ = ~std::size_t{0}; ///< the first one that cannot be changed
  std::string trouble_;
};

void count(const DeviceContent::Part& fatbin, const EmbeddedCode& entry, const std::string& bytes,
           Repacked& result) {
  const auto head = device_code_head(bytes);
  if (head && is_loaded(fatbin, *head)) {
    ++result.entries;
    result.zstd = result.zstd || head->packing == DevicePacking::zstd;
  }
  result.before += entry.header + entry.payload;
  result.after += bytes.size();
}

} // namespace

Result<Repacked> repacked(const Bytes& file, const DeviceContent& code, fatbin::Compression compression,
                          std::size_t threads) {
  Entries entries(file, code, compression);
  auto inflates = entries.repack(threads);
  if (!inflates)
    return tl::unexpected(std::move(inflates.error()));
  Repacked result;
  result.inflates = *inflates;
  if (result.inflates)
    return result;
  for (const DeviceContent::Part& fatbin : code.fatbins) {
    std::vector<std::string> bytes;
    for (const EmbeddedCode& entry : fatbin.entries) {
      bytes.push_back(entries.take());
      count(fatbin, entry, bytes.back(), result);
    }
    result.fatbins.push_back(fatbin::fatbin_of_entries({bytes.begin(), bytes.end()}));
  }
  return result;
}

} // namespace hostpin::devicecode
