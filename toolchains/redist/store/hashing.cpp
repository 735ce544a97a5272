// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/hashing.hpp"

#include "toolchains/base/threads.hpp"

#include <utility>

namespace hostpin::redist {

namespace {

constexpr std::size_t piece = std::size_t{1} << 20U;
constexpr std::size_t most_tasks = 8;

} // namespace

HashingThread::HashingThread() : thread_(thread_for([this] { run(); })) {}

HashingThread::~HashingThread() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

void HashingThread::add_file(int descriptor, std::uint64_t length, const std::string& path) {
  push({{}, descriptor, length, path});
}

void HashingThread::add(std::string_view bytes) {
  gathered_ += bytes;
  if (gathered_.size() < piece)
    return;
  Task task;
  task.bytes = std::exchange(gathered_, {});
  gathered_.reserve(piece + piece / 2);
  push(std::move(task));
}

void HashingThread::restart() {
  gathered_.clear();
  std::unique_lock lock(mutex_);
  tasks_.clear();
  changed_.wait(lock, [this] { return !busy_; });
  hash_ = Sha256();
  state_ = {};
}

Result<std::string> HashingThread::finish() {
  if (!gathered_.empty()) {
    Task task;
    task.bytes = std::exchange(gathered_, {});
    push(std::move(task));
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_ && tasks_.empty(); });
  if (!state_)
    return tl::unexpected(state_.error());
  return std::exchange(hash_, Sha256()).hex();
}

void HashingThread::push(Task task) {
  if (!thread_.joinable()) // none could be made
    return handle(task);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return tasks_.size() < most_tasks; });
  tasks_.push_back(std::move(task));
  lock.unlock();
  changed_.notify_all();
}

void HashingThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return over_ || !tasks_.empty(); });
    if (over_)
      return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    handle(task);
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void HashingThread::handle(const Task& task) {
  if (task.descriptor < 0)
    return hash_.update(task.bytes);
  const auto added = update_from_file(hash_, task.descriptor, task.length, task.path);
  if (!added)
    state_ = tl::unexpected(added.error());
  else if (*added != task.length)
    state_ = failure(task.path + " became shorter while it was read");
}

} // namespace hostpin::redist
