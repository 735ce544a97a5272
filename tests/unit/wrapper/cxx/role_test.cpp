// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/cmdline/responses.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "wrapper/cxx/role.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::cxx;

namespace {

using Role = CxxCall::Role;

const cmdline::ResponseMap responses{{{"compile.rsp", {"-c 'a file.cpp'"}},
                                      {"link.rsp", {"a.o b.o -o prog"}},
                                      {"nested.rsp", {"-O2 @compile.rsp"}},
                                      {"name.rsp", {"-c"}},
                                      {"empty.rsp", {" \n"}}}};

CxxCall call(std::string line) {
  std::string copy = std::move(line);
  return cxx_call(cmdline::split_response(copy), responses);
}

struct Row {
  const char* line;
  Role role;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(call(row.line).role == row.role);
  }
}

} // namespace

TEST_CASE("what stops before linking is a compile, whatever else stands there") {
  check({
      {"-c a.cpp", Role::compile},
      {"-c a.cpp -o a.o -shared -fPIC", Role::compile},
      {"a.o -lm -c", Role::compile},
      {"-S a.cpp", Role::compile},
      {"-E a.cpp", Role::compile},
      {"-E -x c++ -", Role::compile},
      {"-M a.cpp", Role::compile},
      {"-MM -MD -MF d a.cpp", Role::compile},
      {"-fsyntax-only a.cpp", Role::compile},
      {"--compile a.cpp", Role::compile},
      {"--assemble a.cpp", Role::compile},
      {"--preprocess a.cpp", Role::compile},
      {"--dependencies a.cpp", Role::compile},
      {"--user-dependencies a.cpp", Role::compile},
      {"--precompile a.cppm", Role::compile},
      {"--analyze a.cpp", Role::compile},
      {"-emit-ast a.cpp", Role::compile},
      {"-cc1 -triple x86_64 a.cpp", Role::compile},
      {"-### -c a.cpp", Role::compile},
      {"-v -c a.cpp", Role::compile},
      {"-c", Role::compile},
  });
}

TEST_CASE("a precompiled header is a compile without -c") {
  check({
      {"a.h", Role::compile},
      {"a.hpp -o a.hpp.gch", Role::compile},
      {"-x c++-header a.inc", Role::compile},
      {"-xc++-header -", Role::compile},
      {"--language=c++-header a", Role::compile},
      {"-x c++ a.h", Role::link},
      {"-x c++-header a.inc -x none b.o", Role::link},
      {"a.h b.o", Role::link},
      {"a.h -lm", Role::link},
      {"dir.h/a", Role::link},
  });
}

TEST_CASE("everything with an input and no stop is a link, also when it compiles on the way") {
  check({
      {"a.o", Role::link},
      {"a.o -o prog -L/x -lfoo", Role::link},
      {"-shared a.o -o liba.so", Role::link},
      {"-r a.o b.o -o c.o", Role::link},
      {"-static a.o", Role::link},
      {"-pie a.o", Role::link},
      {"a.cpp -o prog", Role::link},
      {"a.cpp b.o c.a d.so script.ld", Role::link},
      {"-x c++ -", Role::link},
      {"-MD a.cpp", Role::link},
      {"-MMD -MF d a.cpp", Role::link},
      {"-### a.o", Role::link},
      {"-v a.o", Role::link},
      {"-lm", Role::link},
      {"-Wl,--version", Role::link},
      {"-Xlinker --help", Role::link},
      {"-shared -o x a.o -Wl,-soname,x", Role::link},
      {"noextension", Role::link},
      {"-fmodules a.cpp", Role::link},
      {"-save-temps a.cpp", Role::link},
      {"-- -c", Role::link},
  });
}

TEST_CASE("the value of an option is not an option") {
  check({
      {"-o -c a.o", Role::link},
      {"-include -S a.cpp", Role::link},
      {"-Xlinker -c a.o", Role::link},
      {"-Xpreprocessor -E a.cpp", Role::link},
      {"-Xassembler -S a.s", Role::link},
      {"-Xclang -fsyntax-only a.cpp", Role::link},
      {"-mllvm -c a.o", Role::link},
      {"-T -c a.o", Role::link},
      {"-u -E a.o", Role::link},
      {"-z -c a.o", Role::link},
      {"-L -c a.o", Role::link},
      {"-l -c", Role::link},
      {"-I -c a.cpp", Role::link},
      {"-D -c a.cpp", Role::link},
      {"-U -c a.cpp", Role::link},
      {"-isystem -c a.cpp", Role::link},
      {"-MF -c -MT -S -MQ -E a.cpp", Role::link},
      {"-target -c a.o", Role::link},
      {"--sysroot -c a.o", Role::link},
      {"-arch -c a.o", Role::link},
      {"--param -c a.o", Role::link},
      {"-aux-info -c a.o", Role::link},
      {"-dumpbase -c a.o", Role::link},
      {"-dumpdir -c a.o", Role::link},
      {"-Xarch_x86_64 -c a.o", Role::link},
      {"-wrapper -c a.o", Role::link},
      {"-specs -c a.o", Role::link},
      {"-o a -c a.cpp", Role::compile},
      {"-oa -c a.cpp", Role::compile},
      {"-I/x -c a.cpp", Role::compile},
      {"-Xlinker -c -c a.cpp", Role::compile},
      {"-x c++ -c a", Role::compile},
      {"-xc++ -c a", Role::compile},
      {"a.o -o", Role::link},
      {"a.o -x", Role::link},
  });
}

TEST_CASE("a question goes to the side that it is about") {
  check({
      {"-dumpversion", Role::query_host},
      {"-dumpfullversion -dumpversion", Role::query_host},
      {"-dumpmachine", Role::query_host},
      {"-dumpspecs", Role::query_host},
      {"--version", Role::query_host},
      {"--help", Role::query_host},
      {"--help=optimizers -Q", Role::query_host},
      {"--target-help", Role::query_host},
      {"-print-prog-name=cc1plus", Role::query_host},
      {"-print-prog-name=as", Role::query_host},
      {"-print-file-name=include", Role::query_host},
      {"-print-file-name=plugin", Role::query_host},
      {"-print-resource-dir", Role::query_host},
      {"-print-target-triple", Role::query_host},
      {"-print-sysroot-headers-suffix", Role::query_host},
      {"-print-prog-name=ar", Role::query_link},
      {"-print-prog-name=ld", Role::query_link},
      {"--print-prog-name ld", Role::query_link},
      {"-print-file-name=libstdc++.so", Role::query_link},
      {"--print-file-name libgcc_s.so.1", Role::query_link},
      {"-print-libgcc-file-name", Role::query_link},
      {"--print-libgcc-file-name", Role::query_link},
      {"-print-search-dirs", Role::query_link},
      {"-print-multi-lib", Role::query_link},
      {"-print-multi-directory", Role::query_link},
      {"-print-multi-os-directory", Role::query_link},
      {"-print-multiarch", Role::query_link},
      {"-print-sysroot", Role::query_link},
      {"-print-runtime-dir", Role::query_link},
  });
}

TEST_CASE("a question outranks the work, and what GCC answers while it reads outranks both") {
  check({
      {"-print-search-dirs -c a.cpp", Role::query_link},
      {"--version a.o", Role::query_host},
      {"--version -print-search-dirs", Role::query_link},
      {"-print-search-dirs -dumpmachine", Role::query_host},
  });
}

TEST_CASE("with nothing to work on the compiler answers") {
  check({
      {"", Role::query_host},
      {"-v", Role::query_host},
      {"-###", Role::query_host},
      {"-O2 -Wall", Role::query_host},
      {"-shared", Role::query_host},
      {"-L/x -T script", Role::query_host},
      {"-o", Role::query_host},
      {"-print-file-name", Role::query_host},
  });
}

TEST_CASE("response files count as what they hold") {
  check({
      {"@compile.rsp", Role::compile},
      {"@nested.rsp -o a.o", Role::compile},
      {"@link.rsp", Role::link},
      {"@link.rsp -c", Role::compile},
      {"-o @name.rsp a.o", Role::link},
      {"@empty.rsp", Role::query_host},
      {"@missing.rsp", Role::link},
      {"-c @missing.rsp", Role::compile},
  });
}

TEST_CASE("code is generated by what makes an object or a program") {
  CHECK(call("-c a.cpp").generates_code);
  CHECK(call("-S a.cpp").generates_code);
  CHECK(call("a.cpp").generates_code);
  CHECK(call("a.o").generates_code);
  CHECK_FALSE(call("-E a.cpp").generates_code);
  CHECK_FALSE(call("-E -c a.cpp").generates_code);
  CHECK_FALSE(call("-M -S a.cpp").generates_code);
  CHECK_FALSE(call("-fsyntax-only -c a.cpp").generates_code);
  CHECK_FALSE(call("a.h").generates_code);
  CHECK_FALSE(call("--version").generates_code);
}

TEST_CASE("the flag that asks for a runtime is kept, and the last of its kind wins") {
  struct Features {
    const char* line;
    RuntimeFeature feature;
    const char* flag;
  };
  using F = RuntimeFeature;
  const Features rows[] = {
      {"-fsanitize=address -c a.cpp", F::sanitize, "-fsanitize=address"},
      {"-fsanitize=address,undefined -fno-sanitize=address", F::sanitize, "-fsanitize=undefined"},
      {"-fsanitize=address -fno-sanitize=undefined", F::sanitize, "-fsanitize=address"},
      {"-fsanitize=address,leak -fno-sanitize=all", F::sanitize, ""},
      {"-fsanitize=address -fno-sanitize=address", F::sanitize, ""},
      {"-fno-sanitize=all -fsanitize=thread", F::sanitize, "-fsanitize=thread"},
      {"-fsanitize=,,", F::sanitize, ""},
      {"-fsanitize-recover=address", F::sanitize, ""},
      {"--coverage", F::coverage, "--coverage"},
      {"-coverage", F::coverage, "-coverage"},
      {"-fprofile-arcs -ftest-coverage", F::coverage, "-fprofile-arcs"},
      {"-fprofile-arcs -fno-profile-arcs", F::coverage, ""},
      {"--coverage -fno-profile-arcs", F::coverage, "--coverage"},
      {"-ftest-coverage", F::coverage, ""},
      {"-fprofile-generate", F::profile, "-fprofile-generate"},
      {"-fprofile-generate=dir", F::profile, "-fprofile-generate=dir"},
      {"-fprofile-generate -fno-profile-generate", F::profile, ""},
      {"-fprofile-instr-generate=f -fcoverage-mapping", F::profile, "-fprofile-instr-generate=f"},
      {"-fprofile-instr-generate -fno-profile-generate", F::profile, "-fprofile-instr-generate"},
      {"-fprofile-use", F::profile, ""},
      {"-fopenmp", F::openmp, "-fopenmp"},
      {"-fopenmp=libomp", F::openmp, "-fopenmp=libomp"},
      {"-fopenmp -fno-openmp", F::openmp, ""},
      {"-fopenmp-simd", F::openmp, ""},
      {"-fopenacc", F::openmp, "-fopenacc"},
      {"-pg", F::pg, "-pg"},
      {"-flto", F::lto, "-flto"},
      {"-flto=auto", F::lto, "-flto=auto"},
      {"-flto -fno-lto", F::lto, ""},
      {"-fno-lto -flto=thin", F::lto, "-flto=thin"},
      {"-Xlinker -flto", F::lto, ""},
      {"-o -fopenmp", F::openmp, ""},
      {"-fcf-protection", F::sanitize, ""},
  };
  for (const Features& row : rows) {
    CAPTURE(row.line);
    CHECK(call(row.line).features[static_cast<std::size_t>(row.feature)] == row.flag);
  }
  const cmdline::ResponseMap files{{{"flags", {"-O2 -fopenmp"}}}};
  const std::vector<std::string_view> arguments = {"@flags", "-c", "a.cpp"};
  CHECK(cxx_call(arguments, files).features[static_cast<std::size_t>(F::openmp)] == "-fopenmp");
}

TEST_CASE("the output is what the last -o names, in any spelling") {
  struct Output {
    const char* line;
    const char* name;
  };
  const Output rows[] = {
      {"a.o", "a.out"},
      {"a.o -o prog", "prog"},
      {"a.o -oprog", "prog"},
      {"a.o --output prog", "prog"},
      {"a.o --output=prog", "prog"},
      {"-o first a.o -o second", "second"},
      {"-o 'the prog' a.o", "the prog"},
      {"-Xlinker -o a.o", "a.out"},
      {"a.o -o", "a.out"},
      {"@link.rsp", "prog"},
      {"@link.rsp -o other", "other"},
  };
  for (const Output& row : rows) {
    CAPTURE(row.line);
    CHECK(call(row.line).output == row.name);
  }
}

TEST_CASE("a link for another root, and one that is to be shown, are told") {
  CHECK(call("a.o --sysroot=/root").sysroot == "/root");
  CHECK(call("a.o --sysroot /root").sysroot == "/root");
  CHECK(call("a.o -isysroot /root").sysroot.empty());
  CHECK(call("a.o -v").verbose);
  CHECK(call("a.o --verbose").verbose);
  CHECK_FALSE(call("a.o -Xlinker -v").verbose);
}

TEST_CASE("what a link reads is listed as far as it is named") {
  std::string line = "@link.rsp -L/one -lx -L '/the other' -l :liby.a -o c.o -Wl,-rpath,/z d.a -- -e.o";
  const LinkInputs inputs = link_inputs(cmdline::split_response(line), responses);
  CHECK(inputs.files == std::vector<std::string>{"a.o", "b.o", "/z", "d.a", "-e.o"});
  CHECK_FALSE(inputs.in_other_files);
  CHECK(inputs.libraries == std::vector<std::string>{"x", ":liby.a"});
  CHECK(inputs.directories == std::vector<std::string>{"/one", "/the other"});
  line = "a.o -Wl,--start-group,b.a,--just-symbols=c.o,-R,d.o,-Re.o -Xlinker @d";
  const LinkInputs passed = link_inputs(cmdline::split_response(line), responses);
  CHECK(passed.files == std::vector<std::string>{"a.o", "b.a", "c.o", "d.o", "e.o"});
  CHECK(passed.in_other_files);
  line = "a.o -B/parts -lx -Wl,-Tin.ld -Wl,-T,other.ld -Ttext 0x1000";
  const LinkInputs parts = link_inputs(cmdline::split_response(line), responses);
  CHECK(parts.files == std::vector<std::string>{"a.o", "in.ld", "other.ld"});
  CHECK(parts.directories == std::vector<std::string>{"/parts"});
  CHECK_FALSE(parts.in_other_files);
  for (std::string script : {"a.o -T x.ld", "a.o -Tx.ld"})
    CHECK(link_inputs(cmdline::split_response(script), responses).in_other_files);
  line = "a.o -Wl,-L/one,-lx,--library=y,--library-path=/two -Xlinker -lz -Wl,-soname=l";
  const LinkInputs searched = link_inputs(cmdline::split_response(line), responses);
  CHECK(searched.libraries == std::vector<std::string>{"x", "y", "z"});
  CHECK(searched.directories == std::vector<std::string>{"/one", "/two"});
}

namespace {

/// `-c a.cpp -o /t/1-a.o | /t/1-a.o b.o`.
std::string steps(std::string line) {
  std::string copy = std::move(line);
  const auto words = cmdline::split_response(copy);
  const SourceSteps steps = source_steps(words, "/t");
  std::string text;
  const auto add = [&text](const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments)
      text += (text.empty() || text.ends_with(' ') ? "" : " ") + argument;
  };
  for (const auto& compile : steps.compiles) {
    add(compile);
    text += " | ";
  }
  add(steps.link);
  CHECK(steps.objects.size() == steps.compiles.size());
  return text;
}

} // namespace

TEST_CASE("a link that compiles is told from one that does not, or that leaves more than objects") {
  for (const char* line : {"a.cpp", "a.o b.cc", "-x c++ -", "-xc++ a", "-lx a.C", "-flto a.cpp"})
    CHECK(call(line).compiles);
  for (const char* line :
       {"a.o", "-c a.cpp", "-x c++ -x none a", "a.h", "-### a.cpp", "-MD a.cpp", "-save-temps a.cpp",
        "--coverage a.cpp", "-fprofile-generate a.cpp", "-- a.cpp", "a.cppm", "a.unknown"}) {
    CAPTURE(line);
    CHECK_FALSE(call(line).compiles);
  }
}

TEST_CASE("a link that compiles is the compiles, each with all options of a compile, and the link of their "
          "objects") {
  CHECK(steps("a.cpp") == "-c a.cpp -o /t/1-a.o | /t/1-a.o");
  CHECK(steps("-O2 x/a.cpp b.o y/a.cpp -lm -L. -Wl,x -o prog -B/p -I inc") ==
        "-O2 -B/p -I inc -c x/a.cpp -o /t/1-a.o | -O2 -B/p -I inc -c y/a.cpp -o /t/2-a.o | "
        "-O2 /t/1-a.o b.o /t/2-a.o -lm -L. -Wl,x -o prog -B/p -I inc");
  CHECK(steps("-x c++ a -x none b.o c.cpp") ==
        "-x c++ -c a -o /t/1-a.o | -c c.cpp -o /t/2-c.o | /t/1-a.o b.o /t/2-c.o");
  CHECK(steps("-xc++ - -Xlinker a.cpp -T s.cpp -D a.cpp") ==
        "-D a.cpp -x c++ -c - -o /t/1--.o | /t/1--.o -Xlinker a.cpp -T s.cpp -D a.cpp");
}
