// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/tree/rules_case.hpp"
#include "toolchains/redist/tree/root_rules.hpp"

using namespace hostpin;
using namespace hostpin::redist;
using namespace hostpin::redist::test;

namespace {

/// `rule file: subject` of every finding.
std::vector<std::string> found_in_plan(const RootPlan& plan, const RootUse& use = {}) {
  std::vector<std::string> texts;
  for (const Finding& one : root_findings(Root::of_plan(plan), facts(), use))
    texts.push_back(std::string(text_of(one.rule).name) + ' ' + one.file + ": " + one.subject);
  return texts;
}

std::vector<std::string> found_in(const std::map<std::string, std::string>& files,
                                  const Composition& composition = native(), const RootUse& use = {}) {
  Trees trees;
  trees.add(archive("a_package"), files);
  return found_in_plan(trees.plan(composition), use);
}

using Texts = std::vector<std::string>;
const std::string lib = "targets/x86_64-linux/lib/";
const std::string include = "targets/x86_64-linux/include/";

} // namespace

TEST_CASE("cuSPARSE without nvJitLink misses a library") {
  CHECK(found_in({{"lib/libcusparse.so.12",
                   library("libcusparse.so.12", {{"libnvJitLink.so.12", {}}, {"libc.so.6", {}}})}}) ==
        Texts{"missing-library " + lib + "libcusparse.so.12: libnvJitLink.so.12"});
  CHECK(found_in({{"lib/libcusparse.so.12", library("libcusparse.so.12", {{"libnvJitLink.so.12", {}}})},
                  {"lib/libnvJitLink.so.12", library("libnvJitLink.so.12")}})
            .empty());
}

TEST_CASE("libraries are found as the loader does: by run paths, links and the target's library directory") {
  const auto found = [](const std::string& directory, const std::string& run_path) {
    return found_in({{directory + "/liba.so.1", library("liba.so.1", {{"libb.so.1", {}}}, run_path)},
                     {directory + "/libb.so.1", library("libb.so.1")}});
  };
  CHECK(found("lib", "").empty());
  const Texts missing{"missing-library " + lib + "plugins/liba.so.1: libb.so.1"};
  CHECK(found("lib/plugins", "") == missing); // a file is not searched for next to the one that needs it
  CHECK(found("lib/plugins", "/nowhere") == missing);
  CHECK(found("lib/plugins", "$ORIGIN").empty());
  CHECK(found("lib/plugins", "$ORIGIN/../../../../lib64/plugins").empty()); // lib64 is a link of the root
}

TEST_CASE("a missing library that is in the tree is named with its path") {
  Trees trees;
  trees.add(archive("a_package"), {{"lib/plugins/liba.so.1", library("liba.so.1", {{"libb.so.1", {}}})},
                                   {"lib/plugins/libb.so.1", library("libb.so.1")}});
  const auto found = root_findings(Root::of_plan(trees.plan(native())), facts(), {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].explanation ==
        "needs libb.so.1, and its run path does not lead to " + lib + "plugins/libb.so.1");
}

TEST_CASE("a library for another machine does not serve a name, as the loader skips it") {
  CHECK(found_in({{"lib/liba.so.1", library("liba.so.1", {{"libb.so.1", {}}})},
                  {"lib/libb.so.1", hostpin::test::ElfBuilder(false, true).build("libb.so.1", {})}}) ==
        Texts{"missing-library " + lib + "liba.so.1: libb.so.1"});
}

TEST_CASE("libraries of the driver, of a Jetson and of the C library are not missing") {
  Trees trees;
  trees.add(
      archive("cuda_compat"),
      {{"lib/libx.so.1",
        library("libx.so.1",
                {{"libcuda.so.1", {}}, {"libnvrm_gpu.so", {}}, {"libz.so.1", {}}, {"libm.so.6", {}}})}});
  const RootPlan plan = trees.plan(native());
  CHECK(found_in_plan(plan).empty());
  CHECK(expected_at_run(Root::of_plan(plan), facts().compose) ==
        Texts{"libcuda.so.1", "libnvrm_gpu.so", "libz.so.1"});
}

TEST_CASE("cuBLASLt without NVRTC may fail to open it") {
  CHECK(found_in({{"lib/libcublasLt.so.13",
                   library("libcublasLt.so.13", {}, {}, std::string("x\0libnvrtc.so.13\0", 17))}}) ==
        Texts{"opened-library " + lib + "libcublasLt.so.13: libnvrtc.so.13"});
  CHECK(found_in({{"lib/libcublasLt.so.13",
                   library("libcublasLt.so.13", {}, {}, std::string("x\0libnvrtc.so.13\0", 17))},
                  {"lib/libnvrtc.so.13", library("libnvrtc.so.13")}})
            .empty());
}

TEST_CASE("headers of the runtime without crt miss a header") {
  CHECK(found_in({{"include/cuda_runtime.h", "#include \"crt/host_config.h\"\n#include <unknown.h>\n"}}) ==
        Texts{"missing-header " + include + "cuda_runtime.h: crt/host_config.h"});
  CHECK(found_in({{"include/cuda_runtime.h", "#include \"crt/host_config.h\"\n"},
                  {"include/crt/host_config.h", ""}})
            .empty());
}

TEST_CASE("CCCL's headers below their own directory are found") {
  CHECK(
      found_in({{"include/cuda_fp16.h", "#include <nv/target>\n"}, {"include/cccl/nv/target", ""}}).empty());
}

TEST_CASE("two majors of one library are found, and links to one are not") {
  CHECK(found_in({{"lib/libcublas.so.11", library("libcublas.so.11")},
                  {"lib/libcublas.so.12", library("libcublas.so.12")},
                  {"lib/libcublas.so", "->libcublas.so.12"}}) ==
        Texts{"two-majors " + lib + "libcublas.so.12: libcublas.so.12"});
}

TEST_CASE("a variant for another CUDA major is found") {
  Trees trees;
  trees.add(archive("cuda_cudart"), {{"include/a.h", ""}});
  trees.add(archive("cudnn", "linux-x86_64", "cuda11"), {{"include/cudnn.h", ""}});
  CHECK(found_in_plan(trees.plan(native())) ==
        Texts{"two-majors origin.json: cudnn 12.4.127 linux-x86_64 cuda11"});
}

TEST_CASE("a run path to stubs is found") {
  CHECK(found_in({{"lib/liba.so.1", library("liba.so.1", {}, "$ORIGIN:$ORIGIN/stubs")}}) ==
        Texts{"stub-on-run-path " + lib + "liba.so.1: $ORIGIN/stubs"});
  CHECK(found_in({{"lib/liba.so.1", library("liba.so.1", {}, "$ORIGIN")}}).empty());
}

TEST_CASE("the driver before the compatibility libraries on a run path is found") {
  Composition composition = native();
  composition.driver = "/run/driver";
  const auto with = [&](const std::string& run_path) {
    return found_in({{"lib/liba.so.1", library("liba.so.1", {}, run_path)}}, composition);
  };
  CHECK(with("$ORIGIN:/run/driver:$ORIGIN/../../../compat") ==
        Texts{"compat-order " + lib + "liba.so.1: /run/driver"});
  CHECK(with("$ORIGIN:$ORIGIN/../../../compat:/run/driver").empty());
}

TEST_CASE("compatibility libraries older than the driver are found") {
  Trees trees;
  trees.add(archive("cuda_compat"), {{"compat/libcuda.so.535.54.03", library("libcuda.so.1")}});
  Trees::write(trees.path("driver/libcuda.so.550.163.01"), "");
  Composition composition = native();
  composition.compat = true;
  composition.driver = trees.path("driver");
  CHECK(found_in_plan(trees.plan(composition)) ==
        Texts{"compat-order compat/libcuda.so.535.54.03: 535.54.03"});
  std::filesystem::rename(trees.path("driver/libcuda.so.550.163.01"),
                          trees.path("driver/libcuda.so.470.256.02"));
  CHECK(found_in_plan(trees.plan(composition)).empty());
}

TEST_CASE("a shared runtime that does not search the driver's directory is found") {
  Composition composition = native();
  composition.driver = "/run/driver";
  const auto with = [&](const std::string& run_path) {
    return found_in({{"lib/libcudart.so.12", library("libcudart.so.12", {}, run_path)}}, composition);
  };
  CHECK(with("") == Texts{"unreachable-driver " + lib + "libcudart.so.12: /run/driver"});
  CHECK(with("$ORIGIN:/run/driver").empty());
}

TEST_CASE("in an unmodified root that is a note, as the link of the program keeps the order") {
  Trees trees;
  trees.add(archive("cuda_cudart"), {{"lib/libcudart.so.12", library("libcudart.so.12")}});
  Composition composition = native();
  composition.driver = "/run/driver";
  const auto severity = [&] {
    const auto found = root_findings(Root::of_plan(trees.plan(composition)), facts(), {});
    REQUIRE(found.size() == 1);
    return found[0].severity;
  };
  CHECK(severity() == Severity::note);
  composition.patched = true;
  CHECK(severity() == Severity::error);
}

TEST_CASE("a library that needs a newer glibc is found") {
  const std::map<std::string, std::string> files = {
      {"lib/libcusolver.so.11",
       library("libcusolver.so.11", {{"libm.so.6", {"GLIBC_2.2.5", "GLIBC_2.27"}}})}};
  CHECK(found_in(files, native(), {Version{2, 17, 0}, {}}) ==
        Texts{"newer-glibc " + lib + "libcusolver.so.11: GLIBC_2.27"});
  CHECK(found_in(files, native(), {Version{2, 27, 0}, {}}).empty());
  CHECK(found_in(files).empty());
}

TEST_CASE("the driver's pkg-config file without the stubs is found, until it is patched") {
  const std::map<std::string, std::string> files = {
      {"pkg-config/cuda-12.4.pc", "cudaroot=/usr/local/cuda\nLibs: -L${libdir} -lcuda\n"}};
  CHECK(found_in(files) ==
        Texts{"driver-pkgconfig targets/x86_64-linux/share/pkgconfig/cuda-12.4.pc: -lcuda"});
  Trees trees;
  trees.add(archive("a_package"), files);
  const auto findings = root_findings(Root::of_plan(trees.plan(native())), facts(), {});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::note); // nobody may change the file of an unmodified tree
}

TEST_CASE("a target that CMake does not find is reported unless an alias is there") {
  Trees trees;
  trees.add(archive("cuda_cudart"), {{"include/a.h", ""}});
  trees.add(archive("cuda_cudart", "linux-sbsa"), {{"include/a.h", ""}});
  trees.add(archive("cuda_cudart", "linux-aarch64"), {{"include/a.h", ""}});
  trees.add(archive("cuda_cudart", "linux-ppc64le"), {{"include/a.h", ""}});
  Composition composition = native();
  composition.targets = {"linux-x86_64", "linux-sbsa"};
  CHECK(found_in_plan(trees.plan(composition)).empty()); // with the alias
  composition.targets = {"linux-sbsa", "linux-aarch64"};
  CHECK(found_in_plan(trees.plan(composition)) == Texts{"cmake-target origin.json: sbsa-linux"});
  CHECK(found_in_plan(trees.plan(composition), {{}, Version{3, 31, 0}}).empty());
  composition.targets = {"linux-x86_64", "linux-ppc64le"};
  CHECK(found_in_plan(trees.plan(composition), {{}, Version{4, 3, 0}}) ==
        Texts{"cmake-target origin.json: ppc64le-linux"});
  composition.targets = {"linux-ppc64le"}; // without `targets`
  CHECK(found_in_plan(trees.plan(composition)).empty());
}

TEST_CASE("a root on disk is compared and judged in one call") {
  Trees trees;
  trees.add(archive("libcusparse"),
            {{"lib/libcusparse.so.12", library("libcusparse.so.12", {{"libnvJitLink.so.12", {}}})}});
  REQUIRE(trees.compose(native(), "root"));
  Trees::write(trees.path("root/extra"), "");
  const auto found = check_root(trees.path("root"), facts(), {});
  REQUIRE_MESSAGE(found, found.error().message);
  REQUIRE(found->size() == 2);
  CHECK((*found)[0].rule == Rule::changed_file);
  CHECK((*found)[1].rule == Rule::missing_library);
  CHECK((*found)[1].package == "libcusparse");
  CHECK_FALSE(check_root(trees.path("tree0"), facts(), {}));
}
