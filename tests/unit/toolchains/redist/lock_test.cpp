// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/lock.hpp"

#include <utility>

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

const std::string digest(64, 'a');

Lock small_lock() {
  Lock lock;
  lock.manifests.push_back({"cuda", "12.4.1", "2024-04-16", digest, "https://example.org/cuda/redist/"});
  lock.archives.push_back({"cuda",
                           "12.4.1",
                           "cuda_nvcc",
                           "12.4.131",
                           "linux-sbsa",
                           {},
                           "CUDA Toolkit",
                           "cuda_nvcc/linux-sbsa/n.tar.xz",
                           digest,
                           17,
                           {}});
  lock.archives.push_back({"cuda",
                           "12.4.1",
                           "cuda_cudart",
                           "12.4.127",
                           "linux-sbsa",
                           "cuda12",
                           {},
                           "c.tar.xz",
                           digest,
                           std::nullopt,
                           digest});
  return lock;
}

std::string refusal(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const auto lock = read_lock(text, "l");
  return lock ? std::string("read") : lock.error().message;
}

} // namespace

TEST_CASE("a lock that is written is read as it was, sorted") {
  Lock lock = small_lock();
  const auto read = read_lock(lock_text(lock), "l");
  REQUIRE_MESSAGE(read, read.error().message);
  std::swap(lock.archives[0], lock.archives[1]);
  CHECK(*read == lock);
  CHECK(lock_text(*read) == lock_text(small_lock()));
}

TEST_CASE("a lock has the URL of a manifest that was fetched") {
  Lock lock = small_lock();
  CHECK(lock_text(lock).find("\"url\"") == std::string::npos);
  lock.manifests[0].url = "https://example.org/cuda/redist/redistrib_12.4.1.json";
  const auto read = read_lock(lock_text(lock), "l");
  REQUIRE_MESSAGE(read, read.error().message);
  CHECK(read->manifests == lock.manifests);
}

TEST_CASE("a lock has what manifests have next to the archives") {
  Lock lock = small_lock();
  CHECK(lock_text(lock).find("md5") == std::string::npos);
  lock.archives[0].name = "CUDA NVCC";
  lock.archives[0].license_path = "cuda_nvcc/LICENSE.txt";
  lock.archives[0].md5 = std::string(32, 'b');
  const std::string text = lock_text(lock);
  const auto read = read_lock(text, "l");
  REQUIRE_MESSAGE(read, read.error().message);
  CHECK(read->archives[1] == lock.archives[0]);
  CHECK(refusal(text, "bbbb", "BBBB").find("'md5' is not 32") != std::string::npos);
  CHECK(refusal(text, "cuda_nvcc/LICENSE", "../LICENSE").find("is not below its directory") !=
        std::string::npos);
}

TEST_CASE("an archive's URL is the base of its manifest and its path") {
  const Lock lock = small_lock();
  CHECK(url_of(lock, lock.archives[1]) == "https://example.org/cuda/redist/c.tar.xz");
  CHECK(name_of(lock.archives[1]) == "cuda_cudart 12.4.127 linux-sbsa cuda12");
}

TEST_CASE("a damaged lock is refused at the position of the damage") {
  const std::string text = lock_text(small_lock());
  CHECK(refusal(text, "\"schema\": 1", "\"schema\": 2") == "l:2:12: this is not a lock of schema 1");
  CHECK(refusal(text, "\"schema\": 1", "\"schema\": \"1\"") == "l:2:12: this is not a lock of schema 1");
  CHECK(refusal(text, "\"size\": 17", "\"size\": \"x\"").find("'size' is not a number of bytes") !=
        std::string::npos);
  CHECK(refusal(text, "c.tar.xz", "../c.tar.xz").find("is not below its directory") != std::string::npos);
  CHECK(refusal(text, "aaaa", "AAAA").find("is not 64 lower-case") != std::string::npos);
  CHECK(refusal(text, "\"label\": \"12.4.1\"", "\"label\": \"12.4.2\"").find("no manifest is listed for") !=
        std::string::npos);
  CHECK(refusal(text, "\"package\"", "\"packages\"").find("unknown key 'packages'") != std::string::npos);
  CHECK(refusal(text, "redist/\"", "redist\"").find("does not end with a slash") != std::string::npos);
  CHECK(refusal(text, "[", "{").starts_with("l:"));
}

TEST_CASE("a manifest is not read as a damaged lock") {
  const auto lock = read_lock("{\"release_label\": \"12.4.1\", \"cuda_nvcc\": {}}", "m");
  REQUIRE(!lock);
  CHECK(lock.error().message == "m: this is not a lock");
  CHECK(lock.error().hint == "make one of a manifest with `hostpin redist lock`");
}

TEST_CASE("a variant fits a CUDA release as far as both are named") {
  for (const auto& [variant, release] : {std::pair("cuda13", "13.3.0"), std::pair("cuda13.3", "13.3.0"),
                                         std::pair("cuda13.3", "13"), std::pair("cuda12", "12")})
    CHECK_MESSAGE(fits_cuda(variant, release), variant);
  for (const auto& [variant, release] :
       {std::pair("cuda1", "13.3.0"), std::pair("cuda13.3", "13.30"), std::pair("cuda13.2", "13.3.0"),
        std::pair("", "13"), std::pair("cuda13", "")})
    CHECK_MESSAGE(!fits_cuda(variant, release), variant);
}

TEST_CASE("the stem of an archive's name is without the extension") {
  CHECK(archive_stem("a-1.0-archive.tar.zst") == "a-1.0-archive");
  CHECK(archive_stem("a-1.0.zip") == "a-1.0");
  CHECK(archive_stem("a-1.0.tar.lz4") == "a-1.0.tar.lz4");
}

TEST_CASE("a path is safe if it is below its directory") {
  for (const char* const path : {"a", "a/b-c_d.e+f", "..a/b..", ".a"})
    CHECK_MESSAGE(is_safe_path(path), path);
  for (const char* const path :
       {"", "/a", "a/", "a//b", ".", "a/./b", "../a", "a/..", "a\\b", "a b", "https://x", "a?b", "%2e"})
    CHECK_MESSAGE(!is_safe_path(path), path);
}
