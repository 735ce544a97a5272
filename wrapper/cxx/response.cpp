// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/cxx/response.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t size_limit = std::size_t{64} << 20;
constexpr int file_limit = 2000;

/// Closes what it holds.
class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0)
      close(number_);
  }
  int number() const { return number_; }

private:
  int number_;
};

bool read_all(int descriptor, std::string& bytes) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = read(descriptor, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return false;
    if (got == 0)
      break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled); // it may have shrunk since stat
  return true;
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Copies one argument to `out`, starting at `in`; both move on. `out` never overtakes `in`.
std::string_view take_argument(const char*& in, const char* end, char*& out) {
  char* const begin = out;
  char quote = '\0';
  for (; in != end && (quote != '\0' || !is_space(*in)); ++in) {
    if (*in == '\\') {
      if (++in == end)
        break;
      *out++ = *in;
    } else if (quote != '\0') {
      if (*in == quote)
        quote = '\0';
      else
        *out++ = *in;
    } else if (*in == '\'' || *in == '"') {
      quote = *in;
    } else {
      *out++ = *in;
    }
  }
  return {begin, static_cast<std::size_t>(out - begin)};
}

class Expansion {
public:
  explicit Expansion(const ResponseFiles& files) : files_(files) {}

  void add(std::string_view argument) {
    if (!argument.starts_with('@') || files_left_ == 0) {
      result_.arguments.push_back(argument);
      return;
    }
    std::unique_ptr<std::string> text = files_.read(std::string(argument.substr(1)));
    if (text == nullptr || text->size() > bytes_left_) {
      result_.arguments.push_back(argument);
      return;
    }
    --files_left_;
    bytes_left_ -= text->size();
    std::string& held = *result_.held.emplace_back(std::move(text));
    for (const std::string_view inner : split_response(held))
      add(inner);
  }

  ExpandedArguments take() { return std::move(result_); }

private:
  const ResponseFiles& files_;
  ExpandedArguments result_;
  int files_left_ = file_limit;
  std::size_t bytes_left_ = size_limit; // a file that names itself twice must not fill the memory
};

} // namespace

std::unique_ptr<std::string> DiskResponseFiles::read(const std::string& path) const {
  // A pipe without a writer would block an open that waits.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::size_t>(status.st_size) > size_limit)
    return nullptr;
  auto bytes = std::make_unique<std::string>(static_cast<std::size_t>(status.st_size), '\0');
  return read_all(file.number(), *bytes) ? std::move(bytes) : nullptr;
}

std::vector<std::string_view> split_response(std::string& text) {
  std::vector<std::string_view> arguments;
  const char* in = text.data();
  const char* const end = in + std::min(text.find('\0'), text.size());
  char* out = text.data();
  while (true) {
    while (in != end && is_space(*in))
      ++in;
    if (in == end)
      return arguments;
    arguments.push_back(take_argument(in, end, out));
  }
}

ExpandedArguments expand_responses(std::span<const std::string_view> arguments, const ResponseFiles& files) {
  Expansion expansion(files);
  for (const std::string_view argument : arguments)
    expansion.add(argument);
  return expansion.take();
}

} // namespace hostpin
