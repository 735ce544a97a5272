// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/asked.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

AskedTexts texts(const std::string& directory) {
  AskedTexts texts;
  texts.directory = directory;
  return texts;
}

} // namespace

TEST_CASE("options of setup become what is asked for, and are printed as they were given") {
  AskedTexts all = texts("tools/cuda/");
  all.cuda = "12.4";
  all.gcc = "13";
  all.from = "distribution";
  all.suites = {"trixie", "sid"};
  const auto asked = read_asked(all, "/home/me");
  REQUIRE(asked);
  CHECK(asked->directory == "/home/me/tools/cuda");
  CHECK(asked->cuda == Version{12, 4, 0});
  CHECK(asked->family == Family::gcc);
  CHECK(asked->major == 13);
  CHECK(asked->source == Source::distribution);
  CHECK(asked_words(*asked) == std::vector<std::string>{"--cuda", "12.4", "--gcc", "13", "--from",
                                                        "distribution", "--suite", "trixie", "--suite",
                                                        "sid"});
  CHECK(asked_words(*read_asked(texts("d"), "/")).empty());
}

TEST_CASE("a source is the distribution, NVIDIA's archives or a directory") {
  const auto source = [](const std::string& from) {
    AskedTexts some = texts("/d");
    some.from = from;
    return *read_asked(some, "/here");
  };
  CHECK(source("redist:my.lock").source == Source::redist);
  CHECK(source("redist:my.lock").path == "/here/my.lock");
  CHECK(source("redist:/a/my.lock").path == "/a/my.lock");
  CHECK(source("redist").path.empty());
  CHECK(source("wheels").source == Source::wheels);
  CHECK(asked_words(source("wheels")) == std::vector<std::string>{"--from", "wheels"});
  CHECK(source("./wheels").source == Source::carried);
  CHECK(source("usb/files/").source == Source::carried);
  CHECK(source("usb/files/").path == "/here/usb/files");
  CHECK(asked_words(source("usb")) == std::vector<std::string>{"--from", "/here/usb"});
}

TEST_CASE("options of setup that mean nothing are refused with an example") {
  const auto refusal = [](auto change) {
    AskedTexts some = texts("/d");
    change(some);
    const auto asked = read_asked(some, "/");
    REQUIRE_FALSE(asked);
    CHECK_FALSE(asked.error().hint.empty());
    return asked.error().message;
  };
  CHECK(refusal([](AskedTexts& t) { t.directory.clear(); }).find("needs the directory") != std::string::npos);
  for (const char* const cuda : {"12", "twelve", "12.4.1.2", "1.0", ""})
    CHECK(refusal([&](AskedTexts& t) { t.cuda = cuda; }).find("no CUDA release") != std::string::npos);
  for (const char* const gcc : {"13.3", "0", "g++-13", "1000"})
    CHECK(refusal([&](AskedTexts& t) { t.gcc = gcc; }).find("no major version") != std::string::npos);
  CHECK(refusal([](AskedTexts& t) { t.gcc = "13", t.clang = "17"; }).find("two host compilers") !=
        std::string::npos);
  for (const char* const suite : {"", "-o", "../x", "a b", "a;b"})
    CHECK(refusal([&](AskedTexts& t) { t.suites = {suite}; }).find("no name of a suite") !=
          std::string::npos);
  for (const char* const directory : {"/a:b", "/a,b", "/a\"b", "/a$b", "/a\nb"})
    CHECK(refusal([&](AskedTexts& t) { t.directory = directory; }).find("cannot be in") != std::string::npos);
}

TEST_CASE("a release without a patch is every patch of it") {
  Asked asked;
  CHECK(is_wanted({11, 8, 89}, asked));
  asked.cuda = Version{12, 4, 0};
  CHECK(is_wanted({12, 4, 131}, asked));
  CHECK_FALSE(is_wanted({12, 5, 0}, asked));
  asked.cuda = Version{12, 4, 99};
  CHECK_FALSE(is_wanted({12, 4, 131}, asked));
  CHECK(is_wanted({12, 4, 99}, asked));
}

TEST_CASE("libraries are added to a toolkit that is fetched, and where no lock lists them") {
  AskedTexts texts{"d", {}, {}, {}, "redist", {}, {"cublas", "curand"}};
  const auto asked = read_asked(texts, "/here");
  REQUIRE(asked);
  CHECK(makes_lock(*asked));
  CHECK(asked_words(*asked) ==
        std::vector<std::string>{"--from", "redist", "--libraries", "cublas", "--libraries", "curand"});
  texts.from = "redist:http://mirror/redistrib_12.4.1.json";
  REQUIRE(read_asked(texts, "/here"));
  CHECK(read_asked(texts, "/here")->path == "http://mirror/redistrib_12.4.1.json");
  texts.from = "redist:https://u:secret@mirror/redistrib_12.4.1.json";
  REQUIRE_FALSE(read_asked(texts, "/here"));
  CHECK(read_asked(texts, "/here").error().message.starts_with("a URL has a user or password"));
  texts.from = "distribution";
  CHECK(read_asked(texts, "/here"));
  for (const char* const from : {"redist:my.lock", "carried"}) {
    texts.from = from;
    CHECK_FALSE(read_asked(texts, "/here"));
  }
}
