// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "words.hpp"

#include <sstream>
#include <stdexcept>
#include <utility>

std::string some_words(unsigned times) {
  if (times > 1000000)
    throw std::length_error("too many words: " + std::to_string(times));
  std::ostringstream text;
  for (unsigned i = 0; i < times; ++i)
    text << "word " << i << ' ';
  return std::move(text).str();
}
