// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/files.hpp"
#include "toolchains/base/scratch.hpp"
#include "wrapper/bind/store.hpp"
#include "wrapper/plan/plan.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::bind;
namespace fs = std::filesystem;

namespace {

const std::string executable("\177ELF and so on");

struct Place {
  Place() { std::ofstream(driver) << executable; }

  Bundle bundle(std::string_view host) const {
    plan::Plan plan;
    plan.nvcc = "/usr/local/cuda/bin/nvcc";
    plan.link = {"/usr/bin/g++-15"};
    plan.host = {host};
    return {plan::write_plan(plan), "# binding\n", "# toolchain\n", "", driver};
  }
  std::string content(const char* name) const {
    return files.read(directory + "/" + name, 1 << 20).value_or("");
  }
  std::string stamped_for(std::string_view host) const {
    return stamped(executable, bundle(host).plan).content;
  }

  Result<ScratchDirectory> scratch = ScratchDirectory::make(Environment());
  DiskFiles files;
  std::string driver = scratch.value().path() + "/driver";
  std::string directory = scratch.value().path() + "/bound";
};

std::string plan_with(std::string_view host, std::string_view home) {
  plan::Plan plan;
  plan.nvcc = "/usr/local/cuda/bin/nvcc";
  plan.host = {host};
  plan.link = {"/usr/bin/g++-15"};
  plan.home = home;
  return plan::write_plan(plan);
}

} // namespace

TEST_CASE("what ends midway leaves no driver of one decision beside the plan of another") {
  const Place place;
  REQUIRE(write_bound_directory(place.directory, place.bundle("g++-12")));
  CHECK(place.content("nvcc") == place.stamped_for("g++-12"));

  const std::string in_the_way = place.directory + "/toolchain.cmake";
  fs::remove(in_the_way);
  fs::create_directory(in_the_way);
  std::string former;
  for (int i = 0; i < 2; ++i) {
    REQUIRE_FALSE(write_bound_directory(place.directory, place.bundle("g++-11")));
    CHECK(place.content("plan") == place.bundle("g++-12").plan);
    for (const char* const name : {"nvcc", "c++"}) {
      CHECK(place.content(name).starts_with(executable));
      CHECK(place.content(name) != place.stamped_for("g++-11"));
    }
    CHECK(place.content("nvcc") != former); // nor a stamp that a cache has seen
    former = place.content("nvcc");
  }

  fs::remove(in_the_way);
  REQUIRE(write_bound_directory(place.directory, place.bundle("g++-11")));
  CHECK(place.content("plan") == place.bundle("g++-11").plan);
  CHECK(place.content("nvcc") == place.stamped_for("g++-11"));
  CHECK(place.content("c++") == place.stamped_for("g++-11"));
}

TEST_CASE("a link in place of a program gives way to the program, and what it leads to stays as it is") {
  const Place place;
  REQUIRE(write_bound_directory(place.directory, place.bundle("g++-12")));
  const std::string nvcc = place.directory + "/nvcc";
  const std::string elsewhere = place.driver + "-elsewhere";
  fs::rename(nvcc, elsewhere);
  fs::create_symlink(elsewhere, nvcc);
  const auto long_ago = fs::last_write_time(elsewhere) - std::chrono::hours(1000);
  fs::last_write_time(elsewhere, long_ago);
  REQUIRE(write_bound_directory(place.directory, place.bundle("g++-12")));
  CHECK(fs::symlink_status(nvcc).type() == fs::file_type::regular);
  CHECK(place.content("nvcc") == place.stamped_for("g++-12"));
  CHECK(fs::last_write_time(elsewhere) == long_ago);
}

TEST_CASE("a stamped executable begins with its own bytes and says what it is bound to") {
  const Stamped stamp = stamped(executable, plan_with("g++-13", ""));
  CHECK(stamp.content.starts_with(executable + "\nhostpin: bound "));
}

TEST_CASE("the same decision is the same executable, wherever it is") {
  const Stamped one = stamped(executable, plan_with("g++-13", ""));
  const Stamped other = stamped(executable, plan_with("g++-13", "/home/u/.cache/hostpin/bindings/1"));
  CHECK(one.content == other.content);
  CHECK(one.modified == other.modified);
}

TEST_CASE("bytes, size and time each tell decisions apart") {
  std::set<std::string> contents;
  std::set<std::size_t> sizes;
  std::set<std::int64_t> times;
  std::set<std::int64_t> seconds;
  constexpr int count = 50;
  for (int i = 0; i < count; ++i) {
    const Stamped stamp = stamped(executable, plan_with("g++-" + std::to_string(i), ""));
    contents.insert(stamp.content);
    sizes.insert(stamp.content.size());
    times.insert(stamp.modified);
    seconds.insert(stamp.modified / 1'000'000'000);
    CHECK(stamp.modified > 946'684'799'000'000'000); // since 2000
    CHECK(stamp.modified < 1'500'000'000'000'000'000);
  }
  CHECK(contents.size() == count);
  CHECK(sizes.size() == count);
  CHECK(times.size() == count);
  CHECK(seconds.size() == count); // on a file system with this precision
}

TEST_CASE("another release of the executable is another compiler") {
  const std::string plan = plan_with("g++-13", "");
  const Stamped one = stamped(executable, plan);
  const Stamped other = stamped("\177ELF and so oN", plan);
  CHECK(one.modified != other.modified);
  CHECK(one.content.size() != other.content.size());
}
