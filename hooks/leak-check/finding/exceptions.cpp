// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/exceptions.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hostpin::leak {

namespace {

/// The last star, and where matching continues when the text after it did not match.
struct Star {
  std::size_t pattern = std::string_view::npos; ///< after it
  std::size_t text = 0;                         ///< current end of its match

  bool seen() const { return pattern != std::string_view::npos; }
};

} // namespace

bool fits(std::string_view glob, std::string_view text) {
  Star deep, flat;
  std::size_t at = 0, g = 0;
  while (at < text.size() || g < glob.size()) {
    if (glob.substr(g).starts_with("**")) {
      g += 2;
      deep = {g, at};
      flat = {};
    } else if (g < glob.size() && glob[g] == '*') {
      flat = {++g, at};
    } else if (at < text.size() && g < glob.size() &&
               (glob[g] == text[at] || (glob[g] == '?' && text[at] != '/'))) {
      ++g;
      ++at;
    } else if (flat.seen() && flat.text < text.size() && text[flat.text] != '/') {
      at = ++flat.text;
      g = flat.pattern;
    } else if (deep.seen() && deep.text < text.size()) {
      at = ++deep.text;
      g = deep.pattern;
      flat = {};
    } else {
      return false;
    }
  }
  return true;
}

namespace {

constexpr const char* hint =
    "an exception needs a reason, and a rule, a path or a reference: hostpin leak-check --help shows one";

bool is_any(const std::string& name) {
  return name == "*";
}

Result<Exception> exception_of(const document::Value& table, const std::string& path) {
  document::Reader reader(path, table);
  Exception exception;
  exception.line = table.at.line;
  reader.require("reason");
  exception.reason = reader.string("reason").value_or("");
  exception.path = reader.string("path").value_or("");
  exception.reference = reader.string("reference").value_or("");
  const std::string rule = reader.string("rule").value_or("*");
  exception.rule = rule_named(rule);
  if (!exception.rule && !is_any(rule))
    reader.refuse("rule", "there is no rule " + document::quoted(rule),
                  "hostpin leak-check --rules names them");
  if (is_any(rule) && exception.path.empty() && exception.reference.empty())
    reader.refuse(table.at, "this would match every finding");
  TRY(reader.finish(hint));
  return exception;
}

bool covers(const Exception& exception, const Finding& finding) {
  return (!exception.rule || *exception.rule == finding.rule) &&
         (exception.path.empty() || fits(exception.path, finding.where.path) ||
          fits(exception.path, whole_path(finding.where))) &&
         (exception.reference.empty() || fits(exception.reference, finding.reference));
}

} // namespace

Result<std::vector<Exception>> read_exceptions(const Files& files, const std::string& path) {
  TRY_ASSIGN(const auto toml, document::read_toml(files, path));
  document::Reader reader(path, toml);
  std::vector<Exception> exceptions;
  if (const std::vector<document::Value>* const tables = reader.tables("exception"))
    for (const document::Value& table : *tables) {
      TRY_ASSIGN(auto exception, exception_of(table, path));
      exceptions.push_back(std::move(exception));
    }
  TRY(reader.finish(hint));
  return exceptions;
}

bool accept(std::vector<Exception>& exceptions, const Finding& finding) {
  const auto one = std::find_if(exceptions.begin(), exceptions.end(),
                                [&](const Exception& exception) { return covers(exception, finding); });
  if (one == exceptions.end())
    return false;
  ++one->used;
  return true;
}

} // namespace hostpin::leak
