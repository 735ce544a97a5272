// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/structured.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::test {

namespace {

/// No document grows beyond that many parts.
constexpr std::size_t most_parts = 2000;

/// A part below the root.
struct Part {
  Node* parent;
  std::size_t index;

  Member& member() const { return parent->members[index]; }
  Node& node() const { return member().node; }
  auto position() const { return parent->members.begin() + static_cast<std::ptrdiff_t>(index); }
};

void collect(Node& node, std::vector<Part>& parts) {
  for (std::size_t index = 0; index < node.members.size(); ++index) {
    parts.push_back({&node, index});
    collect(node.members[index].node, parts);
  }
}

Node scalar(Node::Kind kind, std::string text) {
  return {kind, std::move(text), {}};
}

void set_value(Node& node, Choices& choices) {
  if (choices.below(2) == 0)
    node = scalar(Node::Kind::text, edge_text(choices));
  else
    node = scalar(Node::Kind::number, edge_number(choices));
}

/// What it has stays as far as the other kind has it, too.
void set_kind(Node& node, Choices& choices) {
  const auto kind = static_cast<Node::Kind>(choices.below(6));
  if (kind == Node::Kind::list && node.kind <= Node::Kind::text)
    node = {kind, {}, {{"", node}}};
  else if (kind == Node::Kind::object && node.kind <= Node::Kind::text)
    node = {kind, {}, {{node.text, node}}};
  else if (kind == Node::Kind::truth || kind == Node::Kind::number)
    node = scalar(kind, kind == Node::Kind::truth ? "true" : "7");
  else
    node.kind = kind;
}

void change_text(std::string& text, Choices& choices) {
  const std::size_t at = choices.below(text.size() + 1);
  switch (choices.below(3)) {
  case 0:
    text.insert(at, edge_text(choices));
    break;
  case 1:
    text.resize(at);
    break;
  default:
    text += text.substr(at);
  }
}

void rename(const Part& part, const std::vector<Part>& parts, Choices& choices) {
  std::string& name = part.member().name;
  if (choices.below(2) == 0)
    name = edge_text(choices);
  else
    name = parts[choices.below(parts.size())].member().name;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
      result += escape.data();
    } else {
      if (character == '"' || character == '\\')
        result += '\\';
      result += character;
    }
  }
  return result + '"';
}

/// JSON, or a value of TOML, which has no null.
void write(const Node& node, bool toml, std::string& to) {
  switch (node.kind) {
  case Node::Kind::null:
    to += toml ? "\"\"" : "null";
    return;
  case Node::Kind::truth:
  case Node::Kind::number:
    to += node.text.empty() ? "0" : node.text;
    return;
  case Node::Kind::text:
    to += quoted(node.text);
    return;
  case Node::Kind::list:
  case Node::Kind::object:
    break;
  }
  const bool is_list = node.kind == Node::Kind::list;
  const char* separator = "";
  to += is_list ? '[' : '{';
  for (const Member& member : node.members) {
    to += std::exchange(separator, toml ? ", " : ",\n");
    if (!is_list)
      to += quoted(member.name) + (toml ? " = " : ": ");
    write(member.node, toml, to);
  }
  to += is_list ? ']' : '}';
}

Node node_of(const nlohmann::ordered_json& json) {
  using Json = nlohmann::ordered_json;
  Node node;
  if (json.is_string())
    return scalar(Node::Kind::text, json.get<std::string>());
  if (json.is_boolean() || json.is_number())
    return scalar(json.is_boolean() ? Node::Kind::truth : Node::Kind::number, json.dump());
  if (json.is_array())
    node.kind = Node::Kind::list;
  if (json.is_object())
    node.kind = Node::Kind::object;
  for (Json::const_iterator one = json.begin(); one != json.end(); ++one)
    node.members.push_back({json.is_object() ? one.key() : std::string(), node_of(*one)});
  return node;
}

} // namespace

const Node* Node::find(std::string_view name) const {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : &found->node;
}

std::string Node::text_of(std::string_view name) const {
  const Node* const found = find(name);
  return found == nullptr ? std::string() : found->text;
}

std::uint64_t Node::number() const {
  const bool is_negative = text.starts_with('-');
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data() + (is_negative ? 1 : 0), text.data() + text.size(), value);
  if (kind != Kind::number || read.ec != std::errc())
    return 0;
  return is_negative ? 0 - value : value;
}

Node parsed(std::string_view json) {
  return node_of(nlohmann::ordered_json::parse(json));
}

std::size_t Choices::below(std::size_t count) {
  std::size_t value = 0;
  for (std::size_t reach = 1; reach < count && !bytes_.empty(); reach *= 256) {
    value = value * 256 + static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
  }
  return value % count;
}

const std::string& edge_number(Choices& choices) {
  static const std::array<std::string, 14> all{"0",
                                               "1",
                                               "-1",
                                               "2",
                                               "255",
                                               "65535",
                                               "2147483648",
                                               "4294967295",
                                               "9223372036854775807",
                                               "9223372036854775808",
                                               "18446744073709551615",
                                               "18446744073709551616",
                                               "1e999",
                                               "0.5"};
  return all[choices.below(all.size())];
}

const std::string& edge_text(Choices& choices) {
  static const std::array<std::string, 22> all{"",
                                               ".",
                                               "..",
                                               "../x",
                                               "/etc/passwd",
                                               "a/./b//c",
                                               "a\\..\\b",
                                               "a\nb: c",
                                               "\r\n\t",
                                               std::string("a\0b", 3),
                                               std::string(3000, 'x'),
                                               std::string(300, '/'),
                                               "\xff\xfe",
                                               "\xe2\x80\xae"
                                               "e",
                                               "$(id)`id`",
                                               "%s%n{}{0}",
                                               "-o",
                                               "\"'<&>",
                                               "9223372036854775808",
                                               "99999999999999999999.9",
                                               "1.2.3.4.5.6",
                                               " "};
  return all[choices.below(all.size())];
}

void change(Node& root, Choices& choices) {
  std::vector<Part> parts;
  collect(root, parts);
  if (parts.empty() || parts.size() > most_parts)
    return;
  const Part part = parts[choices.below(parts.size())];
  std::vector<Member>& siblings = part.parent->members;
  switch (choices.below(9)) {
  case 0:
    siblings.erase(part.position());
    break;
  case 1: {
    const Member copy = part.member();
    siblings.insert(part.position(), copy);
    break;
  }
  case 2:
    std::swap(part.member(), siblings[choices.below(siblings.size())]);
    break;
  case 3:
    std::ranges::reverse(siblings);
    break;
  case 4:
    rename(part, parts, choices);
    break;
  case 5:
    set_kind(part.node(), choices);
    break;
  case 6: {
    const Node copy = parts[choices.below(parts.size())].node();
    part.node() = copy;
    break;
  }
  case 7:
    change_text(part.node().text, choices);
    break;
  default:
    set_value(part.node(), choices);
  }
}

std::string json_text(const Node& node) {
  std::string text;
  write(node, false, text);
  return text + '\n';
}

std::string toml_text(const Node& node) {
  std::string text;
  for (const Member& member : node.members) {
    text += quoted(member.name) + " = ";
    write(member.node, true, text);
    text += '\n';
  }
  return text;
}

std::vector<std::string> random_inputs(std::size_t count, std::size_t size) {
  const char* const full = std::getenv("HOSTPIN_FULL");
  std::mt19937_64 random(1);
  std::vector<std::string> inputs(full != nullptr && std::string_view(full) == "1" ? 10 * count : count);
  for (std::string& input : inputs)
    for (std::size_t byte = 0; byte < size; ++byte)
      input += static_cast<char>(random() & 0xffU);
  return inputs;
}

} // namespace hostpin::test
