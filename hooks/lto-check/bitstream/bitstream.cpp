// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/bitstream.hpp"

#include "hooks/lto-check/bitstream/object.hpp"
#include "toolchains/binary/inputs.hpp"

#include <array>

namespace hostpin {

using namespace binary;

namespace {

constexpr auto format_names =
    std::to_array<const char*>({"gcc-lto", "llvm-bitcode", "llvm-fat", "cuda-ltoir"});

Error error_of(const Bytes& bytes, const Damage& damage) {
  if (auto trouble = bytes.source().trouble())
    return *std::move(trouble);
  return {"it is damaged: " + damage.what, "build it again"};
}

InputVisitor reading(ProducerReader producer, const LtoVisitor& visit) {
  return [producer, &visit](const InputName& name, const Result<Bytes>& bytes) {
    LtoInput input{name.path, name.member, {}, std::nullopt};
    if (bytes) {
      input.offset = name.member.size() == 1 ? bytes->begin() : 0;
      Streams streams;
      if (const auto read = read_streams(*bytes, producer, streams); !read)
        input.unreadable = error_of(*bytes, read.error());
      else if (bytes->whole_file()) // the file of a member is checked once all of it was read
        input.unreadable = bytes->source().trouble();
      input.streams = streams.take();
    } else {
      input.unreadable = bytes.error();
    }
    visit(std::move(input));
    return true;
  };
}

} // namespace

const char* to_string(LtoFormat format) {
  return format_names[static_cast<std::size_t>(format)];
}

void scan_lto_input(const std::string& path, ProducerReader producer, const LtoVisitor& visit) {
  each_input(path, reading(producer, visit));
}

void scan_lto_input(const std::string& path, const InputFile& file, ProducerReader producer,
                    const LtoVisitor& visit) {
  each_input(path, file, reading(producer, visit));
}

void scan_lto_bytes(const std::string& path, std::string_view bytes, ProducerReader producer,
                    const LtoVisitor& visit) {
  scan_lto_input(path, InputFile(bytes), producer, visit);
}

} // namespace hostpin
