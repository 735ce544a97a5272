// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/html.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::report;

TEST_CASE("whatever a name holds becomes text that can be read") {
  struct Row {
    std::string_view bytes;
    std::string readable;
  };
  const Row rows[] = {
      {"plain/path", "plain/path"},
      {"grün 漢字", "grün 漢字"},
      {std::string_view("a\0b", 3), "a␀b"},
      {"line\nfeed\ttab\x7f", "line␊feed␉tab␡"},
      {"\xff\xfe", "��"},
      {"cut \xe6\xbc", "cut ��"},
      {"overlong \xc0\xaf", "overlong ��"},
      {"surrogate \xed\xa0\x80", "surrogate ���"},
      {"beyond \xf4\x90\x80\x80", "beyond ����"},
      {"non\xef\xbf\xbf", "non�"},
      {"turned \xe2\x80\xae", "turned [U+202E]"},
      {"ends \xe2\x80\xa8", "ends [U+2028]"},
      {"nothing \xe2\x80\x8b", "nothing [U+200B]"},
      {"c1 \xc2\x9b", "c1 [U+009B]"},
  };
  for (const Row& row : rows)
    CHECK(readable(row.bytes) == row.readable);
}

TEST_CASE("no markup survives in text and attributes") {
  CHECK(html("<b a=\"x\" c='y'>&amp;") == "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;");
  CHECK(html_lines("a<\nb") == "a&lt;\nb");
  CHECK(html_lines("") == "");
}

TEST_CASE("text between backquotes of a note is code, and an odd backquote stays") {
  CHECK(note_list({"at best with `a<b` there", "`x` and `y`", "it`s"}) ==
        "<ul class=\"notes\">\n<li>at best with <code>a&lt;b</code> there</li>\n"
        "<li><code>x</code> and <code>y</code></li>\n<li>it`s</li>\n</ul>\n");
}

TEST_CASE("nothing ends or opens an element from within a script's string") {
  for (const std::string_view text : {"</script>", "<!--", "-->", "]]>", "<script", "&lt;"}) {
    const std::string written = script_string(text);
    CHECK(written.find_first_of("<>&") == std::string::npos);
    CHECK(written.front() == '"');
    CHECK(written.back() == '"');
  }
  CHECK(script_string("a\"b\\c") == R"("a\"b\\c")");
  CHECK(script_string("\xe2\x80\xa8\xe2\x80\xa9") == "\"[U+2028][U+2029]\"");
}

TEST_CASE("what is too long loses its middle and keeps its end") {
  CHECK(shortened("short", 5) == "short");
  CHECK(shortened("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", 20) == "/usr/l…ibstdc++.so.6");
  CHECK(cells(shortened("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", 20)) <= 20);
  CHECK(cells("漢字") == 4);
  for (std::size_t limit = 3; limit < 30; ++limit) {
    CHECK(cells(shortened("漢字/grün/漢字漢字漢字/é.so", limit)) <= limit);
    CHECK(readable(shortened("漢字/grün/漢字漢字漢字/é.so", limit)) ==
          shortened("漢字/grün/漢字漢字漢字/é.so", limit));
  }
}

TEST_CASE("numbers are read in threes") {
  CHECK(counted(0) == "0");
  CHECK(counted(999) == "999");
  CHECK(counted(1000) == "1,000");
  CHECK(counted(1234567) == "1,234,567");
  CHECK(counted(1, "file") == "1 file");
}
