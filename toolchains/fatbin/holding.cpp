// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/holding.hpp"

#include <algorithm>
#include <limits>

namespace hostpin::fatbin {

namespace {

void widen(HeldAmount& amount, std::pair<std::uint32_t, std::uint32_t> oldest,
           std::pair<std::uint32_t, std::uint32_t> newest) {
  amount.oldest = amount.entries == 0 ? oldest : std::min(amount.oldest, oldest);
  amount.newest = std::max(amount.newest, newest);
}

} // namespace

gpus::Capability capability_of(const binary::DeviceCodeHead& head) {
  constexpr std::array variants = {gpus::Capability::Variant::baseline,
                                   gpus::Capability::Variant::architecture_specific,
                                   gpus::Capability::Variant::family_specific};
  return {static_cast<int>(head.architecture / 10), static_cast<int>(head.architecture % 10),
          variants[static_cast<std::size_t>(head.variant)]};
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return a > most - b ? most : a + b;
}

namespace {

struct CodeNames {
  const char *text, *json;
};

CodeNames names_of(binary::DeviceCode code) {
  switch (code) {
  case binary::DeviceCode::ptx:
    return {"PTX", "ptx"};
  case binary::DeviceCode::cubin:
    return {"machine code", "cubin"};
  case binary::DeviceCode::ltoir:
    return {"LTO-IR", "ltoir"};
  case binary::DeviceCode::other:
    break;
  }
  return {"other code", "other"};
}

} // namespace

const char* name_of(binary::DeviceCode code) {
  return names_of(code).text;
}

const char* word_of(binary::DeviceCode code) {
  return names_of(code).json;
}

const char* word_of(CodeUse use) {
  switch (use) {
  case CodeUse::link:
    return "link";
  case CodeUse::none:
    return "none";
  case CodeUse::run:
    break;
  }
  return "run";
}

std::string with_use(const std::string& code, CodeUse use) {
  if (use == CodeUse::link)
    return "relocatable " + code;
  return use == CodeUse::none ? code + " without functions" : code;
}

std::string to_string(const HeldCode& held) {
  std::string text = held.capability.major == 0 ? "unnamed" : gpus::to_string(held.capability);
  text += ' ';
  return text += with_use(name_of(held.code), held.use);
}

std::uint64_t Holding::bytes() const {
  std::uint64_t all = 0;
  for (const auto& [held, amount] : codes)
    all = sum(all, amount.bytes);
  return all;
}

std::uint64_t Holding::unpacked() const {
  std::uint64_t all = 0;
  for (const auto& [held, amount] : codes)
    all = sum(all, amount.unpacked);
  return all;
}

bool Holding::is_idle() const {
  return idle == fatbins && std::all_of(codes.begin(), codes.end(),
                                        [](const auto& each) { return each.first.use == CodeUse::none; });
}

HeldAmount* Holding::amount_of(const HeldCode& held) {
  if (const auto known = codes.find(held); known != codes.end())
    return &known->second;
  if (codes.size() < most_codes)
    return &codes[held];
  overflown = true;
  return nullptr;
}

void Holding::begin_fatbin() {
  ++fatbins;
  begun_ = Begun::empty;
}

void Holding::add(const binary::DeviceCodeHead& head, CodeUse use) {
  if (begun_ == Begun::empty && use != CodeUse::run)
    ++idle;
  else if (begun_ == Begun::idle && use == CodeUse::run)
    --idle;
  if (begun_ != Begun::running)
    begun_ = use == CodeUse::run ? Begun::running : Begun::idle;
  HeldAmount* const amount = amount_of({capability_of(head), head.code, use});
  if (amount == nullptr)
    return;
  const auto count = [&](auto& counted) {
    counted.fatbins += counted.last_fatbin == fatbins ? 0U : 1U;
    counted.last_fatbin = fatbins;
  };
  count(*amount);
  if (head.code == binary::DeviceCode::cubin && use == CodeUse::run)
    count(machine_code[gpus::baseline(capability_of(head))]);
  const std::pair version{head.major, head.minor};
  widen(*amount, version, version);
  ++amount->entries;
  amount->bytes = sum(amount->bytes, sum(head.header, head.payload));
  amount->unpacked = sum(amount->unpacked, head.unpacked);
  ++amount->packed[static_cast<std::size_t>(head.packing)];
}

void Holding::add_source(std::string name) {
  if (sources.contains(name))
    return;
  constexpr std::uint64_t node = 96; // approximate memory of one element of a set
  if (source_bytes_ + node + name.size() > most_source_bytes) {
    overflown = true;
    return;
  }
  source_bytes_ += node + name.size();
  sources.insert(std::move(name));
}

void Holding::add(const Holding& other) {
  fatbins += other.fatbins;
  idle += other.idle;
  linked = sum(linked, other.linked);
  overflown = overflown || other.overflown;
  for (const std::string& source : other.sources)
    add_source(source);
  for (const auto& [gpu, more] : other.machine_code)
    machine_code[gpu].fatbins += more.fatbins;
  for (const auto& [held, more] : other.codes) {
    HeldAmount* const amount = amount_of(held);
    if (amount == nullptr)
      continue;
    widen(*amount, more.oldest, more.newest);
    amount->entries += more.entries;
    amount->fatbins += more.fatbins;
    amount->bytes = sum(amount->bytes, more.bytes);
    amount->unpacked = sum(amount->unpacked, more.unpacked);
    for (std::size_t i = 0; i < amount->packed.size(); ++i)
      amount->packed[i] += more.packed[i];
  }
}

} // namespace hostpin::fatbin
