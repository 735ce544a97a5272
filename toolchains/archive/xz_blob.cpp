// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/xz_blob.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <lzma.h>
#include <thread>
#include <utility>
#include <vector>

namespace hostpin {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10U;
constexpr std::uint64_t most_memory = std::uint64_t{1} << 30U; // xz -9 needs 65 MiB

lzma_ret begin_decoder(lzma_stream& stream) {
#if LZMA_VERSION >= 50040002 // liblzma 5.4
  constexpr unsigned most_threads = 16;
  lzma_mt options{};
  options.flags = LZMA_CONCATENATED;
  options.threads = std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
  options.memlimit_threading = std::min(lzma_physmem() / 4, 2 * most_memory);
  options.memlimit_stop = most_memory;
  return lzma_stream_decoder_mt(&stream, &options);
#else
  return lzma_stream_decoder(&stream, most_memory, LZMA_CONCATENATED);
#endif
}

const char* reason(lzma_ret code) {
  switch (code) {
  case LZMA_MEM_ERROR:
  case LZMA_MEMLIMIT_ERROR:
    return "decompressing it needs too much memory";
  case LZMA_BUF_ERROR:
    return "it is cut short";
  case LZMA_OPTIONS_ERROR:
    return "it is compressed by options that this liblzma does not know";
  default:
    return "its compressed data is corrupt";
  }
}

} // namespace

struct XzBlob::State {
  const binary::Blob& compressed;
  std::uint64_t position = 0;
  std::vector<char> input, output;
  lzma_stream stream = LZMA_STREAM_INIT;
  bool is_over = false, is_alone = false;
  std::uint64_t filled = 0; ///< how often

  /// Fills the output, to its end unless the content ends.
  Result<lzma_ret> fill() {
    stream.next_out = reinterpret_cast<std::uint8_t*>(output.data());
    stream.avail_out = output.size();
    while (stream.avail_out != 0 && !is_over) {
      if (stream.avail_in == 0 && position < compressed.size()) {
        TRY_ASSIGN(const auto count, compressed.read(position, input));
        position += count;
        stream.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
        stream.avail_in = count;
      }
      const lzma_ret code = lzma_code(&stream, position < compressed.size() ? LZMA_RUN : LZMA_FINISH);
      if (code != LZMA_OK && code != LZMA_STREAM_END)
        return code;
      is_over = code == LZMA_STREAM_END;
    }
    ++filled;
    return LZMA_OK;
  }

  /// Begins again without threads, and goes to where it was.
  Result<lzma_ret> fill_alone() {
    is_alone = true;
    lzma_end(&stream);
    stream = LZMA_STREAM_INIT;
    Result<lzma_ret> code = lzma_stream_decoder(&stream, most_memory, LZMA_CONCATENATED);
    position = 0;
    for (const std::uint64_t wanted = std::exchange(filled, 0) + 1;
         code && *code == LZMA_OK && filled < wanted;)
      code = fill();
    return code;
  }
};

XzBlob::XzBlob(std::unique_ptr<State> state) : state_(std::move(state)) {}

XzBlob::~XzBlob() {
  lzma_end(&state_->stream);
}

Result<std::unique_ptr<XzBlob>> XzBlob::open(const binary::Blob& compressed) {
  auto state = std::make_unique<State>(
      State{compressed, 0, std::vector<char>(buffer_bytes), std::vector<char>(buffer_bytes)});
  if (const lzma_ret code = begin_decoder(state->stream); code != LZMA_OK)
    return failure(reason(code));
  return std::unique_ptr<XzBlob>(new XzBlob(std::move(state)));
}

Result<std::string_view> XzBlob::next() {
  auto code = state_->fill();
  // liblzma has no other code for a thread that cannot be made.
  if (code && *code == LZMA_MEM_ERROR && !state_->is_alone)
    code = state_->fill_alone();
  if (!code)
    return tl::unexpected(code.error());
  if (*code != LZMA_OK)
    return failure(reason(*code));
  return std::string_view(state_->output.data(), state_->output.size() - state_->stream.avail_out);
}

} // namespace hostpin
