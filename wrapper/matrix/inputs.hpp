// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/tracing/trace.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::matrix {

using tracing::Access, tracing::Trace, tracing::note_access;

/// Where a path of an input is on this machine: text at the beginning of a path, and the directory that it
/// names. Source trees are at other places on other machines and in other revisions; all else is where it is.
struct Place {
  std::string name;      ///< such as `$SOURCE`
  std::string directory; ///< absolute
};

/// A path that a cell accessed, and what it found there. As text: `STATE PATH`.
struct Input {
  std::string path; ///< absolute, or beginning with a Place's name
  unsigned access = 0;
  std::string state; ///< of `InputStates::of`

  bool operator==(const Input&) const = default;
};

/// States of what was changed by others since its first access: they never hold. Of a directory, its names.
inline constexpr std::string_view changed_state = "changed", changed_names = "changed-names";

/// What a loader's cache lists, by the names and the base names of the paths of its entries.
struct LoaderCache {
  bool is_readable = false;
  std::multimap<std::string, std::string> entries; ///< each as text
};

/// What is at a path, for a kind of access, as text that differs whenever the answers to such accesses do:
/// `absent`, or the type, SHA-256 of a file's bytes, of a directory's names with their types, a link's
/// target, size, mode and the execute permission. Times, owners and inodes are no part of it. Each file is
/// read once.
class InputStates {
public:
  explicit InputStates(std::vector<Place> places) : places_(std::move(places)) {}

  std::string of(const std::string& path, unsigned access);
  /// Of one of the inputs in a list. With access `lookup` alone: of the entries of a loader's cache for base
  /// names of the list, and the bytes if the cache cannot be read.
  std::string of(const Input& input, const std::vector<Input>& list);
  /// Something in the places may have changed: what is there is looked up again.
  void forget_places();
  /// The path on this machine.
  std::string resolved(const std::string& path) const;
  /// Begins with a Place's name if the path is in its directory.
  std::string named(const std::string& path) const;

private:
  std::string content(const std::string& path);
  std::string lookups(const std::string& path, const std::vector<Input>& list);

  std::vector<Place> places_;
  std::map<std::pair<std::string, unsigned>, std::string> known_;
  std::map<std::string, std::string> contents_;
  std::map<std::string, LoaderCache> caches_;
};

/// What is at a path, for access `target` or `listing`, as text that differs once a file was written,
/// replaced or retargeted, or names were added: by its inode and times, without reading it.
std::string stamp_of(const std::string& path, unsigned access);

/// A trace that stores the stamp of each path before its first access.
Trace stamped_trace();

/// The state of all paths of a trace, sorted by path. Accesses to one path are combined.
std::vector<Input> inputs_of(const Trace& trace, InputStates& states);

/// States of what a loader looked up in its cache, by the names in this list: it can be compared without
/// other lists.
void take_lookups(std::vector<Input>& list, InputStates& states);

/// Whether a loader looked libraries up in a cache there, and nothing else read it.
bool is_lookup(const Input& input);

/// One line for each: its access and state, and the path with line feeds and backslashes as `\n` and `\\`.
std::string input_lines(const std::vector<Input>& inputs);

/// Reads such lines; the error names the line. `of`: for messages, the file.
Result<std::vector<Input>> read_inputs(std::string_view text, const std::string& of);

} // namespace hostpin::matrix
