// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::nvcc {

/// nvcc refuses the file that would be the sixteenth open at once; so does a file that names itself end.
inline constexpr std::size_t option_file_depth = 15;

/// Files read for one call; nvcc knows no such limit, but nothing real comes near it.
inline constexpr std::size_t option_file_count = 4096;

/// The content of an options file, or of anything else that nvcc could read as one.
struct OptionText {
  std::string text;
  bool gone = false; ///< it was a pipe or its like and cannot be read a second time
};

/// Where options files come from; tests hand in a map.
class OptionTexts {
public:
  OptionTexts() = default;
  OptionTexts(const OptionTexts&) = delete;
  OptionTexts& operator=(const OptionTexts&) = delete;
  virtual ~OptionTexts() = default;

  /// Nothing when the file cannot be opened. A directory reads as empty, as it does for nvcc.
  virtual std::optional<OptionText> read(const std::string& path) = 0;
};

/// Files of the disk, up to 16 MiB each; names are relative to the current directory, as nvcc takes them.
class DiskOptionTexts final : public OptionTexts {
public:
  std::optional<OptionText> read(const std::string& path) override;
};

/// One options file, cut into words.
struct OptionFile {
  std::string path;
  std::string text;                    ///< what the words point into
  std::vector<std::string_view> words; ///< each is followed by a NUL
  bool sound = false;                  ///< nvcc can read it too
  bool gone = false;
};

/// Reads and cuts one options file; one that cannot be read, or has a stray quote or backslash, is not sound.
std::unique_ptr<OptionFile> open_option_file(std::string path, OptionTexts& texts);

/// Cuts the text of an options file into words, unescaped into `storage`. Blanks are space, tab, CR and LF.
/// Double quotes group and vanish. A backslash makes the next character plain, in quotes too, but a space or
/// tab behind it starts no word, and a quote behind it vanishes as well unless a backslash is left before it.
/// Nothing else is special; there are no comments. A NUL hides the rest of its line and joins it with the
/// next. False on a stray quote or backslash, where nvcc gives up.
bool split_option_file(std::string_view text, std::string& storage, std::vector<std::string_view>& words);

/// Cuts the value of NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS. Blanks are space and tab; double quotes group
/// but stay part of the word. With `escaped_quotes` (12.4 and 13.0, not 11.2 and 11.8) a quote behind a
/// backslash does not close one. False on a stray quote.
bool split_flags(std::string_view value, bool escaped_quotes, std::vector<std::string_view>& words);

/// Cuts the value of a list option at its commas. Double quotes group and vanish, those that `escaped_quotes`
/// spares apart; blanks around an element vanish, and so do empty elements. Nothing on a stray quote.
std::optional<std::vector<std::string>> split_list(std::string_view value, bool escaped_quotes);

} // namespace hostpin::nvcc
