// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/error_report.hpp"

#include "toolchains/base/error_code.hpp"
#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::json;

bool is_for_program() {
  const char* const form = std::getenv(errors_variable);
  return form != nullptr && std::string_view(form) == "json";
}

std::optional<Error> read_error(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("message"))
    return std::nullopt;
  const auto text = [&](const char* name) {
    const auto member = json.find(name);
    return member != json.end() && member->is_string() ? member->get<std::string>() : std::string();
  };
  return Error{text("message"), text("hint"), kind_of_code(text("kind"))};
}

} // namespace

std::string failure_text(const Error& error) {
  if (is_for_program()) {
    const Json json{{"kind", code_of(error.kind)}, {"message", error.message}, {"hint", error.hint}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) +
           '\n'; // names of files can be any bytes
  }
  std::string text = std::string(error_prefix) + with_code(error.message, error.kind) + '\n';
  if (!error.hint.empty())
    text += "hint: " + error.hint + '\n';
  return text;
}

void print_failure(const Error& error) {
  print_error(failure_text(error));
}

std::optional<Error> reported_error(const Outcome& outcome) {
  std::optional<Error> all;
  const std::string_view errors = outcome.errors;
  for (std::size_t at = 0; at < errors.size();) {
    const std::size_t end = std::min(errors.find('\n', at), errors.size());
    auto error = read_error(errors.substr(at, end - at));
    at = end + 1;
    if (!error)
      continue;
    if (!all) {
      all = std::move(error);
      continue;
    }
    all->message += "\n  " + error->message;
    if (!error->hint.empty())
      all->hint = error->hint;
    if (all->kind == ErrorKind::other)
      all->kind = error->kind;
  }
  return all;
}

} // namespace hostpin
