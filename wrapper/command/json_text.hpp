// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

namespace hostpin::command {

using Json = nlohmann::ordered_json;

bool is_unicode(const std::string& text);

/// JSON holds only Unicode: other bytes are replaced, and a second key has them encoded as in a URL.
void put(Json& json, const std::string& key, const std::string& text);

/// The same for a list of texts.
template <typename Texts>
void put_all(Json& json, const std::string& key, const Texts& texts) {
  json[key] = texts;
  if (std::all_of(texts.begin(), texts.end(), is_unicode))
    return;
  for (const std::string& text : texts)
    json[key + "_bytes"].push_back(percent_encoded(text));
}

} // namespace hostpin::command
