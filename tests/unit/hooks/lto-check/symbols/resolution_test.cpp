// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "hooks/lto-check/symbols/archive.hpp"
#include "tests/tree.hpp"

#include <cstdlib>
#include <set>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using hostpin::test::Tree;
using Strings = std::vector<std::string>;

namespace {

Resolution resolve(const std::vector<LinkFile>& files, const Strings& wanted, const Resolving& how) {
  MemoryBound bound;
  return lto::resolve(files, wanted, how, bound);
}

Resolution members_that_define(const std::string& archive, const Names& symbols) {
  MemoryBound bound;
  return lto::members_that_define(archive, symbols, bound);
}

/// Objects and archives by this machine's own tools.
class Workshop {
public:
  bool run(const std::string& command) const {
    return std::system(("cd '" + scratch_.path("") + "' && { " + command + "; } >/dev/null 2>&1").c_str()) ==
           0;
  }
  void object(const std::string& name, const std::string& source, const std::string& options = "") const {
    scratch_.write(name + ".c", source);
    REQUIRE(run("gcc " + options + " -c " + name + ".c -o " + name + ".o"));
  }
  LinkFile file(const std::string& name, bool whole = false, std::size_t group = 0) const {
    return {scratch_.path(name), whole, group, false};
  }
  /// Members that are pulled, `archive:member`; `?` if the symbols of some input are not known.
  std::string pulled(const std::vector<LinkFile>& files, Order order = Order::in_turn,
                     Index index = Index::own, const Strings& wanted = {},
                     Commons commons = Commons::unchanged) const {
    return told(files, resolve(files, wanted, {order, index, commons}));
  }
  static std::string told(const std::vector<LinkFile>& files, const Resolution& resolution) {
    std::set<std::string> taken;
    for (const LinkFile& file : files) {
      const std::string name = file.path.substr(file.path.rfind('/') + 1);
      if (resolution.takes(file.path, ""))
        taken.insert(name + ":");
      binary::MappedFile bytes = binary::MappedFile::or_empty(file.path);
      if (!is_symbol_archive(bytes.bytes()))
        continue;
      MemoryBound bound;
      const auto archive = SymbolArchive::open(file.path, std::move(bytes), Index::own, bound);
      for (std::size_t i = 0; archive && i < archive->members(); ++i)
        if (const auto place = archive->place(i);
            place ? resolution.takes(file.path, *place) : resolution.takes(file.path, archive->name(i)))
          taken.insert(name + ':' + archive->name(i));
    }
    std::string text = resolution.complete ? "" : "?";
    for (const std::string& one : taken)
      text.append(text.empty() ? "" : " ").append(one);
    return text;
  }
  std::string path(const std::string& name) const { return scratch_.path(name); }

private:
  Tree scratch_;
};

const char* const main_source = "int f(void); int main(void) { return f(); }\n";

} // namespace

TEST_CASE("an archive's members are pulled if they are wanted, directly or by other members") {
  const Workshop shop;
  if (!shop.run("gcc --version && ar --version")) {
    MESSAGE("skipped: no gcc and ar on PATH");
    return;
  }
  for (const std::string options : {"", "-flto -ffat-lto-objects", "-flto -fno-fat-lto-objects"}) {
    CAPTURE(options);
    shop.object("main", main_source, options);
    shop.object("f", "int g(void); int f(void) { return g(); }\n", options);
    shop.object("g", "__attribute__((weak)) int w(void); int g(void) { return w ? w() : 0; }\n", options);
    shop.object("w", "int w(void) { return 1; }\n", options);
    shop.object("unused", "int unused(void) { return 1; }\n", options);
    REQUIRE(shop.run("rm -f *.a; gcc-ar rcs one.a f.o unused.o w.o && gcc-ar rcs two.a g.o && gcc-ar rcsT "
                     "thin.a f.o g.o"));
    const LinkFile main = shop.file("main.o"), one = shop.file("one.a"), two = shop.file("two.a");
    CHECK(shop.pulled({main, one, two}) == "one.a:f.o two.a:g.o");
    CHECK(shop.pulled({main, two, one}) == "one.a:f.o");
    CHECK(shop.pulled({main, two, one}, Order::together) == "one.a:f.o two.a:g.o");
    CHECK(shop.pulled({one, two, main}) == "");
    CHECK(shop.pulled({one, two, main}, Order::together) == "one.a:f.o two.a:g.o");
    CHECK(shop.pulled({main, shop.file("two.a", false, 1), shop.file("one.a", false, 1)}) ==
          "one.a:f.o two.a:g.o");
    CHECK(shop.pulled({main, shop.file("one.a", true), two}) ==
          "one.a:f.o one.a:unused.o one.a:w.o two.a:g.o");
    CHECK(shop.pulled({one, two}, Order::in_turn, Index::own, {"unused"}) == "one.a:unused.o");
    CHECK(shop.pulled({main, shop.file("thin.a")}) == "thin.a:f.o thin.a:g.o");
    // A symbol that an object defines is not wanted from an archive.
    CHECK(shop.pulled({main, shop.file("f.o"), one, two}) == "two.a:g.o");
  }
}

TEST_CASE("a symbol that is only common so far is replaced, or not, as by the linker") {
  const Workshop shop;
  if (!shop.run("gcc --version && ar --version && gcc-ar --version")) {
    MESSAGE("skipped: no gcc, ar and gcc-ar on PATH");
    return;
  }
  for (const std::string options : {"", "-flto -ffat-lto-objects", "-flto -fno-fat-lto-objects"}) {
    CAPTURE(options);
    shop.object("main", "int data; int main(void) { return data; }\n", "-fcommon " + options);
    shop.object("same", "int data; int more(void) { return data; }\n", "-fcommon " + options);
    shop.object("real", "int data = 1; int need(void); int (*use)(void) = need;\n", options);
    shop.object("need", "int need(void) { return 1; }\n", options);
    REQUIRE(shop.run("rm -f *.a; gcc-ar rcs one.a same.o need.o real.o"));
    const LinkFile main = shop.file("main.o"), one = shop.file("one.a");
    const auto pulled = [&](const std::vector<LinkFile>& files, Index index, Commons commons) {
      return shop.pulled(files, Order::in_turn, index, {}, commons);
    };
    CHECK(pulled({main, one}, Index::own, Commons::unchanged) == "");
    CHECK(pulled({main, one}, Index::own, Commons::replaced) == "one.a:need.o one.a:real.o");
    CHECK(pulled({main, one}, Index::members, Commons::replaced) == "one.a:need.o one.a:real.o");
    CHECK(pulled({main, one}, Index::own, Commons::read) ==
          (options.empty() ? "one.a:need.o one.a:real.o" : "one.a:need.o one.a:real.o one.a:same.o"));
    // A symbol that is really defined is not searched for any more.
    CHECK(pulled({main, shop.file("real.o"), shop.file("need.o"), one}, Index::own, Commons::read) == "");
    // A symbol that is wanted may be common.
    CHECK(shop.pulled({one}, Order::in_turn, Index::own, {"data"}, Commons::unchanged) == "one.a:same.o");
  }
}

TEST_CASE("members of one name are distinguished by their offset") {
  const Workshop shop;
  if (!shop.run("gcc --version && ar --version")) {
    MESSAGE("skipped: no gcc and ar on PATH");
    return;
  }
  shop.object("main", main_source);
  shop.object("f", "int f(void) { return 1; }\n");
  shop.object("unused", "int unused(void) { return 1; }\n");
  REQUIRE(shop.run("mkdir same && cp unused.o same/f.o && ar qc two.a f.o same/f.o && ranlib two.a"));
  std::vector<std::uint64_t> read;
  scan_lto_input(shop.path("two.a"), nullptr, [&](LtoInput&& input) { read.push_back(input.offset); });
  REQUIRE(read.size() == 2);
  const std::string path = shop.path("two.a");
  const std::vector<LinkFile> files{shop.file("main.o"), shop.file("two.a")};
  const Resolution one = resolve(files, {}, {}), both = resolve(files, {"unused"}, {});
  CHECK(one.taken() == 1);
  CHECK(one.takes(path, read.front()));
  CHECK(both.taken() == 2);
  CHECK(both.takes(path, read.back()));
}

TEST_CASE("an object after --start-lib is taken if one of its symbols is wanted") {
  const Workshop shop;
  if (!shop.run("gcc --version")) {
    MESSAGE("skipped: no gcc on PATH");
    return;
  }
  shop.object("main", main_source);
  shop.object("f", "int g(void); int f(void) { return g(); }\n");
  shop.object("g", "int g(void) { return 1; }\n");
  shop.object("unused", "int unused(void) { return 1; }\n");
  const auto lazy = [&](const std::string& name) {
    LinkFile file = shop.file(name);
    file.lazy = true;
    return file;
  };
  CHECK(shop.pulled({lazy("g.o"), lazy("f.o"), lazy("unused.o"), shop.file("main.o")}, Order::together,
                    Index::members) == "f.o: g.o:");
  CHECK(shop.pulled({shop.file("f.o"), shop.file("g.o"), lazy("f.o"), shop.file("main.o")}, Order::together,
                    Index::members) == "");
}

TEST_CASE("an index that omits members is noticed, and so is a missing one") {
  const Workshop shop;
  if (!shop.run("gcc --version && ar --version && gcc-ar --version && objcopy --version")) {
    MESSAGE("skipped: no gcc, gcc-ar and objcopy on PATH");
    return;
  }
  shop.object("main", main_source);
  shop.object("f", "int f(void) { return 1; }\n");
  REQUIRE(shop.run("ar rcs full.a f.o && ar rcS none.a f.o"));
  CHECK(lacks_symbols(shop.path("full.a")) == false);
  CHECK(lacks_symbols(shop.path("none.a")) == true);
  CHECK(lacks_symbols(shop.path("main.o")) == false);
  CHECK(lacks_symbols(shop.path("missing.a")) == false);
  CHECK(shop.pulled({shop.file("main.o"), shop.file("none.a")}) == "");
  CHECK(shop.pulled({shop.file("main.o"), shop.file("none.a")}, Order::in_turn, Index::members) ==
        "none.a:f.o");
}

TEST_CASE("an input without readable symbols makes the result incomplete") {
  const Workshop shop;
  const Tree scratch;
  CHECK(shop.pulled({{scratch.write("text.o", "text"), false, 0, false}}) == "?");
  CHECK(shop.pulled({{scratch.write("torn.a", "!<arch>\nxx"), false, 0, false}}) == "?");
  CHECK(shop.pulled({{scratch.path("missing.o"), false, 0, false}}) == "?");
}

TEST_CASE("--wrap and --defsym lead to other symbols than the objects name") {
  const Workshop shop;
  if (!shop.run("gcc --version && gcc-ar --version")) {
    MESSAGE("skipped: no gcc and gcc-ar on PATH");
    return;
  }
  for (const std::string options : {"", "-flto"}) {
    CAPTURE(options);
    shop.object("main", main_source, options);
    shop.object("f", "int f(void) { return 1; }\n", options);
    shop.object("wrap", "int __real_f(void); int __wrap_f(void) { return __real_f(); }\n", options);
    REQUIRE(shop.run("rm -f *.a; gcc-ar rcs f.a f.o; gcc-ar rcs w.a wrap.o"));
    const std::vector<LinkFile> files{shop.file("main.o"), shop.file("w.a"), shop.file("f.a")};
    const auto pulled = [&](Wrapping wrapping, const Strings& wraps, const Strings& defined) {
      const Resolving how{Order::in_turn, Index::own, Commons::unchanged, wrapping, wraps, defined};
      return Workshop::told(files, resolve(files, {}, how));
    };
    CHECK(pulled(Wrapping::everywhere, {}, {}) == "f.a:f.o");
    CHECK(pulled(Wrapping::everywhere, {"f"}, {}) == "f.a:f.o w.a:wrap.o");
    CHECK(pulled(Wrapping::machine_code, {"f"}, {}) == (options.empty() ? "f.a:f.o w.a:wrap.o" : "f.a:f.o"));
    CHECK(pulled(Wrapping::besides, {"f"}, {}) == "f.a:f.o w.a:wrap.o");
    CHECK(pulled(Wrapping::besides, {"g"}, {}) == "f.a:f.o");
    CHECK(pulled(Wrapping::everywhere, {}, {"f"}).empty());
    CHECK(pulled(Wrapping::everywhere, {"f"}, {"__wrap_f"}).empty());
  }
}

TEST_CASE("missing symbols are returned, and the members that define them without an index entry") {
  const Workshop shop;
  if (!shop.run("gcc --version && ar --version")) {
    MESSAGE("skipped: no gcc and ar on PATH");
    return;
  }
  shop.object("main", main_source);
  shop.object("f", "int f(void) { return 1; }\n");
  shop.object("g", "int g(void) { return 1; }\n");
  REQUIRE(shop.run("ar rcS bare.a g.o f.o && ar rcs good.a f.o"));
  const LinkFile main = shop.file("main.o"), bare = shop.file("bare.a"), good = shop.file("good.a");
  const Resolution missing = resolve({main, bare}, {}, {});
  CHECK(missing.missing.contains("f"));
  const Resolution found = members_that_define(bare.path, missing.missing);
  CHECK(found.taken() == 1);
  CHECK(Workshop::told({bare}, found) == "bare.a:f.o");
  CHECK_FALSE(resolve({main, bare, good}, {}, {}).missing.contains("f"));
  CHECK(members_that_define(main.path, missing.missing).taken() == 0);
  CHECK(members_that_define(shop.path("none.a"), missing.missing).taken() == 0);
}

TEST_CASE("a member is read at most twice, however many of its symbols are searched for") {
  const Workshop shop;
  if (!shop.run("gcc --version && ar --version")) {
    MESSAGE("skipped: no gcc and ar on PATH");
    return;
  }
  std::string commons, more, wants;
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i);
    commons += "int c" + number + ";\n";
    more += "int d" + number + " = 1;\n";
    wants += "extern int d" + number + "; int* p" + number + " = &d" + number + ";\n";
  }
  // All that the archive has is common in `main`, and common there as well, so that nothing is pulled.
  shop.object("main", commons + wants + "int main(void) { return 0; }\n", "-fcommon");
  shop.object("same", commons, "-fcommon");
  shop.object("more", more);
  REQUIRE(shop.run("ar rcs same.a same.o && ar rcs more.a more.o && ar rcS bare.a more.o"));
  const std::vector<LinkFile> files{shop.file("main.o"), shop.file("same.a"), shop.file("more.a")};
  for (const Index index : {Index::own, Index::members})
    for (const Order order : {Order::in_turn, Order::together}) {
      const Resolution found = resolve(files, {}, {order, index, Commons::read});
      CHECK(found.taken() == 1);
      CHECK(found.readings <= 1 + 1 + 2);
    }
  const Resolution wanted = resolve({files[0]}, {}, {});
  CHECK(wanted.missing.size() >= 200);
  CHECK(members_that_define(shop.path("bare.a"), wanted.missing).readings == 1);
}

TEST_CASE("symbols that a script asks for are wanted from archives after it, or from all") {
  const Workshop shop;
  if (!shop.run("gcc --version && ar --version")) {
    MESSAGE("skipped: no gcc and ar on PATH");
    return;
  }
  shop.object("f", "int f(void) { return 1; }\n");
  REQUIRE(shop.run("ar rcs f.a f.o"));
  LinkFile script;
  script.path = "a.ld";
  script.wanted = {"f"};
  const LinkFile archive = shop.file("f.a");
  const auto taken = [&](const std::vector<LinkFile>& files, const Resolving& how) {
    return resolve(files, {}, how).taken();
  };
  CHECK(taken({script, archive}, {}) == 1);
  CHECK(taken({archive, script}, {}) == 0);
  CHECK(taken({archive, script}, {Order::together}) == 1);
  Resolving blind;
  blind.scripts = false;
  CHECK(taken({script, archive}, blind) == 0);
  script.early = true;
  CHECK(taken({archive, script}, {}) == 1);
}

TEST_CASE("the first file whose symbols do not fit into memory is named, wherever they are stored") {
  const Workshop shop;
  if (!shop.run("gcc --version && ar --version")) {
    MESSAGE("skipped: no gcc and ar on PATH");
    return;
  }
  std::string commons, definitions;
  for (int i = 0; i < 200; ++i) {
    commons += "int c" + std::to_string(i) + ";\n";
    definitions += "int d" + std::to_string(i) + " = 1;\n";
  }
  shop.object("main", "int main(void) { return 0; }\n");
  shop.object("commons", commons, "-fcommon");
  shop.object("large", definitions);
  REQUIRE(shop.run("ar rcs large.a large.o && ar rcs commons.a commons.o"));
  const auto too_large = [&](const std::vector<LinkFile>& files, const Resolving& how, std::size_t bytes) {
    MemoryBound bound(bytes);
    lto::resolve(files, {"c1"}, how, bound);
    return bound.too_large();
  };
  constexpr std::size_t some = 10'000, enough = 100'000;
  const LinkFile main = shop.file("main.o"), object = shop.file("large.o"), archive = shop.file("large.a"),
                 commons_archive = shop.file("commons.a");
  LinkFile lazy = object;
  lazy.lazy = true;
  CHECK(too_large({main, object}, {}, some) == object.path);
  CHECK(too_large({main, object}, {}, enough).empty());
  CHECK(too_large({main, lazy}, {}, some) == object.path);
  CHECK(too_large({main, archive}, {}, some).empty()); // its index is not copied, and nothing is taken
  CHECK(too_large({main, archive}, {.index = Index::members}, some) == archive.path);
  CHECK(too_large({main, commons_archive, object}, {}, some) == commons_archive.path);
  CHECK(too_large({main, shop.file("large.a", true)}, {}, some) == archive.path);
  MemoryBound bound(some);
  CHECK(members_that_define(archive.path, {"d1"}).taken() == 1);
  lto::members_that_define(archive.path, {"d1"}, bound);
  CHECK(bound.too_large() == archive.path);
}
