// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/forms.hpp"

#include "wrapper/matrix/json.hpp"

namespace hostpin::matrix {

TemplateValues plus(TemplateValues values, const TemplateValues& own) {
  for (const auto& [name, value] : own)
    values.insert_or_assign(name, value);
  return values;
}

std::string yaml_text(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

} // namespace hostpin::matrix
