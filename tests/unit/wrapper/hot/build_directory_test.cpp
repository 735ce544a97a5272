// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "wrapper/hot/build_directory.hpp"
#include "wrapper/hot/system.hpp"

#include <chrono>
#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin::hot;

namespace {

std::optional<Configuration> made_in(std::string_view directory,
                                     const std::vector<const char*>& arguments = {}) {
  return configuration(directory, arguments);
}

} // namespace

TEST_CASE("the call by which CMake, Meson or configure asks for the compiler is known by where it runs") {
  const auto cmake = made_in("/b/CMakeFiles/3.25.1/CompilerIdCUDA");
  REQUIRE(cmake);
  CHECK(cmake->build == "/b");
  CHECK(cmake->mark == "/b/CMakeFiles/3.25.1/CompilerIdCUDA");
  const auto before = made_in("/anywhere", {"-v", "__cmake_determine_cuda"});
  REQUIRE(before);
  CHECK(before->build.empty());
  const auto meson = made_in("/b/meson-private");
  REQUIRE(meson);
  CHECK(meson->build == "/b");
  const auto configure = made_in("/b", {"-c", "conftest.cu"});
  REQUIRE(configure);
  CHECK(configure->build == "/b");
  CHECK(configure->mark == "/b/config.log");
}

TEST_CASE("other calls configure nothing") {
  for (const char* directory :
       {"", "/", "/b", "/b/CMakeFiles", "/b/CMakeFiles/CMakeScratch/TryCompile-x", "/CompilerIdCUDA",
        "/b/3.25.1/CompilerIdCUDA", "/b/CMakeFiles/CompilerIdCUDA"})
    CHECK_MESSAGE(!made_in(directory, {"-c", "x.cu", "sub/conftest.cu"}), directory);
}

TEST_CASE("the record of the nearest directory that is still configured is found") {
  const hostpin::test::Tree tree;
  const auto add = [&](const std::string& build, const std::string& mark, const std::string& home) {
    replace_private(tree.path("builds"), build_record_file(tree.root(), build),
                    write_build_record({build, mark, home, "", true, ""}));
  };
  const auto found = [&](const std::string& directory) {
    const auto record = find_build_record(tree.root(), directory);
    return record ? record->home : "";
  };
  const std::string b = tree.path("b");
  tree.write("b/sub/x/file", "");
  tree.write("c/file", "");
  CHECK(found(b) == "");
  add(b, tree.root(), "outer");
  add(b + "/sub", tree.path("mark"), "inner");
  CHECK(found("") == "");
  CHECK(found(tree.path("c")) == "");
  CHECK(found(b + "/sub/x") == "outer"); // the marker no longer exists
  tree.write("mark", "");
  CHECK(found(b + "/sub/x") == "inner");
  CHECK(found(b + "/sub") == "inner");
  CHECK(found(b) == "outer");
  // Another directory that was renamed to that path has no record, and its own does not replace the first
  // one's.
  std::filesystem::rename(b, tree.path("away"));
  tree.write("b/file", "");
  CHECK(found(b) == "");
  add(b, tree.root(), "second");
  CHECK(found(b) == "second");
  std::filesystem::remove_all(b);
  std::filesystem::rename(tree.path("away"), b);
  CHECK(found(b) == "outer");
  std::filesystem::rename(b, tree.path("moved"));
  CHECK(found(tree.path("moved")) == "");
}

TEST_CASE("a record is read as it was written, and nothing else is") {
  const BuildRecord record{"/b", "/b/mark", "/cache/bindings/1", "CUDA 12.4", true, "/tk/bin/nvcc"};
  const std::string bytes = write_build_record(record);
  const auto read = read_build_record(bytes);
  REQUIRE(read);
  CHECK(read->build == record.build);
  CHECK(read->mark == record.mark);
  CHECK(read->home == record.home);
  CHECK(read->decision == record.decision);
  CHECK(read->device);
  CHECK(read->caller == record.caller);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(!read_build_record(bytes.substr(0, size)));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    CHECK(!read_build_record(damaged));
  }
  CHECK(!read_build_record(bytes + "x"));
}

TEST_CASE("a record does not count where CMake names another nvcc than ours or the record's") {
  const hostpin::test::Tree tree;
  const std::string build = tree.path("b"), files = build + "/CMakeFiles/3.25.1";
  for (const char* const file : {"b/CMakeFiles/3.25.1/CompilerIdCUDA/a.out", "ours/nvcc", "tk/bin/nvcc",
                                 "tk/bin/nvcc.profile", "other/bin/nvcc", "other/bin/nvcc.profile"})
    tree.write(file, "");
  const auto counts = [&](const std::string& caller, const std::string& named) {
    store_build_record(tree.root(), {build, files + "/CompilerIdCUDA", "home", "", true, caller});
    tree.write("b/CMakeFiles/3.25.1/CMakeCUDACompiler.cmake",
               "set(CMAKE_CUDA_COMPILER \"" + tree.path(named) + "\")\n");
    return find_build_record(tree.root(), build).has_value();
  };
  CHECK(counts("", "ours/nvcc"));
  CHECK(counts("", "a-script-that-runs-it"));
  CHECK(!counts("", "tk/bin/nvcc"));
  CHECK(counts(tree.path("tk/bin/nvcc"), "tk/bin/nvcc"));
  CHECK(!counts(tree.path("tk/bin/nvcc"), "other/bin/nvcc"));
}

TEST_CASE("old records of directories that are gone are removed when others are stored") {
  const hostpin::test::Tree tree;
  namespace fs = std::filesystem;
  const auto store = [&](const std::string& build) {
    fs::create_directory(build);
    store_build_record(tree.root(), {build, build, "home", "", true, ""});
    return build_record_file(tree.root(), build);
  };
  const auto age = [](const std::string& file) {
    fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(24 * 31));
  };
  const std::string gone = store(tree.path("gone")), there = store(tree.path("there")),
                    young = store(tree.path("young"));
  fs::remove(tree.path("gone"));
  fs::remove(tree.path("young"));
  age(gone);
  age(there);
  for (int i = 0; i < 200 && fs::exists(gone); ++i)
    store(tree.path("b" + std::to_string(i)));
  CHECK(!fs::exists(gone));
  CHECK(fs::exists(there));
  CHECK(fs::exists(young));
}
