// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/libc/answer.hpp"

#include "toolchains/base/files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::ordered_json;

Json declaration(const Clash::Declaration& declaration) {
  return {{"file", declaration.file},
          {"line", declaration.line},
          {"throws", declaration.throws},
          {"says", declaration.says}};
}

std::string line(const char* who, const Clash::Declaration& declaration) {
  return fmt::format("    {:8} {}:{}: {}\n", who, declaration.file, declaration.line, declaration.says);
}

} // namespace

std::string libc_json(const LibcAnswer& answer, const Files& files) {
  const Comparison& comparison = answer.comparison;
  Json json;
  json["c_library"] = comparison.c_library.empty() ? Json() : Json(comparison.c_library);
  json["compared"] = comparison.compared;
  json["lenient"] = comparison.system;
  json["clashes"] = Json::array();
  for (const Clash& clash : comparison.clashes)
    json["clashes"].push_back({{"name", clash.name},
                               {"kind", to_string(clash.kind)},
                               {"toolkit", declaration(clash.toolkit)},
                               {"libc", declaration(clash.libc)}});
  json["rests_on"] = Json::array();
  for (const std::string& path : comparison.files) {
    const FileStatus status = settled_status(path, answer.asked, files);
    json["rests_on"].push_back({{"path", path}, {"size", status.size}, {"modified", status.modified}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string libc_text(const LibcAnswer& answer, const Terminal& terminal) {
  const Comparison& comparison = answer.comparison;
  const std::string library = comparison.c_library.empty() ? "the C library" : comparison.c_library;
  if (comparison.clashes.empty())
    return paragraph(fmt::format("{} functions are declared compatibly by {} and by the toolkit",
                                 comparison.compared, library),
                     terminal, 0, 2);
  std::string text =
      paragraph(fmt::format("{} and the toolkit declare {} differently, of {} functions that both declare; "
                            "nvcc therefore refuses every .cu file",
                            library, names(comparison.clashes), comparison.compared),
                terminal, 0, 2);
  for (const Clash& clash : comparison.clashes)
    text += fmt::format("  {}: {}\n", clash.name, to_string(clash.kind)) + line("libc", clash.libc) +
            line("toolkit", clash.toolkit);
  return text;
}

} // namespace hostpin
