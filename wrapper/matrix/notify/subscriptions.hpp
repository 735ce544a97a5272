// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "wrapper/matrix/comment/comparison.hpp"

#include <string>
#include <vector>

namespace hostpin::matrix {

/// Who wants to hear of which changes: all conditions have to hold, an empty list holds for everything.
struct Subscriber {
  std::string name;                                    ///< letters, digits, `-`, `_` and `.`
  std::string mail;                                    ///< an address; may be empty
  std::vector<std::string> cells;                      ///< patterns of identifiers, as for `fnmatch(3)`
  std::array<std::vector<std::string>, axis_count> at; ///< values of axes
  std::vector<std::string> causes;                     ///< kinds
  std::vector<Change::Kind> changes{Change::Kind::broken, Change::Kind::changed};
};

/// Reads a `subscribe.toml`. The error has the position of a key that is not known or has no usable value.
Result<std::vector<Subscriber>> read_subscriptions(const Files& files, const std::string& path);

/// What one subscriber gets.
struct Message {
  std::string to, mail; ///< name and address
  std::string subject;  ///< printable ASCII, in one line
  std::string text;
  std::size_t cells = 0;
};

/// A message for each subscriber for whom something changed, in the order of the file.
std::vector<Message> messages(const std::vector<Subscriber>& subscribers, const Comparison& comparison);

/// All messages, each with its mail.
std::string messages_json(const std::vector<Message>& messages);

/// A mail as `sendmail -t` reads it: RFC 5322, text in UTF-8. Date and sender are added by who sends it.
std::string mail_text(const Message& message);

} // namespace hostpin::matrix
