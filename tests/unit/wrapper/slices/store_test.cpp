// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/slices/depfile.hpp"
#include "wrapper/slices/digest.hpp"
#include "wrapper/slices/listing.hpp"
#include "wrapper/slices/store.hpp"
#include "wrapper/slices/tasks.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::slices;

namespace {

Slice sample() {
  return {"cicc", "compute_80", "a.cu", 1.5, "out", "warning\n", {std::string("a\0b", 3), "", "stub"}};
}

RecordedCall call() {
  return {"/w d",
          "/cuda/bin/nvcc",
          "nvcc",
          {"-c", "a b.cu", "-o", "a.o", "-DX=$Y"},
          {{"NVCC_APPEND_FLAGS", "-O1"}},
          {{"cicc", "compute_80", "a b.cu", "k1", 2, true},
           {"ptxas", "sm_80", "a b.cu", "k2", 1, false},
           {"cicc", "compute_90a", "a b.cu", "k3", 4, true},
           {"nvlink", "lto_75", "", "k4", 8, true}}};
}

} // namespace

TEST_CASE("a slice with sizes that are not whole numbers is none") {
  const std::string bytes = write_slice(sample());
  const std::size_t body = bytes.find("\n{") + 1, digits = digest_of(bytes.substr(body)).size();
  const auto with = [&](const std::string& size) {
    std::string text = bytes.substr(body);
    text.replace(text.find("[3,"), 2, '[' + size);
    return read_slice(bytes.substr(0, body - 1 - digits) + digest_of(text) + '\n' + text);
  };
  CHECK(with("3"));
  for (const char* const size : {"1e20", "3.0", "-1", "true", "18446744073709551616"})
    CHECK_FALSE(with(size));
}

TEST_CASE("a slice reads back as it was written") {
  const auto slice = read_slice(write_slice(sample()));
  REQUIRE(slice.has_value());
  CHECK(slice->tool == "cicc");
  CHECK(slice->gpu == "compute_80");
  CHECK(slice->seconds == 1.5);
  CHECK(slice->output == "out");
  CHECK(slice->errors == "warning\n");
  CHECK(slice->files == sample().files);
}

TEST_CASE("a stored slice does not look like one of hostpin fatbin slice") {
  CHECK_FALSE(write_slice(sample()).starts_with("hostpin slice "));
}

TEST_CASE("no truncation and no changed byte of a slice is accepted") {
  const std::string bytes = write_slice(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(read_slice(bytes.substr(0, size)).has_value());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK_FALSE(read_slice(changed).has_value());
  }
}

TEST_CASE("the digest of a file is that of its content, however long it is") {
  const auto place = ScratchDirectory::make(std::filesystem::temp_directory_path().string());
  REQUIRE(place);
  const std::string path = place->path() + "/file";
  CHECK(digest_of_file(path).empty());
  CHECK(digest_of_file(place->path()).empty());
  for (const std::size_t size : {0UL, 1UL, 262143UL, 262144UL, 262145UL, 1000000UL}) {
    std::string content(size, 'c');
    for (std::size_t at = 0; at < size; at += 1000)
      content[at] = static_cast<char>(at / 1000);
    REQUIRE(replace_file(path, content, false));
    CHECK(digest_of_file(path) == digest_of(content));
  }
}

TEST_CASE("a call reads back as it was written, and other JSON is not a call") {
  const auto read = read_call(write_call(call()));
  REQUIRE(read.has_value());
  CHECK(read->arguments == call().arguments);
  CHECK(read->environment == call().environment);
  REQUIRE(read->steps.size() == 4);
  CHECK(read->steps[1].gpu == "sm_80");
  CHECK_FALSE(read->steps[1].reused);
  for (const char* const text : {"", "[]", "{}", "{\"hostpin-call\": 2}", "{\"hostpin-call\": 1"})
    CHECK_FALSE(read_call(text).has_value());
}

TEST_CASE("costs are summed for each source and GPU") {
  const auto all = costs({call()});
  REQUIRE(all.size() == 3);
  CHECK(all[0].gpu == "sm_80");
  CHECK(all[0].total() == 3);
  CHECK_FALSE(all[0].reused);
  CHECK(all[1].gpu == "sm_90a");
  CHECK(all[2].link == 8);
}

TEST_CASE("emitted tasks quote what the engine would expand") {
  const std::string make = makefile({call()}, {"/p/nvcc-slices", "/s"});
  CHECK(make.find(
            "slice-1-80: # a b.cu for 80\n\t+@cd '/w d' && NVCC_APPEND_FLAGS=-O1 /p/nvcc-slices --only 80 /s "
            "/cuda/bin/nvcc nvcc -c 'a b.cu' -o a.o '-DX=$$Y'\n") != std::string::npos);
  CHECK(make.find("call-1: slice-1-80 slice-1-90a #") != std::string::npos);
  const std::string slurm = slurm_script({call()}, {"/p/nvcc-slices", "/s"});
  CHECK(slurm.find("#SBATCH --array=0-1\n") != std::string::npos);
  CHECK(slurm.find("'-DX=$Y' ;;") != std::string::npos);
}

TEST_CASE("dependencies are those of line markers, each once, in order") {
  Dependencies all(true);
  all.add("# 1 \"a.cu\"\n# 1 \"<built-in>\"\n# 1 \"/usr/x y.h\" 1 3 4\nint x;\n# 2 \"a.cu\" 2\n#pragma x\n");
  all.add("# 0 \"a.cu\"\n# 1 \"q\\\"\\\\.h\" 1\n# 1 \"unclosed\n# x \"y\"\n");
  CHECK(all.rule("a.o", false) == "a.o : a.cu \\\n    /usr/x\\ y.h \\\n    q\"\\.h\n");
  CHECK(all.rule("a.o", true) ==
        "a.o : a.cu \\\n    /usr/x\\ y.h \\\n    q\"\\.h\n\n/usr/x\\ y.h:\n\nq\"\\.h:\n");
  Dependencies own(false);
  own.add("# 1 \"a.cu\"\n# 1 \"/usr/x.h\" 1 3 4\n");
  CHECK(own.rule("t", false) == "t : a.cu\n");
}

TEST_CASE("the jobserver is the one that MAKEFLAGS names last") {
  CHECK_FALSE(jobserver_address("").has_value());
  CHECK_FALSE(jobserver_address(" -j2 --jobserver-auth=-2,-2").has_value());
  CHECK_FALSE(jobserver_address("--jobserver-auth=3").has_value());
  const auto pipe = jobserver_address("k -j4 --jobserver-auth=3,4 -- A=b");
  REQUIRE(pipe.has_value());
  CHECK(pipe->read == 3);
  CHECK(pipe->write == 4);
  CHECK(jobserver_address("--jobserver-fds=5,6")->write == 6);
  CHECK(jobserver_address("--jobserver-auth=3,4 --jobserver-auth=fifo:/tmp/GMfifo1")->fifo == "/tmp/GMfifo1");
}
