// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hostpin::redist {

/// Threads that do tasks in the order in which they are added; where none can be made, `add` does the task.
/// What follows from a task is done by the thread that owns this object.
class Workers {
public:
  using Then = std::function<void()>;
  using Task = std::function<Then()>;

  explicit Workers(std::size_t threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  /// Waits for tasks that have begun; others are discarded.
  ~Workers();

  void add(Task task);
  /// Tasks whose `Then` was not called yet.
  std::size_t active() const;
  /// Waits at most so long for a task to end.
  void wait(std::chrono::milliseconds most);
  /// Calls what follows from the tasks that ended.
  void take_results();

private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable added_, ended_;
  std::deque<Task> tasks_;
  std::vector<Then> results_;
  std::size_t active_ = 0;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

} // namespace hostpin::redist
