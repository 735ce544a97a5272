// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/scans.hpp"

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "hooks/lto-check/judge/rules.hpp"
#include "hooks/lto-check/link/files.hpp"
#include "toolchains/base/threads.hpp"
#include "toolchains/binary/kind.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <sched.h>
#include <thread>
#include <utility>

namespace hostpin::lto {

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
/// separate buffer.
template <typename Each>
void share_out_numbers(std::size_t count, const Each& each) {
  std::atomic<std::size_t> next = 0;
  const std::thread::id caller = std::this_thread::get_id();
  run_in_threads(threads_for(count), [&] {
    // Threads that open files in one descriptor table wait for each other. A failure only costs time.
    if (std::this_thread::get_id() != caller)
      static_cast<void>(::unshare(CLONE_FILES));
    binary::ReadBuffer buffer;
    for (std::size_t begin = 0; (begin = next.fetch_add(files_at_once)) < count;)
      for (std::size_t i = begin; i < std::min(begin + files_at_once, count); ++i)
        each(i, buffer);
  });
}

/// Whether a file looks as if it was never written, or has a hole; no linker input does.
bool begins_with_zeros(std::string_view head) {
  return !head.empty() && head.find_first_not_of('\0') == std::string_view::npos;
}

/// PTX, which nvlink takes: comments, then the version of its instruction set.
bool is_ptx(std::string_view text) {
  return text.starts_with(".version ") || text.find("\n.version ") != std::string_view::npos;
}

/// Whether a file is nothing that a linker reads: a source, say.
bool is_no_input(const binary::Bytes& bytes, std::string_view head) {
  const auto kind = binary::input_kind(bytes);
  if (!kind || *kind != binary::InputKind::other || binary::is_archive(head))
    return false;
  const std::string_view text = bytes.up_to(0, longest_script);
  return !is_ptx(text) && !(may_be_script(head, bytes.size()) && is_script(text));
}

/// What storing an input and its judgements takes, in bytes.
std::size_t stored_bytes(const LtoInput& input) {
  constexpr std::size_t text = 512; // of a judgement
  std::size_t names = input.path.size();
  for (const std::string& member : input.member)
    names += sizeof(std::string) + member.size();
  const std::size_t one = sizeof(Bitstream) + sizeof(Judgement) + text + names;
  return 2 * sizeof(LtoInput) + names + std::max<std::size_t>(input.streams.size(), 1) * one;
}

} // namespace

std::vector<LtoInput> Scans::inputs_in(const std::string& path, const binary::InputFile& file,
                                       bool may_be_empty) const {
  std::vector<LtoInput> inputs;
  std::size_t stored = 0;
  bool fits = true;
  scan_lto_input(path, file, llvm_producer, [&](LtoInput&& input) {
    if (!fits || (input.streams.empty() && (!input.unreadable || may_be_empty)))
      return;
    const std::size_t bytes = stored_bytes(input);
    fits = bound_.take(bytes);
    stored += fits ? bytes : 0;
    if (fits)
      inputs.push_back(std::move(input));
  });
  if (fits)
    return inputs;
  bound_.give_back(stored); // so that only the largest inputs are reported
  return {{path,
           {},
           {},
           Error{"it has more members than fit into memory (at most 512 MB for all inputs)",
                 "check it alone, or link with HOSTPIN_LTO=warn"}}};
}

Scans::Scan Scans::scan(const std::string& path, binary::ReadBuffer& buffer) const {
  const auto file = binary::InputFile::open(path, &buffer);
  if (!file) {
    const auto status = files_.status(path);
    if (!status)
      return {};
    const Seen seen = status->kind == FileStatus::Kind::directory ? Seen::directory : Seen::other;
    return {seen, {LtoInput{path, {}, {}, file.error()}}};
  }
  const binary::Bytes bytes(**file);
  const std::string_view head = bytes.up_to(0, script_head);
  const bool empty_and_fine = in_link_ && bytes.size() == 0;
  Scan result{may_be_script(head, bytes.size()) ? Seen::text : Seen::other,
              inputs_in(path, **file, empty_and_fine)};
  if (result.inputs.empty())
    result.inputs.push_back({path, {}, {}, std::nullopt});
  LtoInput& first = result.inputs.front();
  if (!in_link_ && begins_with_zeros(head) && first.streams.empty() && !first.unreadable)
    first.unreadable = {"it begins with zeros, as no object, archive or bitcode does",
                        "build it again: it may not have been written to its end"};
  else if (!in_link_ && first.streams.empty() && !first.unreadable && is_no_input(bytes, head))
    first.unreadable = {"it is no object, archive, bitcode, device code or linker script",
                        "name what the linker reads"};
  return result;
}

const Scans::Scan& Scans::of(const std::string& path) {
  const auto [found, fresh] = known_.try_emplace(path);
  if (fresh)
    found->second = scan(path, buffer_);
  return found->second;
}

void Scans::read_ahead(std::span<const cmdline::LinkerInput> inputs) {
  std::vector<std::pair<const std::string, Scan>*> fresh_ones;
  for (const cmdline::LinkerInput& input : inputs)
    if (!input.library)
      if (const auto [found, fresh] = known_.try_emplace(input.name); fresh)
        fresh_ones.push_back(&*found);
  share_out_numbers(fresh_ones.size(), [&](std::size_t i, binary::ReadBuffer& buffer) {
    fresh_ones[i]->second = scan(fresh_ones[i]->first, buffer);
  });
}

} // namespace hostpin::lto
