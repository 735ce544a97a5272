// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/tree/trees.hpp"
#include "toolchains/redist/needs/names.hpp"

using namespace hostpin;
using namespace hostpin::redist;

namespace {

const std::vector<PackageNames>& names() {
  static const auto loaded = load_package_names(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE_MESSAGE(loaded, loaded.error().message);
  return *loaded;
}

NeededPart part(const std::string& package, const std::string& output) {
  return {package, "linux-x86_64", output, 1, 1, "because"};
}

Result<std::string> text(const std::string& form, const Needs& needs) {
  Origin origin;
  origin.archives = {redist::test::archive("cuda_nvcc")};
  for (const RecipeForm& one : recipe_forms())
    if (one.name == form)
      return one.text({needs, origin, names()});
  return failure("no such form");
}

Needs needs() {
  Needs needs;
  needs.build = {part("cuda_cccl", "include"), part("cuda_cudart", "include"), part("cuda_cudart", "static"),
                 part("cuda_nvcc", "bin"), part("libcublas", "lib")};
  needs.run = {part("libcublas", "lib")};
  return needs;
}

} // namespace

TEST_CASE("the list is spelled as each package system does") {
  CHECK(text("compose", needs()) ==
        "cuda_cccl.include,cuda_cudart.include,cuda_cudart.static,cuda_nvcc.bin,libcublas.lib\n");
  CHECK(text("conda", needs()) ==
        "# Made by `hostpin redist needs`.\n"
        "requirements:\n"
        "  build:\n    - cuda-nvcc\n"
        "  host:\n    - cuda-cccl\n    - cuda-cudart-dev\n    - cuda-cudart-static\n    - libcublas\n"
        "  run:\n    - libcublas\n");
  CHECK(text("pip", needs()) ==
        "# Made by `hostpin redist needs`.\ncuda-toolkit[cccl,cublas,cudart,nvcc]==12.4.*\n");
  CHECK(text("nix", needs()) ==
        "# Made by `hostpin redist needs`.\n"
        "{ lib, cudaPackages }:\n{\n"
        "  nativeBuildInputs = [\n    (lib.getOutput \"bin\" cudaPackages.cuda_nvcc)\n  ];\n"
        "  buildInputs = [\n    (lib.getOutput \"include\" cudaPackages.cuda_cccl)\n"
        "    (lib.getOutput \"include\" cudaPackages.cuda_cudart)\n"
        "    (lib.getOutput \"lib\" cudaPackages.libcublas)\n"
        "    (lib.getOutput \"static\" cudaPackages.cuda_cudart)\n  ];\n}\n");
}

TEST_CASE("a package whose name elsewhere is not known is an error") {
  Needs unknown;
  unknown.build = {part("cuda_future", "include")};
  const auto result = text("conda", unknown);
  REQUIRE(!result);
  CHECK(result.error().message == "it is not known what cuda_future is called there");
  CHECK(text("nix", unknown));
}

TEST_CASE("without a program that was built nothing is needed where programs run") {
  Needs none;
  none.build = {part("cuda_nvcc", "bin")};
  CHECK(
      text("conda", none) ==
      "# Made by `hostpin redist needs`.\nrequirements:\n  build:\n    - cuda-nvcc\n  host: []\n  run: []\n");
}
