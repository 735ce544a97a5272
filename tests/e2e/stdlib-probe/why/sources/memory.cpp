// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory_resource>
#include <string>
#include <vector>

namespace own {
class Counting : public std::pmr::memory_resource {
public:
  std::size_t bytes = 0;

private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    bytes += size;
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void* place, std::size_t size, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(place, size, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};
} // namespace own

std::size_t used() {
  own::Counting counting;
  std::pmr::monotonic_buffer_resource pool(&counting);
  std::pmr::vector<std::pmr::string> texts(&pool);
  texts.emplace_back("a text that is too long for the string itself");
  return counting.bytes;
}
