// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/package_index.hpp"

#include "toolchains/archive/reader.hpp"
#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <charconv>
#include <expat.h>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

constexpr std::size_t block = std::size_t{1} << 16;
constexpr std::size_t longest_text = std::size_t{1} << 20; // of an element, and of a desc file
constexpr std::uint64_t largest_index = std::uint64_t{2} << 30;

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_complete(const Package& package) {
  return !package.name.empty() && !package.version.empty() && !package.file.empty() && package.file != "." &&
         package.file != "..";
}

// ---------------------------------------------------------------------------------------------- XML

struct Element {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;

  std::string attribute(std::string_view wanted) const {
    for (const auto& [key, value] : attributes)
      if (key == wanted)
        return value;
    return {};
  }
};

/// Calls back at the start of each element, and at its end with the text that is in it directly.
class XmlReader {
public:
  std::function<void(const Element&)> begin;
  std::function<void(const std::string& name, const std::string& text)> end;

  XmlReader() : parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_begin, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
  }

  bool feed(std::string_view text, bool is_last) {
    return XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), is_last ? 1 : 0) ==
           XML_STATUS_OK;
  }
  std::string error() const {
    return fmt::format("line {}: {}", XML_GetCurrentLineNumber(parser_.get()),
                       XML_ErrorString(XML_GetErrorCode(parser_.get())));
  }

private:
  static void on_begin(void* self, const XML_Char* name, const XML_Char** attributes) {
    auto& reader = *static_cast<XmlReader*>(self);
    reader.text_.clear();
    Element element{name, {}};
    for (; *attributes != nullptr; attributes += 2)
      element.attributes.emplace_back(attributes[0], attributes[1]);
    reader.begin(element);
  }
  static void on_end(void* self, const XML_Char* name) {
    auto& reader = *static_cast<XmlReader*>(self);
    reader.end(name, reader.text_);
    reader.text_.clear();
  }
  static void on_text(void* self, const XML_Char* text, int length) {
    auto& reader = *static_cast<XmlReader*>(self);
    if (reader.text_.size() < longest_text)
      reader.text_.append(text, static_cast<std::size_t>(length));
  }

  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  std::string text_;
};

/// The packages of a primary.xml, as its text comes.
class PrimaryReader {
public:
  PrimaryReader() {
    xml_.begin = [this](const Element& element) { begin(element); };
    xml_.end = [this](const std::string& name, const std::string& text) { end(name, text); };
  }

  bool feed(std::string_view text, bool is_last) { return xml_.feed(text, is_last); }
  std::string error() const { return xml_.error(); }
  std::vector<Package> take() { return std::move(packages_); }

private:
  void begin(const Element& element) {
    if (element.name == "package") {
      package_ = {};
    } else if (element.name == "version") {
      const std::string epoch = element.attribute("epoch");
      package_.version = (epoch.empty() || epoch == "0" ? "" : epoch + ':') + element.attribute("ver") + '-' +
                         element.attribute("rel");
    } else if (element.name == "checksum") {
      is_sha256_ = element.attribute("type") == "sha256";
    } else if (element.name == "size") {
      package_.bytes = number(element.attribute("package"));
    } else if (element.name == "location") {
      package_.address = element.attribute("href");
      package_.file = base_name(package_.address);
    }
  }
  void end(const std::string& name, const std::string& text) {
    if (name == "name")
      package_.name = text;
    else if (name == "arch")
      package_.architecture = text;
    else if (name == "checksum" && is_sha256_)
      package_.sha256 = text;
    else if (name == "package" && is_complete(package_))
      packages_.push_back(std::move(package_));
  }

  XmlReader xml_;
  Package package_;
  bool is_sha256_ = false;
  std::vector<Package> packages_;
};

// ------------------------------------------------------------------------------------------- archives

ArchiveReader opened(const std::string& file, ArchiveFormat format) {
  auto reader = archive_reader(archive_gzip | archive_bzip2 | archive_xz | archive_zstd | format);
  if (reader && archive_read_open_filename(reader.get(), file.c_str(), block) != ARCHIVE_OK)
    reader.reset();
  return reader;
}

tl::unexpected<Error> damaged(const std::string& file, const std::string& reason) {
  return failure(file + " is damaged: " + reason, "run it again");
}

} // namespace

Result<std::vector<Package>> read_rpm_index_text(std::string_view xml) {
  PrimaryReader reader;
  if (!reader.feed(xml, true))
    return damaged("primary.xml", reader.error());
  return reader.take();
}

Result<std::vector<Package>> read_rpm_index(const std::string& file) {
  const auto reader = opened(file, archive_raw);
  archive_entry* entry = nullptr;
  if (!reader || archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK)
    return damaged(file, "it cannot be decompressed");
  PrimaryReader primary;
  std::array<char, block> bytes;
  std::uint64_t sum = 0;
  for (;;) {
    const la_ssize_t count = archive_read_data(reader.get(), bytes.data(), bytes.size());
    if (count < 0)
      return damaged(file, "it cannot be decompressed");
    sum += static_cast<std::uint64_t>(count);
    if (sum > largest_index)
      return damaged(file, "it is larger than any index");
    if (!primary.feed({bytes.data(), static_cast<std::size_t>(count)}, count == 0))
      return damaged(file, primary.error());
    if (count == 0)
      return primary.take();
  }
}

Package read_pacman_desc(std::string_view text) {
  Package package;
  std::string field;
  for (const std::string& line : filled_parts(text, "\n"))
    if (line.size() > 2 && line.starts_with('%') && line.ends_with('%'))
      field = line;
    else if (field == "%NAME%")
      package.name = line;
    else if (field == "%VERSION%")
      package.version = line;
    else if (field == "%ARCH%")
      package.architecture = line;
    else if (field == "%FILENAME%")
      package.file = base_name(line);
    else if (field == "%SHA256SUM%")
      package.sha256 = line;
    else if (field == "%CSIZE%")
      package.bytes = number(line);
  return package;
}

Result<std::vector<Package>> read_pacman_index(const std::string& file) {
  const auto reader = opened(file, archive_tar);
  if (!reader)
    return damaged(file, "it cannot be decompressed");
  std::vector<Package> packages;
  archive_entry* entry = nullptr;
  int status = ARCHIVE_OK;
  while ((status = archive_read_next_header(reader.get(), &entry)) == ARCHIVE_OK) {
    const char* const path = archive_entry_pathname(entry);
    const la_int64_t size = archive_entry_size(entry);
    if (path == nullptr || !std::string_view(path).ends_with("/desc") || size <= 0 ||
        static_cast<std::uint64_t>(size) > longest_text)
      continue;
    std::string text(static_cast<std::size_t>(size), '\0');
    if (archive_read_data(reader.get(), text.data(), text.size()) != size)
      return damaged(file, "it ends in the middle");
    if (Package package = read_pacman_desc(text); is_complete(package))
      packages.push_back(std::move(package));
  }
  if (status != ARCHIVE_EOF)
    return damaged(file, "it cannot be decompressed");
  return packages;
}

ZypperOutput read_zypper_output(std::string_view xml) {
  ZypperOutput output;
  XmlReader reader;
  bool is_listed = false, is_complaint = false;
  reader.begin = [&](const Element& element) {
    if (element.name == "repo")
      output.repositories.push_back({element.attribute("alias"), {}});
    else if (element.name == "to-install")
      is_listed = true;
    else if (element.name == "message")
      is_complaint = element.attribute("type") == "error" || element.attribute("type") == "warning";
    else if (element.name == "solvable" && is_listed && element.attribute("type") == "package")
      output.packages.push_back({element.attribute("name"),
                                 element.attribute("edition"),
                                 element.attribute("arch"),
                                 {},
                                 {},
                                 {},
                                 0});
  };
  reader.end = [&](const std::string& name, const std::string& text) {
    if (name == "url" && !output.repositories.empty() && output.repositories.back().address.empty())
      output.repositories.back().address = text;
    else if (name == "to-install")
      is_listed = false;
    else if (name == "message" && is_complaint)
      output.errors += text + '\n';
  };
  reader.feed(xml, true);
  return output;
}

} // namespace hostpin::setup
