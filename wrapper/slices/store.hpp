// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::slices {

/// Bytes of a file that is read as a whole.
inline constexpr std::size_t largest_file = std::size_t{4} << 30U;

/// What one step of a GPU made.
struct Slice {
  std::string tool;               ///< `cicc`, `ptxas`, `tileiras`, `nvlink`
  std::string gpu;                ///< `compute_80`, `sm_80`
  std::string source;             ///< as the call named it; may be empty
  double seconds = 0;             ///< of processor time, where it was made
  std::string output, errors;     ///< what the tool printed
  std::vector<std::string> files; ///< contents of its outputs, in the order of the command line
};

/// The bytes of a stored slice.
std::string write_slice(const Slice& slice);

/// Nothing if the bytes are truncated, altered, or of another format.
std::optional<Slice> read_slice(std::string_view bytes);

/// One recorded step of a call.
struct RecordedStep {
  std::string tool, gpu, source;
  std::string key;     ///< of the slice
  double seconds = 0;  ///< of processor time, when it was made
  bool reused = false; ///< by the last call
};

/// A call of nvcc that was cut into slices, so that it can be repeated elsewhere.
struct RecordedCall {
  std::string directory;                          ///< in which it ran
  std::string nvcc;                               ///< the real nvcc
  std::string name;                               ///< argv[0] of the real nvcc
  std::vector<std::string> arguments;             ///< as the real nvcc gets them
  std::map<std::string, std::string> environment; ///< variables with arguments for nvcc
  std::vector<RecordedStep> steps;                ///< of GPUs, in nvcc's order
};

/// JSON; `read_call` returns nothing if it is not a call of this format.
std::string write_call(const RecordedCall& call);
std::optional<RecordedCall> read_call(std::string_view text);

/// A directory of slices, shared by calls, and by machines if it is on a shared file system. Files appear
/// whole or not at all, so writers need no lock. A file that is damaged, that belongs to neither this user
/// nor root, or that others may write to, is treated as absent.
class Store {
public:
  /// Creates the directory if needed; an error if others could change it.
  static Result<Store> open(const std::string& directory);

  /// The slice of that key.
  std::optional<Slice> find(const std::string& key) const;
  Result<void> put(const std::string& key, const Slice& slice) const;

  /// The digest of a large file's content, which is read once for each state of that file; empty if it cannot
  /// be read.
  std::string file_digest(const std::string& path) const;

  Result<void> record(const RecordedCall& call) const;
  /// All recorded calls, by directory and source.
  std::vector<RecordedCall> calls() const;

private:
  explicit Store(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
};

} // namespace hostpin::slices
