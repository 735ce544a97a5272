// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/compiler/real_driver.hpp"
#include "wrapper/identity/identity.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

using namespace hostpin;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

bool inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() < whole.data() + whole.size());
}

/// Whatever is read lies in the bytes, is written again as it was, and is cut where the name stood.
void check_record(std::string_view bytes) {
  const auto identity = identity::read_identity(bytes);
  if (!identity)
    return;
  require(inside(identity->question, bytes));
  for (const std::string_view piece : identity->answer)
    require(inside(piece, bytes));
  for (const plan::PlanFile& file : identity->files)
    require(inside(file.path, bytes) && *(file.path.data() + file.path.size()) == '\0');
  const std::string again = identity::write_identity(*identity);
  const auto second = identity::read_identity(again);
  require(second && identity::write_identity(*second) == again && second->answer == identity->answer);
}

/// A call that is taken for nvcc's names the very file, in characters that compilers do not change.
void check_call(std::string_view text) {
  const std::string word(text.substr(0, text.find('\0')));
  for (const char* const first : {"-E", "-c"}) {
    const std::array<const char*, 2> arguments = {first, word.c_str()};
    const std::string_view name = identity::asked_file(arguments);
    require(name.empty() || (name == word && std::string_view(first) == "-E"));
    require(name.empty() ||
            (name.front() == '/' && name.find_first_of("\"\\\n\t") == std::string_view::npos));
  }
}

/// Cutting an output at a name and putting it together again changes nothing.
void check_pieces(std::string_view text) {
  const std::size_t half = text.size() / 8;
  const std::string_view name = text.substr(0, half);
  if (name.empty())
    return;
  identity::Identity identity;
  identity.answer = identity::pieces(text, name);
  require(identity::answer_for(identity, name) == text);
  for (const std::string_view piece : identity.answer)
    require(piece.find(name) == std::string_view::npos);
}

void check_surroundings(std::string_view text) {
  const std::string variable(text.substr(0, text.find('\0')));
  const std::array<const char*, 2> envp = {variable.c_str(), nullptr};
  identity::Identity identity;
  identity.specs = {"specs"};
  identity.translated = identity.shared = true;
  const std::string_view disturbing = identity::disturbing_variable(identity, envp.data());
  require(disturbing.empty() || variable.starts_with(std::string(disturbing) + '='));
  if (const auto paths = identity::specs_files(identity, text))
    for (const std::string& path : *paths)
      require(path.starts_with('/') && path.ends_with("/specs"));
}

void check_script(std::string_view text) {
  const auto words = launched_by(text);
  require(!words || (!words->empty() && words->front().starts_with('/')));
  if (words)
    for (const std::string& word : *words)
      require(word.find_first_of(" $`'\"\\;&|<>*?~(){}\n") == std::string::npos);
}

} // namespace

std::vector<std::string> seeds() {
  using namespace std::string_literals;
  identity::Identity identity;
  identity.question = "#if defined(__GNUC__)\n__NV_GNUC__ __GNUC__\n#endif\n";
  identity.answer = {"# 0 \"", "\"\n__NV_GNUC__ 13\n"};
  identity.specs = {"specs"};
  identity.shared = true;
  identity.files = {{plan::PlanFile::Kind::file, 10, 20, "/usr/bin/g++"},
                    {plan::PlanFile::Kind::absent, 0, 0, "/specs"}};
  return {identity::write_identity(identity),
          "/tmp/tmpxft_00007ca3_00000000-2.cpp",
          "SOURCE_DATE_EPOCH=1",
          "LANGUAGE=en:de",
          "/usr/lib:/opt/lib::",
          "#!/bin/sh\nPATH=/x:$PATH exec /usr/bin/g++ -m64 \"$@\"\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_record(text);
  check_call(text);
  check_pieces(text);
  check_surroundings(text);
  check_script(text);
  return 0;
}
