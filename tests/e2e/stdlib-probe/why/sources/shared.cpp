// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <memory>

std::shared_ptr<int> current;

std::shared_ptr<int> load() {
  return std::atomic_load(&current);
}
void store(int value) {
  std::atomic_store(&current, std::make_shared<int>(value));
}
int weak(const std::weak_ptr<int>& pointer) {
  return *std::shared_ptr<int>(pointer);
}
