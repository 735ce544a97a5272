// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/libc/clashes.hpp"
#include "tests/shipped_data.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace hostpin;
using namespace hostpin::probe;

namespace {

namespace fs = std::filesystem;

/// A toolkit and a C library of a few lines, removed afterwards.
class Headers {
public:
  Headers() {
    std::string name = (fs::temp_directory_path() / "hostpin-libc.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root = name;
    write("cuda/cuda_runtime.h", "#include \"crt/math_functions.h\"\n");
    toolkit_says("");
    libc_says("");
  }
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;
  ~Headers() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root + '/' + path).parent_path());
    std::ofstream(root + '/' + path) << text;
  }
  /// Both declare enough functions compatibly, and then what is under test.
  void toolkit_says(const std::string& text) const {
    write("cuda/crt/math_functions.h", common() + text + "\n#include <math.h>\n");
  }
  void libc_says(const std::string& text) const {
    write("libc/math.h", "#ifndef M\n#define M\n" + common() + text + "\n#endif\n");
  }
  static std::string common(int functions = 24) {
    std::string text;
    for (int i = 0; i < functions; ++i)
      text += fmt::format("extern \"C\" double f{}(double) noexcept(true);\n", i);
    return text;
  }

  Result<Comparison> compare() const { return compare({root + "/cuda"}, {root + "/libc"}); }
  static Result<Comparison> compare(std::vector<std::string> toolkit, std::vector<std::string> libc) {
    return compare_declarations({std::move(toolkit), Version{12, 4, 131}},
                                {false, {12, 2, 0}, std::move(libc), "x86_64-linux-gnu"},
                                hostpin::test::in_build("libexec/hostpin/clang"));
  }
  std::string refusal() const {
    const auto comparison = compare();
    REQUIRE_FALSE(comparison.has_value());
    return comparison.error().message;
  }

  std::string root;
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("functions that are declared alike are counted") {
  const Headers headers;
  const auto comparison = headers.compare();
  REQUIRE(comparison.has_value());
  CHECK(comparison->clashes.empty());
  CHECK(comparison->compared == 24);
  CHECK_FALSE(comparison->system);
  CHECK(std::count(comparison->files.begin(), comparison->files.end(), headers.root + "/libc/math.h") == 1);
  for (const std::string& file : comparison->files)
    CHECK(file.starts_with(headers.root));
}

TEST_CASE("any function clashes whose promise not to throw is on one side only") {
  const Headers headers;
  headers.toolkit_says("extern \"C\" float tanhpif(float);");
  for (const char* const promise : {"noexcept", "noexcept(true)", "throw()", "noexcept(sizeof(int) == 4)"}) {
    headers.libc_says(fmt::format("extern \"C\" {{\nextern float tanhpif(float) {};\n}}", promise));
    const auto comparison = headers.compare();
    REQUIRE(comparison.has_value());
    REQUIRE(comparison->clashes.size() == 1);
    const Clash& clash = comparison->clashes.front();
    CHECK(clash.name == "tanhpif");
    CHECK(clash.kind == Clash::Kind::exceptions);
    CHECK(clash.toolkit == Clash::Declaration{headers.root + "/cuda/crt/math_functions.h", 25, true,
                                              "no exception specification"});
    CHECK(clash.libc == Clash::Declaration{headers.root + "/libc/math.h", 28, false, "noexcept"});
  }
}

TEST_CASE("an attribute, a noexcept(false) and nothing are the same promise") {
  const Headers headers;
  headers.toolkit_says("extern \"C\" float g(float);");
  for (const char* const said : {"", "noexcept(false)", "__attribute__((nothrow))"}) {
    headers.libc_says(fmt::format("extern \"C\" float g(float) {};", said));
    const auto comparison = headers.compare();
    REQUIRE(comparison.has_value());
    CHECK(comparison->clashes.empty());
    CHECK(comparison->compared == 25);
  }
}

TEST_CASE("the promise is taken as written, though Clang copies it to later declarations") {
  const Headers headers;
  headers.toolkit_says("extern \"C\" float g(float) noexcept;");
  headers.libc_says("extern \"C\" float g(float);");
  const auto comparison = headers.compare();
  REQUIRE(comparison.has_value());
  REQUIRE(comparison->clashes.size() == 1);
  CHECK(comparison->clashes[0].libc.says == "no exception specification");
}

TEST_CASE("after a function that nvcc knows the promise may be left out") {
  const Headers headers;
  headers.toolkit_says(
      "#define __location__(a) __attribute__((a))\n#define __device_builtin__ "
      "__location__(device_builtin)\nextern \"C\" __device_builtin__ float g(float) noexcept;");
  headers.libc_says("extern \"C\" float g(float);");
  CHECK(headers.compare()->clashes.empty());
  headers.libc_says("extern \"C\" float g(float) noexcept(false);");
  CHECK(headers.compare()->clashes.size() == 1);
}

TEST_CASE("macros are followed to the line that uses them") {
  const Headers headers;
  headers.toolkit_says("extern \"C\" double cospi(double);");
  headers.write("libc/bits.h",
                "#define CALL(name) extern \"C\" double name(double) THROW;\n#define THROW noexcept\n");
  headers.libc_says("#include <bits.h>\nCALL(cospi)");
  const auto comparison = headers.compare();
  REQUIRE(comparison.has_value());
  REQUIRE(comparison->clashes.size() == 1);
  CHECK(comparison->clashes[0].libc.line == 28);
  CHECK(holds(comparison->clashes[0].libc.file, "/libc/math.h"));
}

TEST_CASE("other parameters are an overload in C++ and a clash in C") {
  const Headers headers;
  headers.toolkit_says("extern \"C\" double g(double);");
  headers.libc_says("extern float g(float) noexcept;");
  CHECK(headers.compare()->clashes.empty());
  headers.libc_says("extern \"C\" float g(float) noexcept;");
  const auto comparison = headers.compare();
  REQUIRE(comparison.has_value());
  REQUIRE(comparison->clashes.size() == 1);
  CHECK(comparison->clashes[0].kind == Clash::Kind::types);
}

TEST_CASE("another result and another linkage are clashes") {
  const Headers headers;
  headers.toolkit_says("extern \"C\" double g(double);\nextern double h(double);");
  headers.libc_says("extern \"C\" float g(double);\nextern \"C\" double h(double);");
  const auto comparison = headers.compare();
  REQUIRE(comparison.has_value());
  REQUIRE(comparison->clashes.size() == 2);
  CHECK(comparison->clashes[0].kind == Clash::Kind::types);
  CHECK(comparison->clashes[1].kind == Clash::Kind::linkage);
}

TEST_CASE("types are compared by what they mean") {
  const Headers headers;
  headers.toolkit_says("extern \"C\" void* move(void*, unsigned long, const int);");
  headers.libc_says("typedef unsigned long size_t;\nextern \"C\" void* move(void*, size_t, int);");
  const auto comparison = headers.compare();
  REQUIRE(comparison.has_value());
  CHECK(comparison->clashes.empty());
  CHECK(comparison->compared == 25);
}

TEST_CASE("a toolkit in a directory of the system is treated leniently") {
  const Headers headers;
  headers.write("usr/cuda_runtime.h", "#include \"crt/math_functions.h\"\n");
  headers.write("usr/crt/math_functions.h",
                Headers::common() + "extern \"C\" double cospi(double);\n#include <math.h>\n");
  headers.write("usr/math.h", Headers::common() + "extern \"C\" double cospi(double) noexcept;\n");
  const std::string both = headers.root + "/usr";
  const auto lenient = Headers::compare({both}, {both + "/"});
  REQUIRE(lenient.has_value());
  CHECK(lenient->clashes.empty());
  CHECK(lenient->compared == 25);
  CHECK(lenient->system);
  headers.write("usr/math.h", Headers::common() + "extern \"C\" double cospi(double) noexcept(false);\n");
  headers.write("usr/crt/math_functions.h",
                Headers::common() + "extern \"C\" double cospi(double) noexcept;\n#include <math.h>\n");
  CHECK(Headers::compare({both}, {both})->clashes.size() == 1);
}

TEST_CASE("headers of a C++ library are left out") {
  const Headers headers;
  headers.write("cxx/cmath", "#error \"not for Clang\"\n");
  headers.write("cxx/math.h", "#error \"not for Clang\"\n");
  headers.toolkit_says("#include <cmath>\n#include <type_traits>\n#include <new>");
  const auto comparison =
      Headers::compare({headers.root + "/cuda"}, {headers.root + "/cxx", headers.root + "/libc"});
  REQUIRE(comparison.has_value());
  CHECK(comparison->compared == 24);
}

TEST_CASE("a header that appears before the one that was read makes the answer stale") {
  const Headers headers;
  fs::create_directories(headers.root + "/local");
  const auto comparison =
      Headers::compare({headers.root + "/cuda"}, {headers.root + "/local", headers.root + "/libc"});
  REQUIRE(comparison.has_value());
  CHECK(std::count(comparison->files.begin(), comparison->files.end(), headers.root + "/local/math.h") == 1);
}

TEST_CASE("kernel headers may be missing, others may not") {
  const Headers headers;
  headers.libc_says("#include <linux/limits.h>\n#include <asm/errno.h>");
  CHECK(headers.compare().has_value());
  headers.libc_says("#include <bits/mathcalls.h>");
  CHECK(holds(headers.refusal(), "/libc/math.h:27: 'bits/mathcalls.h' file not found"));
  headers.libc_says("");
  headers.write("cuda/cuda_runtime.h", "#include \"host_config.h\"\n");
  CHECK(holds(headers.refusal(), "/cuda/cuda_runtime.h:1: 'host_config.h' file not found"));
}

TEST_CASE("a missing side is named") {
  const Headers headers;
  const auto no_libc = Headers::compare({headers.root + "/cuda"}, {headers.root + "/cuda"});
  REQUIRE_FALSE(no_libc.has_value());
  CHECK(holds(no_libc.error().message, "no <math.h> of a C library in " + headers.root + "/cuda"));
  const auto no_toolkit = Headers::compare({headers.root + "/libc"}, {headers.root + "/libc"});
  REQUIRE_FALSE(no_toolkit.has_value());
  CHECK(holds(no_toolkit.error().message, "no cuda_runtime.h in"));
  CHECK_FALSE(Headers::compare({}, {}).has_value());
  headers.write("libcxx/cmath", "");
  headers.write("libcxx/math.h", "");
  const auto only_cxx = Headers::compare({headers.root + "/cuda"}, {headers.root + "/libcxx"});
  REQUIRE_FALSE(only_cxx.has_value());
  CHECK(holds(only_cxx.error().message, "no <math.h> of a C library in " + headers.root + "/libcxx"));
}

TEST_CASE("too few common functions are an error") {
  const Headers headers;
  headers.write("libc/math.h", Headers::common(19));
  CHECK(headers.refusal() == "only 19 functions are declared by both the toolkit and the C library");
}

TEST_CASE("incomplete headers are an error") {
  const Headers headers;
  headers.libc_says("#if 1");
  CHECK(holds(headers.refusal(), "unterminated conditional directive"));
  headers.libc_says("#error \"this C library is for another machine\"");
  CHECK(holds(headers.refusal(), "this C library is for another machine"));
}

TEST_CASE("a declaration that cannot be parsed is an error if both sides have it, and ignored otherwise") {
  const Headers headers;
  headers.libc_says("extern \"C\" strange_t alone(strange_t) noexcept;");
  CHECK(headers.compare().has_value());
  headers.toolkit_says("extern \"C\" double g(double);");
  headers.libc_says("extern \"C\" strange_t g(double) noexcept;");
  CHECK(holds(headers.refusal(), "the declaration of g cannot be parsed: "));
}

TEST_CASE("hostile headers get an answer") {
  const Headers headers;
  SUBCASE("one that includes itself") {
    headers.libc_says("");
    headers.write("libc/math.h", "#include <math.h>\n#include <math.h>\n");
    CHECK(holds(headers.refusal(), "nested too deeply"));
  }
  SUBCASE("one that includes itself without end, by two names") {
    headers.write("libc/math.h", "#include <other.h>\n#include <other.h>\n");
    headers.write("libc/other.h", "#include <math.h>\n#include <math.h>\n");
    CHECK(holds(headers.refusal(), "nested too deeply"));
  }
  SUBCASE("one of 10 MB") {
    std::string text;
    while (text.size() < (std::size_t{10} << 20U))
      text += fmt::format("extern \"C\" double padding_{}(double) noexcept;\n", text.size());
    headers.libc_says(text);
    CHECK(headers.compare()->compared == 24);
  }
  SUBCASE("a pipe") {
    fs::remove(headers.root + "/libc/math.h");
    REQUIRE(::mkfifo((headers.root + "/libc/math.h").c_str(), 0600) == 0);
    CHECK(holds(headers.refusal(), "'math.h' file not found"));
  }
  SUBCASE("a directory") {
    fs::remove(headers.root + "/libc/math.h");
    fs::create_directory(headers.root + "/libc/math.h");
    CHECK_FALSE(headers.compare().has_value());
  }
  SUBCASE("bytes") {
    std::string bytes;
    for (int i = 0; i < 4096; ++i)
      bytes += static_cast<char>(i * 7);
    headers.write("libc/math.h", bytes);
    CHECK_FALSE(headers.compare().has_value());
  }
  SUBCASE("brackets without end") {
    headers.libc_says("int a[sizeof" + std::string(100000, '('));
    CHECK_FALSE(headers.compare().has_value());
  }
}

TEST_CASE("a target that does not exist is an error") {
  const Headers headers;
  const auto comparison =
      compare_declarations({{headers.root + "/cuda"}, std::nullopt},
                           {false, {12, 2, 0}, {headers.root + "/libc"}, "vax-dec-ultrix"},
                           hostpin::test::in_build("libexec/hostpin/clang"));
  REQUIRE_FALSE(comparison.has_value());
  CHECK(holds(comparison.error().message, "vax-dec-ultrix"));
}
