// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/unit/hooks/wheel/judge/tables.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace hostpin::test {

/// A wheel of version 1.0 whose names agree, without files.
inline wheel::WheelFile wheel_of(const std::string& name,
                                 const std::string& platform = "manylinux_2_28_x86_64") {
  wheel::WheelFile wheel;
  wheel.path = name + "-1.0-py3-none-" + platform + ".whl";
  wheel.name = wheel::read_wheel_name(wheel.path).value();
  wheel.info = name + "-1.0.dist-info";
  wheel.metadata = {{"name", name}, {"version", "1.0"}};
  wheel.wheel = {{"tag", "py3-none-" + platform}};
  wheel.record.emplace();
  return wheel;
}

/// An ELF file for x86-64 that RECORD lists. The reference is valid until the next one is added.
inline wheel::ElfFacts& add_library(wheel::WheelFile& wheel, const std::string& member,
                                    const std::string& soname, std::vector<std::string> needed = {}) {
  wheel::Member one;
  one.entry.name = member;
  one.hash = "sha256=x";
  one.elf.emplace();
  one.elf->image.kind = {true, 62, false};
  one.elf->image.soname = soname;
  one.elf->image.needed = std::move(needed);
  wheel.record->push_back({member, one.hash, 0});
  wheel.members.push_back(std::move(one));
  return *wheel.members.back().elf;
}

inline wheel::ElfFacts& add_module(wheel::WheelFile& wheel, const std::string& member,
                                   std::vector<std::string> needed = {}) {
  wheel::ElfFacts& facts = add_library(wheel, member, "", std::move(needed));
  facts.is_module = true;
  return facts;
}

} // namespace hostpin::test
