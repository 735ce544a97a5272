// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/evaluate.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace hostpin;
using namespace hostpin::probe;

namespace {

namespace fs = std::filesystem;

/// A test header of a toolkit, with a space in its name, removed afterwards.
class Header {
public:
  explicit Header(const std::string& text) {
    std::string name = (fs::temp_directory_path() / "hostpin gate.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root = name;
    fs::create_directories(root + "/include/crt");
    write("crt/host_config.h", text);
  }
  Header(const Header&) = delete;
  Header& operator=(const Header&) = delete;
  ~Header() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root + "/include/" + name, std::ios::binary) << text;
  }
  std::string path() const { return root + "/include/crt/host_config.h"; }

  Result<Evaluation> evaluate(Machine machine = Machine::x86_64) const {
    return evaluate_header(path(), Version{12, 4, 131}, machine, DiskFiles());
  }

  std::string root;
};

Gate gate_of(const std::string& text, Machine machine = Machine::x86_64) {
  const Header header(text);
  auto evaluation = header.evaluate(machine);
  if (!evaluation)
    FAIL(evaluation.error().message);
  return evaluation ? std::move(evaluation->gate) : Gate{};
}

std::string error_of(const std::string& text) {
  const Header header(text);
  const auto evaluation = header.evaluate();
  return evaluation ? "" : evaluation.error().message;
}

constexpr Bounds none;

Bounds up_to(int max) {
  return {std::nullopt, max};
}

/// The structure of the real ones, in different words.
const std::string checks = R"(
#if defined(__CUDACC__) && !__NV_NO_HOST_COMPILER_CHECK
#if defined(__GRCO_CLANG_COMPILER__)
#if __clang_major__ < 16 || __clang_major__ > 17
#error Grace
#endif
#endif
#if defined(__INTEL_CLANG_COMPILER) || defined(__INTEL_LLVM_COMPILER) || defined(__ICC)
#error Intel
#endif
#if defined(__ibmxl_vrm__) || defined(__PGIC__) || defined(__NVCOMPILER)
#error IBM and PGI
#endif
#if defined(__GNUC__)
#if __GNUC__ > 13
#error GCC
#endif
#if defined(__HORIZON__)
#if __clang_major__ >= 9
#error HOS
#endif
#endif
#if defined(__clang__) && !defined(__HORIZON__) && !defined(__APPLE__) && !defined(__GRCO_CLANG_COMPILER__)
#if (__clang_major__ >= 18) || (__clang_major__ < 3) || ((__clang_major__ == 3) && (__clang_minor__ < 3))
#error Clang
#endif
#endif
#endif
#if defined(_WIN32)
#if _MSC_VER < 1910 || _MSC_VER >= 1940
#error MSVC: only the versions between 2017 and 2022
#endif
#endif
#endif
)";

} // namespace

TEST_CASE("branches for other vendors' compilers are not taken for GCC or Clang") {
  const Gate gate = gate_of(checks);
  CHECK(gate.gcc == up_to(13));
  CHECK(gate.clang == Bounds{3, 17});
  REQUIRE(gate.refusal(Family::gcc, {14, 1, 0}) != nullptr);
  CHECK(gate.refusal(Family::gcc, {14, 1, 0})->where == "crt/host_config.h:16");
  CHECK(gate.refusal(Family::gcc, {14, 1, 0})->text == "GCC");
  REQUIRE(gate.refusal(Family::clang, {18, 1, 0}) != nullptr);
  CHECK(gate.refusal(Family::clang, {18, 1, 0})->text == "Clang");
  CHECK(gate.refusal(Family::clang, {3, 2, 0}) != nullptr);
  CHECK(gate.refusal(Family::clang, {3, 3, 0}) == nullptr);
  for (const Gate::Refusal& refusal : gate.refusals) {
    CAPTURE(refusal.text);
    CHECK((refusal.text == "GCC" || refusal.text == "Clang"));
  }
}

TEST_CASE("odd spellings of a condition are evaluated as by a preprocessor") {
  const std::pair<const char*, Bounds> spellings[] = {
      {"#if !(__GNUC__ <= 13)\n#error x\n#endif\n", up_to(13)},
      {"#if 13 < __GNUC__\n#error x\n#endif\n", up_to(13)},
      {"#define LIMIT 13\n#if __GNUC__ > LIMIT\n#error x\n#endif\n", up_to(13)},
      {"#define V(a, b) ((a) * 100 + (b))\n#if V(__GNUC__, 0) > V(13, 0)\n#error x\n#endif\n", up_to(13)},
      {"#if __GNUC__ <= 13\n#elif defined __clang__\n#else\n#error x\n#endif\n", up_to(13)},
      {"#if __GNUC__ > 13\n#define TOO_NEW\n#endif\n#ifdef TOO_NEW\n#error x\n#endif\n", up_to(13)},
      {"#if __GNUC__ < 5 && !defined(__clang__)\n#error x\n#endif\n", Bounds{5, std::nullopt}},
      {"#if __GNUC__ > 13 // a comment\n# error /* x */ y\n#endif\n", up_to(13)},
      {"#if \\\n __GNUC__ \\\n > 13\n#error x\n#endif\n", up_to(13)},
      {"#if not (__GNUC__ <= 13) and true\n#error x\n#endif\n", up_to(13)},
      {"%:if __GNUC__ > 13\n%:error x\n%:endif\n", up_to(13)},
      {"#if __GNUC__ > 13\n#warning x\n#endif\n", none},
      {"#if __GNUC__ > 13\n#pragma message(\"x\")\n#endif\n", none},
      {"#if __CUDACC_VER_MAJOR__ == 12 && __GNUC__ > 13\n#error x\n#endif\n", up_to(13)},
      {"#if __CUDACC_VER_MAJOR__ == 11 && __GNUC__ > 13\n#error x\n#endif\n", none},
      {"#if defined(__has_include)\n#if __has_include(<features.h>)\n#endif\n#endif\n#if __GNUC__ > "
       "13\n#error x\n#endif\n",
       up_to(13)},
      {"#include <features.h>\n#if __GNUC_PREREQ(14, 0)\n#error x\n#endif\n", up_to(13)},
      {"#if __GNUC__ > 13\n#pragma GCC error \"x\"\n#endif\n", up_to(13)},
      {"#if __GNUC__ > 13\n_Pragma(\"GCC error \\\"x\\\"\")\n#endif\n", up_to(13)},
      {"#include_next <stdlib.h>\n#if __GNUC__ > 13\n#error x\n#endif\n", up_to(13)},
      {"#pragma once\n#if __GNUC__ > 13\n#error x\n#endif\n", up_to(13)},
      {"#ifndef GUARD\n#define GUARD\n#if __GNUC__ > 13\n#error x\n#endif\n#endif\n", up_to(13)},
      {"#include <features.h>\n#if __GNUC__ > 13\n#error x\n#endif\n#include <cstdarg>\n", up_to(13)},
  };
  for (const auto& [text, gcc] : spellings) {
    CAPTURE(std::string(text));
    CHECK(gate_of(text).gcc == gcc);
  }
}

TEST_CASE("a refusal of some minors, and one in the middle, are reported as such") {
  const Gate minors = gate_of("#if __GNUC__ * 100 + __GNUC_MINOR__ > 1303\n#error x\n#endif\n");
  CHECK(minors.gcc == up_to(13));
  REQUIRE(minors.refusal(Family::gcc, {13, 4, 0}) != nullptr);
  CHECK(minors.refusal(Family::gcc, {13, 4, 0})->minors == std::vector<int>{4, 5, 6, 7, 8, 9});
  CHECK(minors.refusal(Family::gcc, {13, 3, 0}) == nullptr);
  CHECK(minors.refusal(Family::gcc, {14, 1, 0})->minors.empty());

  const Gate hole = gate_of("#if __GNUC__ == 12\n#error x\n#endif\n");
  CHECK(hole.gcc == none);
  CHECK(hole.refusal(Family::gcc, {12, 2, 0}) != nullptr);
  CHECK(hole.refusal(Family::gcc, {11, 2, 0}) == nullptr);
  CHECK(hole.refusal(Family::gcc, {13, 2, 0}) == nullptr);

  const Gate no_clang = gate_of("#ifdef __clang__\n#error x\n#endif\n");
  CHECK(no_clang.gcc == none);
  CHECK(no_clang.clang == up_to(0));
}

TEST_CASE("a release is refused when one of its patch levels is") {
  const Gate gate =
      gate_of("#if __GNUC__ == 11 && __GNUC_MINOR__ == 4 && __GNUC_PATCHLEVEL__ >= 1\n#error x\n"
              "#endif\n#if __clang_major__ == 17 && __clang_patchlevel__ == 6\n#error y\n#endif\n");
  CHECK(gate.gcc == none);
  REQUIRE(gate.refusals.size() == 2);
  CHECK(gate.refusals[0].minors == std::vector<int>{4});
  CHECK(gate.refusals[1].major == 17);
  CHECK(gate.refusals[1].minors.empty());
}

TEST_CASE("a header that refuses every compiler is not a complete gate, and that is reported") {
  CHECK(error_of(
            "#ifndef SOMETHING\n#error include the other one\n#endif\n#if __GNUC__ > 13\n#error x\n#endif\n")
            .find("refuses every possible compiler, at crt/host_config.h:2: include the other one") !=
        std::string::npos);
}

TEST_CASE("compilers are distinguished by what they define, not by what Clang's preprocessor defines") {
  CHECK(gate_of("#ifdef __has_warning\n#error Clang\n#endif\n").gcc == none);
  CHECK(gate_of("#ifdef __has_warning\n#error Clang\n#endif\n").clang == up_to(0));
  CHECK(gate_of("#if defined(__has_feature) && !defined(__clang__)\n#error x\n#endif\n").gcc == up_to(13));
  CHECK(gate_of("#if defined(__has_builtin) && !defined(__clang__)\n#error x\n#endif\n").gcc == up_to(9));
}

TEST_CASE("the release of the toolkit counts, and one that is not known is an error where it does") {
  const char* const text = "#if __CUDACC_VER_MAJOR__ >= 12 && __GNUC__ > 13\n#error x\n#endif\n";
  CHECK(gate_of(text).gcc == up_to(13));
  const Header header(text);
  CHECK(evaluate_header(header.path(), Version{11, 8, 0}, Machine::x86_64, DiskFiles())->gate.gcc == none);
  const auto unknown = evaluate_header(header.path(), std::nullopt, Machine::x86_64, DiskFiles());
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("release, which is not known") != std::string::npos);
  CHECK(unknown.error().hint.find("--release") != std::string::npos);
}

TEST_CASE("each machine has its own gate") {
  const char* const text = "#if defined(__aarch64__) && __GNUC__ > 12\n#error x\n#endif\n"
                           "#if defined(__x86_64__) && __GNUC__ > 14\n#error x\n#endif\n"
                           "#if defined(__powerpc64__) && defined(__LITTLE_ENDIAN__) && __GNUC__ > 11\n"
                           "#error x\n#endif\n";
  CHECK(gate_of(text, Machine::x86_64).gcc == up_to(14));
  CHECK(gate_of(text, Machine::ppc64le).gcc == up_to(11));
  CHECK(gate_of(text, Machine::aarch64).gcc == up_to(12));
}

TEST_CASE("a gate in a second header is found and named") {
  const Header header("#include \"version_check.h\"\n");
  header.write("crt/version_check.h", "#ifndef G\n#define G\n" + checks + "#endif\n");
  auto evaluation = header.evaluate();
  REQUIRE(evaluation);
  CHECK(evaluation->gate.gcc == up_to(13));
  CHECK(evaluation->gate.refusal(Family::gcc, {14, 1, 0})->where == "crt/version_check.h:18");
  const auto was_read = [&](const std::string& name) {
    return std::any_of(evaluation->files.begin(), evaluation->files.end(), [&](const auto& file) {
      return file.first == header.root + "/include/" + name && file.second.size > 0;
    });
  };
  CHECK(was_read("crt/host_config.h"));
  CHECK(was_read("crt/version_check.h"));

  header.write("crt/host_config.h", "#include <crt/version_check.h>\n");
  evaluation = header.evaluate();
  REQUIRE(evaluation);
  CHECK(evaluation->gate.gcc == up_to(13));
}

TEST_CASE("a header without a gate has no bounds") {
  for (const char* const text : {"", "#define SOMETHING\n", "\n\n\n", "/* only words */"}) {
    const Gate gate = gate_of(text);
    CHECK(gate.refusals.empty());
    CHECK(gate.gcc == none);
    CHECK(gate.clang == none);
  }
}

TEST_CASE("a header that cannot be evaluated is an error that names the place, never a pass") {
  CHECK(error_of("#if __GNUC__ >\n#endif\n").find("host_config.h:1: ") != std::string::npos);
  CHECK(error_of("\n#if 1\n").find("host_config.h:2: unterminated conditional") != std::string::npos);
  CHECK(error_of("#include \"nothing.h\"\n").find("includes \"nothing.h\", which does not exist") !=
        std::string::npos);
  CHECK(error_of("#include <crt/nothing.h>\n").find("which does not exist") != std::string::npos);
  CHECK(error_of(checks + "#if __GNUC__ == 12\n#include \"nothing.h\"\n#endif\n").find("nothing.h") !=
        std::string::npos);
  CHECK_FALSE(error_of("#include \"host_config.h\"\n").empty());
  CHECK_FALSE(error_of("#include \"host_config.h\"\n#include \"host_config.h\"\n").empty());
  CHECK_FALSE(error_of("#if 1\n#include \"host_config.h\"\n#endif\n#include __FILE__\n").empty());
  CHECK_FALSE(error_of(std::string("\xff\xfe#\0i\0f\0", 8)).empty()); // UTF-16
  CHECK(error_of(std::string(10 << 20, '\n')).find("has 10485760 bytes") != std::string::npos);
}

TEST_CASE("a file that is not a header is an error") {
  const Header header("");
  const auto evaluate = [](const std::string& path) {
    const auto evaluation = evaluate_header(path, std::nullopt, Machine::x86_64, DiskFiles());
    return evaluation ? std::string() : evaluation.error().message;
  };
  CHECK(evaluate(header.root + "/none") == header.root + "/none does not exist");
  CHECK(evaluate(header.root) == header.root + " is not a file");
  const std::string fifo = header.root + "/fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(evaluate(fifo) == fifo + " is not a file");
  CHECK(evaluate("/dev/zero") == "/dev/zero is not a file");
}

TEST_CASE("what a header includes must be a file of sensible size, or it cannot be evaluated") {
  const Header header("#include \"fifo\"\n");
  const std::string fifo = header.root + "/include/crt/fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const auto error = [&](const std::string& text) {
    header.write("crt/host_config.h", text);
    const auto evaluation = header.evaluate();
    return evaluation ? std::string() : evaluation.error().message;
  };
  for (const char* const text : {"#include \"fifo\"\n", "#include <fifo>\n",
                                 "#if __has_include(\"fifo\")\n#endif\n", "#embed \"fifo\"\n"}) {
    CAPTURE(std::string(text));
    CHECK(error(text).find(fifo + " is not a regular file") != std::string::npos);
  }
  CHECK(error("#include \"/dev/zero\"\n").find("/dev/zero is not a regular file") != std::string::npos);
  header.write("crt/long.h", std::string(20 << 20, '\n'));
  CHECK(error("#include \"long.h\"\n").find("larger than any toolkit's") != std::string::npos);
}

TEST_CASE("a C library around the toolkit's headers is not read") {
  test::FakeFiles files;
  files
      .file("/usr/include/crt/host_config.h",
            "#include <features.h>\n#include <stdlib.h>\n#include <crt/more.h>\n")
      .file("/usr/include/crt/more.h", "#if __GNUC_PREREQ(14, 0)\n#error x\n#endif\n")
      .file("/usr/include/features.h", "#error the machine's\n")
      .file("/usr/include/stdlib.h", "#error the machine's\n");
  const auto installed = evaluate_header("/usr/include/crt/host_config.h", {}, Machine::x86_64, files);
  REQUIRE(installed);
  CHECK(installed->gate.gcc == up_to(13));

  files.file("/usr/include/copy.h", "#include <stdlib.h>\n#if __GNUC__ > 12\n#error x\n#endif\n");
  const auto copied = evaluate_header("/usr/include/copy.h", {}, Machine::x86_64, files);
  REQUIRE(copied);
  CHECK(copied->gate.gcc == up_to(12));
}

TEST_CASE("an evaluation depends on what it read and on what it did not find") {
  test::FakeFiles files;
  const std::string text = "#include <features.h>\n#if __has_include(\"extra.h\")\n#error x\n#endif\n";
  files.file("/cuda/include/crt/host_config.h", text);
  const auto evaluation = evaluate_header("/cuda/include/crt/host_config.h", {}, Machine::x86_64, files);
  REQUIRE(evaluation);
  const auto size = [&](const std::string& path) -> std::int64_t {
    for (const auto& [name, status] : evaluation->files)
      if (name == path)
        return static_cast<std::int64_t>(status.size);
    return -1;
  };
  CHECK(size("/cuda/include/crt/host_config.h") == static_cast<std::int64_t>(text.size()));
  CHECK(size("/cuda/include/crt/extra.h") == 0);
  CHECK(size("/cuda/include/features.h") == 0);
  files.file("/cuda/include/crt/extra.h");
  CHECK_FALSE(evaluate_header("/cuda/include/crt/host_config.h", {}, Machine::x86_64, files));
}

TEST_CASE("binary files are read without harm") {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    std::string bytes(2000, '\0');
    for (char& byte : bytes)
      byte = static_cast<char>(random());
    const Header header(bytes);
    const auto evaluation = header.evaluate(); // an error or not; it must come back
    CHECK((evaluation || !evaluation.error().message.empty()));
  }
}

TEST_CASE("random conditions are answered as a model of them says") {
  std::mt19937 random(11);
  const auto pick = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  for (int round = 0; round < 30; ++round) {
    const int low = pick(3, 20);
    const int high = low + pick(0, 15);
    const int hole = pick(3, 40);
    const int clang = pick(4, 40);
    const Gate gate =
        gate_of(fmt::format("#if !defined(__clang__)\n#if __GNUC__ < {} || __GNUC__ > {} || __GNUC__ == {}\n"
                            "#error x\n#endif\n#elif __clang_major__ >= {}\n#error y\n#endif\n",
                            low, high, hole, clang));
    for (int major = 3; major <= 40; ++major) {
      CAPTURE(low);
      CAPTURE(high);
      CAPTURE(hole);
      CAPTURE(major);
      CHECK((gate.refusal(Family::gcc, {major, 1, 0}) != nullptr) ==
            (major < low || major > high || major == hole));
      CHECK((gate.refusal(Family::clang, {major, 1, 0}) != nullptr) == (major >= clang));
    }
    CHECK(gate.clang == up_to(clang - 1));
  }
}
