// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/driver_facts.hpp"
#include "tests/e2e/discovery/real.hpp"
#include "tests/e2e/stdlib-probe/facts/truth.hpp"

using namespace hostpin;
using namespace hostpin::test;
using Strings = std::vector<std::string>;

namespace {

Result<probe::Facts> facts_of(const Strings& command) {
  const DriverCandidate candidate{command, "test"};
  return std::move(probe::driver_facts(DiskFiles(), HostProcesses(), {&candidate, 1}).front());
}

Strings with(const std::string& driver, Strings flags) {
  flags.insert(flags.begin(), driver);
  return flags;
}

bool is_clang(const std::string& driver) {
  return base_name(driver).starts_with("clang");
}

long number(const Macros& macros, const std::string& name) {
  const auto found = macros.find(name);
  return found == macros.end() ? 0 : std::atol(found->second.c_str());
}

void check_headers(const probe::Facts& facts, const Macros& macros) {
  const Compiler& compiler = facts.compiler;
  const bool libcxx = macros.count("_LIBCPP_VERSION") != 0;
  CHECK(compiler.library.kind == (libcxx ? "libc++" : "libstdc++"));
  CHECK(compiler.library.version == number(macros, "_LIBCPP_VERSION"));
  CHECK(compiler.library.release == number(macros, "_GLIBCXX_RELEASE"));
  if (!libcxx)
    CHECK(compiler.library.cxx11_abi == (number(macros, "_GLIBCXX_USE_CXX11_ABI") != 0));
  CHECK(compiler.default_cplusplus == number(macros, "__cplusplus"));
  REQUIRE(compiler.glibc);
  CHECK(compiler.glibc->major == number(macros, "__GLIBC__"));
  CHECK(compiler.glibc->minor == number(macros, "__GLIBC_MINOR__"));
}

/// Each library is the one of its name that the linker opened.
void check_library(const std::optional<probe::LinkedFacts>& library, const std::vector<Opened>& opened,
                   const std::string& name) {
  const auto truth = std::find_if(opened.begin(), opened.end(), [&](const Opened& file) {
    return file.name.starts_with(name + ".so") || file.name == name + ".a";
  });
  CAPTURE(name);
  REQUIRE((truth != opened.end()) == library.has_value());
  if (!library)
    return;
  CHECK(library->path == truth->path);
  CHECK(library->shared == (truth->name != name + ".a"));
}

void check_versions(const probe::Facts& facts) {
  if (facts.library && facts.library->shared) {
    CHECK(facts.library->glibcxx == highest_by_readelf(facts.library->path, "GLIBCXX_", false));
    CHECK(facts.library->cxxabi == highest_by_readelf(facts.library->path, "CXXABI_", false));
    CHECK(facts.library->needs_glibc == highest_by_readelf(facts.library->path, "GLIBC_", true));
  }
  if (facts.c_library && facts.c_library->shared)
    CHECK(facts.c_library->glibc == highest_by_readelf(facts.c_library->path, "GLIBC_", false));
  if (facts.libgcc && facts.libgcc->shared)
    CHECK(facts.libgcc->gcc == highest_by_readelf(facts.libgcc->path, "GCC_", false));
}

struct Count {
  int answered = 0, linked = 0, refused = 0;
};

/// Holds one answer against a real preprocessing and a real link with the same flags.
void check(const Strings& command, const std::string& scratch, Count& count) {
  CAPTURE(command);
  const auto macros = defined_macros(command);
  const auto facts = facts_of(command);
  if (macros)
    CHECK(facts.has_value());
  else if (facts) // the compiler works, but there are no headers of the library that the flags ask for
    CHECK(facts->unknown.contains("kind"));
  if (!facts || !macros) {
    ++count.refused;
    return;
  }
  ++count.answered;
  check_headers(*facts, *macros);
  const auto opened = linked_files(command, scratch);
  if (!opened) {
    // The link may fail for another reason than the one that was looked for, but not without any library.
    CHECK((!facts->library || !facts->c_library || !facts->unknown.empty()));
    return;
  }
  ++count.linked;
  check_library(facts->library, *opened, facts->compiler.library.kind);
  check_library(facts->c_library, *opened, "libc");
  check_library(facts->libgcc, *opened, "libgcc_s");
  check_versions(*facts);
}

/// The oldest and the newest of each family, or with HOSTPIN_FULL=1 all, but for those whose C library is not
/// the machine's.
Strings edges() {
  std::map<bool, std::map<int, std::string>> families;
  for (const std::string& driver : lab().drivers)
    if (driver.find("newglibc") == std::string::npos)
      families[is_clang(driver)][std::atoi(driver.c_str() + driver.rfind('-') + 1)] = driver;
  Strings chosen;
  for (const auto& [clang, drivers] : families)
    for (const auto& [release, driver] : drivers)
      if (full_form() || release == drivers.begin()->first || release == drivers.rbegin()->first)
        chosen.push_back(driver);
  return chosen;
}

} // namespace

TEST_CASE("the facts of every compiler of the lab are what it compiles with and links") {
  const Scratch scratch;
  Count count;
  for (const std::string& driver : lab().drivers)
    check({driver}, scratch.root(), count);
  CHECK(count.linked == static_cast<int>(lab().drivers.size()));
}

TEST_CASE("flags change the facts as they change compiling and linking") {
  const Scratch scratch;
  // A directory that a user puts first: a script, and through it another libstdc++ than the compiler's own.
  const auto other = lab_compiler("g++-9");
  const std::string first = scratch.path("first");
  std::filesystem::create_directory(first);
  if (other) {
    const auto their = facts_of({other->command.front()});
    REQUIRE(their);
    std::ofstream(first + "/libstdc++.so")
        << "/* GNU ld script */ INPUT ( " << their->library->path << " )\n";
  }
  const Strings variants[] = {
      {"-D_GLIBCXX_USE_CXX11_ABI=0"},
      {"-std=c++14", "-O2"},
      {"-static-libstdc++"},
      {"-static-libgcc"},
      {"-static"},
      {"-m32"},
      {"-Wl,-Bstatic", "-lstdc++", "-Wl,-Bdynamic"},
      {"-L" + first},
      {"-L", scratch.path("absent"), "-shared", "-fPIC"},
      {"-nostdlib++"},
      {"-stdlib=libc++"},
      {"-stdlib=libc++", "-static-libstdc++"},
  };
  Count count;
  const Strings drivers = edges();
  for (const std::string& driver : drivers)
    for (const Strings& flags : variants)
      if (is_clang(driver) || !flags.front().starts_with("-stdlib"))
        check(with(driver, flags), scratch.root(), count);
  MESSAGE(count.answered << " answered, " << count.linked << " of them linked, " << count.refused
                         << " refused");
  CHECK(count.linked >= 5 * static_cast<int>(drivers.size()));
}

TEST_CASE("what a link leaves out is null with the reason") {
  const auto clang = lab_compiler("clang++-19");
  if (!clang)
    return;
  const std::string driver = clang->command.front();
  const auto without = facts_of({driver, "-nostdlib++"});
  REQUIRE(without);
  CHECK_FALSE(without->library);
  CHECK(without->unknown.at("library") == "the link does not use a C++ standard library");
  CHECK(without->c_library);
  const auto compiled = facts_of({driver, "-nostdlib"});
  REQUIRE(compiled);
  CHECK_FALSE(compiled->library);
  CHECK_FALSE(compiled->c_library);
  const auto archive = facts_of({driver, "-static-libstdc++"});
  REQUIRE(archive);
  REQUIRE(archive->library);
  CHECK_FALSE(archive->library->shared);
  CHECK(archive->library->glibcxx.empty());
}

TEST_CASE("a driver that does not work is an error with its message") {
  const Scratch scratch;
  HostProcesses::Limits limits;
  limits.time = std::chrono::minutes(1);
  const auto refusal = [&](const std::string& body) {
    const DriverCandidate candidate{{scratch.script("c++", body)}, "test"};
    const auto facts =
        std::move(probe::driver_facts(DiskFiles(), HostProcesses(limits), {&candidate, 1}).front());
    return facts ? "answered" : facts.error().message;
  };
  const std::string name = scratch.path("c++ cannot be used: ");
  CHECK(refusal("exit 3") == name + "exited with 3");
  CHECK(refusal("echo 'c++: fatal error: no license' >&2; exit 1") ==
        name + "exited with 1: c++: fatal error: no license");
  CHECK(refusal("kill -SEGV $$").starts_with(name + "killed by signal 11"));
  CHECK(refusal("head -c 100000 /dev/urandom; head -c 100000 /dev/urandom >&2").starts_with(name));
  CHECK(refusal("exit 0").starts_with(name + "did not preprocess"));
  limits.time = std::chrono::milliseconds(700);
  CHECK(refusal("sleep 60").starts_with(name + "did not answer within"));
  CHECK(refusal("yes hostpin_probe end 1").starts_with(name));
}
