// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/nvcc/rewrite.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace hostpin::nvcc {
namespace {

using cmdline::CcbinChoice;
using cmdline::NvccCall;
using cmdline::NvccCommand;
using cmdline::NvccMeaning;
using cmdline::NvccWord;
using By = CcbinChoice::By;

bool any_gone(const NvccCommand& command) {
  return std::ranges::any_of(command.files, [](const auto& file) { return file->gone; });
}

// In a flags variable an argument ends at a blank, and a quote is part of it.
bool fits_in_flags(std::string_view value) {
  return !value.empty() && value.find_first_of(" \t\"") == std::string_view::npos;
}

class Rewriter {
public:
  // Without `cxx` every name stays. `added` comes first in the command line.
  Rewriter(const NvccCall& call, const NvccCommand& command, const char* cxx,
           std::span<const char* const> added, Rewrite& result)
      : call_(call), command_(command), cxx_(cxx), added_(added),
        replaces_(cxx != nullptr && command.ccbin.by != By::nobody && command.ccbin.by != By::ccbin_variable),
        result_(result) {}

  // The three sources in nvcc's order; then each variable is either unchanged, changed in place, or moved
  // into the arguments.
  void run() {
    Flags prepend = flags(command_.before());
    Part line;
    put(command_.line(), line);
    Flags append = flags(command_.after());

    // An option that lost its value to replacement is removed too, from the source that contains it.
    if (append.part.taken_back)
      take_back(line);
    if (line.taken_back)
      take_back(prepend.part);
    // Its last option would otherwise take what is put in front of the command line as its value.
    prepend.moved |= prepend.part.expanded || (command_.value_crosses && !added_.empty());
    result_.arguments.insert(result_.arguments.end(), added_.begin(), added_.end());
    settle("NVCC_PREPEND_FLAGS", call_.prepend, prepend);
    arguments_from(line);
    settle("NVCC_APPEND_FLAGS", call_.append, append);
  }

private:
  // Arguments of one source that move into the command line.
  struct Part {
    std::vector<const char*> words;
    bool replaced = false;   ///< the winning value was in it
    bool expanded = false;   ///< an options file was replaced by its arguments
    bool taken_back = false; ///< its first argument was the value of an option in the source before it
  };

  struct Flags {
    Part part;
    std::vector<std::string_view> spots; ///< where the winning value occurs in the variable
    bool moved = false;
  };

  const char* owned(std::string text) { return result_.owned.emplace_front(std::move(text)).c_str(); }

  void put(std::span<const NvccWord> words, Part& part, std::vector<std::string_view>* spots = nullptr) {
    for (std::size_t i = 0; i < words.size(); i += 1 + words[i].inside) {
      const NvccWord& word = words[i];
      if (wins(word)) {
        if (spots != nullptr)
          spots->push_back(word.value());
        part.replaced = true;
        part.words.push_back(replaced(word));
      } else if (!put_files(word, words.subspan(i + 1, word.inside), part)) {
        part.words.push_back(word.terminated ? word.text.data() : owned(std::string(word.text)));
      }
    }
  }

  // nvcc compares values as text, so every value equal to the winning one has to stay equal to it.
  bool wins(const NvccWord& word) const {
    return replaces_ && word.meaning == NvccMeaning::host_compiler && word.value() == command_.ccbin.value;
  }

  const char* replaced(const NvccWord& word) {
    if (word.apart)
      return cxx_;
    return owned(std::string(word.text.substr(0, word.text.size() - word.value_size)) + cxx_);
  }

  // Replaces the option by the arguments in its files; false if the option can stay as it is, or must,
  // because nvcc will reject one of the files.
  bool put_files(const NvccWord& option, std::span<const NvccWord> inside, Part& part) {
    if (!option.whole)
      return false;
    Part words;
    put(inside, words);
    if (!(words.replaced || words.expanded || option.gone))
      return false;
    part.expanded = true;
    if (option.apart)
      take_back(part);
    part.words.insert(part.words.end(), words.words.begin(), words.words.end());
    return true;
  }

  // Removes the option whose value was replaced by other arguments.
  static void take_back(Part& part) {
    part.expanded = true;
    if (part.words.empty())
      part.taken_back = true;
    else
      part.words.pop_back();
  }

  Flags flags(std::span<const NvccWord> words) {
    Flags flags;
    put(words, flags.part, &flags.spots);
    flags.moved = flags.part.expanded || (flags.part.replaced && !fits_in_flags(cxx_));
    return flags;
  }

  void settle(const char* name, std::optional<std::string_view> value, const Flags& flags) {
    if (flags.moved) {
      result_.variables.push_back({name, std::nullopt});
      arguments_from(flags.part);
    } else if (flags.part.replaced) {
      result_.variables.push_back({name, with_ours(*value, flags.spots)});
    }
  }

  std::string with_ours(std::string_view value, const std::vector<std::string_view>& spots) const {
    std::string changed;
    const char* from = value.data();
    for (const std::string_view spot : spots) {
      changed.append(from, spot.data());
      changed += cxx_;
      from = spot.data() + spot.size();
    }
    return changed.append(from, value.data() + value.size());
  }

  void arguments_from(const Part& part) {
    result_.arguments.insert(result_.arguments.end(), part.words.begin(), part.words.end());
  }

  const NvccCall& call_;
  const NvccCommand& command_;
  const char* cxx_;
  std::span<const char* const> added_;
  bool replaces_;
  Rewrite& result_;
};

} // namespace

Rewrite rewrite(const NvccCall& call, const NvccCommand& command, const char* cxx,
                const char* target_directory) {
  Rewrite result;
  result.arguments.reserve(call.arguments.size() + 5); // with room for the caller's null
  const bool unnamed = command.ccbin.by == By::nobody;
  std::array<const char*, 4> words{};
  std::size_t count = 0;
  if (unnamed) {
    words[count++] = "-ccbin";
    words[count++] = cxx;
  }
  if (target_directory != nullptr && *target_directory != '\0' && !command.names_target) {
    words[count++] = "-target-dir";
    words[count++] = target_directory;
  }
  const std::span<const char* const> added(words.data(), count);
  if (command.ccbin.by == By::ccbin_variable)
    result.variables.push_back({"NVCC_CCBIN", cxx});
  const bool words_stay = unnamed || command.ccbin.by == By::ccbin_variable;
  if (!words_stay || (!added.empty() && command.value_crosses) || any_gone(command)) {
    Rewriter(call, command, cxx, added, result).run();
    return result;
  }
  result.arguments.insert(result.arguments.end(), added.begin(), added.end());
  result.arguments.insert(result.arguments.end(), call.arguments.begin(), call.arguments.end());
  return result;
}

Rewrite as_given(const NvccCall& call, const NvccCommand& command) {
  Rewrite result;
  if (any_gone(command))
    Rewriter(call, command, nullptr, {}, result).run();
  else
    result.arguments.assign(call.arguments.begin(), call.arguments.end());
  return result;
}

} // namespace hostpin::nvcc
