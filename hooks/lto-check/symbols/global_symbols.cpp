// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/global_symbols.hpp"

namespace hostpin::lto {

namespace {

constexpr std::string_view wrapper = "__wrap_";
constexpr std::string_view original = "__real_";

} // namespace

GlobalSymbols::GlobalSymbols(const Resolving& how, MemoryBound& bound)
    : wrapping_(how.wrapping), wraps_(how.wraps.begin(), how.wraps.end()), bound_(bound) {
  for (const std::string& name : how.defined)
    state_of(name) = State::defined;
}

void GlobalSymbols::take(const Symbol& symbol) {
  if (symbol.kind == Symbol::Kind::undefined)
    want(symbol.name, symbol.bytecode);
  else if (State& state = state_of(symbol.name); state != State::defined)
    state = symbol.kind == Symbol::Kind::defined ? State::defined : State::common;
  if (wrapping_ == Wrapping::besides && wraps_.contains(symbol.name))
    want(std::string(wrapper).append(symbol.name), false);
}

void GlobalSymbols::want(std::string_view name, bool in_bytecode) {
  const auto other = renamed(name, in_bytecode);
  state_of(other ? *other : name);
}

void GlobalSymbols::seek(std::string_view name) {
  if (State& state = state_of(name); state != State::defined)
    state = State::undefined;
}

Names GlobalSymbols::undefined() const {
  Names names;
  for (const auto& [name, state] : symbols_)
    if (state == State::undefined)
      names.insert(name);
  return names;
}

bool GlobalSymbols::is(std::string_view name, State state) const {
  const auto found = symbols_.find(name);
  return found != symbols_.end() && found->second == state;
}

GlobalSymbols::State& GlobalSymbols::state_of(std::string_view name) {
  const auto known = symbols_.find(name);
  if (known != symbols_.end())
    return known->second;
  if (!bound_.take_symbol(name))
    return ignored_;
  return symbols_.emplace(name, State::undefined).first->second;
}

std::optional<std::string> GlobalSymbols::renamed(std::string_view name, bool in_bytecode) const {
  if (wraps_.empty() || (in_bytecode && wrapping_ == Wrapping::machine_code))
    return std::nullopt;
  if (name.starts_with(original) && wraps_.contains(name.substr(original.size())))
    return std::string(name.substr(original.size()));
  if (wrapping_ != Wrapping::besides && wraps_.contains(name))
    return std::string(wrapper).append(name);
  return std::nullopt;
}

} // namespace hostpin::lto
