// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/nvcc/host_naming.hpp"

#include "toolchains/cmdline/tokens.hpp"

#include <utility>

namespace hostpin::nvcc {
namespace {

using By = HostNaming::By;

class Scan {
public:
  Scan(HostNaming& naming, const cmdline::ArgumentFiles& texts, bool escaped_quotes)
      : naming_(naming), texts_(texts), escaped_quotes_(escaped_quotes) {}

  void flags(std::string_view value, By by) {
    std::vector<std::string_view> words;
    if (!cmdline::split_flags(value, escaped_quotes_, words))
      return;
    for (const std::string_view text : words)
      word(reader_, text, {by, {}, 0}, 0);
  }

  void arguments(std::span<const char* const> words) {
    naming_.value_crosses = reader_.waiting();
    for (std::size_t i = 0; i < words.size(); ++i)
      word(reader_, words[i], {By::command_line, {}, i}, 0);
  }

private:
  struct Place {
    By by;
    std::string_view file;
    std::size_t position;
  };

  void word(WordReader& reader, std::string_view text, const Place& place, std::size_t depth) {
    const WordReader::Seen seen = reader.next(text);
    switch (seen.meaning) {
    case Option::Meaning::host_compiler:
      naming_.by = place.by;
      naming_.value = seen.value;
      naming_.file = place.file;
      naming_.position = place.position;
      break;
    case Option::Meaning::options_file:
      files(seen.value, place, depth);
      break;
    case Option::Meaning::allow_unsupported:
      naming_.allow_unsupported = true;
      break;
    case Option::Meaning::informational:
      naming_.informational = true;
      break;
    case Option::Meaning::run:
      naming_.runs = true;
      break;
    case Option::Meaning::preprocess:
      naming_.preprocesses = true;
      naming_.links = false;
      break;
    case Option::Meaning::no_link:
      naming_.links = false;
      break;
    case Option::Meaning::library:
      naming_.libraries.push_back(seen.value);
      break;
    case Option::Meaning::library_directory:
      naming_.library_directories.push_back(seen.value);
      break;
    case Option::Meaning::plain:
      if (seen.input)
        naming_.inputs.push_back(text);
      break;
    }
  }

  void files(std::string_view value, const Place& place, std::size_t depth) {
    auto paths = cmdline::split_list(value, escaped_quotes_);
    if (!paths)
      return;
    for (std::string& path : *paths) {
      // nvcc gives up here and so do we, or files that name each other would be read again and again.
      exhausted_ = exhausted_ || depth == option_file_depth || naming_.files.size() == option_file_count;
      if (exhausted_)
        return;
      naming_.files.push_back(open_option_file(std::move(path), texts_));
      const OptionFile& file = *naming_.files.back();
      if (!file.sound)
        continue;
      WordReader reader; // an option at the end of a file cannot take its value from behind it
      for (const std::string_view text : file.words)
        word(reader, text, {By::options_file, file.path, place.position}, depth + 1);
    }
  }

  HostNaming& naming_;
  const cmdline::ArgumentFiles& texts_;
  bool escaped_quotes_;
  bool exhausted_ = false;
  WordReader reader_; // one for all three: a value may follow its option across their borders
};

} // namespace

std::string_view to_string(HostNaming::By by) {
  switch (by) {
  case HostNaming::By::command_line:
    return "-ccbin";
  case HostNaming::By::options_file:
    return "-ccbin in an options file";
  case HostNaming::By::prepend_flags:
    return "NVCC_PREPEND_FLAGS";
  case HostNaming::By::append_flags:
    return "NVCC_APPEND_FLAGS";
  case HostNaming::By::ccbin_variable:
    return "NVCC_CCBIN";
  case HostNaming::By::nobody:
    break;
  }
  return "nobody";
}

HostNaming host_naming(const Call& call, const cmdline::ArgumentFiles& texts) {
  HostNaming naming;
  // An empty NVCC_CCBIN names nothing that could be started; like every empty setting it counts as not set.
  if (call.reads_variable && call.variable && !call.variable->empty()) {
    naming.by = By::ccbin_variable;
    naming.value = *call.variable;
  }
  Scan scan(naming, texts, call.escaped_quotes);
  if (call.prepend)
    scan.flags(*call.prepend, By::prepend_flags);
  scan.arguments(call.arguments);
  if (call.append)
    scan.flags(*call.append, By::append_flags);
  return naming;
}

} // namespace hostpin::nvcc
