// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "wrapper/cxx/role.hpp"
#include "wrapper/cxx/runtime.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin;

namespace {

/// Every response file is the input itself, so that what it says also nests.
class Mirror final : public cmdline::ArgumentFiles {
public:
  explicit Mirror(std::string_view text) : text_(text) {}

  std::optional<cmdline::ArgumentText> read(const std::string& path, Pipes) const override {
    return path.size() == 1 ? std::optional(cmdline::ArgumentText{std::string(text_)}) : std::nullopt;
  }

private:
  std::string_view text_;
};

void require(bool holds) {
  if (!holds)
    std::abort();
}

} // namespace

std::vector<std::string> seeds() {
  using namespace std::string_literals;
  return {"-c a.cpp -o a.o @a", R"('a b' "c\"d" e\ f -fsanitize=address,,undefined -fno-sanitize=all @a @a)",
          "-x c++-header a.h -x none -Xlinker -c -print-file-name=libx.so\0-E"s,
          "-Xarch_x -flto --coverage -- -c -o"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string copy(text);
  const std::vector<std::string_view> words = cmdline::split_response(copy);
  std::size_t bytes = 0;
  for (const std::string_view word : words) {
    require(word.empty() ||
            (word.data() >= copy.data() && word.data() + word.size() <= copy.data() + copy.size()));
    bytes += word.size();
  }
  require(bytes <= size);

  // A text that names itself many times is bounded by GCC's number of files, which is much for one input.
  const Mirror files(text.substr(0, 512));
  const cxx::CxxCall call = cxx::cxx_call(words, files);
  require(call.role == cxx::CxxCall::Role::compile || call.role == cxx::CxxCall::Role::link ||
          !call.generates_code);
  plan::Plan plan;
  plan.runtimes = {{"lto", plan::PlanRuntime::Rule::refuse, "reason"},
                   {"coverage", plan::PlanRuntime::Rule::one_compiler, "reason"}};
  const cxx::Decision decision = cxx::choose_driver(plan, call, CheckPolicy::error);
  require((decision.act == cxx::Decision::Act::refuse) <= !decision.message.empty());
  require(call.role != cxx::CxxCall::Role::query_link || decision.act == cxx::Decision::Act::run_link);
  return 0;
}
