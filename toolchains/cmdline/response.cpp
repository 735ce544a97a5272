// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/response.hpp"

#include "toolchains/base/system_call.hpp"
#include "toolchains/cmdline/tokens.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin::cmdline {

namespace {

constexpr std::size_t size_limit = std::size_t{64} << 20U;
constexpr int file_limit = 2000;

bool read_all(int descriptor, std::string& text) {
  std::array<char, 8192> block;
  while (true) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count == 0)
      return true;
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 || text.size() + static_cast<std::size_t>(count) > size_limit)
      return false;
    text.append(block.data(), static_cast<std::size_t>(count));
  }
}

class Expansion {
public:
  explicit Expansion(const ArgumentFiles& files) : files_(files) {}

  void add(std::string_view argument) {
    auto content = argument.starts_with('@') && files_left_ > 0
                       ? files_.read(std::string(argument.substr(1)), ArgumentFiles::Pipes::leave)
                       : std::nullopt;
    if (!content || content->text.size() > bytes_left_) {
      result_.arguments.push_back(argument);
      return;
    }
    --files_left_;
    bytes_left_ -= content->text.size();
    result_.held.push_back(std::make_unique<std::string>(std::move(content->text)));
    for (const std::string_view inner : split_response(*result_.held.back()))
      add(inner);
  }

  ExpandedArguments take() { return std::move(result_); }

private:
  const ArgumentFiles& files_;
  ExpandedArguments result_;
  int files_left_ = file_limit;
  std::size_t bytes_left_ = size_limit; // bounds the memory for a file that names itself twice
};

std::string path_in(const std::string& directory, std::string path) {
  return directory.empty() || path.empty() || path.front() == '/' ? std::move(path) : directory + '/' + path;
}

/// For a command that runs in another directory.
class FilesOfCommand final : public ArgumentFiles {
public:
  FilesOfCommand(const Files& files, const std::string& directory) : files_(files), directory_(directory) {}

  std::optional<ArgumentText> read(const std::string& path, Pipes) const override {
    auto text = files_.read(path_in(directory_, path), size_limit);
    return text ? std::optional(ArgumentText{*std::move(text)}) : std::nullopt;
  }

private:
  const Files& files_;
  const std::string& directory_;
};

} // namespace

std::optional<ArgumentText> DiskArgumentFiles::read(const std::string& path, Pipes pipes) const {
  // open() would block on a pipe without a writer.
  const int waiting = pipes == Pipes::leave ? O_NONBLOCK : 0;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | waiting));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0)
    return std::nullopt;
  ArgumentText content;
  content.gone = !S_ISREG(status.st_mode);
  if (content.gone && pipes == Pipes::leave)
    return std::nullopt;
  if (S_ISDIR(status.st_mode))
    return ArgumentText{};
  return read_all(file.number(), content.text) ? std::optional(std::move(content)) : std::nullopt;
}

ExpandedArguments expand_responses(std::span<const std::string_view> arguments, const ArgumentFiles& files) {
  Expansion expansion(files);
  for (const std::string_view argument : arguments)
    expansion.add(argument);
  return expansion.take();
}

std::vector<std::string> with_responses(std::span<const std::string> words, const Files& files,
                                        const std::string& directory) {
  const std::vector<std::string_view> arguments(words.begin(), words.end());
  const ExpandedArguments expanded = expand_responses(arguments, FilesOfCommand(files, directory));
  return {expanded.arguments.begin(), expanded.arguments.end()};
}

std::optional<Error> unread_response(std::span<const std::string> words, const Files& files,
                                     const std::string& directory) {
  for (const std::string& word : words) {
    if (word.size() < 2 || word.front() != '@')
      continue;
    const std::string path = word.substr(1);
    const auto status = files.status(path_in(directory, path));
    if (!status)
      continue; // compilers and linkers take it as the name of an input
    if (status->kind == FileStatus::Kind::regular)
      return Error{"the response file " + path + " cannot be read, or too many name each other",
                   "make it readable, and shorter"};
    return Error{"the response file " + path + " is not a regular file, so it could not be read twice",
                 "write the arguments into a file, and name that"};
  }
  return std::nullopt;
}

} // namespace hostpin::cmdline
