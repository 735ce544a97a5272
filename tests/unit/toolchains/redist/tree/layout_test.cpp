// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/tree/trees.hpp"
#include "toolchains/redist/tree/layout.hpp"

using namespace hostpin;
using namespace hostpin::redist;
using namespace hostpin::redist::test;

namespace {

const std::map<std::string, std::string> cudart = {
    {"LICENSE", "cudart"},
    {"include/cuda_runtime.h", "h"},
    {"lib/libcudart.so", "->libcudart.so.12"},
    {"lib/libcudart.so.12", "so"},
    {"lib/libcudart_static.a", "a"},
    {"lib/stubs/libcuda.so", "stub"},
    {"pkg-config/cudart-12.4.pc", "cudaroot=/usr/local/cuda\n"}};
const std::map<std::string, std::string> nvcc = {
    {"LICENSE", "nvcc"},
    {"bin/nvcc", "program"},
    {"bin/nvcc.profile",
     "INCLUDES += \"-I$(TOP)/$(_TARGET_DIR_)/include\"\nL = $(TOP)/$(_TARGET_DIR_)/lib\n"},
    {"include/crt/host_config.h", "h"},
    {"nvvm/bin/cicc", "program"}};

Trees native_trees() {
  Trees trees;
  trees.add(archive("cuda_cudart"), cudart);
  trees.add(archive("cuda_nvcc"), nvcc);
  return trees;
}

} // namespace

TEST_CASE("a root has NVIDIA's layout, and links to the default target") {
  const RootPlan plan = native_trees().plan(native());
  CHECK(plan.findings.empty());
  CHECK(at(plan, "bin/nvcc") == "cuda_nvcc:bin/nvcc");
  CHECK(at(plan, "nvvm/bin/cicc") == "cuda_nvcc:nvvm/bin/cicc");
  CHECK(at(plan, "targets/x86_64-linux/include/crt/host_config.h") == "cuda_nvcc:include/crt/host_config.h");
  CHECK(at(plan, "targets/x86_64-linux/lib/libcudart.so.12") == "cuda_cudart:lib/libcudart.so.12");
  CHECK(at(plan, "targets/x86_64-linux/share/pkgconfig/cudart-12.4.pc") ==
        "cuda_cudart:pkg-config/cudart-12.4.pc");
  CHECK(at(plan, "include") == "->targets/x86_64-linux/include");
  CHECK(at(plan, "lib") == "->targets/x86_64-linux/lib");
  CHECK(at(plan, "lib64") == "->targets/x86_64-linux/lib");
}

TEST_CASE("outputs of single packages can be selected, and other packages are left out") {
  Composition composition = native();
  composition.outputs = {"cuda_nvcc.bin", "cuda_nvcc.include"};
  CHECK(composition.takes("cuda_nvcc", "bin"));
  CHECK_FALSE(composition.takes("cuda_nvcc", "lib"));
  CHECK_FALSE(composition.takes_some_of("cuda_cudart"));
  const RootPlan plan = native_trees().plan(composition);
  CHECK(at(plan, "nvvm/bin/cicc") == "cuda_nvcc:nvvm/bin/cicc");
  CHECK(at(plan, "targets/x86_64-linux/include/crt/host_config.h") == "cuda_nvcc:include/crt/host_config.h");
  CHECK(at(plan, "targets/x86_64-linux/include/cuda_runtime.h").empty());
}

TEST_CASE("each package has its own license") {
  const RootPlan plan = native_trees().plan(native());
  CHECK(at(plan, "share/licenses/cuda_cudart/LICENSE") == "cuda_cudart:LICENSE");
  CHECK(at(plan, "share/licenses/cuda_nvcc/LICENSE") == "cuda_nvcc:LICENSE");
}

TEST_CASE("the name under which libraries need libcuda is next to its stub") {
  CHECK(at(native_trees().plan(native()), "targets/x86_64-linux/lib/stubs/libcuda.so.1") == "->libcuda.so");
}

TEST_CASE("version.json has the release and the packages") {
  const std::string text = text_at(native_trees().plan(native()), "version.json");
  CHECK(text.find("\"version\": \"12.4.1\"") != std::string::npos);
  CHECK(text.find("\"cuda_nvcc\"") != std::string::npos);
}

TEST_CASE("CUPTI is also where NVIDIA's installer puts it") {
  Trees trees;
  trees.add(archive("cuda_cupti"),
            {{"include/cupti.h", "h"}, {"lib/libcupti.so.12", "so"}, {"samples/a/a.cu", "s"}});
  const RootPlan plan = trees.plan(native());
  CHECK(at(plan, "extras/CUPTI/samples/a/a.cu") == "cuda_cupti:samples/a/a.cu");
  CHECK(at(plan, "extras/CUPTI/include") == "->../../targets/x86_64-linux/include");
  CHECK(at(plan, "extras/CUPTI/lib64") == "->../../targets/x86_64-linux/lib");
}

TEST_CASE("programs are the host's, headers and libraries those of each target") {
  Trees trees = native_trees();
  trees.add(archive("cuda_cudart", "linux-sbsa"), cudart);
  trees.add(archive("cuda_nvcc", "linux-sbsa"), {{"bin/nvcc", "arm"}, {"include/crt/host_config.h", "h"}});
  Composition composition = native();
  composition.targets = {"linux-sbsa", "linux-x86_64"};
  const RootPlan plan = trees.plan(composition);
  CHECK(plan.findings.empty());
  CHECK(at(plan, "targets/sbsa-linux/lib/libcudart.so.12") == "cuda_cudart:lib/libcudart.so.12");
  CHECK(at(plan, "targets/x86_64-linux/lib/libcudart.so.12") == "cuda_cudart:lib/libcudart.so.12");
  CHECK(at(plan, "bin/nvcc") == "cuda_nvcc:bin/nvcc");
  CHECK(at(plan, "lib") == "->targets/sbsa-linux/lib");
  CHECK(at(plan, "targets/aarch64-linux") == "->sbsa-linux"); // for CMake before 3.31
}

TEST_CASE("Jetson's own directory is not hidden by the alias for sbsa") {
  Trees trees;
  trees.add(archive("cuda_cudart", "linux-sbsa"), cudart);
  trees.add(archive("cuda_cudart", "linux-aarch64"), cudart);
  Composition composition = native();
  composition.targets = {"linux-sbsa", "linux-aarch64"};
  const RootPlan plan = trees.plan(composition);
  CHECK(at(plan, "targets/aarch64-linux").empty());
  CHECK(at(plan, "targets/aarch64-linux/lib/libcudart.so.12") == "cuda_cudart:lib/libcudart.so.12");
}

TEST_CASE("a target that no CMake knows gets a root without targets, with a profile that fits") {
  Trees trees;
  trees.add(archive("cuda_nvcc"), nvcc);
  trees.add(archive("cuda_cudart", "linux-ppc64le"), cudart);
  Composition composition = native();
  composition.targets = {"linux-ppc64le"};
  const RootPlan plan = trees.plan(composition);
  CHECK(plan.origin.one_target);
  CHECK(at(plan, "lib/libcudart.so.12") == "cuda_cudart:lib/libcudart.so.12");
  CHECK(at(plan, "lib64") == "->lib");
  CHECK(at(plan, "include/crt/host_config.h").empty()); // of the host's archive
  CHECK(text_at(plan, "bin/nvcc.profile") == "INCLUDES += \"-I$(TOP)/include\"\nL = $(TOP)/lib\n");
}

TEST_CASE("a native toolkit for ppc64le has the usual layout") {
  Trees trees;
  trees.add(archive("cuda_cudart", "linux-ppc64le"), cudart);
  Composition composition;
  composition.host = "linux-ppc64le";
  composition.targets = {"linux-ppc64le"};
  CHECK(at(trees.plan(composition), "targets/ppc64le-linux/lib/libcudart.so.12") ==
        "cuda_cudart:lib/libcudart.so.12");
}

TEST_CASE("selected outputs bring the licences of their packages only") {
  Composition composition = native();
  composition.outputs = {"lib"};
  const RootPlan plan = native_trees().plan(composition);
  CHECK(at(plan, "targets/x86_64-linux/lib/libcudart.so.12") == "cuda_cudart:lib/libcudart.so.12");
  CHECK(at(plan, "targets/x86_64-linux/lib/libcudart_static.a").empty());
  CHECK(at(plan, "include").empty());
  CHECK(at(plan, "share/licenses/cuda_cudart/LICENSE") == "cuda_cudart:LICENSE");
  CHECK(at(plan, "share/licenses/cuda_nvcc/LICENSE").empty());
}

TEST_CASE("of directories for several CUDA majors, the toolkit's is taken") {
  Trees trees;
  trees.add(archive("cuda_cudart"), cudart);
  trees.add(archive("libcutensor"), {{"include/cutensor.h", "h"},
                                     {"lib/11/libcutensor.so.2", "11"},
                                     {"lib/11.0/libcutensor.so.2", "11.0"},
                                     {"lib/12/libcutensor.so.2", "12"}});
  const RootPlan plan = trees.plan(native());
  CHECK(plan.findings.empty());
  CHECK(at(plan, "targets/x86_64-linux/lib/libcutensor.so.2") == "libcutensor:lib/12/libcutensor.so.2");
}

TEST_CASE("two packages with different files at one path are refused, equal ones are not") {
  Trees trees;
  trees.add(archive("a"), {{"include/x.h", "one"}, {"include/y.h", "same"}});
  trees.add(archive("b"), {{"include/x.h", "two"}, {"include/y.h", "same"}});
  const RootPlan plan = trees.plan(native());
  REQUIRE(plan.findings.size() == 1);
  CHECK(plan.findings[0].rule == Rule::path_conflict);
  CHECK(plan.findings[0].file == "targets/x86_64-linux/include/x.h");
  CHECK(plan.findings[0].explanation.find("a 12.4.127") != std::string::npos);
}

TEST_CASE("names that differ in case only are refused, and so is a file where a directory is") {
  Trees trees;
  trees.add(archive("a"), {{"include/Half/x.h", "one"}, {"include/z", "file"}});
  trees.add(archive("b"), {{"include/half/y.h", "two"}, {"include/z/z.h", "three"}});
  const RootPlan plan = trees.plan(native());
  CHECK(plan.findings.size() == 2);
  for (const Finding& one : plan.findings)
    CHECK(one.rule == Rule::path_conflict);
}

TEST_CASE("compatibility libraries are there if they were requested") {
  Trees trees;
  trees.add(archive("cuda_compat"), {{"compat/libcuda.so.550.54", "so"}});
  CHECK(at(trees.plan(native()), "compat/libcuda.so.550.54").empty());
  Composition composition = native();
  composition.compat = true;
  CHECK(at(trees.plan(composition), "compat/libcuda.so.550.54") == "cuda_compat:compat/libcuda.so.550.54");
}

TEST_CASE("archives of Windows keep their directories") {
  Trees trees;
  trees.add(archive("cuda_cudart", "windows-x86_64"),
            {{"bin/cudart64_12.dll", "dll"}, {"lib/x64/cudart.lib", "lib"}, {"include/cuda.h", "h"}});
  Composition composition;
  composition.host = "windows-x86_64";
  composition.targets = {"windows-x86_64"};
  const RootPlan plan = trees.plan(composition);
  CHECK(at(plan, "bin/cudart64_12.dll") == "cuda_cudart:bin/cudart64_12.dll");
  CHECK(at(plan, "lib/x64/cudart.lib") == "cuda_cudart:lib/x64/cudart.lib");
  CHECK(at(plan, "include/cuda.h") == "cuda_cudart:include/cuda.h");
  CHECK(at(plan, "lib64").empty());
}

TEST_CASE("TensorRT's links at the top are replaced by the layout") {
  Trees trees;
  LockedArchive tensorrt = archive("tensorrt");
  trees.add(tensorrt, {{"lib", "->targets/x86_64-linux-gnu/lib"},
                       {"targets/x86_64-linux-gnu/lib/libnvinfer.so.10", "so"},
                       {"include/NvInfer.h", "h"}});
  const RootPlan plan = trees.plan(native());
  CHECK(plan.findings.empty());
  CHECK(at(plan, "lib") == "->targets/x86_64-linux/lib");
  CHECK(at(plan, "targets/x86_64-linux/lib/libnvinfer.so.10") ==
        "tensorrt:targets/x86_64-linux-gnu/lib/libnvinfer.so.10");
}

TEST_CASE("the archives of a lock are chosen by platform, and by variant") {
  Lock lock;
  lock.archives = {archive("cuda_cudart"), archive("cuda_cudart", "linux-sbsa"),
                   archive("cudnn", "linux-x86_64", "cuda11"), archive("cudnn", "linux-x86_64", "cuda12")};
  const auto chosen = selected_archives(lock, native(), facts());
  REQUIRE(chosen);
  REQUIRE(chosen->size() == 2);
  CHECK((*chosen)[1].variant == "cuda12");
  Composition other = native();
  other.targets = {"linux-ppc64le"};
  const auto none = selected_archives(lock, other, facts());
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "the lock has no archive for linux-ppc64le");
}
