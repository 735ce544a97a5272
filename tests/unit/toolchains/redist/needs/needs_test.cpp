// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/tree/rules_case.hpp"
#include "toolchains/redist/needs/needs.hpp"
#include "toolchains/redist/tree/proof.hpp"

using namespace hostpin;
using namespace hostpin::redist;
using namespace hostpin::redist::test;

namespace {

constexpr auto opened = static_cast<unsigned>(tracing::Access::content);
constexpr auto looked_for = static_cast<unsigned>(tracing::Access::status);

/// A composed toolkit, and a project next to it.
struct Project {
  Project() {
    trees.add(archive("cuda_cudart"), {{"LICENSE", "text"},
                                       {"include/cuda_runtime.h", "int a;\n"},
                                       {"lib/libcudart_static.a", "archive"},
                                       {"lib/libcudart.so.12", library("libcudart.so.12")}});
    trees.add(archive("libcublas"),
              {{"include/cublas_v2.h", "int b;\n"},
               {"lib/libcublas.so", "->libcublas.so.12"},
               {"lib/libcublas.so.12", library("libcublas.so.12", {{"libcublasLt.so.12", {}}}, {},
                                               std::string("\0libcuda.so.1\0", 14))},
               {"lib/libcublasLt.so.12", library("libcublasLt.so.12")},
               {"lib/stubs/libcublas.so", library("libcublas.so.12")}});
    trees.add(archive("cuda_nvml_dev"), {{"lib/stubs/libnvidia-ml.so", library("libnvidia-ml.so.1")}});
    REQUIRE(trees.compose(native(), "root"));
    directory = std::filesystem::canonical(trees.path("root")).string();
    current = std::filesystem::canonical(trees.path("")).string();
    Trees::write(current + "/src/app.cu",
                 "// cublas_v2.h\n#include <stdio.h>\n\n# include \"cublas_v2.h\"\n");
  }

  void open(const std::string& path) { trace.accessed[path] |= opened; }
  void build(const std::string& name, const std::string& bytes) {
    Trees::write(current + '/' + name, bytes);
    trace.written.insert(current + '/' + name);
  }
  Needs needs() const {
    return needs_of(trace, Root::of_directory(directory, *origin_at(directory)), directory, current, facts());
  }

  Trees trees;
  std::string directory, current;
  tracing::Trace trace;
};

std::string text(const std::vector<NeededPart>& parts) {
  std::string text;
  for (const NeededPart& part : parts)
    text += name_of(part) + ' ' + std::to_string(part.files) + ": " + part.why + '\n';
  return text;
}

} // namespace

TEST_CASE(
    "what was opened is needed to build, through links and views too, and what was only looked for is not") {
  Project project;
  project.open(project.directory + "/include/cuda_runtime.h");
  project.open(project.directory + "/targets/x86_64-linux/include/../include/cuda_runtime.h");
  std::filesystem::create_directory_symlink(project.directory + "/lib64", project.current + "/view");
  project.open(project.current + "/view/libcudart_static.a");
  project.open(project.current + "/none");
  project.open(project.directory + "/share/licenses/cuda_cudart/LICENSE");
  project.trace.accessed[project.directory + "/lib64/libcublas.so"] = looked_for;
  const Needs needs = project.needs();
  CHECK(text(needs.build) ==
        "cuda_cudart.include 1: cuda_runtime.h\ncuda_cudart.static 1: libcudart_static.a\n");
  CHECK(needs.run.empty());
}

TEST_CASE("a stub stands for the toolkit's library, if there is one") {
  Project project;
  project.open(project.directory + "/lib64/stubs/libcublas.so");
  project.open(project.directory + "/lib64/stubs/libnvidia-ml.so");
  CHECK(text(project.needs().build) ==
        "cuda_nvml_dev.stubs 1: libnvidia-ml.so\nlibcublas.lib 1: libcublas.so.12\n");
}

TEST_CASE("the reason for a header is the line of the project that includes it") {
  Project project;
  project.open(project.directory + "/include/cublas_v2.h");
  project.open(project.current + "/src/app.cu");
  CHECK(text(project.needs().build) == "libcublas.include 1: src/app.cu:4 includes cublas_v2.h\n");
}

TEST_CASE("programs that were built need their libraries where they run, and those what they need") {
  Project project;
  project.open(project.directory + "/include/cuda_runtime.h");
  project.build("bin/app", library("", {{"libcublas.so.12", {}}, {"libc.so.6", {}}}));
  project.build("bin/notes", "\x7f"
                             "ELF that is none");
  project.trace.written.insert(project.current + "/bin/removed");
  const Needs needs = project.needs();
  CHECK(text(needs.run) == "libcublas.lib 2: bin/app needs libcublas.so.12\n");
  CHECK(needs.run.front().bytes ==
        std::filesystem::file_size(project.directory + "/lib/libcublas.so.12") +
            std::filesystem::file_size(project.directory + "/lib/libcublasLt.so.12"));
  CHECK(needs.expected == std::vector<std::string>{"libcuda.so.1"});
  CHECK(bytes_of(needs) < needs.whole);
}

TEST_CASE("libraries that programs open by name are needed where they run") {
  Project project;
  project.open(project.directory + "/include/cuda_runtime.h");
  project.build("app", library("", {}, {}, std::string("\0libcublas.so\0", 14)));
  CHECK(text(project.needs().run) == "libcublas.lib 2: app opens libcublas.so\n");
}
