// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/identity/identity.hpp"

#include "wrapper/plan/plan.hpp"

#include <algorithm>

namespace hostpin::identity {

namespace {

// A reader refuses unknown fields, so every addition needs another magic.
constexpr std::string_view magic("hostpin identity 1\0", 19);

bool take_flag(std::string_view value, bool& flag) {
  flag = value == "1";
  return flag;
}

bool read_field(std::string_view key, std::string_view value, Identity& identity) {
  if (key == "question")
    identity.question = value;
  else if (key == "answer")
    identity.answer.push_back(value);
  else if (key == "specs")
    identity.specs.push_back(value);
  else if (key == "translated")
    return take_flag(value, identity.translated);
  else if (key == "shared")
    return take_flag(value, identity.shared);
  else
    return plan::read_file_field(key, value, identity.files) == plan::FileField::taken;
  return true;
}

enum class Rule {
  forbidden, ///< whatever its value
  allowed,   ///< an exception to a family below it
  locale,    ///< unless it selects English, for compilers that are translated
  library,   ///< if parts of the compiler are shared libraries
  epoch,     ///< unless it is a valid number
};

struct VariableRule {
  std::string_view name; ///< ends with `*`: every name that begins so
  Rule rule;
};

// From the manuals of GCC ("Environment Variables Affecting GCC"), Clang, gettext and ld.so, and from what
// their drivers look up. Exceptions come before their families.
constexpr VariableRule compiler_variables[] = {
    {"CPATH", Rule::forbidden},
    {"C_INCLUDE_PATH", Rule::forbidden},
    {"CPLUS_INCLUDE_PATH", Rule::forbidden},
    {"OBJC_INCLUDE_PATH", Rule::forbidden},
    {"OBJCPLUS_INCLUDE_PATH", Rule::forbidden},
    {"COMPILER_PATH", Rule::forbidden},
    {"COLLECT_*", Rule::forbidden},
    {"DEPENDENCIES_OUTPUT", Rule::forbidden},
    {"SUNPRO_DEPENDENCIES", Rule::forbidden},
    {"GCC_COLORS", Rule::allowed}, // affects messages only
    {"GCC_URLS", Rule::allowed},
    {"GCC_*", Rule::forbidden},
    {"QA_OVERRIDE_GCC3_OPTIONS", Rule::forbidden},
    {"CCC_*", Rule::forbidden},
    {"CC_PRINT_*", Rule::forbidden},
    {"CC_LOG_*", Rule::forbidden},
    {"CLANG_*", Rule::forbidden},
    {"FORCE_CLANG_*", Rule::forbidden},
    {"LLVM_*", Rule::forbidden},
    {"RC_DEBUG_*", Rule::forbidden},
    {"SDKROOT", Rule::forbidden},
    {"SOURCE_DATE_EPOCH", Rule::epoch},
    {"LANG", Rule::locale},
    {"LANGUAGE", Rule::locale},
    {"LC_ALL", Rule::locale},
    {"LC_MESSAGES", Rule::locale},
    {"LC_CTYPE", Rule::locale},
    {"LOCPATH", Rule::forbidden},
    {"NLSPATH", Rule::forbidden},
    {"OUTPUT_CHARSET", Rule::forbidden},
    {"TEXTDOMAIN*", Rule::forbidden},
    {"LD_LIBRARY_PATH", Rule::library},
    {"LD_RUN_PATH", Rule::allowed}, // affects links only
    {"LD_*", Rule::forbidden},
};

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*'))
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

/// One locale: `C`, `C.UTF-8`, `POSIX`, `en`, `en_US.UTF-8`. GCC's messages are English already.
bool is_english(std::string_view locale) {
  locale = locale.substr(0, locale.find('.'));
  return locale.empty() || locale == "C" || locale == "POSIX" || locale == "en" || locale == "en_US";
}

/// LANGUAGE is a list.
bool are_english(std::string_view locales) {
  while (!locales.empty()) {
    const std::size_t end = std::min(locales.find(':'), locales.size());
    if (!is_english(locales.substr(0, end)))
      return false;
    locales.remove_prefix(std::min(end + 1, locales.size()));
  }
  return true;
}

/// Seconds since 1970, before the year 10000: compilers reject other values.
bool is_epoch(std::string_view value) {
  return !value.empty() && value.size() <= 11 &&
         std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool broken(Rule rule, const Identity& identity, std::string_view value) {
  switch (rule) {
  case Rule::forbidden:
    return true;
  case Rule::allowed:
    return false;
  case Rule::locale:
    return identity.translated && !are_english(value);
  case Rule::library:
    return identity.shared && !value.empty();
  case Rule::epoch:
    return !is_epoch(value);
  }
  return true;
}

} // namespace

std::optional<Identity> read_identity(std::string_view bytes) {
  if (!bytes.starts_with(magic))
    return std::nullopt;
  bytes.remove_prefix(magic.size());
  Identity identity;
  while (!bytes.empty())
    if (!plan::next_field(bytes, [&](std::string_view key, std::string_view value) {
          return read_field(key, value, identity);
        }))
      return std::nullopt;
  if (identity.question.empty() || identity.answer.size() < 2)
    return std::nullopt;
  return identity;
}

std::string write_identity(const Identity& identity) {
  std::string bytes(magic);
  plan::append_field(bytes, "question", identity.question);
  for (const std::string_view piece : identity.answer)
    plan::append_field(bytes, "answer", piece);
  for (const std::string_view name : identity.specs)
    plan::append_field(bytes, "specs", name);
  if (identity.translated)
    plan::append_field(bytes, "translated", "1");
  if (identity.shared)
    plan::append_field(bytes, "shared", "1");
  for (const plan::PlanFile& file : identity.files)
    plan::append_file_field(bytes, file);
  return bytes;
}

std::vector<std::string_view> pieces(std::string_view output, std::string_view name) {
  std::vector<std::string_view> cut;
  for (;;) {
    const std::size_t at = output.find(name);
    cut.push_back(output.substr(0, at));
    if (at == std::string_view::npos)
      return cut;
    output.remove_prefix(at + name.size());
  }
}

std::string answer_for(const Identity& identity, std::string_view name) {
  std::size_t size = 0;
  for (const std::string_view piece : identity.answer)
    size += piece.size() + name.size();
  std::string text;
  text.reserve(size);
  for (std::size_t i = 0; i < identity.answer.size(); ++i)
    text.append(i == 0 ? std::string_view() : name).append(identity.answer[i]);
  return text;
}

bool is_repeated_as_it_is(std::string_view name) {
  return name.starts_with('/') && std::all_of(name.begin(), name.end(), [](char c) {
           return c >= ' ' && c <= '~' && c != '"' && c != '\\';
         });
}

std::string_view asked_file(std::span<const char* const> arguments) {
  constexpr std::string_view ending = ".cpp"; // makes compilers read it as C++
  if (arguments.size() != 2 || std::string_view(arguments[0]) != "-E")
    return {};
  const std::string_view name = arguments[1];
  const bool usual = is_repeated_as_it_is(name) && name.ends_with(ending) &&
                     name[name.size() - ending.size() - 1] != '/' &&
                     name.find("//") == std::string_view::npos;
  return usual ? name : std::string_view();
}

bool disturbs(const Identity& identity, std::string_view name, std::string_view value) {
  for (const VariableRule& row : compiler_variables)
    if (row.name.front() == name.front() && matches(row.name, name))
      return broken(row.rule, identity, value);
  return false;
}

std::string_view disturbing_variable(const Identity& identity, const char* const* envp) {
  for (; *envp != nullptr; ++envp) {
    const std::string_view variable(*envp);
    const std::size_t equals = variable.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      continue;
    const std::string_view name = variable.substr(0, equals);
    if (disturbs(identity, name, variable.substr(equals + 1)))
      return name;
  }
  return {};
}

std::optional<std::vector<std::string>> specs_files(const Identity& identity, std::string_view library_path) {
  std::vector<std::string> paths;
  if (identity.specs.empty())
    return paths;
  while (!library_path.empty()) {
    const std::size_t end = std::min(library_path.find(':'), library_path.size());
    const std::string_view directory = library_path.substr(0, end);
    if (!directory.starts_with('/') || library_path.ends_with(':'))
      return std::nullopt; // an empty one is the current directory
    library_path.remove_prefix(std::min(end + 1, library_path.size()));
    for (const std::string_view name : identity.specs)
      paths.emplace_back(directory).append(1, '/').append(name);
  }
  return paths;
}

} // namespace hostpin::identity
