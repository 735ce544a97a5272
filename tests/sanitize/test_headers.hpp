// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// headers.hpp for unit tests: what includes doctest's header needs its library.
#pragma once

#include "tests/sanitize/headers.hpp"

#include <doctest/doctest.h>
