// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/text.hpp"

#include "hooks/leak-check/needles/needles.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "hooks/leak-check/scan/text_variables.hpp"
#include "toolchains/base/text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace hostpin::leak {

namespace {

using Kind = TextFacts::Kind;

class Reader {
public:
  explicit Reader(Kind kind) { facts_.kind = kind; }

  TextFacts read(std::string_view bytes) {
    std::uint64_t number = 1;
    for (std::size_t begin = 0; begin < bytes.size(); ++number) {
      if (is_full_ || composed_ + variables_.spent() >= most_composed) {
        facts_.is_cut = true;
        break;
      }
      const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
      place_ = {{}, {}, begin, number};
      const std::string_view text = bytes.substr(begin, end - begin);
      if (facts_.kind == Kind::script && text.find('\0') != std::string_view::npos)
        break; // the payload of a self-extracting script
      line(text);
      begin = end + 1;
    }
    return std::move(facts_);
  }

private:
  void line(std::string_view text) {
    switch (facts_.kind) {
    case Kind::script:
      if (place_.line == 1)
        facts_.first_line = text.size();
      append(place_.line == 1 ? "#!" : "", text.substr(text.starts_with("#!") ? 2 : 0));
      break;
    case Kind::libtool:
      if (const std::size_t equals = text.find('=');
          !text.starts_with('#') && equals != std::string_view::npos)
        append(text.substr(0, equals), text.substr(equals + 1));
      break;
    case Kind::pkg_config:
      if (const auto entry = pkg_config_.line(text)) {
        composed_ += entry->value.size();
        facts_.is_cut =
            facts_.is_cut || entry->value.size() >= longest_value || entry->key.size() > longest_key;
        append(entry->key, entry->value);
      }
      break;
    case Kind::cmake:
      cmake(text);
      break;
    case Kind::linker_script:
      append("linker script", text);
      break;
    }
  }

  /// The last name in capitals before a path is its key: a property or a variable.
  void cmake(std::string_view text) {
    const auto composed = variables_.line(text);
    facts_.is_cut = facts_.is_cut || variables_.is_cut();
    if (const std::size_t comment = text.find('#'); comment != std::string_view::npos)
      text = text.substr(0, comment);
    std::string whole;
    if (text.find("${") != std::string_view::npos) {
      whole = replaced(text, variables_.values());
      composed_ += whole.size();
      facts_.is_cut = facts_.is_cut || whole.size() >= longest_value;
      text = whole;
    }
    std::size_t known = 0; // names were read up to here
    for_each_path(text, [&](std::size_t at, std::string_view path) {
      read_names(text.substr(known, at - known));
      known = at + path.size();
      append_path(cmake_key_, path);
    });
    read_names(text.substr(std::min(known, text.size())));
    if (composed)
      append(composed->name, composed->value);
  }

  void read_names(std::string_view text) {
    const auto in_name = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    const auto in_word = [](char c) {
      return (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '/' || c == ':';
    };
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = begin;
      bool all = true;
      while (end < text.size() && (in_name(text[end]) || in_word(text[end]))) {
        all = all && in_name(text[end]);
        ++end;
      }
      constexpr std::size_t shortest = 4;
      const std::string_view name = text.substr(begin, std::min(end - begin, longest_key + 1));
      if (all && name.size() >= shortest && name != "PROPERTIES" && name != "TARGET" && name != "APPEND")
        cmake_key_ = name;
      begin = end + 1;
    }
  }

  template <typename Visit>
  static void for_each_path(std::string_view text, const Visit& visit) {
    for (std::size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', at)) {
      if (beginning({text, 1}, at) != Beginning::path) {
        ++at;
        continue;
      }
      std::string_view path = path_around(text, at, NeedleSet::longest);
      path.remove_prefix(at - static_cast<std::size_t>(path.data() - text.data()));
      if (path.size() > 1)
        visit(at, path);
      at += path.size();
    }
  }

  void append(std::string_view key, std::string_view value) {
    for_each_path(value, [&](std::size_t, std::string_view path) { append_path(trimmed(key), path); });
  }

  void append_path(std::string_view key, std::string_view path) {
    if (key.size() > longest_key) {
      facts_.is_cut = true;
      key = key.substr(0, longest_key);
    }
    // One line can contain any number of them, each with a copy of the key.
    bytes_ += sizeof(TextReference) + key.size() + path.size();
    is_full_ = is_full_ || facts_.references.size() >= most_references || bytes_ > most_reference_bytes;
    if (is_full_) {
      facts_.is_cut = true;
      return;
    }
    TextReference reference = place_;
    reference.key = key;
    reference.path = path;
    facts_.references.push_back(std::move(reference));
  }

  TextFacts facts_;
  TextReference place_;
  PkgConfig pkg_config_;
  CMakeVariables variables_;
  std::string cmake_key_;
  std::size_t composed_ = 0; ///< bytes
  std::size_t bytes_ = 0;    ///< of references
  bool is_full_ = false;     ///< further references are dropped
};

} // namespace

std::string_view to_string(TextFacts::Kind kind) {
  switch (kind) {
  case Kind::libtool:
    return "libtool";
  case Kind::pkg_config:
    return "pkg-config";
  case Kind::cmake:
    return "cmake";
  case Kind::linker_script:
    return "linker-script";
  case Kind::script:
    break;
  }
  return "script";
}

namespace {

/// Whether it is a linker script with the name of a library. `beginning` is enough: only comments and
/// OUTPUT_FORMAT may come before one of these commands.
bool is_linker_script(std::string_view path, std::string_view beginning) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool in_place = name.ends_with(".so") || name.ends_with(".a") ||
                        (name.starts_with("lib") && name.find(".so.") != std::string_view::npos);
  if (!in_place || beginning.starts_with("!<"))
    return false;
  constexpr std::array<std::string_view, 6> commands = {"INPUT",   "GROUP",     "SEARCH_DIR",
                                                        "INCLUDE", "AS_NEEDED", "OUTPUT_FORMAT"};
  return std::any_of(commands.begin(), commands.end(), [&](std::string_view command) {
    return beginning.find(command) != std::string_view::npos;
  });
}

} // namespace

std::optional<TextFacts::Kind> text_kind(std::string_view path, std::string_view beginning) {
  if (beginning.starts_with("#!"))
    return Kind::script;
  if (beginning.find('\0') != std::string_view::npos)
    return std::nullopt;
  if (path.ends_with(".la"))
    return Kind::libtool;
  if (path.ends_with(".pc"))
    return Kind::pkg_config;
  if (path.ends_with(".cmake"))
    return Kind::cmake;
  if (is_linker_script(path, beginning))
    return Kind::linker_script;
  return std::nullopt;
}

TextFacts read_text(TextFacts::Kind kind, std::string_view bytes) {
  return Reader(kind).read(bytes);
}

} // namespace hostpin::leak
