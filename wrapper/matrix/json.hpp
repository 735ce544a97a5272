// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/unicode.hpp"
#include "wrapper/matrix/cells.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace hostpin::matrix {

using Json = nlohmann::ordered_json;

/// The value of the key `form` of files of this release.
inline constexpr int json_form = 1;

/// Text of bytes: what is not UTF-8 is replaced.
inline std::string json_text(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

inline Json json_of(const Coordinates& at) {
  Json json = Json::object();
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    if (!at[axis].empty())
      json[std::string(axis_names[axis])] = at[axis];
  return json;
}

inline Coordinates coordinates_of(const Json& json) {
  Coordinates at;
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    if (const auto value = json.find(axis_names[axis]); value != json.end())
      at[axis] = value->get<std::string>();
  return at;
}

/// The cell of an object with `axes`, and its identifier in the member `name`. The identifier becomes part of
/// file names, of the shell lines of engines, and of reports, so one that is not that of its values is an
/// error.
inline Cell cell_of(const Json& json, const char* name) {
  Cell cell{json.at(name).get<std::string>(), coordinates_of(json.at("axes"))};
  if (cell.id != id_of(cell.at))
    throw Json::other_error::create(501, "the id of a cell is not that of its axes: " + cell.id, &json);
  return cell;
}

/// What `take` makes of an object whose `what` is this kind of file. The library's exceptions become errors.
template <typename Value, typename Take>
Result<Value> read_json(std::string_view text, std::string_view what, const std::string& of, Take take) {
  constexpr const char* hint =
      "it is half-written, damaged or of another kind: remove it, or name another one";
  try {
    const Json json = Json::parse(text);
    if (json.value("kind", "") != what)
      return failure(of + " is not a file of hostpin matrix with " + std::string(what), hint);
    if (json.at("form") != json_form)
      return failure(of + " is of another release of hostpin", "make it again with this one");
    return take(json);
  } catch (const Json::exception& wrong) {
    return failure(of + " cannot be read: " + escaped(wrong.what()), hint); // may quote the file
  }
}

} // namespace hostpin::matrix
