// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/tree/rules_case.hpp"
#include "toolchains/redist/tree/closure.hpp"

using namespace hostpin;
using namespace hostpin::redist;
using namespace hostpin::redist::test;

namespace {

std::string padded(std::string bytes, std::size_t size) {
  REQUIRE(bytes.size() <= size);
  bytes.resize(size, '\0');
  return bytes;
}

/// A library of cuDNN's kind, which opens others by name, and one that needs another.
Trees cudnn_trees() {
  Trees trees;
  trees.add(archive("cudnn"),
            {{"include/cudnn.h", "#include <cuda_runtime.h>\n#include <stdio.h>\n"},
             {"lib/libcudnn.so.9", padded(library("libcudnn.so.9", {{"libc.so.6", {}}}, {},
                                                  std::string("\0libcudnn_ops.so\0", 17)),
                                          1000)},
             {"lib/libcudnn_ops.so.9",
              padded(library("libcudnn_ops.so.9", {{"libcublas.so.12", {}}, {"libz.so.1", {}}}), 2000)}});
  trees.add(archive("libcublas"),
            {{"lib/libcublas.so", "->libcublas.so.12"},
             {"lib/libcublas.so.12",
              padded(library("libcublas.so.12", {}, {}, std::string("\0libnvrtc.so.12\0", 16)), 4000)}});
  trees.add(archive("cuda_cudart"), {{"include/cuda_runtime.h", std::string(50, ' ')}});
  return trees;
}

std::string why(const Root& root, const ClosurePart& part) {
  std::string text;
  for (const ClosureStep& step : part.why)
    text += std::string(to_string(step.reason)) + ' ' + root.files()[step.file].entry->path.substr(21) + ' ';
  return text;
}

} // namespace

TEST_CASE("sizes grow by what is needed, opened and included, with the reason for each part") {
  const Trees trees = cudnn_trees();
  const RootPlan plan = trees.plan(native());
  const Root root = Root::of_plan(plan);
  Relations relations(root, facts());
  const auto chosen = chosen_files(root, "libcudnn.so.9");
  REQUIRE(chosen);
  const FileClosure closure = relations.closure(*chosen);
  CHECK(closure.chosen == 1000);
  CHECK(closure.needed == 1000);
  CHECK(closure.opened == 7000);
  CHECK(closure.included == 7000);
  CHECK(closure.expected == std::vector<std::string>{"libz.so.1"});
  CHECK(closure.missing == std::vector<std::string>{"libnvrtc.so.12"});
  REQUIRE(closure.parts.size() == 2);
  CHECK(closure.parts[0].package == "cudnn");
  CHECK(closure.parts[0].bytes == 3000);
  CHECK(closure.parts[1].package == "libcublas");
  CHECK(closure.parts[1].bytes == 4000);
  CHECK(why(root, closure.parts[1]) ==
        "chosen lib/libcudnn.so.9 opened lib/libcudnn_ops.so.9 needed lib/libcublas.so.12 ");
}

TEST_CASE("headers lead to those of other packages") {
  const Trees trees = cudnn_trees();
  const Root root = Root::of_plan(trees.plan(native()));
  Relations relations(root, facts());
  const auto chosen = chosen_files(root, "cudnn.include");
  REQUIRE(chosen);
  const FileClosure closure = relations.closure(*chosen);
  CHECK(closure.opened == closure.chosen);
  CHECK(closure.included == closure.chosen + 50);
}

TEST_CASE("a closure of everything is everything, each file once") {
  const Trees trees = cudnn_trees();
  const Root root = Root::of_plan(trees.plan(native()));
  Relations relations(root, facts());
  const auto chosen = chosen_files(root, "cudnn");
  REQUIRE(chosen);
  CHECK(chosen->size() == 3);
  CHECK(all_requests(root) ==
        std::vector<std::string>{"cuda_cudart.include", "cudnn.include", "cudnn.lib", "libcublas.lib"});
  CHECK_FALSE(chosen_files(root, "nothing"));
}
