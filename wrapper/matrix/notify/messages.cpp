// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/comment/markdown.hpp"
#include "wrapper/matrix/json.hpp"
#include "wrapper/matrix/notify/subscriptions.hpp"

#include <algorithm>
#include <fnmatch.h>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

template <typename Value>
bool allows(const std::vector<Value>& list, const Value& value) {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

bool concerns(const Subscriber& subscriber, const Cell& cell) {
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    if (!allows(subscriber.at[axis], cell.at[axis]))
      return false;
  return subscriber.cells.empty() || std::ranges::any_of(subscriber.cells, [&](const std::string& pattern) {
           return fnmatch(pattern.c_str(), cell.id.c_str(), 0) == 0;
         });
}

/// The part of a comparison that a subscriber wants to hear of.
Comparison part_for(const Subscriber& subscriber, const Comparison& comparison) {
  Comparison part = comparison;
  part.groups.clear();
  for (const CauseGroup& group : comparison.groups) {
    if (std::ranges::find(subscriber.changes, group.change) == subscriber.changes.end() ||
        !allows(subscriber.causes, group.cause))
      continue;
    CauseGroup some = group;
    std::erase_if(some.cells, [&](const Cell& cell) { return !concerns(subscriber, cell); });
    if (!some.cells.empty())
      part.groups.push_back(std::move(some));
  }
  return part;
}

std::string commands(const Comparison& part) {
  std::string text;
  for (const CauseGroup& group : part.groups)
    if (const std::string command = reproduction(part, group);
        !command.empty() && group.change != Change::Kind::gone)
      text += "  " + command + '\n';
  return text.empty() ? "" : "\nA cell of each, to reproduce it:\n" + text;
}

} // namespace

std::vector<Message> messages(const std::vector<Subscriber>& subscribers, const Comparison& comparison) {
  std::vector<Message> all;
  for (const Subscriber& subscriber : subscribers) {
    const Comparison part = part_for(subscriber, comparison);
    if (part.groups.empty())
      continue;
    Message message{subscriber.name, subscriber.mail, "hostpin matrix: ", difference_text(part), 0};
    message.text += commands(part);
    for (const CauseGroup& group : part.groups)
      message.cells += group.cells.size();
    for (const Change::Kind kind : change_kinds)
      if (const std::size_t count = cells_with(part, kind); count > 0)
        message.subject +=
            fmt::format("{}{} {}", message.subject.ends_with(": ") ? "" : ", ", count, to_string(kind));
    all.push_back(std::move(message));
  }
  return all;
}

std::string mail_text(const Message& message) {
  const std::string to = message.mail.empty() ? "" : fmt::format("To: {}\n", message.mail);
  return fmt::format("{}Subject: {}\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\n"
                     "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{}",
                     to, message.subject, message.text);
}

std::string messages_json(const std::vector<Message>& messages) {
  Json json{{"kind", "messages"}, {"form", json_form}, {"messages", Json::array()}};
  for (const Message& message : messages)
    json["messages"].push_back({{"to", message.to},
                                {"address", message.mail},
                                {"subject", message.subject},
                                {"cells", message.cells},
                                {"text", message.text},
                                {"mail", mail_text(message)}});
  return json_text(json);
}

} // namespace hostpin::matrix
