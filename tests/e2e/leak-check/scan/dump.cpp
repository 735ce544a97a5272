// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scan_dump --members ARCHIVE...
// scan_dump [--facts] [--packed-closed] [--threads N] [--needles FILE] [--forbid PATH]... [--quiet] ROOT...
// What a scan tells, one line each, for the end-to-end tests and the benchmark.
#include "hooks/leak-check/scan/containers.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "hooks/leak-check/scan/walk.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace hostpin;

namespace {

struct Arguments {
  leak::ScanOptions options;
  std::vector<std::string> needles;
  std::vector<std::string> roots;
  bool quiet = false;
};

void read_lines(const char* path, std::vector<std::string>& lines) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
}

Arguments arguments(int argc, char** argv) {
  Arguments all;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--facts")
      all.options.content = false;
    else if (word == "--packed-closed")
      all.options.open_packed = false;
    else if (word == "--quiet")
      all.quiet = true;
    else if (word == "--threads" && has_value)
      all.options.threads = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (word == "--scratch" && has_value)
      all.options.scratch = argv[++i];
    else if (word == "--depth" && has_value)
      all.options.limits.depth = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (word == "--needles" && has_value)
      read_lines(argv[++i], all.needles);
    else if (word == "--forbid" && has_value)
      all.needles.emplace_back(argv[++i]);
    else
      all.roots.emplace_back(word);
  }
  return all;
}

const char* kind_name(leak::ScannedFile::Kind kind) {
  constexpr const char* names[] = {"elf", "static-archive", "packed", "text", "symlink", "other"};
  return names[static_cast<int>(kind)];
}

std::string member_name(const std::vector<std::string>& member) {
  return leak::shown({{}, member, {}, std::nullopt});
}

void print_elf(const std::string& name, const leak::ElfFacts& elf) {
  constexpr const char* types[] = {"relocatable", "program", "library", "other"};
  std::printf("elf\t%s\t%s", name.c_str(), types[static_cast<int>(elf.type)]);
  if (elf.image) {
    const binary::Image& image = *elf.image;
    std::printf("\tsoname=%s\tinterpreter=%s\trpath=%s\trunpath=%s\tneeded=", image.soname.c_str(),
                image.interpreter.c_str(), image.rpath.value_or("-").c_str(),
                image.runpath.value_or("-").c_str());
    for (const std::string& needed : image.needed)
      std::printf("%s,", needed.c_str());
    std::printf("\tneeds=");
    for (const binary::VersionNeed& need : image.version_needs)
      for (const std::string& version : need.versions)
        std::printf("%s@%s,", need.library.c_str(), version.c_str());
    std::printf("\tdefines=");
    for (const std::string& version : image.version_definitions)
      std::printf("%s,", version.c_str());
  }
  std::printf("\tid=%s\tlibstdcxx=%d\tcudart=%d\tdriver=%d\n", elf.build_id.c_str(), elf.has_libstdcxx,
              elf.has_cudart, elf.names_driver);
  for (const std::string& comment : elf.comment)
    std::printf("comment\t%s\t%s\n", name.c_str(), comment.c_str());
  for (const leak::ElfNote& note : elf.notes)
    std::printf("note\t%s\t%s\t%s\t%u\t%zu\n", name.c_str(), note.section.c_str(), note.owner.c_str(),
                note.type, note.description.size());
}

void print(const leak::ScannedFile& file, const leak::NeedleSet& needles) {
  const std::string path = leak::shown({file.path, {}, {}, std::nullopt});
  std::printf("file\t%s\t%s\t%llu%s%s\n", path.c_str(), kind_name(file.kind),
              static_cast<unsigned long long>(file.size), file.hard_link_of ? "\tlink of " : "",
              file.hard_link_of.value_or("").c_str());
  for (const leak::ScannedPart& part : file.parts) {
    const std::string name = path + member_name(part.member);
    if (part.elf)
      print_elf(name, *part.elf);
    if (part.link_target)
      std::printf("symlink\t%s\t%s\n", name.c_str(), part.link_target->c_str());
    if (part.text)
      for (const leak::TextReference& one : part.text->references)
        std::printf("text\t%s\t%s\t%llu\t%s\t%s\n", name.c_str(),
                    std::string(leak::to_string(part.text->kind)).c_str(),
                    static_cast<unsigned long long>(one.line), one.key.c_str(), one.path.c_str());
  }
  for (const leak::FoundNeedle& found : file.found)
    std::printf("found\t%s\t%s\t%llu\t%llu\t%s\t%s%s%s%s\n", leak::shown(found.where).c_str(),
                found.where.section.c_str(), static_cast<unsigned long long>(*found.where.offset),
                static_cast<unsigned long long>(found.times), needles.paths()[found.needle].c_str(),
                leak::shown({found.text, {}, {}, std::nullopt}).c_str(),
                found.how == leak::Hit::How::normalised ? "\tnormalised"
                : found.how == leak::Hit::How::hash     ? "\thash"
                                                        : "",
                found.encoding == leak::Hit::Encoding::utf16 ? "\tutf16" : "",
                found.attached ? "\tattached" : "");
  for (const leak::Unseen& unseen : file.unseen)
    std::printf("unseen\t%s\t%s\t%s\n", leak::shown(unseen.where).c_str(), unseen.where.section.c_str(),
                unseen.reason.c_str());
}

int print_members(const std::vector<std::string>& archives) {
  int status = 0;
  for (const std::string& path : archives) {
    leak::WalkEntry entry;
    entry.name = path;
    const auto blob = entry.open();
    const auto read = blob ? leak::read_ar(*blob,
                                           [&](const leak::ArMember& member) {
                                             if (!member.is_index)
                                               std::printf("member\t%s\t%s\t%llu\t%llu\n", path.c_str(),
                                                           member.name.c_str(),
                                                           static_cast<unsigned long long>(member.offset),
                                                           static_cast<unsigned long long>(member.size));
                                             return true;
                                           })
                           : tl::unexpected(blob.error());
    if (!read) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), read.error().message.c_str());
      status = 2;
    }
  }
  return status;
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::string_view(argv[1]) == "--members")
    return print_members({argv + 2, argv + argc});
  const Arguments all = arguments(argc, argv);
  const auto needles = leak::NeedleSet::make(all.needles);
  if (!needles) {
    std::fprintf(stderr, "%s\n", needles.error().message.c_str());
    return 2;
  }
  std::uint64_t files = 0, bytes = 0, found = 0, unseen = 0;
  leak::scan_tree(all.roots, *needles, all.options, [&](leak::ScannedFile&& file) {
    ++files;
    bytes += file.size;
    found += file.found.size();
    unseen += file.unseen.size();
    if (!all.quiet)
      print(file, *needles);
  });
  std::printf("%llu files, %llu bytes, %llu found, %llu unseen\n", static_cast<unsigned long long>(files),
              static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(found),
              static_cast<unsigned long long>(unseen));
  return unseen > 0 ? 2 : found > 0 ? 1 : 0;
}
