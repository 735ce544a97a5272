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

/// Null unless the GPU options are replaced.
const GpuChange* replacing(const GpuChange* gpus) {
  return gpus != nullptr && gpus->kind() == GpuChange::Kind::replaced ? gpus : nullptr;
}

/// With room for the front and for the caller's null.
void reserve(Rewrite& result, const NvccCall& call, const GpuChange* gpus) {
  result.arguments.reserve(call.arguments.size() + 5 + (gpus != nullptr ? gpus->arguments().size() : 0));
}

/// Whether `gpus` replaces the argument that ends this option.
bool drops(const NvccWord& word, const GpuChange* gpus) {
  return gpus != nullptr &&
         (cmdline::names_gpus(word.meaning) ||
          ((word.meaning == NvccMeaning::device_lto || word.meaning == NvccMeaning::relocatable) &&
           gpus->drops_device_lto()));
}

void add_front(Rewrite& result, std::span<const char* const> added, const GpuChange* gpus) {
  std::vector<const char*>& arguments = result.arguments;
  arguments.insert(arguments.end(), added.begin(), added.end());
  if (gpus != nullptr)
    arguments.insert(arguments.end(), gpus->arguments().begin(), gpus->arguments().end());
}

/// Adds the command line without the GPU options that `gpus` replaces; all of them are in it.
void add_line(const NvccCall& call, const NvccCommand& command, const GpuChange* gpus, Rewrite& result) {
  std::vector<const char*>& arguments = result.arguments;
  if (gpus == nullptr) {
    arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
    return;
  }
  const std::span<const NvccWord> words = command.line();
  for (std::size_t i = 0; i < words.size(); i += 1 + words[i].inside)
    if (!drops(words[i], gpus))
      arguments.push_back(words[i].text.data());
    else if (words[i].apart)
      arguments.pop_back();
}

/// Whether a GPU option that is replaced is in a variable or an options file.
bool drops_elsewhere(const NvccCommand& command, const GpuChange* gpus) {
  if (gpus == nullptr)
    return false;
  const auto any = [&](std::span<const NvccWord> words) {
    return std::ranges::any_of(words, [&](const NvccWord& word) { return drops(word, gpus); });
  };
  const std::span<const NvccWord> line = command.line();
  for (std::size_t i = 0; !command.files.empty() && i < line.size(); i += 1 + line[i].inside)
    if (any(line.subspan(i + 1, line[i].inside)))
      return true;
  return any(command.before()) || any(command.after());
}

class Rewriter {
public:
  // Without `cxx` every name stays. `added`, and after it what `gpus` adds, come first in the command line.
  Rewriter(const NvccCall& call, const NvccCommand& command, const char* cxx,
           std::span<const char* const> added, const GpuChange* gpus, Rewrite& result)
      : call_(call), command_(command), cxx_(cxx), added_(added), gpus_(gpus),
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
    prepend.moved |=
        prepend.part.expanded || (command_.value_crosses && (!added_.empty() || gpus_ != nullptr));
    add_front(result_, added_, gpus_);
    settle("NVCC_PREPEND_FLAGS", call_.prepend, prepend);
    arguments_from(line);
    settle("NVCC_APPEND_FLAGS", call_.append, append);
  }

private:
  // Arguments of one source that move into the command line.
  struct Part {
    std::vector<const char*> words;
    bool replaced = false;   ///< the winning value was in it
    bool expanded = false;   ///< an argument was removed, or an options file replaced by its arguments
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
      } else if (drops(word, gpus_)) {
        if (word.apart)
          take_back(part);
        part.expanded = true;
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
  const GpuChange* gpus_;
  bool replaces_;
  Rewrite& result_;
};

} // namespace

Rewrite rewrite(const NvccCall& call, const NvccCommand& command, const char* cxx,
                const char* target_directory, const GpuChange* gpus) {
  Rewrite result;
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
  gpus = replacing(gpus);
  reserve(result, call, gpus);
  if (command.ccbin.by == By::ccbin_variable)
    result.variables.push_back({"NVCC_CCBIN", cxx});
  const bool words_stay = unnamed || command.ccbin.by == By::ccbin_variable;
  if (!words_stay || (command.value_crosses && (!added.empty() || gpus != nullptr)) || any_gone(command) ||
      drops_elsewhere(command, gpus)) {
    Rewriter(call, command, cxx, added, gpus, result).run();
    return result;
  }
  add_front(result, added, gpus);
  add_line(call, command, gpus, result);
  return result;
}

Rewrite as_given(const NvccCall& call, const NvccCommand& command, const GpuChange* gpus) {
  Rewrite result;
  gpus = replacing(gpus);
  reserve(result, call, gpus);
  if (any_gone(command) || (command.value_crosses && gpus != nullptr) || drops_elsewhere(command, gpus)) {
    Rewriter(call, command, nullptr, {}, gpus, result).run();
    return result;
  }
  add_front(result, {}, gpus);
  add_line(call, command, gpus, result);
  return result;
}

} // namespace hostpin::nvcc
