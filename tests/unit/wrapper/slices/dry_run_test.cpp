// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/slices/dry_runs.hpp"
#include "wrapper/slices/dry_run.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::slices;

namespace {

DryRun read(const char* text) {
  auto run = read_dry_run(with_fixed_names(text, "00000000"), "/t");
  REQUIRE_MESSAGE(run.has_value(), (run ? "" : run.error().message));
  return *std::move(run);
}

std::size_t count(const DryRun& run, Tool tool) {
  return static_cast<std::size_t>(
      std::count_if(run.steps.begin(), run.steps.end(), [&](const Step& step) { return step.tool == tool; }));
}

std::size_t find(const DryRun& run, Tool tool, const std::string& gpu) {
  for (std::size_t at = 0; at < run.steps.size(); ++at)
    if (run.steps[at].tool == tool && run.steps[at].gpu == gpu)
      return at;
  FAIL("no such step");
  return 0;
}

bool needs(const DryRun& run, std::size_t step, std::size_t other) {
  const auto& after = run.steps[step].after;
  return std::any_of(after.begin(), after.end(),
                     [&](std::size_t each) { return each == other || needs(run, each, other); });
}

} // namespace

TEST_CASE("the dry runs of four toolkits are understood") {
  for (const char* const text :
       {dry_runs::compile_11_2, dry_runs::compile_11_8, dry_runs::compile_12_4, dry_runs::compile_13_0}) {
    const DryRun run = read(text);
    CHECK(count(run, Tool::preprocess) == 3);
    CHECK(count(run, Tool::cicc) == 2);
    CHECK(count(run, Tool::ptxas) == 2);
    CHECK(count(run, Tool::cudafe) == 1);
    CHECK(count(run, Tool::fatbinary) == 1);
    CHECK(count(run, Tool::compile) == 1);
    CHECK(count(run, Tool::dependencies) == 1);
    CHECK(run.steps.size() == 11);
    const std::size_t last = find(run, Tool::compile, "");
    for (const Step& step : run.steps)
      if (step.storable())
        CHECK(needs(run, last, find(run, step.tool, step.gpu)));
    CHECK(run.steps[last].outputs == std::vector<std::string>{"a.o"});
  }
}

TEST_CASE("assembling for one GPU does not wait for another's, except for the module id of 11.x") {
  for (const char* const text : {dry_runs::compile_12_4, dry_runs::compile_13_0}) {
    const DryRun run = read(text);
    CHECK_FALSE(needs(run, find(run, Tool::ptxas, "sm_75"), find(run, Tool::cicc, "compute_80")));
    CHECK_FALSE(needs(run, find(run, Tool::ptxas, "sm_80"), find(run, Tool::cicc, "compute_75")));
    CHECK(needs(run, find(run, Tool::cicc, "compute_75"), find(run, Tool::cudafe, "")));
  }
  const DryRun run = read(dry_runs::compile_11_8);
  CHECK(needs(run, find(run, Tool::cicc, "compute_75"), find(run, Tool::cicc, "compute_80")));
  CHECK_FALSE(needs(run, find(run, Tool::cicc, "compute_80"), find(run, Tool::cicc, "compute_75")));
}

TEST_CASE("tile code has a cubin of its own for each GPU, and the host half includes its fatbin as well") {
  const DryRun run = read(dry_runs::tile_13_5);
  CHECK(count(run, Tool::cicc) == 2);
  CHECK(count(run, Tool::ptxas) == 2);
  CHECK(count(run, Tool::fatbinary) == 2);
  REQUIRE(count(run, Tool::tileiras) == 2);
  const std::size_t last = find(run, Tool::compile, "");
  for (const std::string number : {"80", "120"}) {
    const std::size_t assembler = find(run, Tool::tileiras, "sm_" + number);
    CHECK(run.steps[assembler].storable());
    CHECK(needs(run, assembler, find(run, Tool::cicc, "compute_" + number)));
    CHECK_FALSE(needs(run, assembler, find(run, Tool::ptxas, "sm_" + number)));
    CHECK(needs(run, last, assembler));
    CHECK(needs(run, last, find(run, Tool::ptxas, "sm_" + number)));
  }
  CHECK_FALSE(needs(run, find(run, Tool::tileiras, "sm_80"), find(run, Tool::cicc, "compute_120")));
}

TEST_CASE("device links run at the same time, and the last one writes the list of link binaries") {
  for (const char* const text :
       {dry_runs::program_11_2, dry_runs::program_11_8, dry_runs::program_12_4, dry_runs::program_13_0}) {
    const DryRun run = read(text);
    REQUIRE(count(run, Tool::nvlink) == 2);
    std::vector<std::string> lists;
    for (const Step& step : run.steps)
      if (step.tool == Tool::nvlink)
        for (const std::string& output : step.outputs)
          if (output.find("reg.c") != std::string::npos)
            lists.push_back(output);
    REQUIRE(lists.size() == 2);
    CHECK(lists[0] != lists[1]);
    CHECK(lists[1].ends_with("reg.c"));
    CHECK(run.steps.back().tool == Tool::link);
    CHECK(run.steps.back().outputs == std::vector<std::string>{"a"});
  }
}

TEST_CASE("another GPU in the list changes no name of the others") {
  const std::string two = with_fixed_names("/t/tmpxft_00001111_00000000-8_a.compute_75.ii "
                                           "/t/tmpxft_00001111_00000000-9_a.compute_80.ii",
                                           "00000000");
  const std::string three = with_fixed_names("/t/tmpxft_00002222_00000000-9_a.compute_75.ii "
                                             "/t/tmpxft_00002222_00000000-11_a.compute_80.ii "
                                             "/t/tmpxft_00002222_00000000-12_a.compute_90.ii",
                                             "00000000");
  CHECK(two == "/t/tmpxft_00000000_00000000-0_a.compute_75.ii /t/tmpxft_00000000_00000000-0_a.compute_80.ii");
  CHECK(three.starts_with(two));
}

TEST_CASE("two sources of one name get two names") {
  CHECK(with_fixed_names("\"tmpxft_0000abcd_00000000-12_x.ii\" 'tmpxft_0000abcd_00000000-5_x.ii'",
                         "0000000f") ==
        "\"tmpxft_0000000f_00000000-1_x.ii\" 'tmpxft_0000000f_00000000-0_x.ii'");
}

TEST_CASE("what only looks like a temporary name stays") {
  for (const char* const text :
       {"tmpxft_", "tmpxft_0000abcd_00000000-", "tmpxft_0000abcg_00000000-1_x",
        "tmpxft_0000abcd_00000000-x_y", "tmpxft_0000abcd_00000000-99999999999999999999_y"})
    CHECK(with_fixed_names(text, "00000000") == text);
}

TEST_CASE("a command that is not known, or whose input nothing writes, is an error if there are GPU steps") {
  const std::string cicc = "#$ cicc -arch compute_80 \"/t/a.ii\" -o \"/t/a.ptx\"\n";
  const std::string preprocess = "#$ gcc -E -x c++ a.cu -o \"/t/a.ii\"\n";
  CHECK(read_dry_run(preprocess + cicc, "/t").has_value());
  CHECK_FALSE(read_dry_run(cicc, "/t").has_value());
  const auto run = read_dry_run(preprocess + cicc + "#$ nvother /t/a.ptx -o /t/a.cubin\n", "/t");
  REQUIRE_FALSE(run.has_value());
  CHECK(
      run.error().message ==
      "nvcc would run a command that this release of hostpin does not know: nvother /t/a.ptx -o /t/a.cubin");
  CHECK(read_dry_run("#$ ar qsc x.a x.o\n", "/t").has_value());
}

TEST_CASE("lines of nvcc itself are messages, and variables have their last value") {
  const auto run = read_dry_run("nvcc warning : planted\n#$ A=1\n#$ A= 2 \n", "/t");
  REQUIRE(run.has_value());
  CHECK(run->messages == std::vector<std::string>{"nvcc warning : planted"});
  CHECK(run->variable("A") == " 2 ");
  CHECK(run->variable("B").empty());
}

TEST_CASE("files for the output of --threads are left out") {
  const auto run = read_dry_run("#$ gcc -E -x c++ a.cu -o \"/t/a.ii\" > /t/out 2>/t/err\n", "/t");
  REQUIRE(run.has_value());
  CHECK(run->steps.front().line == "gcc -E -x c++ a.cu -o \"/t/a.ii\"");
}
