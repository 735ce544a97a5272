// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory_resource>
#include <sstream>
#include <stdexcept>
#include <unistd.h>
#include <utility>
#if __has_include(<format>)
#include <format>
#endif

// Each construct below was new in some release of libstdc++, so this shared library needs the newest symbols
// of the libstdc++ it is built with:
//   std::pmr 3.4.28 (GCC 9, 10), str() && 3.4.29 (11), checked operator[] 3.4.30 (12), iostream 3.4.32 (13),
//   native_handle 3.4.33 (14), formatting a time 3.4.34 (15), any format argument 3.4.36 (16).
namespace {

using Places = std::pmr::vector<std::size_t>;

Places differences(const std::vector<float>& got, const std::vector<float>& expected,
                   std::pmr::memory_resource* arena) {
  Places places{arena};
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (got[i] != expected[i])
      places.push_back(i);
  return places;
}

std::string verdict(std::size_t elements, const Places& wrong) {
  std::ostringstream text;
  text << elements << " elements, ";
  if (wrong.empty())
    text << "all as expected";
  else
    text << wrong.size() << " wrong, the first at " << wrong[0];
  return std::move(text).str();
}

std::string time_of_day() {
#if defined(__cpp_lib_format) && __cpp_lib_chrono >= 201907L
  return std::format("{:%T} ", std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
#else
  return {};
#endif
}

/// Appends a line and waits until it is on disk: an NVIDIA driver that crashes may take the machine with it.
void append(const std::string& path, const std::string& line) {
  std::ofstream log{path, std::ios::app};
  log << time_of_day() << line << std::endl;
  if (!log)
    throw std::runtime_error("cannot write " + path);
#if defined(__cpp_lib_fstream_native_handle)
  ::fsync(log.native_handle());
#endif
}

} // namespace

bool report(const std::string& what, const std::vector<float>& got, const std::vector<float>& expected,
            const std::string& log) {
  if (got.size() != expected.size())
    throw std::runtime_error(what + ": " + std::to_string(got.size()) + " results for " +
                             std::to_string(expected.size()) + " elements");
  std::pmr::monotonic_buffer_resource arena;
  const Places wrong = differences(got, expected, &arena);
  const std::string line = what + ": " + verdict(expected.size(), wrong);
  std::cout << line << std::endl;
  append(log, line);
  return wrong.empty();
}
