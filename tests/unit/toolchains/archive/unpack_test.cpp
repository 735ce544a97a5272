// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/archive/tar_bytes.hpp"
#include "toolchains/archive/unpack.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::ar;
using hostpin::test::tar;

namespace {

std::optional<std::string> merged(const std::string& path) {
  if (path.starts_with("etc/"))
    return std::nullopt;
  return path.starts_with("lib/") ? "usr/" + path : path;
}

std::string link_of(const std::string& path, const std::string& target) {
  const auto link = placed_link(path, target, merged);
  return !link ? "error: " + link.error().message : *link ? **link : "none";
}

/// Unpacks packages into a new tree.
struct Tree {
  ScratchDirectory scratch = *ScratchDirectory::make(Environment());
  std::string into = scratch.path() + "/tree";
  std::string package = scratch.path() + "/package";
  UnpackLimits limits;

  std::string unpacked(const std::vector<std::string>& packages) {
    std::filesystem::remove_all(into);
    std::filesystem::create_directory(into);
    PackageUnpacker unpacker(into, merged, limits);
    const std::atomic<bool> stop = false;
    for (const std::string& bytes : packages) {
      REQUIRE(replace_file(package, bytes, false));
      if (auto added = unpacker.add(package, stop); !added)
        return added.error().message.substr(added.error().message.find(": ") + 2);
    }
    const auto done = unpacker.finish();
    return done ? "" : done.error().message;
  }
  bool has(const std::string& path) const { return DiskFiles().status(into + '/' + path).has_value(); }
};

std::string deb(const std::string& data) {
  return ar({{"debian-binary", "2.0\n"}, {"control.tar", tar({{"./control", '0', ""}})}, {"data.tar", data}});
}

} // namespace

TEST_CASE("links of packages become relative, from and to where both are placed") {
  CHECK(link_of("usr/lib/libx.so", "libx.so.1") == "libx.so.1");
  CHECK(link_of("usr/lib/gcc/libm.so", "/lib/libm.so.6") == "../libm.so.6");
  CHECK(link_of("lib/libdl.so", "../usr/lib/libdl.so.2") == "libdl.so.2");
  CHECK(link_of("usr/bin/cpp", "/etc/alternatives/cpp") == "none");
  CHECK(link_of("etc/alternatives/cpp", "/usr/bin/cpp") == "none");
  CHECK(link_of("usr/lib/x", "/lib/x") == "none"); // to itself
  CHECK(link_of("usr/include/a/b", ".") == ".");
  CHECK(link_of("usr/bin/x", "../../../etc/passwd").starts_with("error: "));
  CHECK(link_of("usr/bin/x", "").starts_with("error: "));
}

TEST_CASE("the data of a .deb is unpacked where the placement says, its scripts are not") {
  Tree tree;
  CHECK(tree.unpacked({deb(tar({{"./", '5', ""},
                                {"./usr/bin/g++", '0', ""},
                                {"./usr/bin/c++", '1', "./usr/bin/g++"},
                                {"./lib/libc.so.6", '0', ""},
                                {"./usr/lib/libc.so", '2', "/lib/libc.so.6"},
                                {"./etc/passwd", '0', ""}}))})
            .empty());
  CHECK(tree.has("usr/bin/c++"));
  CHECK(std::filesystem::read_symlink(tree.into + "/usr/lib/libc.so") == "libc.so.6");
  CHECK_FALSE(tree.has("etc"));
  CHECK_FALSE(tree.has("control"));
  const auto permissions = std::filesystem::status(tree.into + "/usr/bin/g++").permissions();
  CHECK(static_cast<unsigned>(permissions) == 0755);
}

TEST_CASE("a tar without an ar around it is a package as well") {
  Tree tree;
  CHECK(tree.unpacked({tar({{"usr/bin/g++", '0', ""}, {".PKGINFO", '0', ""}})}).empty());
  CHECK(tree.has("usr/bin/g++"));
}

TEST_CASE("a wheel, which is a zip, is a package as well") {
  // Made by Python's zipfile: the files bin/nvcc, which is executable, and include/a.h.
  const std::string wheel(
      "PK\003\004\024\000\000\000\000\000\000\000!\000\203\026\334\214\001\000\000\000\001\000"
      "\000\000\010\000\000\000bin/nvccxPK\003\004\024\000\000\000\000\000\000\000!\000\000\000"
      "\000\000\000\000\000\000\000\000\000\000\013\000\000\000include/a.hPK\001\002\024\003"
      "\024\000\000\000\000\000\000\000!\000\203\026\334\214\001\000\000\000\001\000\000\000"
      "\010\000\000\000\000\000\000\000\000\000\000\000\355\201\000\000\000\000bin/nvccPK\001"
      "\002\024\003\024\000\000\000\000\000\000\000!\000\000\000\000\000\000\000\000\000\000"
      "\000\000\000\013\000\000\000\000\000\000\000\000\000\000\000\244\201'\000\000\000include"
      "/a.hPK\005\006\000\000\000\000\002\000\002\000o\000\000\000P\000\000\000\000\000",
      213);
  Tree tree;
  CHECK(tree.unpacked({wheel}).empty());
  CHECK(tree.has("include/a.h"));
  CHECK(static_cast<unsigned>(std::filesystem::status(tree.into + "/bin/nvcc").permissions()) == 0755);
  CHECK_FALSE(tree.unpacked({wheel.substr(0, wheel.size() - 30)}).empty());
  // The symbolic link bin/nvcc to ../../x.
  const std::string hostile(
      "PK\003\004\024\000\000\000\000\000\000\000!\000\2503%B\007\000\000\000\007\000\000\000"
      "\010\000\000\000bin/nvcc../../xPK\001\002\024\003\024\000\000\000\000\000\000\000!\000"
      "\2503%B\007\000\000\000\007\000\000\000\010\000\000\000\000\000\000\000\000\000\000\000"
      "\377\241\000\000\000\000bin/nvccPK\005\006\000\000\000\000\001\000\001\0006\000\000\000-"
      "\000\000\000\000\000",
      121);
  CHECK(tree.unpacked({hostile}).find("bin/nvcc") != std::string::npos);
}

TEST_CASE("names that differ only in case are two files, and the first of two packages counts") {
  Tree tree;
  CHECK(tree.unpacked({deb(tar({{"usr/xt_MARK.h", '0', ""}, {"usr/xt_mark.h", '0', ""}})),
                       deb(tar({{"usr/xt_mark.h", '2', "xt_MARK.h"}}))})
            .empty());
  CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(tree.into + "/usr/xt_mark.h")));
}

TEST_CASE("packages that reach out of the tree are refused") {
  Tree tree;
  CHECK(tree.unpacked({deb(tar({{"../x", '0', ""}}))}) == "the member '../x' leaves its directory by '..'");
  CHECK(tree.unpacked({deb(tar({{"usr/l", '2', "../.."}}))}) ==
        "the symbolic link 'usr/l' leads to '../..', out of the package's root");
  CHECK(tree.unpacked({deb(tar({{"usr/l", '2', "/"}, {"usr/l/x", '0', ""}}))}) == "");
  CHECK(tree.unpacked({deb(tar({{"usr/l", '2', "bin"}, {"usr/l/x", '0', ""}}))}) ==
        "a member has a path through the symbolic link 'usr/l'");
  CHECK(tree.unpacked({deb(tar({{"usr/pipe", '6', ""}}))}) ==
        "the member 'usr/pipe' is a device, FIFO or socket");
  CHECK(tree.unpacked({deb(tar({{"usr/h", '1', "etc/shadow"}}))}) ==
        "the hard link 'usr/h' leads to 'etc/shadow', which is left out");
  CHECK(std::distance(std::filesystem::directory_iterator(tree.scratch.path()), {}) == 2);
}

TEST_CASE("what is no package is refused with the reason") {
  Tree tree;
  CHECK(tree.unpacked({ar({{"debian-binary", "2.0\n"}})}) == "it is no package: it has no data.tar");
  CHECK(tree.unpacked({"!<arch>\nrubbish"}).starts_with("it is damaged: "));
  CHECK(tree.unpacked({"rubbish that is long enough to be a header, if it were one"})
            .starts_with("it is damaged: "));
  CHECK(tree.unpacked({deb("rubbish")}).starts_with("it is damaged: "));
}

TEST_CASE("the limits count what is left out, too") {
  Tree tree;
  tree.limits.bytes = tree.limits.ratio_from = 10;
  CHECK(tree.unpacked({deb(tar({{"usr/a", '0', ""}, {"etc/b", '0', ""}, {"usr/c", '0', ""}}))})
            .starts_with("it unpacks to more than "));
  tree.limits = {};
  tree.limits.members = 2;
  CHECK(tree.unpacked({deb(tar({{"etc/a", '0', ""}, {"etc/b", '0', ""}, {"usr/c", '0', ""}}))}) ==
        "it has more than 2 members");
}
