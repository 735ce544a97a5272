// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/toolkit/wheels.hpp"
#include "wrapper/setup/wheel_choice.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

const std::string digest(64, 'a');

struct Item {
  std::string name, version;
  std::string address = {}; ///< empty: a usual one
  std::string archive = {}; ///< likewise
  std::string more = {};
};

std::string report(const std::vector<Item>& items) {
  std::string text;
  for (const Item& each : items)
    text += fmt::format(
        R"({}{{"download_info": {{"url": "{}", "archive_info": {}}}, "metadata": {{"name": "{}", "version": "{}"}}{}}})",
        text.empty() ? "" : ", ",
        each.address.empty() ? fmt::format("https://files.example/{}-{}-py3-none-manylinux_2_17_x86_64.whl",
                                           each.name, each.version)
                             : each.address,
        each.archive.empty() ? fmt::format(R"({{"hashes": {{"sha256": "{}"}}}})", digest) : each.archive,
        each.name, each.version, each.more);
  return fmt::format(R"({{"version": "1", "install": [{}]}})", text);
}

std::vector<Item> whole() {
  return {{"nvidia_cuda_nvcc", "13.3.73"},  {"nvidia.cuda-crt", "13.3.73"},
          {"nvidia-nvvm", "13.3.73"},       {"Nvidia-CUDA-runtime", "13.3.29"},
          {"nvidia-cuda-nvrtc", "13.3.33"}, {"nvidia-cuda-cccl", "13.3.3.4.1"}};
}

Asked wants(Version release) {
  Asked asked;
  asked.cuda = release;
  return asked;
}

std::string refusal(const std::vector<Item>& items, const Asked& asked = {}) {
  const auto piece = wheels_piece(report(items), asked);
  return piece ? "" : piece.error().message;
}

/// Of a report whose first wheel is that one.
std::string refusal_of(Item first) {
  auto items = whole();
  items.front() = std::move(first);
  return refusal(items);
}

std::vector<CudaWheel> rows() {
  const auto rows = load_cuda_wheels(DiskFiles(), test::shipped_data());
  REQUIRE(rows);
  return *rows;
}

} // namespace

TEST_CASE("pip is asked for NVIDIA's metapackage of the release") {
  const auto asked_of = [](const Asked& asked) {
    return fmt::format("{}", fmt::join(*wheel_requirements(asked, rows()), " "));
  };
  const std::string extras = "cuda-toolkit[nvcc,crt,nvvm,cudart,nvrtc,cccl";
  CHECK(asked_of({}) == extras + "]>=13");
  CHECK(asked_of(wants({13, 3, 0})) == extras + "]==13.3.*");
  CHECK(asked_of(wants({13, 3, 1})) == extras + "]==13.3.1");
  CHECK(asked_of(wants({13, 3, 73})) == extras + "]==13.3.* nvidia-cuda-nvcc==13.3.73");
  Asked more = wants({13, 3, 0});
  more.libraries = {"cublas"};
  CHECK(asked_of(more) == extras + ",cublas]==13.3.*");
  more.libraries = {"blas"};
  CHECK(wheel_requirements(more, rows()).error().message == "--libraries: no wheel has a library 'blas'");
  CHECK(wheel_requirements(wants({12, 9, 0}), rows()).error().message ==
        "the wheels of CUDA 12.9 have no nvcc");
}

TEST_CASE("without a metapackage pip is asked for single wheels") {
  Asked asked = wants({13, 5, 0});
  asked.libraries = {"cublas"};
  CHECK(fmt::format("{}", fmt::join(single_requirements(asked, rows()), " ")) ==
        "nvidia-cuda-nvcc==13.5.* nvidia-cuda-crt==13.5.* nvidia-nvvm==13.5.* nvidia-cuda-runtime==13.5.* "
        "nvidia-cuda-nvrtc==13.5.* nvidia-cuda-cccl nvidia-cublas");
  CHECK(single_requirements(wants({13, 5, 37}), rows()).front() == "nvidia-cuda-nvcc==13.5.37");
  CHECK(single_requirements({}, rows()).empty());
  CHECK(single_requirements(wants({13, 5, 1}), rows()).empty());
}

TEST_CASE("a report of pip is a toolkit") {
  const auto piece = wheels_piece(report(whole()), wants({13, 3, 0}));
  REQUIRE_MESSAGE(piece, piece.error().message);
  CHECK(title(*piece) == "CUDA 13.3.73");
  CHECK(piece->license == cuda_eula);
  REQUIRE(piece->packages.size() == 6);
  const Package& first = piece->packages.front(); // in the order of names
  CHECK(first.name == "nvidia-cuda-cccl");
  CHECK(first.version == "13.3.3.4.1");
  CHECK(first.file == "nvidia-cuda-cccl-13.3.3.4.1-py3-none-manylinux_2_17_x86_64.whl");
  CHECK(first.architecture == "manylinux_2_17_x86_64");
  CHECK(first.sha256 == digest);
  CHECK(toolkit_root(*piece, "/d/cuda") == "/d/cuda/nvidia/cu13");
  CHECK(space_for(*piece) > std::uint64_t{500} << 20U); // sizes are not known
}

TEST_CASE("user, password and fragment of an address are left out, its hash may have the old form") {
  auto items = whole();
  items[0].address = "https://me:secret@example.org/a%2Bb-1-py3-none-any.whl?x#sha256=1";
  items[0].archive = fmt::format(R"({{"hash": "sha256={}"}})", digest);
  const auto piece = wheels_piece(report(items), {});
  REQUIRE_MESSAGE(piece, piece.error().message);
  const auto nvcc = std::ranges::find(piece->packages, "nvidia-cuda-nvcc", &Package::name);
  CHECK(nvcc->address == "https://example.org/a%2Bb-1-py3-none-any.whl?x");
  CHECK(nvcc->file == "a+b-1-py3-none-any.whl");
}

TEST_CASE("what a hostile index may put into a report is refused") {
  const std::string name = "nvidia-cuda-nvcc", version = "13.3.73";
  for (const char* const address : {"https://x/a.tar.gz", "git+https://x/a.whl", "ftp://x/a.whl",
                                    "https://x/${HOME}/a-1-py3-none-any.whl", "https://x/a b.whl",
                                    "https://x/.whl", "https://x/%2e%2e%2fa.whl", "--editable=x.whl",
                                    "https://x/a.whl\\n--index-url=y.whl", "file://host/a.whl"})
    CHECK_MESSAGE(refusal_of({name, version, address}).find("is not of a wheel") != std::string::npos,
                  address);
  for (const char* const archive : {"{}", "null", R"({"hashes": {"md5": "a"}})",
                                    R"({"hashes": {"sha256": "AB"}})", R"({"hash": "md5=a"})"})
    CHECK_MESSAGE(refusal_of({name, version, {}, archive}).find("without its SHA-256") != std::string::npos,
                  archive);
  for (const char* const bad : {"", "a b", "${X}", "a\\nb", "../a"}) {
    CHECK(refusal_of({bad, version}).find("without a valid name") != std::string::npos);
    CHECK(refusal_of({name, bad}).find("without a valid name") != std::string::npos);
  }
  CHECK(refusal_of({name, version, {}, {}, R"(, "is_yanked": true)"}).find("withdrawn (yanked)") !=
        std::string::npos);
  CHECK(refusal({{name, version}, {name, version}}).find("twice") != std::string::npos);
}

TEST_CASE("a report that is none, or has no compiler, is refused") {
  for (const char* const text :
       {"", "[]", "{}", "{\"install\": []}", "{\"install\": 1}", "{\"install\": [1]}"})
    CHECK_FALSE(wheels_piece(text, {}));
  CHECK(refusal({{"cuda-toolkit", "13.3.1"}}).find("no nvidia-cuda-nvcc") != std::string::npos);
  auto without = whole();
  without.erase(without.begin() + 3);
  CHECK(refusal(without).find("no nvidia-cuda-runtime") != std::string::npos);
}

TEST_CASE("wheels of different releases are refused with both named") {
  auto items = whole();
  items[1].version = "13.1.115";
  CHECK(refusal(items) == "pip's report has wheels of different releases: nvidia-cuda-nvcc 13.3.73, "
                          "nvidia-cuda-crt 13.1.115");
  CHECK(refusal(whole(), wants({13, 2, 0})) == "pip's report has nvcc 13.3.73, not 13.2");
  CHECK(refusal(whole(), wants({13, 3, 1})).empty()); // the metapackage's number
  CHECK(refusal(whole(), wants({13, 3, 33})) == "pip's report has nvcc 13.3.73, not 13.3.33");
}
