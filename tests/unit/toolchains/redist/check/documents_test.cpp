// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/check/manifests.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/redist/check/documents.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

struct Reading {
  Documents documents;
  std::string findings;
};

Reading reading(const std::map<std::string, std::string>& texts, bool named = true) {
  const FilesMap files(texts);
  Reading result;
  std::vector<Finding> findings;
  for (const auto& [path, text] : texts)
    REQUIRE(read_document(files, path, named, result.documents, findings));
  check_documents(result.documents, real_facts(), findings);
  result.findings = listed(findings);
  return result;
}

const std::string releases_toml = R"(product = "cudnn"
[[releases.linux-x86_64]]
version = "9.1.1.17"
minCudaVersion = "12.0"
maxCudaVersion = "12.4"
url = "https://example.org/cudnn-linux-x86_64-9.1.1.17_cuda12-archive.tar.xz"
hash = "sha256-BJH3sC9VwiB362eL8xTB+RdSS9UHz1tlgjm/mKRyM6E="
)";

} // namespace

TEST_CASE("a file is read by what it contains") {
  const Reading result = reading(
      {{"cuda/redistrib_12.4.1.json", manifest_json(package_json("cuda_nvcc"))},
       {"f.json", R"({"a": {"linux-sbsa": {"outputs": {"bin": false, "dev": false, "doc": false, "lib": true,
 "sample": false, "static": true}}}})"},
       {"r.toml", releases_toml},
       {"redist.lock", lock_text({})},
       {"unnamed.json", manifest_json(package_json("cuda_gdb", "1", "linux-sbsa", hash_b))}});
  CHECK(result.findings == "");
  CHECK(result.documents.manifests.size() == 2);
  CHECK(result.documents.features.size() == 1);
  CHECK(result.documents.releases.size() == 1);
  CHECK(result.documents.locks == 1);
  CHECK(result.documents.count() == 5);
}

TEST_CASE("another file is skipped in a directory, and a finding if it was named") {
  const std::map<std::string, std::string> texts{{"package.json", "{\"name\": \"x\"}"}};
  CHECK(reading(texts, false).documents.count() == 0);
  CHECK(reading(texts).findings == "wrong-type document");
  CHECK(reading(texts).documents.unreadable == 1);
}

TEST_CASE("what cannot be parsed is a finding at its position, in a directory too") {
  const Reading result = reading({{"a.json", "{"}, {"b.toml", "x = \n"}, {"redistrib_1.json", "[]"}}, false);
  CHECK(result.findings == "not-json ; not-json ; wrong-type the manifest");
  CHECK(result.documents.unreadable == 3);
}

TEST_CASE("a damaged lock is a finding") {
  CHECK(reading({{"redist.lock", R"({"schema": 2, "manifests": [], "archives": []})"}}).findings ==
        "wrong-type ");
}

TEST_CASE("a list of releases and a manifest have the same hash of an archive") {
  const std::string packages =
      R"("cudnn": {"name": "N", "license": "cudnn", "license_path": "l", "version": "9.1.1.17", "cuda_variant": ["12"], "linux-x86_64": {"cuda12": )" +
      archive_json("cudnn/linux-x86_64/cudnn-linux-x86_64-9.1.1.17_cuda12-archive.tar.xz") + "}}";
  const std::map<std::string, std::string> texts{
      {"cudnn/redistrib_9.1.1.json", manifest_json(packages, "9.1.1", "cudnn")}, {"r.toml", releases_toml}};
  CHECK(reading(texts).findings == "two-hashes cudnn-linux-x86_64-9.1.1.17_cuda12-archive.tar.xz");
}

TEST_CASE("a name that is neither file nor directory is an error") {
  const std::map<std::string, std::string> texts{{"a", "b"}};
  const FilesMap files(texts);
  CHECK_FALSE(document_files(files, "c"));
  CHECK(document_files(files, "a") == std::vector<std::string>{"a"});
}
