// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/nvcc_command.hpp"

#include "toolchains/cmdline/tokens.hpp"

#include <utility>

namespace hostpin::cmdline {

namespace {

using By = CcbinChoice::By;

/// Reads and splits one options file; one that cannot be read, or has a stray quote or backslash, is not
/// sound.
std::unique_ptr<OptionFile> open_option_file(std::string path, const ArgumentFiles& files) {
  auto file = std::make_unique<OptionFile>();
  if (const auto content = files.read(path, ArgumentFiles::Pipes::read)) {
    file->sound = split_option_file(content->text, file->text, file->words);
    file->gone = content->gone;
  }
  file->path = std::move(path);
  return file;
}

class Parse {
public:
  Parse(NvccCommand& command, const ArgumentFiles& files, bool escaped_quotes)
      : command_(command), files_(files), escaped_quotes_(escaped_quotes) {}

  /// Returns the number of arguments, including those of its files.
  std::size_t flags(std::optional<std::string_view> value, By by) {
    const std::size_t before = command_.words.size();
    std::vector<std::string_view> words;
    if (value && split_flags(*value, escaped_quotes_, words))
      for (const std::string_view text : words)
        word(reader_, text, {by, {}, 0}, 0);
    return command_.words.size() - before;
  }

  void arguments(std::span<const char* const> words) {
    command_.value_crosses = reader_.waiting();
    for (std::size_t i = 0; i < words.size(); ++i)
      word(reader_, words[i], {By::command_line, {}, i}, 0);
  }

private:
  struct Place {
    By by;
    std::string_view file;
    std::size_t position;
  };

  void word(NvccReader& reader, std::string_view text, const Place& place, std::size_t depth) {
    const std::size_t index = command_.words.size();
    NvccWord& read = command_.words.emplace_back();
    const NvccReader::Seen seen = reader.next(text);
    read.text = text;
    read.meaning = seen.meaning;
    read.apart = seen.apart;
    read.input = seen.input;
    read.terminated = place.by != By::prepend_flags && place.by != By::append_flags;
    read.value_size = static_cast<std::uint32_t>(seen.value.size());
    switch (seen.meaning) {
    case NvccMeaning::host_compiler:
      command_.ccbin = {place.by, seen.value, place.file, place.position};
      break;
    case NvccMeaning::options_file:
      read_files(index, seen.value, place, depth);
      break;
    case NvccMeaning::allow_unsupported:
      command_.allow_unsupported = true;
      break;
    case NvccMeaning::informational:
      command_.informational = true;
      break;
    case NvccMeaning::run:
      command_.runs = true;
      break;
    case NvccMeaning::preprocess:
      command_.preprocesses = true;
      stop();
      break;
    case NvccMeaning::no_link:
    case NvccMeaning::relocatable_file:
    case NvccMeaning::whole_file:
    case NvccMeaning::fatbin_file:
      stop();
      break;
    case NvccMeaning::dry_run:
      command_.links = false;
      break;
    case NvccMeaning::target_directory:
      command_.names_target = true;
      break;
    case NvccMeaning::device_lto:
      command_.device_lto = true;
      break;
    case NvccMeaning::ptx_file:
    case NvccMeaning::cubin_file:
    case NvccMeaning::ltoir_file:
      command_.for_one_gpu = seen.meaning;
      stop();
      break;
    case NvccMeaning::gpu_architecture:
    case NvccMeaning::gpu_code:
    case NvccMeaning::generate_code:
    case NvccMeaning::relocatable:
    case NvccMeaning::extensible:
    case NvccMeaning::library:
    case NvccMeaning::library_directory:
    case NvccMeaning::plain:
      break;
    }
  }

  void stop() {
    command_.stops_early = true;
    command_.links = false;
  }

  void read_files(std::size_t option, std::string_view value, const Place& place, std::size_t depth) {
    auto paths = split_list(value, escaped_quotes_);
    bool whole = paths.has_value();
    bool gone = false;
    for (std::size_t i = 0; paths && i < paths->size(); ++i) {
      // nvcc gives up here, and so does this, or files that name each other would be read without end.
      exhausted_ = exhausted_ || depth == option_file_depth || command_.files.size() == option_file_count;
      if (exhausted_) {
        whole = false;
        break;
      }
      command_.files.push_back(open_option_file(std::move((*paths)[i]), files_));
      const OptionFile& file = *command_.files.back();
      whole = read_file(file, place, depth + 1) && whole;
      gone = gone || (file.sound && file.gone);
    }
    NvccWord& read = command_.words[option];
    read.whole = whole;
    read.gone = gone;
    read.inside = static_cast<std::uint32_t>(command_.words.size() - option - 1);
  }

  bool read_file(const OptionFile& file, const Place& place, std::size_t depth) {
    if (!file.sound)
      return false;
    NvccReader reader; // the last option of a file cannot take its value from outside the file
    for (const std::string_view text : file.words)
      word(reader, text, {By::options_file, file.path, place.position}, depth);
    return !reader.starving();
  }

  NvccCommand& command_;
  const ArgumentFiles& files_;
  bool escaped_quotes_;
  bool exhausted_ = false;
  NvccReader reader_; // one for all three: an option's value may be in the next source
};

} // namespace

std::string_view to_string(By by) {
  switch (by) {
  case By::command_line:
    return "-ccbin";
  case By::options_file:
    return "-ccbin in an options file";
  case By::prepend_flags:
    return "NVCC_PREPEND_FLAGS";
  case By::append_flags:
    return "NVCC_APPEND_FLAGS";
  case By::ccbin_variable:
    return "NVCC_CCBIN";
  case By::nobody:
    break;
  }
  return "nobody";
}

NvccCommand nvcc_command(const NvccCall& call, const ArgumentFiles& files) {
  NvccCommand command;
  command.words.reserve(call.arguments.size() + 1);
  // An empty NVCC_CCBIN names nothing that could be started; it counts as unset, like every empty setting.
  if (call.reads_variable && call.variable && !call.variable->empty())
    command.ccbin = {By::ccbin_variable, *call.variable, {}, 0};
  Parse parse(command, files, call.escaped_quotes);
  command.prepended = parse.flags(call.prepend, By::prepend_flags);
  parse.arguments(call.arguments);
  command.appended = parse.flags(call.append, By::append_flags);
  return command;
}

} // namespace hostpin::cmdline
