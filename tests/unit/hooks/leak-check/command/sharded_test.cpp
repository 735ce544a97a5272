// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan in shards, and what is made of their reports, beside the same scan as a whole.
#include "hooks/leak-check/command/sharded.hpp"
#include "hooks/leak-check/judge/judge.hpp"
#include "hooks/leak-check/report/report.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "tests/tree.hpp"
#include "tests/unit/hooks/leak-check/report/written.hpp"
#include "tests/unit/hooks/leak-check/scan/packing.hpp"
#include "tests/unit/toolchains/library/elf_builder.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
namespace fs = std::filesystem;

namespace {

const std::string wanted = "/opt/gcc-11/lib64";

/// Names as nobody wants them.
std::string name_of(std::mt19937& random) {
  const std::vector<std::string> names = {"plain",       "with blank",   "new\nline",    "\x1b[31m",
                                          "f\xFF_",      "\xC3\xBC",     "\xED\xA0\x80", "quote\"d",
                                          "back\\slash", "$(touch own)", "%41",          "lib*.so"};
  return names[random() % names.size()] + std::to_string(random() % 1000);
}

std::string content_of(std::mt19937& random) {
  std::string bytes(random() % 300, 'x');
  for (auto i = random() % 4; i > 0; --i)
    bytes += " " + wanted + "/" + name_of(random) + " ";
  return bytes;
}

std::string library_of(std::mt19937& random) {
  const test::ElfBuilder builder(random() % 4 > 0, true);
  test::ElfBuilder::Needs needs;
  for (auto i = random() % 3; i > 0; --i)
    needs.push_back({"lib" + std::to_string(random() % 6) + ".so", {"V_" + std::to_string(random() % 3)}});
  std::vector<std::string> versions(random() % 3, "V_");
  for (std::size_t i = 0; i < versions.size(); ++i)
    versions[i] += std::to_string(i);
  return builder.build("lib" + std::to_string(random() % 6) + ".so", versions, needs);
}

/// One file or link of some kind. `base`: of the tree.
void add_something(const test::Tree& tree, const std::string& base, std::mt19937& random) {
  const std::vector<std::string> places = {"", "lib/", "lib/deep/er/", "share/\xFE/"};
  const std::string path = base + places[random() % places.size()] + name_of(random);
  fs::create_directories(fs::path(tree.path(path)).parent_path());
  std::error_code taken;
  switch (random() % 10) {
  case 0:
    tree.write(base + "lib/lib" + std::to_string(random() % 6) + ".so", library_of(random));
    break;
  case 1:
    tree.write(path + ".tar.gz",
               test::packed("ustar", "gzip",
                            {{"member", content_of(random)}, {name_of(random), library_of(random)}}));
    break;
  case 2:
    tree.write(path + ".a", test::ar_archive({{"y.o", content_of(random)}}));
    break;
  case 3:
    fs::create_symlink(random() % 2 > 0 ? wanted + "/libx.so" : "nowhere", tree.path(path), taken);
    break;
  case 4:
    tree.write(path + ".pc", "prefix=" + wanted + "\nLibs: -L${prefix}/lib -L/tmp/absent\n");
    break;
  case 5:
    fs::create_hard_link(tree.write(path, content_of(random)), tree.path(path + ".again"), taken);
    break;
  case 6:
    ::mkfifo(tree.path(path).c_str(), 0600);
    break;
  case 7: // cut, so that not all of it can be looked at
    tree.write(path + ".gz", test::gzipped(content_of(random)).substr(0, 15));
    break;
  case 8: // which debuggers alone read
    tree.write(path + ".o", test::object_with(".debug_str", content_of(random), 0));
    break;
  default:
    tree.write(path, content_of(random) + std::string(random() % 5 == 0 ? 1U << 20U : 0U, 'l'));
  }
}

/// Trees that are scanned, by a loader that looks in the first one's lib.
struct Scene {
  test::Tree tree;
  LeakOptions options;
  std::vector<Exception> exceptions;
  LoaderPlaces places;
  DiskFiles files;
  Policy policy;

  explicit Scene(unsigned seed) {
    std::mt19937 random(seed);
    const std::size_t trees = 1 + random() % 2;
    for (std::size_t i = 0; i < trees; ++i) {
      const std::string base = "tree" + std::to_string(i) + "/";
      fs::create_directories(tree.path(base));
      for (auto n = random() % 60; n > 0; --n)
        add_something(tree, base, random);
      options.paths.push_back(tree.path("tree" + std::to_string(i)));
    }
    options.metadata = random() % 5 == 0;
    options.memory = random() % 3 == 0 ? std::uint64_t{40} << 20U : 0;
    places.directories = {tree.path("tree0/lib")};
    policy.unwanted = {{wanted, UnwantedPath::Kind::forbidden}};
    for (const char* const path : {"lib/*", "**/deep/**", "nothing/fits/this"}) {
      Exception exception;
      exception.path = path;
      exception.reference = "**[0-4]";
      exception.reason = "known";
      exception.line = static_cast<unsigned>(exceptions.size() + 1);
      exceptions.push_back(exception);
    }
    exceptions[0].reference = "/opt/**";
  }

  /// A scan of all; with `stamp` of one shard.
  Findings scan(std::vector<Exception>& accepted, ShardStamp* stamp = nullptr) const {
    const auto unwanted = Unwanted::make(policy, files).value();
    const World world{policy, unwanted, files, [&](const std::string&, const ElfKind&) { return &places; },
                      options.paths.size() > 1};
    Judge judge(world, {}, [&](const Finding& finding) { return accept(accepted, finding); });
    ScanOptions how;
    how.content = !options.metadata;
    std::optional<Share> share;
    if (stamp != nullptr) {
      LeakOptions sharded = options;
      sharded.shard = stamp->number;
      *stamp = stamp_of(sharded, policy, unwanted, accepted, "1");
      how.share = &share.emplace(options.paths, options.below, stamp->number);
    }
    scan_tree(options.paths, unwanted.needles(), how,
              [&](ScannedFile&& file) { judge.see(std::move(file)); });
    Findings findings = judge.finish(stamp != nullptr ? &stamp->surroundings : nullptr);
    if (stamp != nullptr)
      REQUIRE(complete(*stamp, *share, accepted));
    return findings;
  }

  /// Writes the report of a shard, and gives its path.
  std::string report(std::uint32_t index, std::uint32_t of) const {
    ShardStamp stamp;
    stamp.number = {index, of};
    std::vector<Exception> accepted = exceptions;
    const Findings findings = scan(accepted, &stamp);
    return tree.write("report-" + std::to_string(index),
                      test::written([&](const Write& write) { report_shard(findings, stamp, write); }));
  }
};

Result<MergedScan> merged(std::vector<std::string> reports) {
  LeakOptions options;
  options.paths = std::move(reports);
  return merged_scan(options, "1");
}

std::vector<std::uint64_t> uses_of(const std::vector<Exception>& exceptions) {
  std::vector<std::uint64_t> uses;
  for (const Exception& one : exceptions)
    uses.push_back(one.used);
  return uses;
}

} // namespace

TEST_CASE("however a scan is divided, its shards' reports make the report of the whole, byte by byte") {
  std::uint64_t findings = 0, unseen = 0, notes = 0, unmet = 0, missing = 0;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    const Scene scene(seed);
    std::vector<Exception> accepted = scene.exceptions;
    const Findings whole = scene.scan(accepted);
    findings += whole.found.size();
    unseen += whole.unseen.size();
    notes += whole.found.count(Severity::note);
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
      unmet += whole.found.count(Rule::unmet_version_need, severity);
      missing += whole.found.count(Rule::missing_library, severity);
    }
    for (const std::uint32_t of : {1U, 1 + seed % 8, 8U}) {
      CAPTURE(of);
      std::vector<std::string> reports;
      for (std::uint32_t index = 1; index <= of; ++index)
        reports.push_back(scene.report(index, of));
      std::shuffle(reports.begin(), reports.end(), std::mt19937(seed));
      const auto all = merged(reports);
      REQUIRE_MESSAGE(all, all.error().message);
      REQUIRE(test::json_of(all->findings) == test::json_of(whole));
      REQUIRE(test::sarif_of(all->findings, "1") == test::sarif_of(whole, "1"));
      for (const bool with_notes : {false, true})
        REQUIRE(test::text_of(all->findings, with_notes) == test::text_of(whole, with_notes));
      REQUIRE(uses_of(all->exceptions) == uses_of(accepted));
      REQUIRE(all->findings.gravest() == whole.gravest());
    }
  }
  CHECK(findings > 500); // or nothing was compared
  CHECK(unseen > 30);
  CHECK(notes > 10);
  CHECK(unmet > 10);
  CHECK(missing > 10);
}

TEST_CASE("a tree that was written to between two shards, or while one was scanned, is told") {
  const Scene scene(3);
  const std::string first = scene.report(1, 2);
  scene.tree.write("tree0/new", "");
  const std::string second = scene.report(2, 2);
  const auto all = merged({first, second});
  REQUIRE_FALSE(all);
  CHECK(all.error().message ==
        first + " and " + second +
            " are no shards of one scan: the trees differ in names, sizes or times of change");
  Share share(scene.options.paths, {}, {1, 2});
  ShardStamp stamp;
  const auto changed = complete(stamp, share, {});
  REQUIRE_FALSE(changed);
  CHECK(changed.error().message.find("was written to meanwhile") != std::string::npos);
}

TEST_CASE("reports of other options, paths, policies and surroundings are of another scan") {
  const auto refused = [](const auto& change, const char* why) {
    Scene scene(4);
    const std::string first = scene.report(1, 2);
    change(scene);
    const auto all = merged({first, scene.report(2, 2)});
    REQUIRE_FALSE(all);
    CAPTURE(all.error().message);
    CHECK(all.error().message.find(why) != std::string::npos);
    CHECK_FALSE(all.error().hint.empty());
  };
  refused([](Scene& scene) { scene.options.no_unpack = true; }, "--no-unpack");
  refused([](Scene& scene) { scene.options.memory = 1; }, "--memory=1");
  refused([](Scene& scene) { scene.options.paths.push_back(scene.tree.path("more")); }, "different paths");
  refused([](Scene& scene) { scene.policy.unwanted.push_back({"/opt/x", {}}); }, "judged by different");
  refused([](Scene& scene) { scene.policy.vendor = {"/opt"}; }, "judged by different");
  refused([](Scene& scene) { scene.exceptions.pop_back(); }, "judged by different");
  refused([](Scene& scene) { scene.exceptions[1].reference = "x"; }, "judged by different");
}

TEST_CASE("libraries around the tree that are not the same make another scan") {
  Scene scene(5);
  const test::ElfBuilder builder(true, true);
  scene.tree.write("tree0/lib/user.so", builder.build("user.so", {}, {{"libout.so", {"V_1"}}}));
  scene.tree.write("around/libout.so", builder.build("libout.so", {"V_1"}));
  scene.places.directories.push_back(scene.tree.path("around"));
  const std::string first = scene.report(1, 2);
  CHECK(merged({first, scene.report(2, 2)}));
  scene.tree.write("around/libout.so", builder.build("libout.so", {"V_2"}));
  const auto all = merged({first, scene.report(2, 2)});
  REQUIRE_FALSE(all);
  CHECK(all.error().message.find("what loaders would find differs") != std::string::npos);
}

TEST_CASE("what run paths lead to is to be the same for all shards, but for the driver's directory") {
  const test::ElfBuilder builder(true, true);
  const auto changes = [&](const std::string& run_path, const auto& change) {
    bool noticed = true;
    for (const std::uint32_t earlier : {1U, 2U}) {
      Scene scene(7);
      scene.policy.driver_directory = scene.tree.path("around/driver");
      const std::string places = run_path.starts_with('/') ? scene.tree.root() + run_path : run_path;
      scene.tree.write("tree0/lib/user.so", builder.build("user.so", {}, {}, places));
      fs::create_directories(scene.tree.path("around/stubs"));
      const std::string first = scene.report(earlier, 2);
      CHECK(merged({first, scene.report(3 - earlier, 2)}));
      change(scene);
      noticed = noticed && !merged({first, scene.report(3 - earlier, 2)});
    }
    return noticed;
  };
  const auto removed = [](Scene& scene) { fs::remove_all(scene.tree.path("around/stubs")); };
  CHECK(changes("/around/stubs", removed));
  CHECK(changes("$ORIGIN/../../around/stubs", removed));
  CHECK_FALSE(changes("/around", removed));
  CHECK(changes("/around/stubs", [](Scene& scene) { scene.tree.write("around/stubs/libcuda.so.1", ""); }));
  CHECK(changes("/around/link",
                [](Scene& scene) { fs::create_directory_symlink("stubs", scene.tree.path("around/link")); }));
  CHECK_FALSE(changes("/around/driver",
                      [](Scene& scene) { fs::create_directories(scene.tree.path("around/driver")); }));
}

TEST_CASE("a file that not all shards can read is no reason to tell something else than one scan") {
  const test::ElfBuilder builder(true, true);
  const auto refused = [&](const std::string& before, const std::string& after) {
    for (const std::uint32_t earlier : {1U, 2U}) {
      Scene scene(6);
      scene.tree.write("tree0/lib/user.so", builder.build("user.so", {}, {{"libin.so", {"V_1"}}}));
      const std::string file = scene.tree.write("tree0/lib/libin.so", before);
      const auto then = fs::last_write_time(file);
      const std::string first = scene.report(earlier, 2);
      CHECK(merged({first, scene.report(3 - earlier, 2)}));
      scene.tree.write("tree0/lib/libin.so", after);
      fs::last_write_time(file, then); // nothing that a walk meets tells
      const auto all = merged({first, scene.report(3 - earlier, 2)});
      REQUIRE_FALSE(all);
      CHECK(all.error().message.find("what loaders would find differs") != std::string::npos);
    }
  };
  const std::string library = builder.build("libin.so", {"V_1"});
  refused(library, std::string(library.size(), '\0'));
  refused(std::string(library.size(), 'x'), library);
}
