// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/holding.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace hostpin {

namespace {

void widen(HeldAmount& amount, std::pair<std::uint32_t, std::uint32_t> oldest,
           std::pair<std::uint32_t, std::uint32_t> newest) {
  amount.oldest = amount.entries == 0 ? oldest : std::min(amount.oldest, oldest);
  amount.newest = std::max(amount.newest, newest);
}

} // namespace

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return a > most - b ? most : a + b;
}

const char* name_of(DeviceCode code) {
  switch (code) {
  case DeviceCode::ptx:
    return "PTX";
  case DeviceCode::cubin:
    return "machine code";
  case DeviceCode::ltoir:
    return "LTO-IR";
  case DeviceCode::other:
    break;
  }
  return "other code";
}

const char* word_of(DeviceCode code) {
  switch (code) {
  case DeviceCode::ptx:
    return "ptx";
  case DeviceCode::cubin:
    return "cubin";
  case DeviceCode::ltoir:
    return "ltoir";
  case DeviceCode::other:
    break;
  }
  return "other";
}

std::string to_string(const HeldCode& held) {
  std::string text = held.capability.major == 0 ? "unnamed" : to_string(held.capability);
  text += ' ';
  return text += name_of(held.code);
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

void Holding::add(std::span<const DeviceCodeHead> fatbin) {
  ++fatbins;
  std::vector<HeldAmount*> seen;
  for (const DeviceCodeHead& head : fatbin) {
    HeldAmount& amount = codes[{capability_of(head), head.code}];
    if (std::find(seen.begin(), seen.end(), &amount) == seen.end()) {
      ++amount.fatbins;
      seen.push_back(&amount);
    }
    const std::pair version{head.major, head.minor};
    widen(amount, version, version);
    ++amount.entries;
    amount.bytes = sum(amount.bytes, sum(head.header, head.payload));
    amount.unpacked = sum(amount.unpacked, head.unpacked);
    ++amount.packed[static_cast<std::size_t>(head.packing)];
  }
}

void Holding::add(const Holding& other) {
  fatbins += other.fatbins;
  sources.insert(other.sources.begin(), other.sources.end());
  for (const auto& [held, more] : other.codes) {
    HeldAmount& amount = codes[held];
    widen(amount, more.oldest, more.newest);
    amount.entries += more.entries;
    amount.fatbins += more.fatbins;
    amount.bytes = sum(amount.bytes, more.bytes);
    amount.unpacked = sum(amount.unpacked, more.unpacked);
    for (std::size_t i = 0; i < amount.packed.size(); ++i)
      amount.packed[i] += more.packed[i];
  }
}

} // namespace hostpin
