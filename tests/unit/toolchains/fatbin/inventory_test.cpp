// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"
#include "tests/unit/toolchains/fatbin/pieces.hpp"
#include "toolchains/fatbin/inventory.hpp"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::fatbin;
using namespace hostpin::test;
namespace fs = std::filesystem;

namespace {

const std::string object = ObjectBuilder().add(".nv_fatbin", fatbin_of({{2, 80}})).build();

} // namespace

TEST_CASE("a tree gives its files with device code, in order, each once") {
  const Tree tree;
  tree.write("b/x.o", object);
  tree.write("a.fatbin", fatbin_of({{2, 90}}));
  tree.write("b/text.txt", "no code here");
  tree.write("empty", "");
  fs::create_hard_link(tree.path("b/x.o"), tree.path("b/y.o"));
  fs::create_symlink("b/x.o", tree.path("link.o"));
  fs::create_directory_symlink("..", tree.path("b/loop"));
  REQUIRE(mkfifo(tree.path("fifo").c_str(), 0600) == 0);
  const Inventory found = inventory({tree.root()});
  CHECK(found.tree);
  CHECK(found.unread.empty());
  REQUIRE(found.files.size() == 2);
  CHECK(found.files[0].path == tree.path("a.fatbin"));
  CHECK(found.files[1].path == tree.path("b/x.o"));
  CHECK(found.all.fatbins == 2);
  CHECK(found.all.bytes() == 2 * (64 + 24));
}

TEST_CASE("symlinks to files are followed, each file once and by its own name if it has one") {
  const Tree tree, elsewhere;
  const std::string target = elsewhere.write("deep/x.o", object);
  tree.write("z.o", fatbin_of({{2, 90}}));
  fs::create_symlink("z.o", tree.path("a.o"));
  fs::create_symlink(target, tree.path("b.o"));
  fs::create_symlink(target, tree.path("c.o"));
  fs::create_symlink("b.o", tree.path("chain.o"));
  fs::create_symlink("nowhere", tree.path("broken.o"));
  fs::create_symlink("self", tree.path("self"));
  fs::create_directory_symlink(elsewhere.root(), tree.path("directory"));
  const Inventory found = inventory({tree.root()});
  CHECK(found.unread.empty());
  REQUIRE(found.files.size() == 2);
  CHECK(found.files[0].path == tree.path("z.o"));
  CHECK(found.files[1].path == tree.path("b.o"));
  CHECK(found.all.fatbins == 2);
  const Inventory both = inventory({tree.root(), elsewhere.root()});
  REQUIRE(both.files.size() == 2);
  CHECK(both.files[1].path == target);
}

TEST_CASE("a named file is returned with its error") {
  const Tree tree;
  REQUIRE(mkfifo(tree.path("fifo").c_str(), 0600) == 0);
  const std::string empty = tree.write("empty", ""), text = tree.write("text", "words"),
                    cut = tree.write("cut.o", object.substr(0, 100));
  const Inventory found = inventory({text, empty, cut, tree.path("fifo"), tree.path("absent")});
  CHECK_FALSE(found.tree);
  REQUIRE(found.files.size() == 3);
  CHECK(found.files[0].holding.empty());
  REQUIRE(found.unread.size() == 4);
  CHECK(found.unread[0].name == empty);
  CHECK(found.unread[1].name == cut);
  CHECK(found.unread[2].name == tree.path("fifo"));
  CHECK(found.unread[3].name == tree.path("absent"));
}

TEST_CASE("a file counts once in the sum, whatever its names, and a named one is reported each time") {
  const Tree tree;
  const std::string first = tree.write("x.o", object);
  fs::create_hard_link(first, tree.path("y.o"));
  fs::create_symlink("x.o", tree.path("link.o"));
  const Inventory found = inventory({first, first, tree.path("y.o"), tree.path("link.o"), tree.root()});
  CHECK(found.files.size() == 4);
  CHECK(found.distinct == 1);
  CHECK(found.all.fatbins == 1);
}

TEST_CASE("members of a thin archive count once in the sum, in any order") {
  const auto named = [](const std::string& name, const std::string& bytes) {
    std::string size = std::to_string(bytes.size());
    size.resize(10, ' ');
    std::string head = name;
    head.resize(16, ' ');
    return head + "0           0     0     644     " + size + "`\n";
  };
  const std::string names = "!<thin>\n",
                    other = ObjectBuilder().add(".nv_fatbin", fatbin_of({{2, 90}})).build();
  const Tree tree, elsewhere;
  tree.write("m.o", object);
  elsewhere.write("other.o", other);
  const std::string outside = (elsewhere.path("other.o"));
  const std::string table = outside + "/\n";
  std::string table_size = std::to_string(table.size());
  table_size.resize(10, ' ');
  const std::string thin = names + "//" + std::string(46, ' ') + table_size + "`\n" + table +
                           std::string(table.size() % 2, '\n') + named("m.o/", object) + named("/0", other);
  for (const char* name : {"a.a", "z.a"})
    tree.write(name, thin);
  const Inventory found = inventory({tree.root()});
  CHECK(found.unread.empty());
  REQUIRE(found.files.size() == 3);
  CHECK(found.files[0].holding.fatbins == 2);
  CHECK(found.files[2].holding.fatbins == 2);
  CHECK(found.all.fatbins == 2);
  CHECK(found.distinct == 2);
  const Inventory alone = inventory({tree.path("a.a")});
  CHECK(alone.all.fatbins == 2);
  CHECK(alone.distinct == 1);
}

TEST_CASE("an empty name is a separate error") {
  const Inventory found = inventory({""});
  REQUIRE(found.unread.size() == 1);
  CHECK(found.unread[0].error.message == "an empty name names no file");
}

TEST_CASE("an empty fatbin is reported, code without functions in a tree is not") {
  const Tree tree;
  tree.write("empty.o", ObjectBuilder().add(".nv_fatbin", fatbin_of({})).build());
  tree.write("idle.ptx", ".version 8.4\n.target sm_80\n.address_size 64\n");
  const Inventory found = inventory({tree.root()});
  REQUIRE(found.files.size() == 1);
  CHECK(found.files[0].path == tree.path("empty.o"));
  CHECK(found.files[0].holding.empty());
  CHECK(found.files[0].holding.fatbins == 1);
}

TEST_CASE("members of an archive are distinguished, and a damaged one hides no other") {
  const std::string archive = "!<arch>\n" + member("a.o/", object) + member("cut.o/", object.substr(0, 100)) +
                              member("text/", "words") + member("b.o/", object);
  const Tree tree;
  const Inventory found = inventory({tree.write("libx.a", archive)});
  REQUIRE(found.files.size() == 1);
  const FileInventory& file = found.files[0];
  CHECK(file.kind == CarrierKind::archive);
  REQUIRE(file.members.size() == 2);
  CHECK(file.members[0].name == std::vector<std::string>{"a.o"});
  CHECK(file.members[1].name == std::vector<std::string>{"b.o"});
  CHECK(file.holding.fatbins == 2);
  REQUIRE(found.unread.size() == 1);
  CHECK(found.unread[0].name == file.path + "(cut.o)");
  CHECK_FALSE(file.whole);
}

TEST_CASE("nvprune is for objects, and for archives of objects only") {
  const Tree tree;
  const auto is_prunable = [&](const std::string& bytes) {
    return inventory({tree.write("x", bytes)}).files.at(0).prunable;
  };
  const std::string head = "!<arch>\n", one = member("a.o/", object), two = member("b.o/", object);
  CHECK(is_prunable(object));
  CHECK(is_prunable(head + one + two));
  CHECK(is_prunable(head + one + one));
  CHECK_FALSE(is_prunable(head + one + member("text/", "words")));
  CHECK_FALSE(is_prunable(head + one + member("inner.a/", head + two)));
  CHECK_FALSE(is_prunable(head + one + two.substr(0, 100)));
  CHECK_FALSE(is_prunable("!<thin>\n"));
  CHECK_FALSE(is_prunable(fatbin_of({{2, 80}})));
}
