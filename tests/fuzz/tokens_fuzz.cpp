// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/cmdline/tokens.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin::cmdline;

std::vector<std::string> seeds() {
  using namespace std::string_literals;
  return {"-c \"-DX=a b\"\n-ccbin\t/g\r\n -DY=\\\"z\\\\\\\" \\ -w"s, "-DA\0 -DB\n\"a,b\", c ,"s,
          "\\ \\\t\\\n\"\\\\\" \"\\\"\""s};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string storage;
  std::vector<std::string_view> words;
  if (split_option_file(text, storage, words)) {
    if (storage.size() > size + 1)
      std::abort();
    for (const std::string_view word : words)
      if (word.data() < storage.data() || *(word.data() + word.size()) != '\0')
        std::abort();
  }
  for (const bool escaped_quotes : {false, true}) {
    if (split_flags(text, escaped_quotes, words))
      for (const std::string_view word : words)
        if (word.empty() || word.data() < text.data() || word.data() + word.size() > text.data() + size)
          std::abort();
    if (const auto list = split_list(text, escaped_quotes))
      for (const std::string& element : *list)
        if (element.empty() || element.size() > size)
          std::abort();
  }
  return 0;
}
