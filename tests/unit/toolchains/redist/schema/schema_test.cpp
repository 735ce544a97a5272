// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schemas accept the examples in cases/, and none of their changes; the same as in
// tests/e2e/redist/check/schemas.py, by another validator.
#include "tests/shipped_data.hpp"
#include "toolchains/redist/lock.hpp"
#include "toolchains/redist/rules.hpp"
#include "toolchains/redist/tree/origin.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace hostpin::redist;
using Json = nlohmann::json;

namespace {

constexpr const char* names[] = {"redist-check",      "redist-features", "redist-features-1",
                                 "redist-features-2", "redist-lock",     "redist-origin",
                                 "redist-releases",   "redistrib",       "setup-plan"};

Json json_file(const std::string& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path);
  return Json::parse(file);
}

Json schema_json(const std::string& name) {
  return json_file(hostpin::test::in_checkout("toolchains/redist/schema/" + name + ".schema.json"));
}

Json cases_of(const std::string& name) {
  return json_file(hostpin::test::in_checkout("tests/unit/toolchains/redist/schema/cases/" + name + ".json"));
}

class SchemaFile {
public:
  explicit SchemaFile(const std::string& name) {
    const Json json = schema_json(name);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(json), schema_);
  }

  bool accepts(const Json& document) const {
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
  }

private:
  valijson::Schema schema_;
};

/// Calls `visit` with a copy in which one value, not an object or array, is `[7]`, which no key has as its
/// value.
template <typename Visit>
void each_retyped(const Json& example, Visit visit) {
  const Json flat = example.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    Json changed = example;
    changed[Json::json_pointer(pointer)] = Json::array({7});
    visit(pointer, changed);
  }
}

/// Calls `visit` with a copy in which one object has one more member.
template <typename Visit>
void each_extended(const Json& example, const Json::json_pointer& at, Visit visit) {
  const Json& value = example[at];
  if (value.is_object()) {
    Json changed = example;
    changed[at]["no such key"] = Json::array({7});
    visit(at.to_string(), changed);
  }
  if (value.is_structured())
    for (const auto& [key, member] : value.items())
      each_extended(example, value.is_array() ? at / std::stoul(key) : at / key, visit);
}

} // namespace

TEST_CASE("schemas accept real files and examples of what is written") {
  for (const std::string name : names) {
    const SchemaFile schema(name);
    const Json cases = cases_of(name);
    for (const auto& one : cases["examples"].items())
      CHECK_MESSAGE(schema.accepts(one.value()), name, ": ", one.key());
  }
}

TEST_CASE("schemas refuse what the cases change") {
  for (const std::string name : names) {
    const SchemaFile schema(name);
    const Json cases = cases_of(name);
    CHECK(cases["refused"].size() > 10);
    for (const Json& one : cases["refused"]) {
      const Json& example = cases["examples"].at(one["example"].get<std::string>());
      CHECK_MESSAGE(!schema.accepts(example.patch(one["patch"])), name, ": ", one.dump());
    }
  }
}

TEST_CASE("schemas refuse each value of another type, and each unknown key") {
  for (const std::string name : names) {
    const SchemaFile schema(name);
    const Json cases = cases_of(name);
    for (const Json& example : cases["examples"]) {
      const auto is_refused = [&](const std::string& at, const Json& changed) {
        CHECK_MESSAGE(!schema.accepts(changed), name, ": ", at);
      };
      each_retyped(example, [&](const std::string& at, const Json& changed) {
        if (!example[Json::json_pointer(at)].is_structured()) // an empty one, which has no value
          is_refused(at, changed);
      });
      each_extended(example, Json::json_pointer(), is_refused);
    }
  }
}

TEST_CASE("the schema of reports has every rule") {
  const Json schema = schema_json("redist-check");
  const Json& listed = schema["properties"]["findings"]["items"]["properties"]["rule"]["enum"];
  Json expected = Json::array();
  for (const RuleText& rule : rules())
    expected.push_back(rule.name);
  CHECK(listed == expected);
}

namespace {

/// What is written of an example, if it can be read.
std::optional<Json> written_again(const std::string& name, const Json& example) {
  if (name == "redist-lock") {
    const auto lock = read_lock(example.dump(), name);
    return lock ? std::optional(Json::parse(lock_text(*lock))) : std::nullopt;
  }
  const auto origin = read_origin(example.dump(), name);
  return origin ? std::optional(Json::parse(origin_text(*origin))) : std::nullopt;
}

} // namespace

TEST_CASE("the schemas of locks and origins accept what is written, and what they accept is read") {
  for (const std::string name : {"redist-lock", "redist-origin"}) {
    const SchemaFile schema(name);
    const Json cases = cases_of(name);
    for (const Json& example : cases["examples"]) {
      const auto written = written_again(name, example);
      REQUIRE_MESSAGE(written, name);
      CHECK(schema.accepts(*written));
      CHECK(*written == example);
    }
    for (const Json& one : cases["refused"]) {
      const Json& example = cases["examples"].at(one["example"].get<std::string>());
      CHECK_MESSAGE(!written_again(name, example.patch(one["patch"])), one.dump());
    }
  }
}
