// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "toolchains/archive/sha256.hpp"
#include "wrapper/matrix/key.hpp"
#include "wrapper/matrix/stored.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin::matrix;

TEST_CASE("a result holds while its lists have the bytes that they are named by, and its key is theirs") {
  const hostpin::test::Tree tree;
  const hostpin::DiskFiles files;
  const std::string lines = "1 absent $SOURCE/first\n1 absent $SOURCE/second\n",
                    list = hostpin::sha256_of(lines);
  Project project;
  project.source = tree.path("source");
  CellResult result = test::sample_result("p", State::passed);
  result.inputs = {list};
  result.key = key_of(result.question, result.inputs);
  const auto holds = [&](const std::string& bytes) {
    tree.write("results/inputs/" + list, bytes);
    tree.write("results/a.json", result_json(result));
    std::vector<std::string> notes;
    StoredResults stored(files);
    stored.load(tree.path("results"), notes);
    const Holding holding = stored.holding(result.cell.id, project, result.question);
    CHECK(stored.inputs_of({tree.path("results"), "a.json", result}).has_value() == (bytes == lines));
    return holding.result != nullptr;
  };
  CHECK(holds(lines));
  CHECK_FALSE(holds(""));
  CHECK_FALSE(holds("1 absent $SOURCE/first\n"));
  CHECK_FALSE(holds(lines + lines));
  result.inputs.clear();
  CHECK_FALSE(holds(lines));
}

TEST_CASE("a damaged list does not hide a whole one next to another result") {
  const hostpin::test::Tree tree;
  const hostpin::DiskFiles files;
  const std::string lines = "1 absent $SOURCE/file\n", list = hostpin::sha256_of(lines);
  Project project;
  project.source = tree.path("source");
  CellResult result = test::sample_result("p", State::passed);
  result.inputs = {list};
  result.key = key_of(result.question, result.inputs);
  for (const std::string directory : {"results/a", "results/b"}) {
    tree.write(directory + "/result.json", result_json(result));
    tree.write(directory + "/inputs/" + list, directory == "results/a" ? "" : lines);
  }
  std::vector<std::string> notes;
  StoredResults stored(files);
  stored.load(tree.path("results"), notes);
  const Holding holding = stored.holding(result.cell.id, project, result.question);
  REQUIRE(holding.result != nullptr);
  CHECK(holding.result->path == "b/result.json");
  CHECK(holding.outdated.empty()); // as that would be left out of a report, too
}
