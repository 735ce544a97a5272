// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/report.hpp"

#include "stdlib-probe/why/explain.hpp"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::probe {

namespace {

using Json = nlohmann::ordered_json;

const char* word_for(Evidence evidence) {
  switch (evidence) {
  case Evidence::object:
    return "object";
  case Evidence::syntax:
    return "syntax";
  case Evidence::include:
    return "include";
  }
  return "";
}

Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json json_of(const Need& need) {
  Json uses = Json::array();
  for (const NeedUse& use : need.uses)
    uses.push_back({{"file", use.place.file},
                    {"line", use.place.line},
                    {"column", use.place.column == 0 ? Json(nullptr) : Json(use.place.column)},
                    {"what", use.place.what},
                    {"evidence", word_for(use.evidence)},
                    {"through", use.through}});
  return {{"symbol", need.symbol},
          {"demangled", need.demangled},
          {"version", or_null(need.version)},
          {"gcc", need.gcc ? Json(*need.gcc) : Json(nullptr)},
          {"uses", std::move(uses)}};
}

Json json_of(const SourceAnswer& answer) {
  Json needs = Json::array();
  for (const Need& need : answer.needs)
    needs.push_back(json_of(need));
  Json error = nullptr;
  if (answer.error)
    error = {{"message", answer.error->message}, {"hint", answer.error->hint}};
  return {{"source", answer.source},
          {"compiler", or_null(answer.compiler)},
          {"library", or_null(answer.library)},
          {"predicted", answer.predicted},
          {"needs", std::move(needs)},
          {"notes", answer.notes},
          {"error", std::move(error)}};
}

std::string shown_path(const std::string& path, const std::string& here) {
  const std::string inside = here + '/';
  return path.starts_with(inside) ? path.substr(inside.size()) : path;
}

std::string text_of(const Need& need, const WhyQuestion& question) {
  std::string text = fmt::format("  {}\n", need.demangled);
  if (need.uses.empty())
    text += "    the object needs it, but no line was found that leads to it\n";
  for (const NeedUse& use : need.uses) {
    std::string place = fmt::format("{}:{}", shown_path(use.place.file, question.here), use.place.line);
    if (use.place.column != 0)
      place += fmt::format(":{}", use.place.column);
    text += fmt::format("    {}: {}\n", place, use.place.what);
    if (question.chain)
      for (const std::string& step : use.through)
        text += fmt::format("      through {}\n", short_name(step));
  }
  return text;
}

std::string summary_of(const SourceAnswer& answer, const WhyQuestion& question) {
  const std::string bound =
      question.limit.empty() ? "newer than GLIBCXX_3.4 and CXXABI_1.3" : "above " + question.limit;
  const char* const verb = answer.predicted ? "may need" : "needs";
  if (answer.needs.empty())
    return fmt::format("{} {} nothing {}", shown_path(answer.source, question.here), verb, bound);
  std::set<std::pair<std::string, unsigned>> lines;
  for (const Need& need : answer.needs)
    for (const NeedUse& use : need.uses)
      lines.insert({use.place.file, use.place.line});
  return fmt::format("{} {} {} symbol{} {}, because of {} line{}", shown_path(answer.source, question.here),
                     verb, answer.needs.size(), answer.needs.size() == 1 ? "" : "s", bound, lines.size(),
                     lines.size() == 1 ? "" : "s");
}

} // namespace

std::string why_json(const WhyQuestion& question, std::span<const SourceAnswer> answers) {
  Json sources = Json::array();
  for (const SourceAnswer& answer : answers)
    sources.push_back(json_of(answer));
  const Json all{{"limit", or_null(question.limit)}, {"sources", std::move(sources)}};
  // File names may be any bytes.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string why_lines(const WhyQuestion& question, std::span<const SourceAnswer> answers) {
  std::string text;
  std::set<std::string> seen;
  for (const SourceAnswer& answer : answers)
    for (const Need& need : answer.needs)
      for (const NeedUse& use : need.uses) {
        std::string line = fmt::format("{}\t{}:{}\n", need.symbol, shown_path(use.place.file, question.here),
                                       use.place.line);
        if (seen.insert(line).second)
          text += line;
      }
  return text;
}

std::string why_text(const WhyQuestion& question, std::span<const SourceAnswer> answers,
                     const Terminal& terminal) {
  std::string text;
  for (const SourceAnswer& answer : answers) {
    if (answer.error)
      continue;
    text += paragraph(summary_of(answer, question), terminal, 0, 2);
    for (const std::string& note : answer.notes)
      text += paragraph("note: " + note, terminal, 0, 2);
    const std::string* version = nullptr;
    for (const Need& need : answer.needs) {
      if (version == nullptr || *version != need.version)
        text += fmt::format("\n{}{}\n", need.version.empty() ? "no version known" : need.version,
                            need.gcc ? " (GCC " + *need.gcc + ")" : "");
      version = &need.version;
      text += text_of(need, question);
    }
    if (answers.size() > 1 && !answer.needs.empty())
      text += '\n';
  }
  return text;
}

} // namespace hostpin::probe
