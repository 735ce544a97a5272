// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/emit/locks.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What tries to end a string of each language, or to expand something in it.
Lock odd_lock() {
  Lock lock = cudnn_lock();
  lock.manifests[0].base = "https://example.org/${x}$(y)\"\\/";
  return lock;
}

} // namespace

TEST_CASE("Nix gets an attribute set by platform and package") {
  const std::string text = emitted(nix_text, cudnn_lock());
  CHECK(has(text, "  \"linux-sbsa\" = {\n    \"cudnn\" = {\n      version = \"9.1.1.17\";\n"));
  CHECK(has(text, "      variant = \"cuda12\";\n"));
  CHECK(
      has(text, "src = archive \"https://example.org/cudnn/\" \"cudnn/linux-sbsa/c.tar.xz\" \"c.tar.xz\" \"" +
                    std::string(64, 'a') + "\";\n"));
  CHECK(has(text, "  \"source\" = {\n    \"cudnn_samples\" = {\n"));
  CHECK(has(emitted(nix_text, odd_lock()), R"("https://example.org/\${x}\$(y)\"\\/")"));
}

TEST_CASE("a lock for two CUDA majors has no attribute set by package") {
  Lock lock = cudnn_lock();
  lock.archives.push_back(lock.archives[0]);
  lock.archives.back().variant = "cuda11";
  CHECK(emitted(nix_text, lock) ==
        "cudnn is in the lock for several CUDA majors | make a lock for one of them");
}

TEST_CASE("Bazel gets what http_archive needs of each archive") {
  const std::string text = emitted(bazel_text, cudnn_lock());
  CHECK(has(text, "    \"cudnn_cuda12_linux_sbsa\": {\n        \"base\": \"https://example.org/cudnn/\",\n"));
  CHECK(has(text, "        \"strip_prefix\": \"c\",\n"));
  CHECK(has(text, "        \"sha256\": \"" + std::string(64, 'a') + "\",\n"));
  CHECK(has(emitted(bazel_text, odd_lock()), R"("https://example.org/${x}$(y)\"\\/")"));
}

TEST_CASE("CMake gets a declaration of each archive") {
  const std::string text = emitted(cmake_text, cudnn_lock());
  CHECK(has(text, "_hostpin_redist_archive(cudnn_cuda12_linux_sbsa\n  \"https://example.org/cudnn/\"\n  "
                  "\"cudnn/linux-sbsa/c.tar.xz\"\n  " +
                      std::string(64, 'a') + ")\n"));
  CHECK(has(emitted(cmake_text, odd_lock()), R"("https://example.org/\${x}\$(y)\"\\/")"));
}

TEST_CASE("every form is listed, sorted, and fails with a message or makes the same text again") {
  std::string last;
  for (const Form& form : forms()) {
    CHECK(last < form.name);
    last = form.name;
    CHECK(emitted(form.text, cudnn_lock(), "/opt/x") == emitted(form.text, cudnn_lock(), "/opt/x"));
  }
}
