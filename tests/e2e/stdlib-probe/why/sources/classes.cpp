// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <streambuf>
#include <string>
#include <system_error>
#include <typeinfo>

namespace own {
class Category final : public std::error_category {
public:
  const char* name() const noexcept override { return "own"; }
  std::string message(int code) const override { return std::to_string(code); }
};
class Sink : public std::streambuf {
protected:
  int_type overflow(int_type letter) override { return letter; }
};
} // namespace own

const std::error_category& category() {
  static const own::Category one;
  return one;
}
std::streambuf* sink(std::streambuf* buffer) {
  return dynamic_cast<own::Sink*>(buffer) != nullptr ? buffer : new own::Sink;
}
const char* named(const own::Category& one) {
  return typeid(one).name();
}
