// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/loader/cache_builder.hpp"
#include "wrapper/matrix/inputs.hpp"
#include "wrapper/matrix/key.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>

#include <doctest/doctest.h>

using namespace hostpin::matrix;
namespace fs = std::filesystem;

namespace {

constexpr auto content = static_cast<unsigned>(Access::content);
constexpr auto status = static_cast<unsigned>(Access::status);
constexpr auto listing = static_cast<unsigned>(Access::listing);
constexpr auto target = static_cast<unsigned>(Access::target);
constexpr auto lookup = static_cast<unsigned>(Access::lookup);

std::string state(const std::string& path, unsigned access) {
  return InputStates({}).of(path, access);
}

} // namespace

TEST_CASE("a state changes with what that kind of access can see, and with nothing else") {
  const hostpin::test::Tree tree;
  const std::string file = tree.write("d/file", "one"), directory = tree.path("d");
  const std::string seen = state(file, content), size = state(file, status),
                    names = state(directory, listing), exists = state(directory, status);
  tree.write("d/file", "two");
  CHECK(state(file, content) != seen);
  CHECK(state(file, status) == size);
  CHECK(state(directory, listing) == names);
  tree.write("d/other", "");
  CHECK(state(directory, listing) != names);
  CHECK(state(directory, status) == exists);
  tree.write("d/file", "one");
  fs::last_write_time(file, fs::file_time_type::clock::now() + std::chrono::hours(1));
  CHECK(state(file, content) == seen);
  fs::permissions(file, fs::perms::owner_exec, fs::perm_options::add);
  CHECK(state(file, content) != seen);
  CHECK(state(directory + "/absent", content) == "absent");
  CHECK(state(file + "/below", content) == "absent");
}

TEST_CASE("who lists a directory sees types, and who asks for a file's state sees its mode") {
  const hostpin::test::Tree tree;
  const std::string file = tree.write("d/file", "x"), directory = tree.path("d");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const std::string names = state(directory, listing), seen = state(file, status),
                    read = state(file, content), entered = state(directory, status);
  fs::permissions(file, fs::perms::group_read | fs::perms::others_read, fs::perm_options::add);
  CHECK(state(file, status) != seen);
  CHECK(state(file, content | status) != state(file, content));
  CHECK(state(file, content) == read);
  CHECK(state(directory, listing) == names);
  fs::permissions(directory, fs::perms::owner_all);
  CHECK(state(directory, status) != entered);
  CHECK(InputStates({{source_name, directory}}).of(source_name, status) == "directory");
  fs::remove(file);
  fs::create_directory(file);
  const std::string with_directory = state(directory, listing);
  CHECK(with_directory != names);
  fs::remove(file);
  fs::create_symlink("/", file);
  CHECK(state(directory, listing) != names);
  CHECK(state(directory, listing) != with_directory);
}

TEST_CASE("what others change after its first access has a state that never holds") {
  const hostpin::test::Tree tree;
  const auto states = [&](const Trace& trace) {
    InputStates now({});
    std::string text;
    for (const Input& input : inputs_of(trace, now))
      text += (input.state == changed_state || input.state == changed_names ? input.state : "") + ';';
    return text;
  };
  Trace trace = stamped_trace();
  const std::string file = tree.write("a/file", "one"), link = tree.path("b"), absent = tree.path("c");
  fs::create_symlink("a", link);
  for (const auto& [path, access] :
       {std::pair{tree.path("a"), listing}, {file, content}, {link, status}, {absent, content}})
    note_access(trace, path, access);
  CHECK(states(trace) == ";;;;");
  fs::create_hard_link(file, tree.path("other")); // which changes nothing that was seen
  CHECK(states(trace) == ";;;;");
  tree.write("a/file", "two");
  CHECK(states(trace) == ";changed;;;");
  CHECK(has_changed(trace, file));
  trace.written.insert(file);
  CHECK(states(trace) == ";;;;");
  tree.write("a/new", "");
  fs::remove(link);
  fs::create_symlink("other", link);
  tree.write("c", "");
  CHECK(states(trace) == "changed-names;;changed;changed;");
}

TEST_CASE("a link's target counts where it was read") {
  const hostpin::test::Tree tree;
  const std::string file = tree.write("one", "same"), other = tree.write("two", "same"),
                    link = tree.path("link");
  fs::create_symlink(file, link);
  const std::string followed = state(link, content), read = state(link, content | target);
  fs::remove(link);
  fs::create_symlink(other, link);
  CHECK(state(link, content) == followed);
  CHECK(state(link, content | target) != read);
}

TEST_CASE("of a loader's cache counts what it lists for the names that were looked up") {
  const hostpin::test::Tree tree;
  const std::vector<Input> list{{"/etc/ld.so.cache", lookup, {}},
                                {"/lib/libused.so.1", content, {}},
                                {"/lib/libwanted.so.2", content, "absent"}};
  const auto state_of = [&](const std::string& cache) {
    std::vector<Input> inputs = list;
    inputs.front().path = tree.write("etc/ld.so.cache", cache);
    InputStates states({});
    take_lookups(inputs, states);
    return inputs.front().state;
  };
  using Entries = std::vector<hostpin::test::CacheEntry>;
  const hostpin::test::CacheEntry used{"libused.so.1", "/lib/libused.so.1"}, other{"liba.so", "/lib/liba.so"};
  const std::string state = state_of(hostpin::test::cache_bytes({used}));
  CHECK(state.starts_with("file:lookups:"));
  CHECK(state_of(hostpin::test::cache_bytes({used, other})) == state);
  CHECK(state_of(hostpin::test::two_part_cache({used})) == state);
  for (const Entries& entries :
       {Entries{other}, Entries{{"libused.so.1", "/opt/libused.so.1"}},
        Entries{{"libused.so.1", used.path, 8}}, Entries{{"libused.so.1", "/opt/libused.so.1"}, used},
        Entries{used, {"liba.so", "/lib/libused.so.1"}},
        Entries{{"libwanted.so.2", "/lib/libwanted.so.2"}, used}})
    CHECK(state_of(hostpin::test::cache_bytes(entries)) != state);
  // one that cannot be read counts by its bytes
  CHECK(state_of("other") != state_of("another"));
  CHECK(state_of(hostpin::test::cache_bytes({other, used})) != state); // not sorted
}

TEST_CASE("each list has what was looked up, of its own names") {
  const std::vector<Input> inputs{
      {"$SOURCE/file", content, {}}, {"/etc/ld.so.cache", lookup, {}}, {"/toolkit/lib/libx.so", content, {}}};
  const auto groups = grouped(inputs, "/toolkit");
  REQUIRE(groups.size() == 2);
  CHECK(groups[0] == std::vector<Input>{inputs[0], inputs[1]});
  CHECK(groups[1] == std::vector<Input>{inputs[1], inputs[2]});
  std::vector<Input> changed{{"/etc/ld.so.cache", lookup, std::string(changed_state)}};
  InputStates states({});
  take_lookups(changed, states);
  CHECK(changed.front().state == changed_state);
  CHECK_FALSE(is_lookup({"/etc/ld.so.cache", lookup | content, {}}));
}

TEST_CASE("inputs are named by their place, sorted, and read as they were written") {
  const hostpin::test::Tree tree;
  const std::string file = tree.write("src/a\nb\\n", "x");
  Trace trace;
  trace.accessed[file] = content;
  trace.accessed[tree.path("srcs")] = status;
  InputStates states({{source_name, tree.path("src")}});
  const auto inputs = inputs_of(trace, states);
  REQUIRE(inputs.size() == 2);
  CHECK(inputs[0].path == "$SOURCE/a\nb\\n");
  CHECK(inputs[1].state == "absent");
  CHECK(read_inputs(input_lines(inputs), "list").value() == inputs);
  CHECK(grouped(inputs, "/toolkit").size() == 2);
  for (const char* const damaged : {"1 file", "x file:1 /a\n", "1  /a\n", "1 file:1 \n", "1 file:1 /a"}) {
    CAPTURE(damaged);
    const auto read = read_inputs(damaged, "list");
    REQUIRE_FALSE(read);
    CHECK(read.error().message.starts_with("list:1: "));
  }
}
