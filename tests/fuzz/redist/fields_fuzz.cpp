// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifests, a lock, lists of releases and feature manifests that are checked together, whose fields were
// changed and not their bytes. What is found is reported, what is selected from manifests without errors is a
// lock that can be read, and each lock has every form.
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/structured.hpp"
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/redist/check/documents.hpp"
#include "toolchains/redist/check/report.hpp"
#include "toolchains/redist/emit/emit.hpp"
#include "toolchains/redist/select/difference.hpp"
#include "toolchains/redist/select/selection.hpp"

#include <cstdlib>
#include <utility>

using namespace hostpin;
using namespace hostpin::redist;
using test::Node;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

std::string archive(const std::string& path, char digit) {
  return R"({"relative_path": ")" + path + R"(", "sha256": ")" + std::string(64, digit) + R"(", "md5": ")" +
         std::string(32, digit) + R"(", "size": "12"})";
}

/// A release for two platforms; `version` is that of its packages.
std::string manifest(const std::string& label, const std::string& version) {
  return R"({"release_date": "2024-04-16", "release_label": ")" + label +
         R"(", "release_product": "cuda", "cuda_nvcc": {
 "name": "CUDA NVCC", "license": "CUDA Toolkit", "license_path": "cuda_nvcc/LICENSE.txt", "version": ")" +
         version + R"(", "linux-x86_64": )" +
         archive("cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-" + version + "-archive.tar.xz", 'a') +
         R"(, "windows-x86_64": )" +
         archive("cuda_nvcc/windows-x86_64/cuda_nvcc-windows-x86_64-" + version + "-archive.zip", 'b') +
         R"(}, "cudnn": {"name": "cuDNN", "license": "cudnn", "version": "9.1.0.70", "cuda_variant": ["11", "12"],
 "linux-x86_64": {"cuda11": )" +
         archive("cudnn/linux-x86_64/cudnn-linux-x86_64-9.1.0.70_cuda11-archive.tar.xz", 'c') +
         R"(, "cuda12": )" +
         archive("cudnn/linux-x86_64/cudnn-linux-x86_64-9.1.0.70_cuda12-archive.tar.xz", 'd') + "}}}";
}

std::string locked() {
  const std::string digest(64, 'a');
  Lock lock;
  lock.manifests.push_back({"cuda", "12.4.1", "2024-04-16", digest, "https://example.org/cuda/"});
  lock.archives.push_back({"cuda", "12.4.1", "cuda_nvcc", "12.4.131", "linux-x86_64", "", "CUDA Toolkit",
                           "cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-12.4.131-archive.tar.xz", digest,
                           12, digest});
  lock.archives.push_back({"cuda",
                           "12.4.1",
                           "cudnn",
                           "9.1.0.70",
                           "linux-x86_64",
                           "cuda12",
                           "cudnn",
                           "cudnn/a.tar.xz",
                           digest,
                           {},
                           {}});
  return lock_text(lock);
}

/// Files by their paths, and what is selected from them.
Node sample() {
  const std::string hash = "sha256-BJH3sC9VwiB362eL8xTB+RdSS9UHz1tlgjm/mKRyM6E=";
  const std::string features =
      R"({"cuda_nvcc": {"packages": {"linux-x86_64": {"None": {"features": {"outputs": ["lib"], "cudaArchitectures":
 ["sm_90"]}, "recursiveHash": ")" +
      hash + R"(", "relativePath": "a/b"}}}, "releaseInfo": {"version": "1", "name": "n", "license": "l"}}})";
  const std::string releases =
      R"({"cudnn": {}, "product": "cudnn", "releases": {"linux-x86_64": [{"version": "9.1", "minCudaVersion": "12.0",
 "maxCudaVersion": "12.8", "cudnnVersion": null, "url": "https://example.org/cudnn-linux-x86_64-9.1.tar.xz", "hash": ")" +
      hash + "\"}]}}";
  return test::parsed(
      R"({"files": {"cuda/redistrib_12.4.1.json": )" + manifest("12.4.1", "12.4.131") +
      R"(, "cuda/redistrib_12.5.0.json": )" + manifest("12.5.0", "12.5.40") + R"(, "redist.lock": )" +
      locked() + R"(, "releases.json": )" + releases + R"(, "features.json": )" + features +
      R"(}, "platforms": ["linux-x86_64"], "packages": ["cuda_nvcc", "cudnn"], "variant": "12"})");
}

const Facts& facts() {
  static const Facts all = load_facts(DiskFiles(), hostpin::test::shipped_data()).value();
  return all;
}

std::vector<std::string> texts_of(const Node& node, std::string_view name) {
  std::vector<std::string> texts;
  if (const Node* const list = node.find(name))
    for (const test::Member& member : list->members)
      texts.push_back(member.node.text);
  return texts;
}

void use_lock(const std::string& text, const Documents& documents, std::vector<Finding>& findings) {
  const auto lock = read_lock(text, "redist.lock");
  if (!lock)
    return;
  check_against(*lock, documents.manifests, findings);
  const std::string again = lock_text(*lock);
  const auto same = read_lock(again, "redist.lock");
  require(same && lock_text(*same) == again);
  for (const Form& form : forms()) {
    const auto emitted = form.text({facts(), *lock, "/opt/x"});
    require(emitted ? !emitted->empty() && (form.name != "spdx" || document::parse_json(*emitted))
                    : !emitted.error().message.empty());
  }
}

void select_from(const Node& root, const Documents& documents, const std::vector<Finding>& findings) {
  if (most_severe(findings) == Severity::error)
    return;
  const auto selected =
      selection(facts(), documents.manifests,
                {texts_of(root, "platforms"), texts_of(root, "packages"), root.text_of("variant"), {}});
  require(selected ? read_lock(lock_text(selected->lock), "lock").has_value()
                   : !selected.error().message.empty());
}

void compare(const Files& files, const std::vector<std::string>& paths) {
  std::vector<Release> releases;
  for (const std::string& path : paths)
    if (auto release = read_release(files, path))
      releases.push_back(*std::move(release));
  for (std::size_t index = 0; index + 1 < releases.size() && index < 4; ++index) {
    const Difference found = difference(facts(), releases[index], releases[index + 1]);
    require(!text_of(found).empty() && document::parse_json(json_of(found)));
  }
}

} // namespace

std::vector<std::string> seeds() {
  return test::random_inputs(16, 20);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::Choices choices({reinterpret_cast<const char*>(data), size});
  Node root = sample();
  for (int count = 0; count < 6 && !choices.empty(); ++count)
    test::change(root, choices);
  std::map<std::string, std::string> contents;
  if (const Node* const all = root.find("files"))
    for (const test::Member& member : all->members)
      if (!member.name.empty()) // which no file has
        contents.emplace(member.name, test::json_text(member.node));
  const FilesMap files(contents);
  Documents documents;
  std::vector<Finding> findings;
  std::vector<std::string> paths;
  for (const auto& [path, text] : contents) {
    require(read_document(files, path, true, documents, findings).has_value());
    paths.push_back(path);
  }
  check_documents(documents, facts(), findings);
  for (const auto& [path, text] : contents)
    use_lock(text, documents, findings);
  sort(findings);
  require(document::parse_json(report_json(findings, documents.count())) &&
          document::parse_json(report_sarif(findings, "1")) &&
          !report_text(findings, documents.count(), Terminal(false)).empty());
  select_from(root, documents, findings);
  compare(files, paths);
  return 0;
}
