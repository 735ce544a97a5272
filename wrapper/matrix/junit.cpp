// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/junit.hpp"

#include "wrapper/matrix/result.hpp"

#include <algorithm>
#include <expat.h>
#include <filesystem>
#include <fnmatch.h>
#include <iterator>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

constexpr std::size_t longest_name = 200, longest_message = 300;

/// One line of printable text; a long one is cut.
std::string line_of(std::string_view text, std::size_t longest) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(first);
  std::string line(text.substr(0, std::min(text.find('\n'), longest)));
  std::erase_if(line, [](char character) { return static_cast<unsigned char>(character) < ' '; });
  return line;
}

class JunitReader {
public:
  JunitReader() : parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_begin, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
  }

  Result<TestCases> run(std::string_view xml, const std::string& of) {
    constexpr std::size_t piece = std::size_t{1} << 20;
    for (;;) {
      const std::string_view part = xml.substr(0, piece);
      xml.remove_prefix(part.size());
      if (XML_Parse(parser_.get(), part.data(), static_cast<int>(part.size()), xml.empty() ? 1 : 0) !=
          XML_STATUS_OK)
        return failure(fmt::format("{}:{}: {}", of, XML_GetCurrentLineNumber(parser_.get()),
                                   XML_ErrorString(XML_GetErrorCode(parser_.get()))));
      if (xml.empty())
        return std::move(cases_);
    }
  }

private:
  static std::string attribute(const XML_Char** attributes, std::string_view wanted) {
    for (; *attributes != nullptr; attributes += 2)
      if (attributes[0] == wanted)
        return attributes[1];
    return {};
  }

  static void on_begin(void* self, const XML_Char* name, const XML_Char** attributes) {
    static_cast<JunitReader*>(self)->begin(name, attributes);
  }
  void begin(std::string_view name, const XML_Char** attributes) {
    if (name == "testcase") {
      ++cases_.count;
      const std::string test = attribute(attributes, "name"), group = attribute(attributes, "classname");
      name_ = line_of(group.empty() || group == test ? test : group + '.' + test, longest_name);
      if (name_.empty())
        name_ = "a test without a name";
    } else if ((name == "failure" || name == "error") && !name_.empty() && !fails_) {
      message_ = line_of(attribute(attributes, "message"), longest_message);
      takes_text_ = message_.empty();
      fails_ = true;
    }
  }

  static void on_end(void* self, const XML_Char* name) { static_cast<JunitReader*>(self)->end(name); }
  void end(std::string_view name) {
    if (name == "failure" || name == "error") {
      if (takes_text_)
        message_ = line_of(message_, longest_message);
      takes_text_ = false;
    } else if (name == "testcase") {
      if (fails_)
        cases_.failed.push_back({std::move(name_), std::move(message_)});
      name_.clear();
      message_.clear();
      fails_ = false;
    }
  }

  static void on_text(void* self, const XML_Char* text, int length) {
    auto& reader = *static_cast<JunitReader*>(self);
    if (reader.takes_text_ && reader.message_.size() < 10 * longest_message)
      reader.message_.append(text, static_cast<std::size_t>(length));
  }

  static void on_doctype(void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    XML_StopParser(static_cast<JunitReader*>(self)->parser_.get(), XML_FALSE);
  }

  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  TestCases cases_;
  std::string name_, message_; ///< of the case that is read
  bool fails_ = false, takes_text_ = false;
};

} // namespace

Result<TestCases> read_junit(std::string_view xml, const std::string& of) {
  return JunitReader().run(xml, of);
}

CasesOfFiles read_junit_files(const Files& files, const std::string& directory, const std::string& pattern) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator
           entry(directory, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error)) {
    const std::string& path = entry->path().native();
    if (fnmatch(pattern.c_str(), path.c_str() + directory.size() + 1, FNM_PATHNAME) == 0 &&
        fs::is_regular_file(entry->symlink_status(error)))
      paths.push_back(path);
  }
  std::ranges::sort(paths);
  CasesOfFiles all;
  for (const std::string& path : paths) {
    const auto text = files.read(path, largest_file);
    auto cases = text ? read_junit(*text, path) : Result<TestCases>(tl::unexpected(text.error()));
    if (!cases) {
      if (!all.wrong)
        all.wrong = cases.error();
      continue;
    }
    all.cases.count += cases->count;
    std::ranges::move(cases->failed, std::back_inserter(all.cases.failed));
  }
  return all;
}

std::string failed_text(std::vector<FailedCase>& failed) {
  constexpr std::size_t most = 5;
  std::ranges::stable_sort(failed, {}, &FailedCase::name);
  const auto twice = std::ranges::unique(failed, {}, &FailedCase::name);
  failed.erase(twice.begin(), twice.end());
  if (failed.size() == 1)
    return failed.front().message.empty() ? failed.front().name + " failed"
                                          : failed.front().name + ": " + failed.front().message;
  std::string text = fmt::format("{} tests failed: ", failed.size());
  for (std::size_t index = 0; index < std::min(failed.size(), most); ++index)
    text += (index == 0 ? "" : ", ") + failed[index].name;
  return failed.size() > most ? text + ", ..." : text;
}

} // namespace hostpin::matrix
