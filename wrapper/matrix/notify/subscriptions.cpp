// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/notify/subscriptions.hpp"

#include "toolchains/base/text.hpp"
#include "toolchains/document/reader.hpp"
#include "wrapper/matrix/cause.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

constexpr const char* row_hint =
    "a subscriber has name, mail, cells, causes, changes and axes: project, toolkit, stdenv, host, gpus, "
    "c_library";

bool is_of(std::string_view text, std::string_view more) {
  return !text.empty() && std::ranges::all_of(text, [&](char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || more.find(character) != std::string_view::npos;
  });
}

/// One address, and nothing that a header of a mail has a meaning for: RFC 5322's dot-atoms, without names.
bool is_address(std::string_view text) {
  constexpr std::size_t longest = 254; // RFC 5321, 4.5.3.1.3
  const std::size_t at = text.find('@');
  return text.size() <= longest && at != std::string_view::npos && text.front() != '-' &&
         is_of(text.substr(0, at), "!#$%&'*+-/=?^_`{|}~.") && is_of(text.substr(at + 1), "-.");
}

std::string causes_hint() {
  return "causes are " + joined(causes(), ", ", &CauseRow::kind);
}

std::vector<Change::Kind> kinds_of(document::Reader& row, const std::vector<std::string>& names) {
  std::vector<Change::Kind> kinds;
  for (const std::string& name : names) {
    const auto kind =
        std::ranges::find_if(change_kinds, [&](Change::Kind each) { return to_string(each) == name; });
    if (kind == change_kinds.end())
      row.refuse("changes", document::quoted(name) + " is no change",
                 "changes are broken, fixed, new, gone, undecided, noise and changed");
    else
      kinds.push_back(*kind);
  }
  return kinds;
}

void check(document::Reader& row, const Subscriber& subscriber) {
  if (!subscriber.name.empty() && !is_of(subscriber.name, "-_."))
    row.refuse("name", document::quoted(subscriber.name) + " is no name",
               "a name has letters, digits, `-`, `_`, `.`");
  if (!subscriber.mail.empty() && !is_address(subscriber.mail))
    row.refuse("mail", document::quoted(subscriber.mail) + " is no address",
               "write one address: name@example.org");
  for (const std::string& cause : subscriber.causes)
    if (cause_of_kind(cause) == nullptr)
      row.refuse("causes", document::quoted(cause) + " is no cause", causes_hint());
}

Subscriber subscriber_of(document::Reader& row) {
  Subscriber subscriber;
  subscriber.name = row.required("name");
  subscriber.mail = row.string("mail").value_or("");
  subscriber.cells = row.strings("cells");
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    subscriber.at[axis] = row.strings(axis_names[axis]);
  subscriber.causes = row.strings("causes");
  if (row.member("changes") != nullptr)
    subscriber.changes = kinds_of(row, row.strings("changes"));
  check(row, subscriber);
  return subscriber;
}

} // namespace

Result<std::vector<Subscriber>> read_subscriptions(const Files& files, const std::string& path) {
  TRY_ASSIGN(const auto toml, document::read_toml(files, path));
  document::Reader document(path, toml);
  document.require("subscriber");
  std::vector<Subscriber> subscribers;
  document.rows("subscriber", row_hint, subscribers, subscriber_of);
  TRY(document.finish("subscribers are tables: [[subscriber]]"));
  for (auto each = subscribers.begin(); each != subscribers.end(); ++each)
    if (std::find_if(subscribers.begin(), each,
                     [&](const Subscriber& other) { return other.name == each->name; }) != each)
      return failure(fmt::format("{}: there are two subscribers {}", path, each->name), "rename one");
  return subscribers;
}

} // namespace hostpin::matrix
