// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The headers of libraries that most units include, compiled once for all of a sanitized build: half of its time were they, and what is
// instantiated of them. Only that build has them ahead of each unit, so the ordinary one shows an include that a unit lacks.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tl/expected.hpp>
