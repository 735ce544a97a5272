// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/json_text.hpp"

namespace hostpin::command {

bool is_unicode(const std::string& text) {
  using Handler = Json::error_handler_t;
  return Json(text).dump(-1, ' ', false, Handler::replace) ==
         Json(text).dump(-1, ' ', false, Handler::ignore);
}

void put(Json& json, const std::string& key, const std::string& text) {
  json[key] = text;
  if (!is_unicode(text))
    json[key + "_bytes"] = percent_encoded(text);
}

} // namespace hostpin::command
