// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/cmdline/responses.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "wrapper/cxx/run_path.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::cxx;

namespace {

plan::Plan ordered_plan() {
  plan::Plan made;
  made.driver_directories = {"/cuda/compat", "/usr/lib/nvidia"};
  return made;
}

const std::vector<std::string> order = {"-Xlinker", "-rpath", "-Xlinker", "/cuda/compat",
                                        "-Xlinker", "-rpath", "-Xlinker", "/usr/lib/nvidia"};

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& then = order) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

std::vector<std::string> added(std::string line, std::string_view variable = {},
                               const cmdline::ResponseMap& files = cmdline::ResponseMap(),
                               const plan::Plan& plan = ordered_plan()) {
  std::vector<std::string> words;
  for (const char* const word : run_path_arguments(plan, cmdline::split_response(line), variable, files))
    words.emplace_back(word);
  return words;
}

const std::string tag = "-Wl,--disable-new-dtags";

} // namespace

TEST_CASE("a link gets the directories in order, as DT_RPATH") {
  CHECK(added("a.o -lcudart_static -o prog") == with({tag}));
  CHECK(added("-shared a.o -o liba.so") == with({tag}));
  CHECK(added("a.o -Wl,-rpath,/opt/app/lib") == with({tag}));
  CHECK(added("a.o -Wl,-rpath-link,/cuda/compat") == with({tag})); // for this link only
}

TEST_CASE("a plan without directories adds nothing") {
  CHECK(added("a.o -o prog", "/run", cmdline::ResponseMap(), plan::Plan()).empty());
}

TEST_CASE("a link that names one of the directories on its run path has decided") {
  const cmdline::ResponseMap::Texts files{{"link.rsp", {"a.o -Wl,-rpath,/cuda/compat"}}};
  for (const char* const link :
       {"a.o -Wl,-rpath,/usr/lib/nvidia", "a.o -Wl,-rpath=/opt/x:/cuda/compat/",
        "a.o -Xlinker -rpath -Xlinker /cuda/compat", "a.o -Wl,--rpath -Wl,/cuda/compat",
        "a.o -Wl,-R/usr/lib/nvidia", "a.o -Wl,-R,/usr/lib/nvidia", "a.o -rpath /cuda/compat",
        "a.o -Wl,--disable-new-dtags,-rpath,/cuda/compat,-rpath,/usr/lib/nvidia", "@link.rsp"}) {
    CAPTURE(link);
    CHECK(added(link, {}, cmdline::ResponseMap(files)).empty());
  }
}

TEST_CASE("the tag that a link selects remains") {
  CHECK(added("a.o -Wl,--enable-new-dtags") == with({}));
  CHECK(added("a.o -Wl,-rpath,/opt/lib,-enable-new-dtags") == with({}));
  CHECK(added("a.o -Xlinker --disable-new-dtags") == with({}));
}

TEST_CASE("an output that no loader loads gets no run path") {
  for (const char* const link : {"-r a.o -o b.o", "-Wl,-r a.o", "-Wl,--relocatable a.o", "-static a.o",
                                 "-static-pie a.o", "--static a.o"})
    CHECK(added(link).empty());
  CHECK(added("a.o -static-libgcc -static-libstdc++") == with({tag}));
  CHECK(added("-Xlinker -o -Xlinker -r.out a.o") == with({tag}));
}

TEST_CASE("LD_RUN_PATH, which a linker reads only if there is no -rpath, comes first") {
  CHECK(added("a.o", "/mod/lib:/mod/lib64") ==
        with({tag, "-Xlinker", "-rpath", "-Xlinker", "/mod/lib:/mod/lib64"}));
  CHECK(added("a.o -Wl,-rpath,/opt/lib", "/mod/lib") == with({tag}));
  CHECK(added("a.o", "/mod/lib:/cuda/compat").empty());
}

TEST_CASE("a link gets the directories of a run path that it does not name, and its own tag") {
  plan::Plan plan;
  plan.run_path = {"/site/nvidia/cu13/lib", "$ORIGIN/../lib"};
  const auto paths = [&](const std::string& line, std::string_view variable = {}) {
    return added(line, variable, cmdline::ResponseMap(), plan);
  };
  const std::vector<std::string> site = {"-Xlinker", "-rpath", "-Xlinker", "/site/nvidia/cu13/lib"},
                                 origin = {"-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../lib"};
  CHECK(paths("a.o -o prog") == with(site, origin));
  CHECK(paths("-shared a.o -Wl,--enable-new-dtags -Wl,-rpath,/opt/lib") == with(site, origin));
  CHECK(paths("a.o -Wl,-rpath,/site/nvidia/cu13/lib/") == origin);
  CHECK(paths("a.o -Xlinker -rpath -Xlinker $ORIGIN/../lib") == site);
  CHECK(paths("a.o", "/mod/lib") == with(with({"-Xlinker", "-rpath", "-Xlinker", "/mod/lib"}, site), origin));
  CHECK(paths("a.o", "/site/nvidia/cu13/lib:$ORIGIN/../lib").empty()); // the linker reads it itself
  CHECK(paths("-r a.o -o b.o").empty());
  CHECK(paths("-static a.o").empty());
}

TEST_CASE("a run path precedes the NVIDIA driver's directories, and does not decide about them") {
  plan::Plan plan = ordered_plan();
  plan.run_path = {"/site/lib"};
  const std::vector<std::string> site = {"-Xlinker", "-rpath", "-Xlinker", "/site/lib"};
  CHECK(added("a.o", {}, cmdline::ResponseMap(), plan) == with(with({tag}, site)));
  CHECK(added("a.o -Wl,-rpath,/site/lib", {}, cmdline::ResponseMap(), plan) == with({tag}));
  CHECK(added("a.o -Wl,-rpath,/cuda/compat", {}, cmdline::ResponseMap(), plan) == site);
}
