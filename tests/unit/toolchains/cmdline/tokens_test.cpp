// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/tokens.hpp"

#include <doctest/doctest.h>

using namespace hostpin::cmdline;
using Words = std::vector<std::string>;

namespace {

// `!` alone stands for a text that nvcc gives up on.
Words file_words(std::string_view text) {
  std::string storage;
  std::vector<std::string_view> words;
  if (!split_option_file(text, storage, words))
    return {"!"};
  for (const std::string_view word : words)
    REQUIRE(*(word.data() + word.size()) == '\0');
  return {words.begin(), words.end()};
}

Words flag_words(std::string_view text, bool escaped_quotes = true) {
  std::vector<std::string_view> words;
  if (!split_flags(text, escaped_quotes, words))
    return {"!"};
  return {words.begin(), words.end()};
}

Words list(std::string_view text, bool escaped_quotes = true) {
  return split_list(text, escaped_quotes).value_or(Words{"!"});
}

Words response_words(std::string text) {
  const auto views = split_response(text);
  return {views.begin(), views.end()};
}

} // namespace

TEST_CASE("a command is split as the shell would, without expansion") {
  struct Row {
    const char* text;
    Words words;
  };
  const Row rows[] = {{"g++", {"g++"}},
                      {"  ccache  g++\t-m64\n", {"ccache", "g++", "-m64"}},
                      {"'/opt/my gcc/bin/g++' -O2", {"/opt/my gcc/bin/g++", "-O2"}},
                      {"\"/opt/my gcc/g++\"", {"/opt/my gcc/g++"}},
                      {"/opt/my\\ gcc/g++", {"/opt/my gcc/g++"}},
                      {"g++ -DX='a b'c", {"g++", "-DX=a bc"}},
                      {"g++ ''", {"g++", ""}},
                      {R"(g++ "a\"b" "c\d" 'e\f')", {"g++", "a\"b", "c\\d", "e\\f"}},
                      {"g++ $HOME `id` *", {"g++", "$HOME", "`id`", "*"}},
                      {"g++\\", {"g++\\"}},
                      {"", {}},
                      {" \t ", {}}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(command_words(row.text) == row.words);
  }
}

TEST_CASE("a quote that is left open is an error") {
  for (const char* text : {"'", "g++ \"-DX", "g++ 'a\" b"}) {
    CAPTURE(text);
    CHECK_FALSE(command_words(text));
  }
}

TEST_CASE("a response file is split by GCC's quoting rules") {
  using namespace std::string_literals;
  CHECK(response_words("") == Words{});
  CHECK(response_words(" \t\r\n\v\f") == Words{});
  CHECK(response_words("-c a.cpp\n-o\ta.o\r\n") == Words{"-c", "a.cpp", "-o", "a.o"});
  CHECK(response_words("'a b' \"c d\" e' 'f") == Words{"a b", "c d", "e f"});
  CHECK(response_words("'' \"\"") == Words{"", ""});
  CHECK(response_words(R"(a\ b \"c\" "d\"e" 'f\'g' \\)") == Words{"a b", "\"c\"", "d\"e", "f'g", "\\"});
  CHECK(response_words("'it is \"quoted\"' \"it's\"") == Words{"it is \"quoted\"", "it's"});
  CHECK(response_words("'open") == Words{"open"});
  CHECK(response_words("end\\") == Words{"end"});
  CHECK(response_words("seen\0hidden"s) == Words{"seen"});
}

TEST_CASE("words of an options file end at space, tab, CR and LF only") {
  CHECK(file_words("-c -o x") == Words{"-c", "-o", "x"});
  CHECK(file_words(" \t-c\r\n-o\n\n x\n") == Words{"-c", "-o", "x"});
  CHECK(file_words("-c\v-o\f-x") == Words{"-c\v-o\f-x"});
  CHECK(file_words("").empty());
  CHECK(file_words(" \r\n\t").empty());
}

TEST_CASE("double quotes group in an options file and vanish") {
  CHECK(file_words("-DX=\"a b\" -c") == Words{"-DX=a b", "-c"});
  CHECK(file_words("\"-DX=a b\"") == Words{"-DX=a b"});
  CHECK(file_words("\"a\nb\"") == Words{"a\nb"});
  CHECK(file_words("a\"\"b \"\"") == Words{"ab", ""});
  CHECK(file_words("'a b'") == Words{"'a", "b'"});
}

TEST_CASE("a backslash makes the next character plain, in quotes too") {
  CHECK(file_words("a\\ b") == Words{"a b"});
  CHECK(file_words("a\\\\b") == Words{"a\\b"});
  CHECK(file_words("a\\nb") == Words{"anb"});
  CHECK(file_words("a\\\nb") == Words{"a\nb"});
}

TEST_CASE("an escaped quote groups nothing and vanishes, unless a backslash is left before it") {
  CHECK(file_words("a\\\"b c") == Words{"ab", "c"});
  CHECK(file_words("\"a\\\"b c\"") == Words{"ab c"});
  CHECK(file_words("\\\"") == Words{""});
  CHECK(file_words("a\\\\\\\"b") == Words{"a\\\"b"});
  CHECK(file_words("\"a b\\\\\" c") == Words{"a b\\\"", "c"});
  CHECK(file_words("a\\\\\"b\"") == Words{"a\\\"b"});
}

TEST_CASE("a space or tab behind a backslash belongs to a word but starts none") {
  CHECK(file_words("a \\ -c") == Words{"a", "-c"});
  CHECK(file_words("\\\t\\ -c") == Words{"-c"});
  CHECK(file_words("a \\\n-c") == Words{"a", "\n-c"});
  CHECK(file_words("a \\ ") == Words{"a"});
  CHECK(file_words("\" -c\"") == Words{" -c"});
}

TEST_CASE("an options file has no comments and no variables") {
  CHECK(file_words("# -c\n// x\n$HOME") == Words{"#", "-c", "//", "x", "$HOME"});
}

TEST_CASE("a stray quote or backslash in an options file is refused, as nvcc refuses it") {
  CHECK(file_words("-c \"a b") == Words{"!"});
  CHECK(file_words("a\"b") == Words{"!"});
  CHECK(file_words("-c\\") == Words{"!"});
}

TEST_CASE("a NUL in an options file hides the rest of its line and joins it with the next") {
  using namespace std::string_view_literals;
  CHECK(file_words("-DA\0 -DB\n-DC"sv) == Words{"-DA-DC"});
  CHECK(file_words("-DA \0 -DB\n-DC"sv) == Words{"-DA", "-DC"});
  CHECK(file_words("\0"sv).empty());
  CHECK(file_words("\"a\0b\""sv) == Words{"!"});
}

TEST_CASE("words of a flags variable end at space and tab, and quotes stay in them") {
  CHECK(flag_words("-c\t-o  x ") == Words{"-c", "-o", "x"});
  CHECK(flag_words("-c\n-o") == Words{"-c\n-o"});
  CHECK(flag_words("-ccbin \"/a b\"") == Words{"-ccbin", "\"/a b\""});
  CHECK(flag_words("-D\"X y\" z") == Words{"-D\"X y\"", "z"});
  CHECK(flag_words("a\\ b") == Words{"a\\", "b"});
  CHECK(flag_words("a\\\"b") == Words{"!"});
  CHECK(flag_words("a\"b") == Words{"!"});
  CHECK(flag_words("").empty());
}

TEST_CASE("within the quotes of a flags variable a backslash keeps a quote from closing, in newer releases") {
  CHECK(flag_words("\"a\\\" b\" c") == Words{"\"a\\\" b\"", "c"});
  CHECK(flag_words("\"a\\\" b\" c", false) == Words{"!"});
  CHECK(flag_words("\"a\\\" b", false) == Words{"\"a\\\"", "b"});
  CHECK(flag_words("a\\\"b c\" d") == Words{"a\\\"b c\"", "d"});
  CHECK(flag_words("\"a\\\\\" b\"") == Words{"\"a\\\\\" b\""});
}

TEST_CASE("a list is split at commas outside quotes, and blanks around its elements vanish") {
  CHECK(list("f,g") == Words{"f", "g"});
  CHECK(list(" f ,\tg ") == Words{"f", "g"});
  CHECK(list("f g") == Words{"f g"});
  CHECK(list("\"f,g\",h") == Words{"f,g", "h"});
  CHECK(list("s\"x,u\"") == Words{"sx,u"});
  CHECK(list("\" s \"") == Words{"s"});
  CHECK(list(",f,,") == Words{"f"});
  CHECK(list("f\\,g") == Words{"f\\", "g"});
  CHECK(list("").empty());
  CHECK(list("\"f") == Words{"!"});
  CHECK(list("\"a\\\"b,c\",d") == Words{"a\\\"b,c", "d"});
  CHECK(list("\"a\\\",b", false) == Words{"a\\", "b"});
}
