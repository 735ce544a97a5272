// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/scans.hpp"

#include "hooks/lto-check/bitstream/llvm_producer.hpp"
#include "hooks/lto-check/link/kind.hpp"

#include <algorithm>
#include <atomic>
#include <sched.h>
#include <system_error>
#include <thread>

namespace hostpin {

namespace {

// With fewer files a thread costs more than it saves; with more, the kernel's locks do.
constexpr std::size_t files_a_thread = 256;
constexpr std::size_t most_threads = 4;
constexpr std::size_t files_at_once = 16;

std::size_t threads_for(std::size_t files) {
  const std::size_t processors = std::thread::hardware_concurrency(); // 0: unknown
  return std::min({files / files_a_thread, processors, most_threads});
}

/// Calls `each` for every number below `count`, from several threads if there are many, each thread with a
/// buffer of its own.
template <typename Each>
void share_out_numbers(std::size_t count, const Each& each) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    binary::ReadBuffer buffer;
    for (std::size_t begin = 0; (begin = next.fetch_add(files_at_once)) < count;)
      for (std::size_t i = begin; i < std::min(begin + files_at_once, count); ++i)
        each(i, buffer);
  };
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < threads_for(count); ++i)
      others.emplace_back([&] {
        // Threads that open files in one descriptor table wait for each other. A failure only costs time.
        static_cast<void>(::unshare(CLONE_FILES));
        work();
      });
  } catch (const std::system_error&) {
    // If no more threads can be created, the existing ones do the work.
  }
  work();
}

/// Whether a file looks as if it was never written, or has a hole; no linker input does.
bool begins_with_zeros(std::string_view head) {
  return !head.empty() && head.find_first_not_of('\0') == std::string_view::npos;
}

/// Keeps only the part of the producer that judgements depend on.
void shorten_producers(LtoInput& input) {
  constexpr std::string_view llvm = "LLVM";
  for (Bitstream& stream : input.streams)
    stream.producer = stream.producer.starts_with(llvm) ? llvm : std::string_view();
}

// Further ones are distinguished only by what a judgement depends on.
constexpr std::size_t most_told_apart = 4096;

/// Memory of an input during the check, in bytes, with a judgement on each of its streams.
std::size_t cost_of(const LtoInput& input, bool is_known) {
  constexpr std::size_t place = 10, judgement = 640;
  std::size_t names = place;
  for (const std::string& name : input.member)
    names += name.size() + 1;
  const std::size_t streams = std::max<std::size_t>(input.streams.size(), 1);
  std::size_t cost = names * (1 + streams);
  if (is_known)
    return cost;
  cost += sizeof(input) + streams * (sizeof(Bitstream) + judgement);
  for (const Bitstream& stream : input.streams)
    cost += 2 * stream.producer.size();
  return cost;
}

} // namespace

std::size_t FileInputs::size() const {
  if (all_)
    return all_->size();
  return alone_ ? 1 : 0;
}

LtoInput FileInputs::at(std::size_t i) const {
  if (all_)
    return all_->at(i);
  LtoInput input = *alone_;
  input.path = *path_;
  return input;
}

std::shared_ptr<const LtoInput> SharedInputs::share(LtoInput&& input) {
  input.path.clear();
  const std::lock_guard lock(mutex_);
  if (known_.size() >= most_told_apart)
    shorten_producers(input);
  std::shared_ptr<const LtoInput>& known = known_[likeness(input)];
  if (known && is_alike(*known, input))
    return known;
  auto fresh = std::make_shared<const LtoInput>(std::move(input));
  if (!known)
    known = fresh;
  return fresh;
}

/// Whether there was enough memory for it.
bool Scans::add(Placed<LtoInput>& found, LtoInput&& input) {
  bool is_known = found.knows(input);
  if (!is_known && found.contents() >= most_told_apart) {
    shorten_producers(input);
    is_known = found.knows(input);
  }
  const std::size_t cost = input.member.empty() ? 0 : cost_of(input, is_known);
  for (std::size_t left = left_; !left_.compare_exchange_weak(left, left - std::min(left, cost));)
    ;
  if (cost > 0 && left_ == 0)
    return false;
  found.push_back(std::move(input));
  return true;
}

FileInputs Scans::kept(const std::string& path, Placed<LtoInput>&& found) {
  if (found.size() == 1 && !found.is_member(0))
    return {path, shared_.share(found.at(0))};
  return FileInputs(std::move(found));
}

Scans::Scan Scans::scan(const std::string& path, std::size_t number, binary::ReadBuffer& buffer) {
  const auto file = binary::InputFile::open(path, &buffer);
  if (!file) {
    const auto status = files_.status(path);
    if (!status)
      return {Seen::nothing, {}, number};
    return {status->kind == FileStatus::Kind::directory ? Seen::directory : Seen::other,
            {path, shared_.share({path, {}, {}, file.error()})},
            number};
  }
  const binary::Bytes bytes(**file);
  Scan result;
  result.number = number;
  const std::string_view head = bytes.up_to(0, script_head);
  const bool zeros = !in_link_ && begins_with_zeros(head);
  result.seen = may_be_script(head, bytes.size()) ? Seen::text : Seen::other;
  const bool empty_and_fine = in_link_ && bytes.size() == 0;
  bool all = true;
  Placed<LtoInput> found;
  scan_lto_input(path, **file, llvm_producer, [&](LtoInput&& input) {
    if (all && (!input.streams.empty() || (input.unreadable && !empty_and_fine)))
      all = add(found, std::move(input));
  });
  if (!all)
    found.push_back({path,
                     {},
                     {},
                     Error{"there is more in it than lto-check keeps in memory, and the rest "
                           "was not looked at",
                           "split the archive"}});
  if (!found.empty()) {
    result.inputs = kept(path, std::move(found));
    return result;
  }
  std::optional<Error> wrong;
  if (zeros)
    wrong = {"it begins with zeros, as no object, archive or bitcode does",
             "build it again: it may not have been written to its end"};
  result.inputs = {path, shared_.share({path, {}, {}, std::move(wrong)})};
  return result;
}

const Scans::Scan& Scans::of(const std::string& path) {
  if (next_ >= in_order_.size())
    next_ = 0;
  if (next_ < in_order_.size() && in_order_[next_]->first == path)
    return in_order_[next_++]->second;
  const auto [found, fresh] = known_.try_emplace(path);
  if (fresh) {
    found->second = scan(found->first, in_order_.size(), buffer_); // the map's key stays valid
    in_order_.push_back(&*found);
  }
  next_ = found->second.number + 1;
  return found->second;
}

void Scans::read_ahead(std::span<const cmdline::LinkerInput> inputs) {
  std::vector<Entry*> fresh_ones;
  fresh_ones.reserve(inputs.size());
  known_.reserve(known_.size() + inputs.size());
  for (const cmdline::LinkerInput& input : inputs)
    if (!input.library)
      if (const auto [found, fresh] = known_.try_emplace(input.name); fresh)
        fresh_ones.push_back(&*found);
  const std::size_t known_before = in_order_.size();
  share_out_numbers(fresh_ones.size(), [&](std::size_t i, binary::ReadBuffer& buffer) {
    fresh_ones[i]->second = scan(fresh_ones[i]->first, known_before + i, buffer);
  });
  in_order_.insert(in_order_.end(), fresh_ones.begin(), fresh_ones.end());
}

} // namespace hostpin
