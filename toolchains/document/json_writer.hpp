// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/document/record.hpp"

#include <nlohmann/json.hpp>

namespace hostpin::document {

/// Writes a record into an object, in the order of its `fields`.
class JsonWriter {
public:
  using Json = nlohmann::ordered_json;

  explicit JsonWriter(Json& object) : object_(object) {}

  template <typename Member>
  void operator()(std::string_view key, const Member& member, Field field = default_of<Member>()) {
    if (field != Field::optional || !is_empty(member))
      object_[std::string(key)] = json_of(member);
  }
  void digest(std::string_view key, const std::string& text, Field field = Field::required) {
    (*this)(key, text, field);
  }
  template <typename Number>
  void number(std::string_view key, const Number& number, std::string_view = {}, Number = {}) {
    (*this)(key, number);
  }
  template <typename Number>
  void number(std::string_view key, const std::optional<Number>& number, std::string_view = {},
              Field field = Field::optional) {
    (*this)(key, number, field);
  }
  void text(std::string_view key, const auto& member, auto print, const auto&, std::string_view) {
    object_[std::string(key)] = print(member);
  }
  template <typename Record, typename Take>
  void each(std::string_view key, const std::vector<Record>& records, Take take) {
    Json& array = object_[std::string(key)] = Json::array();
    for (const Record& record : records) {
      JsonWriter inner(array.emplace_back(Json::object()));
      take(record, inner);
    }
  }
  template <typename Visit>
  void object(std::string_view key, Visit visit) {
    JsonWriter inner(object_[std::string(key)] = Json::object());
    visit(inner);
  }
  template <typename Derive>
  void derived(std::string_view key, Derive derive) {
    object_[std::string(key)] = derive();
  }
  void constant(std::string_view key, std::string_view text) { object_[std::string(key)] = text; }
  static bool has(std::string_view, bool is_there) { return is_there; }
  void schema(int number, std::string_view, std::string_view key = "schema") {
    object_[std::string(key)] = number;
  }

  template <typename Record>
  static Json json_of(const Record& record) {
    if constexpr (requires(JsonWriter & writer) { fields(record, writer); }) {
      Json object = Json::object();
      JsonWriter writer(object);
      fields(record, writer);
      return object;
    } else {
      return record;
    }
  }
  template <typename Each>
  static Json json_of(const std::vector<Each>& all) {
    Json array = Json::array();
    for (const Each& each : all)
      array.push_back(json_of(each));
    return array;
  }
  template <typename Member>
  static Json json_of(const std::optional<Member>& member) {
    return member ? json_of(*member) : Json();
  }

private:
  /// As RecordReader takes members without a Field.
  template <typename Member>
  static constexpr Field default_of() {
    constexpr bool may_be_absent = std::same_as<Member, bool> || requires(const Member& member) {
      member.has_value();
    };
    return may_be_absent ? Field::optional : Field::required;
  }

  template <typename Member>
  static bool is_empty(const Member& member) {
    if constexpr (requires { member.has_value(); })
      return !member.has_value();
    else if constexpr (requires { member.empty(); })
      return member.empty();
    else if constexpr (std::same_as<Member, bool>)
      return !member;
    else
      return false;
  }

  Json& object_;
};

} // namespace hostpin::document
