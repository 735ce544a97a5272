// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Response files as the classification sees them; tests hand in a map.
class ResponseFiles {
public:
  ResponseFiles() = default;
  ResponseFiles(const ResponseFiles&) = delete;
  ResponseFiles& operator=(const ResponseFiles&) = delete;
  virtual ~ResponseFiles() = default;

  /// The whole content, or null when it cannot be had.
  virtual std::unique_ptr<std::string> read(const std::string& path) const = 0;
};

/// Reads regular files of at most 64 MiB. A pipe is left alone: the compiler must still find its content in
/// it.
class DiskResponseFiles final : public ResponseFiles {
public:
  std::unique_ptr<std::string> read(const std::string& path) const override;
};

/// Arguments with every `@file` replaced by what the file holds. Views point into the original arguments or
/// `held`.
struct ExpandedArguments {
  std::vector<std::string_view> arguments;
  std::vector<std::unique_ptr<std::string>> held;
};

/// Splits the text of a response file as GCC and Clang do: whitespace separates, single and double quotes
/// group, a backslash takes the next byte as it is, a NUL ends the text. Rewrites `text` in place; the views
/// point into it.
std::vector<std::string_view> split_response(std::string& text);

/// Expands nested files too, at most 2000 in all, which is GCC's own bound. One that cannot be read stays as
/// it stands, and counts as an input, as with GCC.
ExpandedArguments expand_responses(std::span<const std::string_view> arguments, const ResponseFiles& files);

} // namespace hostpin
