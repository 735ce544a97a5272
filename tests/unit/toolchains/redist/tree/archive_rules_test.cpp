// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/redist/tree/facts.hpp"
#include "toolchains/redist/tree/archive_rules.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

ArchiveSubject subject(const std::string& package = "libcublas", const std::string& version = "12.4.5.8") {
  return {package, version, "linux-x86_64", "", package + "-linux-x86_64-" + version + "-archive.tar.xz", {}};
}

Binary library(const std::string& path, const std::string& soname, const std::string& output = "lib") {
  Binary binary;
  binary.path = path;
  binary.output = output;
  binary.kind = Binary::Kind::library;
  binary.machine = "x86_64";
  binary.soname = soname;
  binary.size = 1000;
  return binary;
}

/// Contents with these binaries, these links (path and target) and a license.
Contents contents(std::vector<Binary> binaries,
                  const std::vector<std::pair<std::string, std::string>>& links = {}) {
  Contents all;
  all.files.push_back({"LICENSE", "out", 1, std::nullopt});
  for (const Binary& binary : binaries)
    all.files.push_back({binary.path, binary.output, binary.size, std::nullopt});
  for (const auto& [path, target] : links)
    all.files.push_back({path, "lib", target.size(), target});
  std::ranges::sort(all.files, {}, &TreeFile::path);
  std::ranges::sort(binaries, {}, &Binary::path);
  all.binaries = std::move(binaries);
  return all;
}

std::vector<Finding> findings(const ArchiveSubject& subject, const Contents& contents,
                              const std::vector<gpus::Capability>& gpus = {}) {
  static const std::vector<gpus::Gpu> table =
      gpus::load_gpus(DiskFiles(), hostpin::test::shipped_data()).value();
  return archive_findings(subject, contents, test::redist_facts(), test::content_facts(), {table, gpus});
}

/// `rule severity subject`, with ` | ` between findings.
std::string reported(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& one : findings)
    text += (text.empty() ? "" : " | ") + std::string(text_of(one.rule).name) + ' ' +
            std::string(to_string(one.severity)) + ' ' + one.subject;
  return text;
}

const Contents good =
    contents({library("lib/libcublas.so.12.4.5.8", "libcublas.so.12"),
              library("lib/stubs/libcublas.so", "libcublas.so.12", "stubs")},
             {{"lib/libcublas.so", "libcublas.so.12"}, {"lib/libcublas.so.12", "libcublas.so.12.4.5.8"}});

} // namespace

TEST_CASE("an archive as NVIDIA publishes it has no findings") {
  ArchiveSubject one = subject();
  one.top_names = {"libcublas-linux-x86_64-12.4.5.8-archive"};
  CHECK(reported(findings(one, good)).empty());
}

TEST_CASE("top-directory: another name, or several; TensorRT has its own (case: tensorrt 10.14.1)") {
  ArchiveSubject one = subject();
  one.top_names = {"libcublas"};
  CHECK(reported(findings(one, good)) == "top-directory error libcublas");
  one.top_names = {"libcublas-linux-x86_64-12.4.5.8-archive", "LICENSE"};
  CHECK(findings(one, good).size() == 1);
  ArchiveSubject tensorrt = subject("tensorrt", "10.14.1.48");
  tensorrt.file = "machine-learning/TensorRT-10.14.1.48.Linux.x86_64-gnu.cuda-12.9.tar.gz";
  tensorrt.top_names = {"TensorRT-10.14.1.48"};
  CHECK(reported(findings(tensorrt, contents({}))).empty());
}

TEST_CASE("unsafe-member: what the unpacker rejects, and names that differ only in case (made)") {
  const Finding one = rejected_finding(subject(), {"../x", "leaves the directory"});
  CHECK(one.rule == Rule::unsafe_member);
  CHECK(one.explanation == "`../x` leaves the directory");
  Contents all = good;
  all.files.push_back({"lib/LIBCUBLAS.so", "lib", 1, std::nullopt});
  std::ranges::sort(all.files, {}, &TreeFile::path);
  CHECK(reported(findings(subject(), all)) == "unsafe-member error lib/libcublas.so");
}

TEST_CASE(
    "wrong-machine: content of linux-sbsa listed as linux-x86_64 (made), but not remote targets of tools") {
  Binary arm = library("lib/libcublas.so.12.4.5.8", "");
  arm.machine = "aarch64";
  CHECK(reported(findings(subject(), contents({arm}))) == "wrong-machine error lib/libcublas.so.12.4.5.8");
  arm.path = "target/linux-desktop-t210-a64/libInterceptor.so";
  CHECK(reported(findings(subject("nsight_compute", "2024.1.1.4"), contents({arm}))).empty());
  Contents damaged = good;
  damaged.damaged = {{"lib/libcublasLt.so.12", "its program headers are outside the file"}};
  CHECK(reported(findings(subject(), damaged)) == "wrong-machine error lib/libcublasLt.so.12");
}

TEST_CASE("soname-link: missing, dangling, or to another library (made)") {
  const Binary real = library("lib/libcublas.so.12.4.5.8", "libcublas.so.12");
  CHECK(reported(findings(subject(), contents({real}))) == "soname-link error lib/libcublas.so.12");
  CHECK(findings(subject(), contents({real}, {{"lib/libcublas.so.12", "gone"}}))[0].explanation ==
        "lib/libcublas.so.12.4.5.8 has the SONAME libcublas.so.12, and lib/libcublas.so.12 leads to a file "
        "that "
        "does not exist");
  Contents other =
      contents({real, library("lib/libother.so", "libother.so")}, {{"lib/libcublas.so.12", "libother.so"}});
  CHECK(reported(findings(subject(), other)) == "soname-link error lib/libcublas.so.12");
}

TEST_CASE(
    "soname-link: a stub of the driver without its link is a warning (case: cuda_cudart, libcuda.so.1)") {
  const Binary cudart = library("lib/libcudart.so.12", "libcudart.so.12");
  const Binary stub = library("lib/stubs/libcuda.so", "libcuda.so.1", "stubs");
  CHECK(reported(findings(subject("cuda_cudart", "12.4.127"), contents({cudart, stub}))) ==
        "soname-link warning lib/stubs/libcuda.so.1");
  CHECK(reported(findings(subject("cuda_cudart", "12.4.127"),
                          contents({cudart, stub}, {{"lib/stubs/libcuda.so.1", "libcuda.so"}})))
            .empty());
}

TEST_CASE("cuda-directories: one has to be selected, unless the variant does (case: cutensor 2.0.2)") {
  Contents all = contents({library("lib/11/libcutensor.so.2", "libcutensor.so.2"),
                           library("lib/12/libcutensor.so.2", "libcutensor.so.2")});
  all.cuda_directories = {"11", "12"};
  ArchiveSubject one = subject("libcutensor", "2.0.2.4");
  CHECK(findings(one, all)[0].explanation ==
        "lib has directories for CUDA 11, 12; that of the toolkit's release has to be selected");
  one.variant = "cuda12";
  CHECK(reported(findings(one, all)) == "cuda-directories warning lib");
  CHECK(findings(one, all)[0].explanation.ends_with("12 is the archive's variant"));
}

TEST_CASE("stub-as-library: only stubs; of the driver it is a note (case: cuda_nvml_dev)") {
  const Binary nvml = library("lib/stubs/libnvidia-ml.so", "libnvidia-ml.so.1", "stubs");
  const Contents all = contents({nvml}, {{"lib/stubs/libnvidia-ml.so.1", "libnvidia-ml.so"}});
  CHECK(reported(findings(subject("cuda_nvml_dev", "12.4.127"), all)) ==
        "stub-as-library note lib/stubs/libnvidia-ml.so");
  CHECK(reported(
            findings(subject(), contents({library("lib/stubs/libcublas.so", "libcublas.so.12", "stubs")}))) ==
        "stub-as-library error lib/stubs/libcublas.so");
}

TEST_CASE("stub-as-library: a stub among real libraries (made)") {
  Binary stub = library("lib/libcublas.so.12", "libcublas.so.12");
  stub.size = 10;
  CHECK(reported(
            findings(subject(), contents({stub, library("lib/libcublas.so.12.4.5.8", "libcublas.so.12")}))) ==
        "stub-as-library error lib/libcublas.so.12");
  const Contents driver = contents({library("lib/libcuda.so.1", "libcuda.so.1")});
  CHECK(reported(findings(subject("cuda_cudart", "12.4.127"), driver)) ==
        "stub-as-library error lib/libcuda.so.1");
  CHECK(reported(findings(subject("cuda_compat", "12.4.35753180"), driver)).empty());
}

TEST_CASE("wrong-version: in file names and macros (made), but not of libraries with versions of their own") {
  const auto with = [](const std::string& file, const std::string& soname) {
    return contents({library("lib/" + file, soname)}, {{"lib/" + soname, file}});
  };
  CHECK(reported(findings(subject(), with("libcublas.so.12.4.4.1", "libcublas.so.12"))) ==
        "wrong-version error lib/libcublas.so.12.4.4.1");
  CHECK(reported(findings(subject("libcufile", "1.9.1.3"), with("libcufile_x.so.1.9.1", "libcufile_x.so.0")))
            .empty());
  CHECK(reported(findings(subject("cuda_cupti", "12.4.127"), with("libcupti.so.2024.1.1", "libcupti.so.12")))
            .empty());
  Contents cudnn = contents({});
  cudnn.macros = {{"include/cudnn_version.h", "9.10.1"}};
  CHECK(reported(findings(subject("cudnn", "9.10.2.21"), cudnn)) ==
        "wrong-version error include/cudnn_version.h");
  CHECK(reported(findings(subject("cudnn", "9.10.1.4"), cudnn)).empty());
  CHECK(reported(findings(subject("cudnn", "9.10.14"), cudnn)) ==
        "wrong-version error include/cudnn_version.h");
}

TEST_CASE("missing-gpu-code: no machine code, or PTX only (case: libcublas 12.4.1 of linux-sbsa and 8.7)") {
  Binary real = library("lib/libcublas.so.12", "libcublas.so.12");
  real.machine_code = {{8, 0}, {8, 9}};
  CHECK(reported(findings(subject(), contents({real}), {{8, 6}, {8, 9}})).empty());
  CHECK(reported(findings(subject(), contents({real}), {{8, 7}})) ==
        "missing-gpu-code warning lib/libcublas.so.12 8.7"); // a Jetson's
  CHECK(reported(findings(subject(), contents({real}), {{7, 2}})) ==
        "missing-gpu-code warning lib/libcublas.so.12 7.2");
  real.ptx = {{7, 0}};
  CHECK(findings(subject(), contents({real}), {{7, 2}})[0].explanation.find("only PTX") != std::string::npos);
  using enum gpus::Capability::Variant;
  real.machine_code = {{9, 0, architecture_specific}};
  CHECK(reported(findings(subject(), contents({real}), {{9, 0}})).empty());
  CHECK(reported(findings(subject(), contents({library("lib/libx.so", "libx.so")}), {{9, 0}})).empty());
}

TEST_CASE("host-path: in a file for pkg-config (case: cuda-12.4.pc)") {
  Contents all = good;
  all.host_paths = {{"pkg-config/cuda-12.4.pc", {{1, "/usr/local/cuda-12.4"}}}};
  CHECK(findings(subject(), all)[0].explanation ==
        "pkg-config/cuda-12.4.pc:1 has the path /usr/local/cuda-12.4");
}

TEST_CASE(
    "executable-stack: a library that a running process cannot open (case: TensorRT's builder resource)") {
  Binary binary = library("lib/libcublas.so.12", "libcublas.so.12");
  binary.refusals = {hostpin::binary::Refusal::executable_stack};
  CHECK(reported(findings(subject(), contents({binary}))) == "executable-stack error lib/libcublas.so.12");
  binary.refusals = {hostpin::binary::Refusal::misaligned_segment};
  CHECK(reported(findings(subject(), contents({binary}))) == "misaligned-segment error lib/libcublas.so.12");
}

TEST_CASE("loader-refuses: another check of glibc's loader fails (made)") {
  Binary binary = library("lib/libcublas.so.12", "libcublas.so.12");
  binary.refusals = {hostpin::binary::Refusal::hash_table};
  CHECK(reported(findings(subject(), contents({binary}))) ==
        "loader-refuses error lib/libcublas.so.12: Inconsistency detected by ld.so");
  binary.kind = Binary::Kind::program;
  binary.refusals = {hostpin::binary::Refusal::program};
  CHECK(reported(findings(subject(), contents({binary}))).empty());
}

TEST_CASE("vendored-library: copies of a distribution's libraries (case: nsight_systems, Qt and libstdc++)") {
  Binary qt = library("host-linux-x64/libQt6Core.so.6", "libQt6Core.so.6", "out");
  CHECK(reported(findings(subject("nsight_systems", "2023.4.4.54"), contents({qt}))) ==
        "vendored-library warning host-linux-x64/libQt6Core.so.6");
}

TEST_CASE("unknown-license: no license text at the top (made)") {
  Contents all = good;
  std::erase_if(all.files, [](const TreeFile& file) { return file.path == "LICENSE"; });
  CHECK(reported(findings(subject(), all)) == "unknown-license warning LICENSE");
}
