// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/question.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace hostpin {

namespace {

constexpr std::string_view marker = "hostpin_case_";
constexpr std::string_view end_marker = "hostpin_end";

// Later majors than any that exists, so that a release that accepts them is still bounded correctly.
constexpr int first_major = 3, last_gcc = 40, last_clang = 50, impossible_major = 99;

// What would send the header down another vendor's branch, or past the check.
constexpr const char* foreign[] = {"__GRCO_CLANG_COMPILER__",
                                   "__INTEL_CLANG_COMPILER",
                                   "__INTEL_LLVM_COMPILER",
                                   "__HORIZON__",
                                   "__ibmxl__",
                                   "__ibmxl_vrm__",
                                   "__PGIC__",
                                   "__PGI",
                                   "__NVCOMPILER",
                                   "__ICC",
                                   "__INTEL_COMPILER",
                                   "_MSC_VER",
                                   "_WIN32",
                                   "__APPLE__",
                                   "__CUDACC_RTC__",
                                   "__NV_NO_HOST_COMPILER_CHECK"};

constexpr const char* identity[] = {"__GNUC__",        "__GNUC_MINOR__",  "__GNUC_PATCHLEVEL__", "__clang__",
                                    "__clang_major__", "__clang_minor__", "__clang_patchlevel__"};

class Writer {
public:
  void line(const std::string& text) {
    question.text += text;
    question.text += '\n';
    ++lines;
  }
  void define(const std::string& name, int value) { line("#define " + name + ' ' + std::to_string(value)); }
  void undefine(const std::string& name) { line("#undef " + name); }
  void include(const std::string& header) {
    line("#include \"" + header + '"');
    question.include_lines.push_back(lines);
  }

  Question question;
  unsigned lines = 0;
};

void write_setting(Writer& out, const Version& toolkit) {
  // Read once as what the preprocessor really is, so that its guard keeps it away from the hypothetical ones.
  out.line("#ifdef __has_include");
  out.line("#if __has_include(<features.h>)");
  out.line("#include <features.h>");
  out.line("#endif");
  out.line("#endif");
  for (const char* name : foreign)
    out.undefine(name);
  out.define("__CUDACC__", 1);
  out.define("__NVCC__", 1);
  out.define("__CUDACC_VER_MAJOR__", toolkit.major);
  out.define("__CUDACC_VER_MINOR__", toolkit.minor);
  out.define("__CUDACC_VER_BUILD__", toolkit.patch);
  out.define("__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__", 1);
}

void write_identity(Writer& out, const Hypothesis& hypothesis) {
  for (const char* name : identity)
    out.undefine(name);
  const bool clang = hypothesis.family == Family::clang;
  // Clang has called itself GCC 4.2 since its first release. The first release of GCC N is N.1 from 5 on.
  out.define("__GNUC__", clang ? 4 : hypothesis.major);
  out.define("__GNUC_MINOR__", clang ? 2 : static_cast<int>(hypothesis.major >= 5));
  out.define("__GNUC_PATCHLEVEL__", clang ? 1 : 0);
  if (!clang)
    return;
  out.define("__clang__", 1);
  out.define("__clang_major__", hypothesis.major);
  out.define("__clang_minor__", 0);
  out.define("__clang_patchlevel__", 0);
}

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

/// The file of a line marker such as `# 53 "/a/b.h" 2`; nothing for any other line.
std::optional<std::string_view> marked_file(std::string_view line) {
  if (line.substr(0, 2) != "# " || line.size() < 3 || line[2] < '0' || line[2] > '9')
    return std::nullopt;
  const std::size_t open = line.find('"');
  const std::size_t close = line.rfind('"');
  if (open == std::string_view::npos || close == open)
    return std::nullopt;
  return line.substr(open + 1, close - open - 1);
}

std::string_view defined_name(std::string_view line) {
  constexpr std::string_view directive = "#define ";
  if (line.substr(0, directive.size()) != directive)
    return {};
  line.remove_prefix(directive.size());
  const auto end = std::find_if_not(line.begin(), line.end(),
                                    [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return line.substr(0, static_cast<std::size_t>(end - line.begin()));
}

} // namespace

std::vector<Hypothesis> hypotheses() {
  const Hypothesis impossible[sentinels] = {{Family::gcc, impossible_major},
                                            {Family::clang, impossible_major}};
  std::vector<Hypothesis> cases(std::begin(impossible), std::end(impossible));
  for (int major = first_major; major <= last_gcc; ++major)
    cases.push_back({Family::gcc, major});
  for (int major = first_major; major <= last_clang; ++major)
    cases.push_back({Family::clang, major});
  cases.insert(cases.end(), std::begin(impossible), std::end(impossible));
  return cases;
}

Result<Question> ask(const std::string& header, const Version& toolkit, const std::vector<Hypothesis>& cases,
                     const std::vector<std::string>& forget) {
  const auto unwritable = [](unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; };
  if (std::any_of(header.begin(), header.end(), unwritable))
    return failure("the path " + header + " cannot be written in an #include",
                   "move the toolkit to a path without quotes, backslashes and control characters");
  Writer out;
  write_setting(out, toolkit);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    out.line(std::string(marker) + std::to_string(i));
    write_identity(out, cases[i]);
    for (const std::string& name : forget)
      out.undefine(name);
    out.include(header);
  }
  out.line(std::string(end_marker));
  return std::move(out.question);
}

Result<std::vector<Trace>> traces(std::string_view preprocessed, const std::string& header,
                                  std::size_t count) {
  const std::string_view directory = std::string_view(header).substr(0, header.rfind('/') + 1);
  std::vector<Trace> result;
  std::string_view file;
  while (!preprocessed.empty()) {
    const std::string_view line = next_line(preprocessed);
    if (line == end_marker && result.size() == count)
      return result;
    if (line == std::string(marker) + std::to_string(result.size())) {
      result.emplace_back();
    } else if (const auto marked = marked_file(line)) {
      file = *marked;
      if (!result.empty() && file == header)
        result.back().entered = true;
    } else if (const auto name = defined_name(line);
               !name.empty() && !result.empty() && file.substr(0, directory.size()) == directory) {
      result.back().defined.emplace_back(name);
    }
  }
  return failure("the preprocessed text ends after " + std::to_string(result.size()) + " of " +
                 std::to_string(count) + " questions");
}

} // namespace hostpin
