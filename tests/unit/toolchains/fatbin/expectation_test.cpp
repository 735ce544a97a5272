// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/fatbin/pieces.hpp"
#include "toolchains/fatbin/expectation.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::fatbin;
using namespace hostpin::binary;
using namespace hostpin::test;

namespace {

constexpr gpus::Capability v8_0{8, 0}, v9_0{9, 0},
    v9_0a{9, 0, gpus::Capability::Variant::architecture_specific};

Holding holding_of(const std::vector<std::vector<Entry>>& fatbins) {
  std::string bytes;
  for (const auto& entries : fatbins)
    bytes += fatbin_of(entries);
  const InputFile file(bytes);
  Holding holding;
  REQUIRE(read_device_code(Bytes(file), holding));
  return holding;
}

/// `missing 9.0 PTX; surplus 7.0 machine code; partial ...`, `` when all agrees.
std::string compared(const gpus::GpuExpansion& asked, const Holding& held,
                     CarrierKind kind = CarrierKind::object) {
  const Comparison result = comparison(asked, held, kind);
  std::string text;
  for (const HeldCode& code : result.missing)
    text += "missing " + to_string(code) + "; ";
  for (const HeldCode& code : result.surplus)
    text += "surplus " + to_string(code) + "; ";
  for (const HeldCode& code : result.partial)
    text += "partial " + to_string(code) + "; ";
  CHECK(result.agrees() == (result.missing.empty() && result.surplus.empty()));
  return text;
}

const gpus::GpuExpansion both{{{v8_0, true, false}, {v9_0, true, true}}, {}};

} // namespace

TEST_CASE("a file agrees if it contains what was asked for and nothing else") {
  const Entry sm_80{2, 80}, sm_90{2, 90}, ptx_90{1, 90}, sm_90a{2, 90, specific}, ptx_80{1, 80},
      other{16, 90};
  CHECK(compared(both, holding_of({{sm_80, sm_90, ptx_90}})).empty());
  CHECK(compared(both, holding_of({{sm_80, sm_90, ptx_90, other}})).empty());
  CHECK(compared(both, holding_of({{sm_80, ptx_90}})) == "missing 9.0 machine code; ");
  CHECK(compared(both, holding_of({{sm_80, sm_90, ptx_90, ptx_80}})) == "surplus 8.0 PTX; ");
  CHECK(compared(both, Holding{}) == "missing 8.0 machine code; missing 9.0 PTX; missing 9.0 machine code; ");
  CHECK(compared({{{v9_0a, true, false}}, {}}, holding_of({{sm_90a}})).empty());
}

TEST_CASE("machine code of a variant is code of its capability, as slim keeps it") {
  const Entry sm_80{2, 80}, sm_90{2, 90}, sm_90a{2, 90, specific}, ptx_90a{1, 90, specific},
      sm_100f{2, 100, family};
  const gpus::GpuExpansion one{{{v9_0, true, false}}, {}}, specific_one{{{v9_0a, true, false}}, {}},
      ptx{{{v9_0, true, true}}, {}};
  CHECK(compared(one, holding_of({{sm_90, sm_90a}})).empty());
  CHECK(compared(one, holding_of({{sm_90a}})).empty());
  CHECK(compared(one, holding_of({{sm_90, sm_90a}, {sm_90}, {sm_90a}})).empty());
  CHECK(compared(one, holding_of({{sm_90, sm_90a}, {sm_80}})) ==
        "surplus 8.0 machine code; partial 9.0 machine code; ");
  CHECK(compared({{{{10, 0}, true, false}}, {}}, holding_of({{sm_100f}})).empty());
  CHECK(compared({{{{10, 3}, true, false}}, {}}, holding_of({{sm_100f}})) ==
        "missing 10.3 machine code; surplus 10.0f machine code; ");
  CHECK(compared(specific_one, holding_of({{sm_90, sm_90a}})).empty());
  CHECK(compared(specific_one, holding_of({{sm_90}})) == "missing 9.0a machine code; ");
  CHECK(compared(ptx, holding_of({{sm_90a, ptx_90a}})) == "missing 9.0 PTX; surplus 9.0a PTX; ");
  Holding sum = holding_of({{sm_90}});
  sum.add(holding_of({{sm_90a}}));
  CHECK(compared(one, sum, CarrierKind::archive).empty());
}

TEST_CASE("code that only some of the fatbins contain is reported, and is no failure") {
  const Entry sm_80{2, 80}, sm_90{2, 90}, ptx_90{1, 90};
  CHECK(compared(both, holding_of({{sm_80, sm_90, ptx_90}, {sm_80}})) ==
        "partial 9.0 PTX; partial 9.0 machine code; ");
}

TEST_CASE("LTO-IR counts as machine code until it is linked") {
  const gpus::GpuExpansion one{{{v8_0, true, false}}, {}};
  const Holding held = holding_of({{Entry{8, 80}}});
  CHECK(compared(one, held).empty());
  CHECK(compared(one, held, CarrierKind::archive).empty());
  CHECK(compared(one, held, CarrierKind::program) == "missing 8.0 machine code; ");
  CHECK(compared(one, holding_of({{Entry{8, 80}, Entry{8, 90}}})) == "surplus 9.0 LTO-IR; ");
}

TEST_CASE("relocatable code in a program does not run on a GPU, but takes space") {
  const gpus::GpuExpansion one{{{v8_0, true, false}}, {}};
  Holding held;
  held.begin_fatbin();
  held.add({.code = DeviceCode::cubin, .architecture = 80}, CodeUse::link);
  held.add({.code = DeviceCode::cubin, .architecture = 90}, CodeUse::link);
  CHECK(compared(one, held, CarrierKind::program) ==
        "missing 8.0 machine code; surplus 9.0 relocatable machine code; ");
  held.begin_fatbin();
  held.add({.code = DeviceCode::cubin, .architecture = 80});
  CHECK(compared(one, held, CarrierKind::program) == "surplus 9.0 relocatable machine code; ");
}

TEST_CASE("code without functions counts neither as present nor as superfluous") {
  const gpus::GpuExpansion one{{{v8_0, true, false}}, {}};
  Holding held;
  held.begin_fatbin();
  held.add({.code = DeviceCode::cubin, .architecture = 80}, CodeUse::none);
  held.add({.code = DeviceCode::cubin, .architecture = 86}, CodeUse::none);
  CHECK(held.is_idle());
  CHECK(compared(one, held, CarrierKind::program) == "missing 8.0 machine code; ");
  held.begin_fatbin();
  held.add({.code = DeviceCode::cubin, .architecture = 80});
  CHECK_FALSE(held.is_idle());
  CHECK(compared(one, held, CarrierKind::program).empty()); // the first fatbin lacks nothing
  held.begin_fatbin();
  CHECK(compared(one, held, CarrierKind::program) == "partial 8.0 machine code; ");
}

TEST_CASE("the members that lack something are named, a bounded number of them") {
  FileInventory file{"libx.a", CarrierKind::archive, 0, {}, {}};
  for (const char* name : {"a.o", "b.o", "c.o"}) {
    const Holding held =
        holding_of({*name == 'b' ? std::vector<Entry>{{2, 80}, {2, 90}} : std::vector<Entry>{{2, 80}}});
    file.holding.add(held);
    file.members.push_back({{"inner.a", name}, held});
  }
  const HeldCode sm_90{v9_0, DeviceCode::cubin};
  CHECK(fatbins_without(sm_90, file.holding, file.kind) == 2);
  CHECK(members_without(sm_90, file, 9) == std::vector<std::string>{"inner.a(a.o)", "inner.a(c.o)"});
  CHECK(members_without(sm_90, file, 1).size() == 1);
  CHECK(members_without({v8_0, DeviceCode::cubin}, file, 9).empty());
}

TEST_CASE("nvprune preserves what was asked for and exists, and is not suggested for LTO-IR") {
  const Holding held = holding_of({{Entry{2, 70}, Entry{2, 80}, Entry{1, 90}}});
  CHECK(prune_arguments(both, held) ==
        "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=compute_90");
  CHECK(prune_arguments(both, holding_of({{Entry{2, 90}, Entry{2, 90, specific}, Entry{1, 80}}})) ==
        "-gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90a,code=sm_90a");
  CHECK(can_prune_to(both, held, CarrierKind::object));
  CHECK(can_prune_to(both, held, CarrierKind::archive));
  for (const CarrierKind kind :
       {CarrierKind::program, CarrierKind::library, CarrierKind::fatbin, CarrierKind::ptx})
    CHECK_FALSE(can_prune_to(both, held, kind));
  CHECK_FALSE(can_prune_to(both, holding_of({{Entry{2, 80}, Entry{8, 90}}}), CarrierKind::object));
}

TEST_CASE("superfluous bytes are those of headers and payloads") {
  const Comparison result =
      comparison(both, holding_of({{Entry{2, 70}, Entry{2, 80}, Entry{1, 70}}}), CarrierKind::object);
  CHECK(result.surplus_bytes == 2 * (64 + 24));
}

TEST_CASE("a device link writes no PTX, and a program keeps that of its objects") {
  gpus::GpuExpansion asked{{{v8_0, true, true}}, {}};
  const DeviceCodeHead sm_80{.code = DeviceCode::cubin, .architecture = 80},
      ptx_80{.code = DeviceCode::ptx, .architecture = 80};
  Holding held; // a device link
  held.begin_fatbin();
  held.add(sm_80);
  held.linked = 1;
  CHECK(compared(asked, held) == "missing 8.0 PTX; ");
  CHECK(compared(asked, held, CarrierKind::program) == "missing 8.0 PTX; ");
  asked.added_ptx = v8_0;
  CHECK(compared(asked, held).empty());
  CHECK(comparison(asked, held, CarrierKind::object).lost == std::vector<HeldCode>{{v8_0, DeviceCode::ptx}});
  held.begin_fatbin(); // and what it read
  held.add(sm_80, CodeUse::link);
  CHECK(compared(asked, held, CarrierKind::program) == "missing 8.0 PTX; ");
  held.add(ptx_80, CodeUse::link);
  asked.added_ptx.reset();
  CHECK(compared(asked, held, CarrierKind::program).empty());
  CHECK(comparison(asked, held, CarrierKind::program).lost.empty());
  Holding link_time; // LTO-IR is no PTX to a driver
  link_time.begin_fatbin();
  link_time.add(sm_80);
  link_time.linked = 1;
  link_time.begin_fatbin();
  link_time.add({.code = DeviceCode::ltoir, .architecture = 80}, CodeUse::link);
  CHECK(compared(asked, link_time, CarrierKind::program) == "missing 8.0 PTX; ");
  asked.added_ptx = v8_0;
  CHECK(compared(asked, link_time, CarrierKind::program).empty());
  CHECK(comparison(asked, link_time, CarrierKind::program).lost.size() == 1);
  held.begin_fatbin();
  held.add(sm_80);
  CHECK(compared(asked, held, CarrierKind::program) == "missing 8.0 PTX; "); // one that nobody linked
  held.add(ptx_80);
  CHECK(compared(asked, held, CarrierKind::program).empty());
}

TEST_CASE("a device link without a requested capability, or without PTX, excuses nothing") {
  gpus::GpuExpansion asked{{{v8_0, true, true}, {v9_0, true, false}}, {}, v8_0};
  Holding held;
  held.begin_fatbin();
  held.add({.code = DeviceCode::cubin, .architecture = 80});
  held.linked = 1;
  CHECK(compared(asked, held) == "missing 8.0 PTX; missing 9.0 machine code; ");
  held.add({.code = DeviceCode::cubin, .architecture = 90});
  CHECK(compared(asked, held).empty());
  CHECK(compared(asked, held, CarrierKind::program) == "missing 8.0 PTX; ");
}
