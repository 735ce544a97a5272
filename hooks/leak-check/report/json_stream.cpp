// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/json_stream.hpp"

#include <utility>

namespace hostpin {

namespace {

/// File names are any bytes.
std::string text_of(const JsonStream::Value& value) {
  return value.dump(2, ' ', false, JsonStream::Value::error_handler_t::replace);
}

} // namespace

void JsonStream::begin(std::string_view name) {
  std::string text = std::exchange(first_, false) ? "" : ",";
  if (depth_ > 0)
    text += line(depth_);
  if (!name.empty())
    text += text_of(name) + ": ";
  put(text);
}

void JsonStream::open(char bracket, std::string_view name) {
  begin(name);
  put({&bracket, 1});
  ++depth_;
  first_ = true;
}

void JsonStream::close(char bracket) {
  --depth_;
  std::string text = std::exchange(first_, false) ? "" : line(depth_);
  text += bracket;
  if (depth_ == 0)
    text += '\n';
  put(text);
}

void JsonStream::member(std::string_view name, const Value& value) {
  begin(name);
  // A line's end within a string is escaped, so that each one here is of the layout.
  const std::string text = text_of(value), next = line(depth_);
  std::string shifted;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find('\n', at);
    shifted.append(text, at, end - at);
    if (end == std::string::npos)
      break;
    shifted += next;
    at = end + 1;
  }
  put(shifted);
}

} // namespace hostpin
