// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/forms.hpp"

#include "wrapper/matrix/json.hpp"

#include <algorithm>

namespace hostpin::matrix {

std::string with(std::string_view form, const FormValues& values) {
  std::string text;
  while (!form.empty()) {
    const auto named = std::find_if(values.begin(), values.end(),
                                    [form](const auto& each) { return form.starts_with(each.first); });
    text += named == values.end() ? std::string(1, form.front()) : named->second;
    form.remove_prefix(named == values.end() ? 1 : named->first.size());
  }
  return text;
}

std::string yaml_text(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

} // namespace hostpin::matrix
