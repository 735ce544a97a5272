// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "tests/unit/toolchains/redist/audit/facts.hpp"
#include "toolchains/archive/record.hpp"
#include "toolchains/archive/sha256.hpp"
#include "toolchains/redist/audit/audit.hpp"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

const std::string header = "/* Copyright 2023 NVIDIA Corporation.\n * NOTICE TO LICENSEE:\n */\nint one;\n";
const std::string library = test::ElfBuilder(true, true).build("libcudart.so.13", {"libcudart.so.13"});

/// The audit of a tree, compared with a toolkit if it is named.
Audit audit_of(const std::string& tree, const std::string& toolkit = {}) {
  const auto subject = subject_at(tree, "", "/tmp");
  REQUIRE(subject);
  Originals originals;
  if (!toolkit.empty())
    REQUIRE(originals.add_toolkit(toolkit));
  originals.hash(subject->sizes());
  return audited(*subject, originals, test::audit_facts());
}

const AuditedFile& file(const Audit& audit, const std::string& path) {
  const auto found = std::ranges::find(audit.files, path, &AuditedFile::path);
  REQUIRE(found != audit.files.end());
  return *found;
}

bool has_detail(const AuditedFile& file, const std::string& text) {
  return std::ranges::any_of(file.details,
                             [&](const std::string& one) { return one.find(text) != std::string::npos; });
}

} // namespace

TEST_CASE("an unchanged file is named with its original, whatever its name") {
  const test::Tree toolkit, tree;
  toolkit.write("lib/libcudart.so.13", library);
  tree.write("a/libcudart.so.13", library);
  tree.write("libcudart-1234.so", library);
  tree.write("own.txt", "own");
  tree.write("empty", "");
  toolkit.write("lib/empty", "");
  const Audit audit = audit_of(tree.root(), toolkit.root());
  CHECK(file(audit, "a/libcudart.so.13").verdict == Verdict::unchanged);
  CHECK(file(audit, "a/libcudart.so.13").original.ends_with("lib/libcudart.so.13"));
  CHECK(file(audit, "libcudart-1234.so").verdict == Verdict::unchanged);
  CHECK(has_detail(file(audit, "libcudart-1234.so"), "under another name"));
  CHECK(file(audit, "own.txt").verdict == Verdict::other);
  CHECK(file(audit, "empty").verdict == Verdict::other);
  CHECK(listing("libcudart.so.13", test::audit_facts()).state == "listed");
  CHECK(listing("nvcc", test::audit_facts()).state == "not listed");
  CHECK(listing("libnew.so.1", test::audit_facts()).state == "unknown");
}

TEST_CASE("without an original, or with one of another build, a library is unproven") {
  const test::Tree toolkit, tree;
  tree.write("libcudart.so.13", library);
  CHECK(file(audit_of(tree.root()), "libcudart.so.13").verdict == Verdict::unproven);
  toolkit.write("lib/libcudart.so.13", library + "another");
  const Audit audit = audit_of(tree.root(), toolkit.root());
  CHECK(file(audit, "libcudart.so.13").verdict == Verdict::unproven);
  CHECK(has_detail(file(audit, "libcudart.so.13"), "another build"));
}

TEST_CASE("a text that differs is changed if the tree has other files of its original's release") {
  const test::Tree toolkit, tree;
  toolkit.write("include/one.h", header);
  toolkit.write("lib/libcudart.so.13", library);
  tree.write("include/one.h", header + "int two;\n");
  const Audit alone = audit_of(tree.root(), toolkit.root());
  CHECK(file(alone, "include/one.h").verdict == Verdict::unproven);
  CHECK(has_detail(file(alone, "include/one.h"), "from line 5 on"));
  tree.write("lib/libcudart.so.13", library);
  CHECK(file(audit_of(tree.root(), toolkit.root()), "include/one.h").verdict == Verdict::changed);
  // Without a notice, only at the whole path of its original.
  toolkit.write("bin/nvcc.profile", "TOP = 1");
  tree.write("bin/nvcc.profile", "TOP = 2");
  tree.write("other/nvcc.profile", "TOP = 2");
  tree.write("include/two.h", "// two");
  toolkit.write("include/two.h", "// two");
  const Audit audit = audit_of(tree.root(), toolkit.root());
  CHECK(file(audit, "bin/nvcc.profile").verdict == Verdict::changed);
  CHECK(file(audit, "other/nvcc.profile").verdict == Verdict::other);
  // A library of another build is of another release, which has texts in common with this one.
  tree.write("lib/libcudart.so.12", test::ElfBuilder(true, true).build("libcudart.so.12", {}));
  CHECK(file(audit_of(tree.root(), toolkit.root()), "include/one.h").verdict == Verdict::unproven);
}

TEST_CASE("links, devices and files that cannot be read are reported, each with the reason") {
  const test::Tree tree;
  tree.write("d/file", header);
  tree.write("x.tar.xz", "packed");
  std::filesystem::create_symlink("d/file", tree.path("inside"));
  std::filesystem::create_symlink("absent", tree.path("dangling"));
  std::filesystem::create_symlink("/etc", tree.path("outside"));
  std::filesystem::create_symlink("loop", tree.path("loop"));
  std::filesystem::create_hard_link(tree.path("d/file"), tree.path("hard"));
  REQUIRE(::mkfifo(tree.path("fifo").c_str(), 0600) == 0);
  const Audit audit = audit_of(tree.root());
  CHECK(audit.links == 1);
  for (const char* const path : {"dangling", "outside", "loop", "fifo", "x.tar.xz"})
    CHECK_MESSAGE(file(audit, path).verdict == Verdict::not_judged, path);
  CHECK(file(audit, "hard").verdict == Verdict::unproven);
  CHECK(has_detail(file(audit, "hard"), "hard link of d/file"));
  CHECK(!audit.is_incomplete());
  CHECK(audit_findings(audit).size() == 7);
}

TEST_CASE("a file that vanishes makes the audit incomplete") {
  const test::Tree tree;
  tree.write("file", header);
  const auto subject = subject_at(tree.root(), "", "/tmp");
  REQUIRE(subject);
  std::filesystem::remove(tree.path("file"));
  const Audit audit = audited(*subject, {}, test::audit_facts());
  CHECK(file(audit, "file").verdict == Verdict::not_judged);
  CHECK(audit.is_incomplete());
}

TEST_CASE("RECORD of an installed distribution proves files, RECORD of the audited tree does not") {
  const test::Tree site, tree;
  const std::string row = "nvidia/lib/libcudart.so.13," + record_hash(sha256_of(library)) + ',' +
                          std::to_string(library.size()) + "\n../../../etc/passwd,,\n";
  for (const test::Tree* const one : {&site, &tree}) {
    one->write("nvidia_cuda_runtime-13.0.96.dist-info/RECORD", row);
    one->write("nvidia/lib/libcudart.so.13", library);
  }
  CHECK(file(audit_of(tree.root()), "nvidia/lib/libcudart.so.13").verdict == Verdict::unproven);
  Originals originals;
  REQUIRE(originals.add_site(site.root()));
  const auto subject = subject_at(tree.root(), "", "/tmp");
  const Audit audit = audited(*subject, originals, test::audit_facts());
  CHECK(file(audit, "nvidia/lib/libcudart.so.13").verdict == Verdict::unchanged);
  CHECK(file(audit, "nvidia/lib/libcudart.so.13").original ==
        "nvidia-cuda-runtime 13.0.96: nvidia/lib/libcudart.so.13");
  // A file that was changed where it is installed has no original any more.
  site.write("nvidia/lib/libcudart.so.13", library + "changed");
  const Audit own = audited(subject_at(site.root(), "", "/tmp").value(), originals, test::audit_facts());
  CHECK(file(own, "nvidia/lib/libcudart.so.13").verdict == Verdict::changed);
  CHECK(has_detail(file(own, "nvidia/lib/libcudart.so.13"), "no unchanged copy"));
  CHECK(!Originals().add_site(site.path("nvidia")));
}

TEST_CASE("names with controls are escaped in the text") {
  const test::Tree tree;
  tree.write("a\n\x1b[31mb", header);
  const std::string text = audit_text(audit_of(tree.root()), test::audit_facts(), true);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("a\\n") != std::string::npos);
}

TEST_CASE("a library that was cut short where RECORD has its hash is changed") {
  const test::Tree site;
  site.write("nvidia_cuda_runtime-13.0.96.dist-info/RECORD",
             "nvidia/lib/libcudart.so.13," + record_hash(sha256_of(library)) + ",\n");
  site.write("nvidia/lib/libcudart.so.13", library.substr(0, 40));
  Originals originals;
  REQUIRE(originals.add_site(site.root()));
  const Audit audit = audited(subject_at(site.root(), "", "/tmp").value(), originals, test::audit_facts());
  CHECK(file(audit, "nvidia/lib/libcudart.so.13").verdict == Verdict::changed);
  CHECK(has_detail(file(audit, "nvidia/lib/libcudart.so.13"), "it is damaged"));
}

TEST_CASE("an open license or soname that was written into a file does not hide that it was changed") {
  const test::Tree toolkit, tree;
  toolkit.write("include/one.h", header);
  toolkit.write("include/two.h", header + "two");
  toolkit.write("include/three.h", header + "three");
  toolkit.write("include/open.h", "// SPDX-License-Identifier: Apache-2.0\n" + header);
  tree.write("include/one.h", "// SPDX-License-Identifier: MIT\n" + header);
  tree.write("include/two.h", header + "two");
  tree.write("include/three.h", header + "three");
  tree.write("include/open.h", "// SPDX-License-Identifier: Apache-2.0\n// edited\n" + header);
  const Audit audit = audit_of(tree.root(), toolkit.root());
  CHECK(file(audit, "include/one.h").verdict == Verdict::changed);
  CHECK(file(audit, "include/open.h").verdict == Verdict::open_source);
  CHECK(file(audit_of(tree.root()), "include/one.h").verdict == Verdict::open_source);
}

TEST_CASE("what installers write for all distributions proves no file and no release") {
  const test::Tree site, tree;
  const auto row = [](const std::string& path, const std::string& bytes) {
    return path + ',' + record_hash(sha256_of(bytes)) + ',' + std::to_string(bytes.size()) + '\n';
  };
  const std::string info = "nvidia_cuda_runtime-13.0.96.dist-info/";
  site.write(info + "RECORD", row(info + "INSTALLER", "pip\n") + row("nvidia/include/one.h", header) +
                                  row("nvidia/include/two.h", header + "two"));
  site.write("nvidia/include/one.h", header);
  site.write("nvidia/include/two.h", header + "two");
  tree.write("own-1.dist-info/INSTALLER", "pip\n");
  tree.write("include/one.h", header + "edited");
  tree.write("include/two.h", header + "edited");
  for (const char* const copy : {"a.h", "b.h", "c.h"})
    tree.write(copy, header + "two");
  Originals originals;
  REQUIRE(originals.add_site(site.root()));
  const Audit audit = audited(subject_at(tree.root(), "", "/tmp").value(), originals, test::audit_facts());
  CHECK(file(audit, "own-1.dist-info/INSTALLER").verdict == Verdict::other);
  CHECK(file(audit, "a.h").verdict == Verdict::unchanged);
  CHECK(file(audit, "include/one.h").verdict == Verdict::unproven);
}

TEST_CASE("options that cannot be obeyed are refused") {
  const test::Tree tree;
  std::filesystem::create_directory(tree.path("empty"));
  tree.write("file", "text");
  const std::string hash(64, '0');
  CHECK(!Originals().add_toolkit(tree.path("empty")));
  for (const std::string& path : {tree.root(), tree.path("file")}) {
    const auto subject = subject_at(path, hash, "/tmp");
    REQUIRE(!subject);
    CHECK(subject.error().message.find("is no wheel") != std::string::npos);
  }
}

TEST_CASE("of the digests in a wheel's RECORDs those of its members are stored, of one RECORD") {
  const test::Tree tree;
  tree.write("x.whl", test::packed("zip", "none",
                                   {{"a.dist-info/RECORD", "member,h,1\nabsent,h,1\n"},
                                    {"b.dist-info/RECORD", "member,other,1\nmember2,h,1\n"},
                                    {"member", "x"},
                                    {"member2", "x"}}));
  const auto subject = subject_at(tree.path("x.whl"), "", "/tmp");
  REQUIRE(subject);
  CHECK(subject->record.size() == 1);
  CHECK(subject->record.at("member") == "h");
}

TEST_CASE("an archive that was named is not to be named again") {
  const test::Tree tree;
  tree.write("x.tar.gz", "\x1f\x8b packed");
  tree.write("y.whl", "PK\3\4 packed");
  const Audit audit = audit_of(tree.root());
  CHECK(!has_detail(file(audit, "x.tar.gz"), "name it"));
  CHECK(has_detail(file(audit, "y.whl"), "name it"));
}
