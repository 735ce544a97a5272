// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/comment/answer.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <optional>

namespace hostpin::matrix {

namespace {

const Json* member(const Json& json, const std::string& path) {
  const Json* at = &json;
  for (const std::string& name : filled_parts(path, ".")) {
    const auto found = at->is_object() ? at->find(name) : at->end();
    if (found == at->end())
      return nullptr;
    at = &*found;
  }
  return at;
}

/// The text of a text, a number or a truth.
std::optional<std::string> text_of(const Json* json) {
  if (json == nullptr)
    return std::nullopt;
  if (json->is_string())
    return json->get<std::string>();
  return json->is_number() || json->is_boolean() ? std::optional(json->dump()) : std::nullopt;
}

bool holds(const Json& element, const AnswerTerm& term) {
  const auto text = text_of(member(element, term.path));
  return text && (term.is_beginning ? text->starts_with(term.value) : *text == term.value);
}

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char character) { return character > ' ' && character <= '~'; });
}

} // namespace

Result<Answered> answered(std::string_view text, const AnswerQuery& query, const std::string& of) {
  constexpr int deepest = 64;
  const Json json = Json::parse(
      text, [](int depth, Json::parse_event_t, const Json&) { return depth <= deepest; }, false);
  if (json.is_discarded())
    return failure(of + " is not JSON", "the service answered something else: look at the file");
  const Json* const list = member(json, query.list);
  if (list == nullptr || (!list->is_array() && !list->is_object()))
    return failure(of + " has no list", "the service answered something else: look at the file");
  Answered answer;
  const auto take = [&](const Json& element) -> Result<void> {
    ++answer.count;
    if (!std::ranges::all_of(query.terms, [&](const AnswerTerm& term) { return holds(element, term); }))
      return {};
    std::vector<std::string> values;
    for (const std::string& path : query.print) {
      const auto value = text_of(member(element, path));
      if (!value || !is_word(*value))
        return failure(of + (value ? ": " + path + " is not a word: " + escaped(*value) : " has no " + path));
      values.push_back(*value);
    }
    answer.values.push_back(std::move(values));
    return {};
  };
  if (list->is_object()) {
    TRY(take(*list));
    return answer;
  }
  for (const Json& element : *list)
    if (const auto taken = take(element); !taken)
      answer.skipped.push_back(taken.error().message);
  return answer;
}

} // namespace hostpin::matrix
