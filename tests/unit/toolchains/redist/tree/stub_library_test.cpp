// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/binary/stub_library.hpp"
#include "toolchains/redist/tree/dynamic_symbols.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <random>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;
using namespace hostpin::redist;

namespace {

constexpr std::array<std::uint16_t, 3> machines{EM_X86_64, EM_AARCH64, EM_PPC64};

/// Up to 300 functions, each with up to three of up to four versions.
StubLibrary some_stub(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  StubLibrary stub;
  stub.machine = EM_X86_64;
  stub.soname = "libstub" + std::to_string(seed) + ".so";
  const unsigned versions = below(5);
  for (unsigned left = below(300); left > 0; --left) {
    auto& own = stub.functions["hostpin_" + std::string(below(60), 'x') + std::to_string(below(1000))];
    for (unsigned count = versions == 0 ? 0 : below(4); count > 0; --count)
      own.insert("V_" + std::to_string(below(versions)));
  }
  return stub;
}

std::set<std::string> all_versions_of(const StubLibrary& stub) {
  std::set<std::string> all;
  for (const auto& [name, versions] : stub.functions)
    all.insert(versions.begin(), versions.end());
  return all;
}

std::set<std::string> names_of(const StubLibrary& stub) {
  std::set<std::string> all;
  for (const auto& [name, versions] : stub.functions)
    all.insert(name);
  return all;
}

} // namespace

TEST_CASE("stubs of each machine are read as they were written") {
  for (unsigned seed = 0; seed < 60; ++seed)
    for (const std::uint16_t machine : machines) {
      StubLibrary stub = some_stub(seed);
      stub.machine = machine;
      const std::string bytes = stub_bytes(stub);
      CHECK(bytes == stub_bytes(stub));
      const auto object = binary::read_shared_object(bytes);
      REQUIRE_MESSAGE(object, object.error().message);
      CHECK(object->kind == binary::ElfKind{true, machine});
      CHECK(object->soname == stub.soname);
      CHECK(object->needed.empty());
      const auto& found = object->version_definitions;
      CHECK(std::set(found.begin(), found.end()) == all_versions_of(stub));
      const auto symbols = read_dynamic_symbols(bytes);
      REQUIRE_MESSAGE(symbols, symbols.error().message);
      CHECK(symbols->machine == machine);
      CHECK(symbols->defined == names_of(stub));
      CHECK(symbols->undefined.empty());
    }
}

#ifdef __x86_64__
TEST_CASE("the loader finds every function of stubs, by its version") {
  const auto scratch = ScratchDirectory::make(Environment());
  REQUIRE(scratch);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const StubLibrary stub = some_stub(seed);
    const std::string file = scratch->path() + '/' + stub.soname;
    std::ofstream(file) << stub_bytes(stub);
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, ::dlerror());
    for (const auto& [name, versions] : stub.functions) {
      std::set<void*> addresses;
      for (const std::string& version : versions)
        addresses.insert(::dlvsym(library, name.c_str(), version.c_str()));
      CHECK(addresses.size() == versions.size());
      CHECK_FALSE(addresses.contains(nullptr));
      void* const chosen = ::dlsym(library, name.c_str());
      CHECK(chosen != nullptr);
      if (!versions.empty())
        CHECK(chosen == ::dlvsym(library, name.c_str(), versions.rbegin()->c_str()));
    }
    CHECK(::dlsym(library, "hostpin_none") == nullptr);
    CHECK(::dlclose(library) == 0);
  }
}
#endif

TEST_CASE("stubs are written for three machines") {
  CHECK(std::ranges::all_of(machines, has_stubs));
  CHECK_FALSE(has_stubs(EM_386));
}
