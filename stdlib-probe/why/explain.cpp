// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/explain.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <llvm/Demangle/Demangle.h>
#include <optional>
#include <set>
#include <span>

namespace hostpin::probe {

namespace {

/// A node reached by going backwards, and the path from there to the symbol.
struct Reached {
  std::size_t node = 0;
  std::vector<std::string> through; ///< demangled, outermost first; the symbol itself not included
  std::string called;               ///< what an outer function calls to get here
};

/// True for the code that initialises or destroys a file's statics: its line in that file uses nothing.
bool is_artificial(const Frame& frame) {
  return frame.function.starts_with("_GLOBAL__");
}

/// True if the holder is the `.cold` part of a function: jumping back to the rest uses nothing.
bool is_part_of(std::span<const std::string> holder, std::span<const std::string> whole) {
  return !holder.empty() && std::any_of(whole.begin(), whole.end(), [&](const std::string& name) {
    return holder.front() == name + ".cold";
  });
}

std::vector<std::string> joined(std::vector<std::string> front, const std::vector<std::string>& back) {
  front.insert(front.end(), back.begin(), back.end());
  // A partly inlined function is named twice in a row.
  front.erase(std::unique(front.begin(), front.end()), front.end());
  return front;
}

/// Names of inlined functions, from the one at `from` to the innermost.
std::vector<std::string> inwards(const std::vector<Frame>& frames, std::size_t from) {
  std::vector<std::string> names;
  for (std::size_t i = from; i > 0; --i)
    if (!frames[i - 1].function.empty())
      names.push_back(demangled(frames[i - 1].function));
  return names;
}

} // namespace

std::string demangled(std::string_view symbol) {
  return llvm::demangle(symbol);
}

std::string short_name(std::string_view name) {
  // Longest first: these contain brackets, which elsewhere begin arguments.
  constexpr auto operators = std::to_array<std::string_view>(
      {"<=>", "<<=", ">>=", "->*", "()", "<<", ">>", "<=", ">=", "->", "<", ">"});
  constexpr std::string_view unnamed = "(anonymous namespace)";
  // A name ends where its arguments begin; a blank outside all brackets ends the result type.
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    const bool behind_operator = depth == 0 && text.ends_with("operator");
    const auto spelling = std::find_if(operators.begin(), operators.end(),
                                       [&](std::string_view one) { return rest.starts_with(one); });
    if (behind_operator && spelling != operators.end()) {
      text += *spelling;
      i += spelling->size() - 1;
    } else if (depth == 0 && rest.starts_with(unnamed)) {
      text += unnamed;
      i += unnamed.size() - 1;
    } else if (depth == 0 && name[i] == '(') {
      break;
    } else if (name[i] == '<') {
      ++depth;
    } else if (name[i] == '>') {
      depth -= depth > 0 ? 1 : 0;
    } else if (depth == 0 && name[i] == ' ' && !behind_operator) {
      text.clear();
    } else if (depth == 0) {
      text += name[i];
    }
  }
  for (const std::string_view hidden : {"__cxx11::", "[abi:cxx11]"})
    for (std::size_t at = text.find(hidden); at != std::string::npos; at = text.find(hidden))
      text.erase(at, hidden.size());
  return text.empty() ? std::string(name) : text;
}

Explanation::Explanation(const ObjectGraph* object, const Syntax* syntax, const Ownership& ownership)
    : object_(object), syntax_(syntax), ownership_(ownership) {
  if (syntax_ == nullptr)
    return;
  users_.resize(syntax_->nodes.size());
  uses_by_node_.resize(syntax_->nodes.size());
  for (std::size_t i = 0; i < syntax_->nodes.size(); ++i) {
    for (const std::size_t used : syntax_->nodes[i].uses)
      users_[used].push_back(i);
    for (const std::string& symbol : syntax_->nodes[i].symbols)
      nodes_by_symbol_[symbol].push_back(i);
  }
  for (std::size_t i = 0; i < syntax_->uses.size(); ++i) {
    const Syntax::Use& use = syntax_->uses[i];
    uses_by_node_[use.node].push_back(i);
    uses_by_line_[{ownership_.real(use.place.file), use.place.line}].push_back(i);
  }
  for (const auto& [file, place] : syntax_->includes)
    includes_.try_emplace(ownership_.real(file), place);
}

void Explanation::add(FoundUses& found, NeedUse use) const {
  use.place.file = ownership_.real(use.place.file);
  const auto key = std::tuple(use.place.file, use.place.line, use.place.column, use.place.what);
  const auto [known, fresh] = found.try_emplace(key, use);
  if (!fresh && use.through.size() < known->second.through.size())
    known->second = std::move(use);
}

const std::vector<Frame>& Explanation::frames(const Reference& reference) const {
  const auto [known, fresh] = frames_.try_emplace({reference.section, reference.offset});
  if (fresh)
    known->second = object_->frames(reference);
  return known->second;
}

Place Explanation::named_place(const Frame& frame, const std::string& callee) const {
  Place place{frame.file, frame.line, frame.column, short_name(demangled(callee))};
  const auto line = uses_by_line_.find({ownership_.real(frame.file), frame.line});
  if (line == uses_by_line_.end())
    return place;
  const Syntax::Use* best = nullptr;
  const std::string wanted = demangled(callee);
  for (const std::size_t at : line->second) {
    const Syntax::Use& use = syntax_->uses[at];
    const auto& symbols = syntax_->nodes[use.node].symbols;
    const bool same = std::any_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
      return symbol == callee || demangled(symbol) == wanted;
    });
    // Several calls of one function in a line: GCC's column is inside the right one, at or after its name.
    if (same &&
        (best == nullptr || (use.place.column <= frame.column && use.place.column > best->place.column)))
      best = &use;
  }
  if (best != nullptr) {
    place.column = best->place.column;
    place.what = best->place.what;
  }
  return place;
}

void Explanation::from_object(const std::string& symbol, FoundUses& found,
                              std::vector<std::string>& headers) const {
  std::deque<Reached> waiting;
  std::set<std::size_t> seen;
  for (const ObjectGraph::Undefined& undefined : object_->undefined())
    if (undefined.symbol == symbol && seen.insert(undefined.node).second)
      waiting.push_back({undefined.node, {}, symbol});
  while (!waiting.empty()) {
    const Reached reached = std::move(waiting.front());
    waiting.pop_front();
    const auto names = object_->names(reached.node);
    for (const Reference& reference : object_->references_to(reached.node)) {
      if (is_part_of(object_->names(reference.holder), names))
        continue;
      const std::vector<Frame>& stack = frames(reference);
      const auto own = std::find_if(stack.begin(), stack.end(), [&](const Frame& frame) {
        return !is_artificial(frame) && ownership_.is_own(frame.file);
      });
      if (own != stack.end()) {
        const auto inner = static_cast<std::size_t>(own - stack.begin());
        const std::string& called =
            inner > 0 && !stack[inner - 1].function.empty() ? stack[inner - 1].function : reached.called;
        add(found,
            {named_place(*own, called), Evidence::object, joined(inwards(stack, inner), reached.through)});
        continue;
      }
      if (syntax_ != nullptr && stack.empty()) {
        const auto holders = object_->names(reference.holder);
        const auto data = std::find_if(holders.begin(), holders.end(),
                                       [&](const std::string& name) { return syntax_->data.contains(name); });
        if (data != holders.end()) {
          add(found,
              {syntax_->data.at(*data), Evidence::object, joined({demangled(*data)}, reached.through)});
          continue;
        }
      }
      for (const Frame& frame : stack)
        if (!is_artificial(frame) && !frame.file.empty())
          headers.push_back(frame.file);
      if (seen.insert(reference.holder).second) {
        std::vector<std::string> through = inwards(stack, stack.size());
        const auto holders = object_->names(reference.holder);
        if (through.empty() && !holders.empty())
          through.push_back(demangled(holders.front()));
        // Unnamed constants and the `.cold` part of a function are not called.
        const bool is_part = holders.empty() || holders.front().ends_with(".cold");
        waiting.push_back({reference.holder, joined(std::move(through), reached.through),
                           is_part ? reached.called : holders.front()});
      }
    }
  }
}

void Explanation::from_syntax(const std::string& symbol, FoundUses& found) const {
  const auto nodes = nodes_by_symbol_.find(symbol);
  if (nodes == nodes_by_symbol_.end())
    return;
  std::deque<Reached> waiting;
  std::set<std::size_t> seen;
  for (const std::size_t node : nodes->second)
    if (syntax_->nodes[node].may_be_absent && seen.insert(node).second)
      waiting.push_back({node, {}, {}});
  while (!waiting.empty()) {
    const Reached reached = std::move(waiting.front());
    waiting.pop_front();
    for (const std::size_t use : uses_by_node_[reached.node])
      add(found, {syntax_->uses[use].place, Evidence::syntax, reached.through});
    for (const std::size_t user : users_[reached.node])
      if (seen.insert(user).second) {
        const auto& names = syntax_->nodes[user].symbols;
        const std::string name = names.empty() ? "?" : demangled(names.front());
        waiting.push_back({user, joined({name}, reached.through), {}});
      }
  }
}

std::vector<std::string> Explanation::headers_with_assembly(const std::string& symbol) const {
  std::vector<std::string> headers;
  for (const Syntax::Assembly& assembly : syntax_->assembly)
    if (assembly.text.find(symbol) != std::string::npos)
      headers.push_back(assembly.file);
  return headers;
}

void Explanation::from_includes(const std::vector<std::string>& headers, FoundUses& found) const {
  for (const std::string& header : headers) {
    std::vector<std::string> through;
    std::string file = ownership_.real(header);
    // Only the first inclusion of a header is stored, so this cannot loop.
    for (auto place = includes_.find(file); place != includes_.end(); place = includes_.find(file)) {
      through.insert(through.begin(), file);
      file = ownership_.real(place->second.file);
      if (!ownership_.is_own(file))
        continue;
      add(found, {place->second, Evidence::include, std::move(through)});
      break;
    }
  }
}

std::vector<NeedUse> Explanation::uses_of(const std::string& symbol) const {
  FoundUses found;
  std::vector<std::string> headers;
  if (object_ != nullptr)
    from_object(symbol, found, headers);
  if (found.empty() && syntax_ != nullptr)
    from_syntax(symbol, found);
  if (found.empty() && syntax_ != nullptr) {
    from_includes(headers, found);
    from_includes(headers_with_assembly(symbol), found);
  }
  std::vector<NeedUse> uses;
  for (auto& [key, use] : found)
    uses.push_back(std::move(use));
  return uses;
}

Ownership::Ownership(const Files& files, const std::vector<std::string>& system,
                     const std::vector<std::string>& own)
    : files_(files) {
  const auto add = [&](const std::vector<std::string>& directories, bool is_own) {
    for (const std::string& directory : directories)
      if (auto path = files.real_path(directory))
        // A compiler ignores a -I that repeats one of its own directories.
        directories_.try_emplace(path->ends_with('/') ? *path : *path + '/', is_own);
  };
  add(system, false);
  add(own, true);
}

const Ownership::Known& Ownership::known(const std::string& file) const {
  const auto [found, fresh] = known_.try_emplace(file);
  Known& answer = found->second;
  if (!fresh)
    return answer;
  answer.real = files_.real_path(file).value_or(file);
  std::size_t longest = 0;
  for (const auto& [directory, own] : directories_)
    if (answer.real.starts_with(directory) && directory.size() > longest) {
      longest = directory.size();
      answer.own = own;
    }
  return answer;
}

bool Ownership::is_own(const std::string& file) const {
  return !file.empty() && known(file).own;
}

const std::string& Ownership::real(const std::string& file) const {
  return known(file).real;
}

} // namespace hostpin::probe
