// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lto_streams [--quiet|--present] FILE...: one line for each stream of each input, its fields separated by
// tabs: input, format, version, slim or fat, compute capability, producer. Inputs without any say `none`,
// those that cannot be read also `unreadable` and why. --quiet only counts, --present only names the files
// that may hold some.
#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "toolchains/binary/inputs.hpp"
#include "toolchains/binary/kind.hpp"

#include <cstdio>
#include <string_view>

namespace {

using namespace hostpin;

std::string version(const lto::Bitstream& stream) {
  return stream.major ? std::to_string(*stream.major) + '.' + std::to_string(stream.minor) : "-";
}

void print(const lto::LtoInput& input) {
  const std::string name = to_string(binary::InputName{input.path, input.member});
  for (const lto::Bitstream& stream : input.streams)
    std::printf("%s\t%s\t%s\t%s\t%u\t%s\n", name.c_str(), lto::to_string(stream.format),
                version(stream).c_str(), stream.slim ? "slim" : "fat", stream.architecture,
                stream.producer.c_str());
  if (input.unreadable)
    std::printf("%s\tunreadable\t%s\n", name.c_str(), input.unreadable->message.c_str());
  else if (input.streams.empty())
    std::printf("%s\tnone\n", name.c_str());
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const bool quiet = mode == "--quiet", present = mode == "--present";
  std::size_t streams = 0, unreadable = 0;
  for (int i = quiet || present ? 2 : 1; i < argc; ++i) {
    if (present) {
      if (binary::may_hold_lto(argv[i]))
        std::puts(argv[i]);
      continue;
    }
    lto::scan_lto_input(argv[i], [&](lto::LtoInput&& input) {
      streams += input.streams.size();
      unreadable += input.unreadable ? 1 : 0;
      if (!quiet)
        print(input);
    });
  }
  if (quiet)
    std::printf("%zu streams, %zu unreadable\n", streams, unreadable);
  return 0;
}
