// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/global_symbols.hpp"

#include <utility>

namespace hostpin {

namespace {

constexpr std::string_view wrapper = "__wrap_";
constexpr std::string_view original = "__real_";

} // namespace

GlobalSymbols::GlobalSymbols(const Resolving& how, Allowance& allowance)
    : wrapping_(how.wrapping), allowance_(allowance), wraps_(how.wraps.begin(), how.wraps.end()) {
  for (const std::string& name : how.defined)
    keep(defined_, symbol_hash(name), allowance_);
}

void GlobalSymbols::take(const Symbol& symbol) {
  const std::uint64_t hash = symbol_hash(symbol.name);
  switch (symbol.kind) {
  case Symbol::Kind::defined:
    drop(undefined_, hash, allowance_);
    drop(common_, hash, allowance_);
    keep(defined_, hash, allowance_);
    break;
  case Symbol::Kind::common:
    drop(undefined_, hash, allowance_);
    if (!defined_.contains(hash))
      keep(common_, hash, allowance_);
    break;
  case Symbol::Kind::undefined:
    want(symbol.name, symbol.bytecode);
    break;
  }
  if (wrapping_ == Wrapping::besides && wraps_.contains(symbol.name))
    want(std::string(wrapper).append(symbol.name), false);
}

void GlobalSymbols::want(std::string_view name, bool in_bytecode) {
  const std::uint64_t hash = wraps_.empty() ? symbol_hash(name) : symbol_hash(renamed(name, in_bytecode));
  if (!defined_.contains(hash) && !common_.contains(hash))
    keep(undefined_, hash, allowance_);
}

void GlobalSymbols::seek(std::string_view name) {
  const std::uint64_t hash = symbol_hash(name);
  if (!defined_.contains(hash))
    keep(undefined_, hash, allowance_);
}

Hashes GlobalSymbols::end() {
  for (const Hashes* const ended : {&defined_, &common_})
    allowance_.give_back(ended->size() * Hashes::cost);
  return std::move(undefined_);
}

std::string GlobalSymbols::renamed(std::string_view name, bool in_bytecode) const {
  if (in_bytecode && wrapping_ == Wrapping::machine_code)
    return std::string(name);
  if (name.starts_with(original) && wraps_.contains(name.substr(original.size())))
    return std::string(name.substr(original.size()));
  std::string result;
  if (wrapping_ != Wrapping::besides && wraps_.contains(name))
    result = wrapper;
  return result.append(name);
}

} // namespace hostpin
