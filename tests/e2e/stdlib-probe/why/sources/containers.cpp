// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

int sum(const std::vector<int>& values) {
  std::map<int, int> ordered;
  std::unordered_map<int, int> hashed;
  std::list<int> linked;
  std::deque<int> ends;
  for (const int value : values) {
    ++ordered[value];
    ++hashed[value];
    linked.push_back(value);
    ends.push_front(value);
  }
  return ordered.at(1) + hashed.at(2) + linked.front() + ends.at(3);
}
int chosen(const std::variant<int, double>& one, const std::optional<int>& other,
           const std::function<int()>& call) {
  return std::get<int>(one) + other.value() + call();
}
