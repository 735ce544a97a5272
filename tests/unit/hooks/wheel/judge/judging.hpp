// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/unit/hooks/wheel/judge/wheels.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace hostpin::test {

/// Rules with severities.
using Found = std::map<std::string, leak::Severity>;

/// The rules that a wheel breaks, each with the highest severity.
inline Found found(const wheel::WheelFile& wheel, std::deque<wheel::WheelFile> others = {},
                   const wheel::Terms& terms = {}) {
  auto site = wheel::Site::make(wheel, std::move(others), "");
  REQUIRE(site);
  const wheel::Required required = wheel::required_by(wheel, *site, tables().cuda_wheels, tables().packages);
  site->assume(tables().cuda_wheels, required);
  const wheel::Checked checked{wheel, *site, required, tables(), terms};
  Found rules;
  for (const leak::Finding& one : wheel::findings_of(checked, wheel::needs_of(checked)).found) {
    const auto [at, fresh] = rules.emplace(std::string(leak::text_of(one.rule).name), one.severity);
    at->second = std::max(at->second, one.severity);
    CHECK_FALSE((one.fix.empty() && one.rule != leak::Rule::too_large));
  }
  return rules;
}

inline void require(wheel::WheelFile& wheel, const char* text) {
  wheel.requirements.push_back(*wheel::read_requirement(text));
}

inline void add_source(wheel::WheelFile& wheel, const std::string& member, const char* text) {
  wheel::Member one;
  one.entry.name = member;
  one.hash = "sha256=x";
  one.python = wheel::read_python_source(text);
  wheel.record->push_back({member, one.hash, 0});
  wheel.members.push_back(std::move(one));
}

/// A wheel that loads the shared runtime from NVIDIA's wheel, as it should.
inline wheel::WheelFile sound() {
  wheel::WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libc.so.6", "libcudart.so.13"}).image.runpath =
      "$ORIGIN/../nvidia/cu13/lib";
  require(wheel, "nvidia-cuda-runtime>=13.0,<14");
  return wheel;
}

inline wheel::WheelFile nvidia() {
  wheel::WheelFile wheel = wheel_of("nvidia_cuda_runtime");
  add_library(wheel, "nvidia/cu13/lib/libcudart.so.13", "libcudart.so.13").cuda_runtime = "libcudart.so.13";
  return wheel;
}

inline wheel::WheelFile torch() {
  wheel::WheelFile wheel = wheel_of("torch");
  add_module(wheel, "torch/_C.so", {"libcudart.so.13"}).image.rpath = "$ORIGIN/../nvidia/cu13/lib";
  require(wheel, "nvidia-cuda-runtime>=13.0,<14");
  return wheel;
}

} // namespace hostpin::test
