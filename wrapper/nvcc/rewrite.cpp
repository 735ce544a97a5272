// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/nvcc/rewrite.hpp"

#include "toolchains/cmdline/tokens.hpp"

#include <algorithm>

namespace hostpin::nvcc {
namespace {

using By = HostNaming::By;

bool any_gone(const HostNaming& naming) {
  return std::ranges::any_of(naming.files, [](const auto& file) { return file->gone; });
}

// A word of a flags variable ends at a blank, and a quote in it stays part of it.
bool fits_in_flags(std::string_view value) {
  return !value.empty() && value.find_first_of(" \t\"") == std::string_view::npos;
}

class Rewriter {
public:
  // Without `ours` every name stays.
  Rewriter(const Call& call, const HostNaming& naming, const char* ours, Rewrite& result)
      : call_(call), naming_(naming), ours_(ours), injects_(ours != nullptr && naming.by == By::nobody),
        replaces_(ours != nullptr && naming.by != By::nobody && naming.by != By::ccbin_variable),
        result_(result) {}

  // The three sources in nvcc's order, then each variable either kept, changed in place, or left in the
  // arguments.
  void run() {
    Flags prepend = flags(call_.prepend);
    const bool crosses = reader_.waiting();
    Part line;
    for (const char* word : call_.arguments)
      put(reader_, {word, true}, line);
    Flags append = flags(call_.append);

    // An option that lost its value to replacement goes with it, from the source in which it stood.
    if (append.part.taken_back)
      take_back(line);
    if (line.taken_back)
      take_back(prepend.part);
    // Its last option would otherwise swallow what is put in front of the command line.
    prepend.moved |= prepend.part.expanded || (crosses && injects_);
    if (injects_)
      inject();
    settle("NVCC_PREPEND_FLAGS", call_.prepend, prepend);
    arguments_from(line);
    settle("NVCC_APPEND_FLAGS", call_.append, append);
  }

  void inject() {
    result_.arguments.push_back("-ccbin");
    result_.arguments.push_back(ours_);
  }

private:
  struct Word {
    std::string_view text;
    bool terminated; ///< a NUL follows, so that it can be an argument as it stands
  };

  // Words of one source on their way into the arguments.
  struct Part {
    std::vector<const char*> words;
    bool replaced = false;   ///< the value that wins was in it
    bool expanded = false;   ///< an options file was replaced by its words
    bool taken_back = false; ///< its first word was the value of an option in the source before it
  };

  struct Flags {
    Part part;
    std::vector<std::string_view> spots; ///< where in the variable the value that wins stands
    bool moved = false;
  };

  const char* owned(std::string text) { return result_.owned.emplace_front(std::move(text)).c_str(); }

  void put(WordReader& reader, Word word, Part& part, std::vector<std::string_view>* spots = nullptr) {
    const WordReader::Seen seen = reader.next(word.text);
    if (seen.meaning == Option::Meaning::host_compiler && wins(seen)) {
      if (spots != nullptr)
        spots->push_back(seen.value);
      part.replaced = true;
      part.words.push_back(replaced(word, seen));
      return;
    }
    if (seen.meaning == Option::Meaning::options_file && put_files(seen, part))
      return;
    part.words.push_back(word.terminated ? word.text.data() : owned(std::string(word.text)));
  }

  // nvcc compares values as text, so every equal one has to stay equal to the one that wins.
  bool wins(const WordReader::Seen& seen) const { return replaces_ && seen.value == naming_.value; }

  const char* replaced(Word word, const WordReader::Seen& seen) {
    if (seen.apart)
      return ours_;
    return owned(std::string(word.text.substr(0, word.text.size() - seen.value.size())) + ours_);
  }

  // Puts the words of the files in place of the option; false when the option can stay as it is, or must,
  // because nvcc will refuse one of the files.
  bool put_files(const WordReader::Seen& seen, Part& part) {
    const auto paths = cmdline::split_list(seen.value, call_.escaped_quotes);
    Part words;
    bool usable = paths.has_value();
    // All are gone through, or the count of files read would lose step with the naming's.
    for (std::size_t i = 0; paths && i < paths->size(); ++i)
      usable = next_file_ < naming_.files.size() && put_file(*naming_.files[next_file_++], words) && usable;
    if (!usable || !(words.replaced || words.expanded))
      return false;
    part.expanded = true;
    if (seen.apart)
      take_back(part);
    part.words.insert(part.words.end(), words.words.begin(), words.words.end());
    return true;
  }

  bool put_file(const OptionFile& file, Part& words) {
    if (!file.sound)
      return false;
    words.expanded |= file.gone;
    WordReader reader;
    for (const std::string_view text : file.words)
      put(reader, {text, true}, words);
    return !reader.starving();
  }

  // Removes the option whose value turned out to be replaced by other words.
  static void take_back(Part& part) {
    part.expanded = true;
    if (part.words.empty())
      part.taken_back = true;
    else
      part.words.pop_back();
  }

  Flags flags(std::optional<std::string_view> value) {
    Flags flags;
    std::vector<std::string_view> words;
    if (value && cmdline::split_flags(*value, call_.escaped_quotes, words))
      for (const std::string_view text : words)
        put(reader_, {text, false}, flags.part, &flags.spots);
    flags.moved = flags.part.expanded || (flags.part.replaced && !fits_in_flags(ours_));
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
      changed += ours_;
      from = spot.data() + spot.size();
    }
    return changed.append(from, value.data() + value.size());
  }

  void arguments_from(const Part& part) {
    result_.arguments.insert(result_.arguments.end(), part.words.begin(), part.words.end());
  }

  const Call& call_;
  const HostNaming& naming_;
  const char* ours_;
  bool injects_;
  bool replaces_;
  Rewrite& result_;
  WordReader reader_;
  std::size_t next_file_ = 0;
};

} // namespace

Rewrite rewrite(const Call& call, const HostNaming& naming, const char* ours) {
  Rewrite result;
  result.arguments.reserve(call.arguments.size() + 3); // with room for the caller's null
  Rewriter rewriter(call, naming, ours, result);
  const bool unnamed = naming.by == By::nobody;
  if (naming.by == By::ccbin_variable)
    result.variables.push_back({"NVCC_CCBIN", ours});
  const bool words_stay = unnamed || naming.by == By::ccbin_variable;
  if (!words_stay || (unnamed && naming.value_crosses) || any_gone(naming)) {
    rewriter.run();
    return result;
  }
  if (unnamed)
    rewriter.inject();
  result.arguments.insert(result.arguments.end(), call.arguments.begin(), call.arguments.end());
  return result;
}

Rewrite as_given(const Call& call, const HostNaming& naming) {
  Rewrite result;
  if (any_gone(naming))
    Rewriter(call, naming, nullptr, result).run();
  else
    result.arguments.assign(call.arguments.begin(), call.arguments.end());
  return result;
}

} // namespace hostpin::nvcc
