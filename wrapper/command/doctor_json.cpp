// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/gate.hpp"
#include "wrapper/command/decision_json.hpp"
#include "wrapper/command/doctor.hpp"

namespace hostpin::command {

namespace {

Json bounds(const Bounds& bounds) {
  return {{"min", bounds.min ? Json(*bounds.min) : Json()}, {"max", bounds.max ? Json(*bounds.max) : Json()}};
}

Json documented(const Acceptance& acceptance) {
  if (!acceptance.documented)
    return nullptr;
  const DocumentedRange& row = *acceptance.documented;
  return {{"gcc", bounds({row.gcc_min, row.gcc_max})},
          {"clang", bounds({row.clang_min, row.clang_max})},
          {"source", row.source},
          {"note", row.note}};
}

Json derived(const Gate& gate, Family family) {
  Json json = bounds(gate.bounds(family));
  json["except"] = Json::array();
  for (const Gate::Refusal& hole : holes(gate, family))
    if (json["except"].empty() || json["except"].back() != hole.major)
      json["except"].push_back(hole.major);
  return json;
}

Json derived(const Acceptance& acceptance) {
  if (!acceptance.derived)
    return nullptr;
  return {{"gcc", derived(*acceptance.derived, Family::gcc)},
          {"clang", derived(*acceptance.derived, Family::clang)}};
}

Json declaration(const Clash::Declaration& declaration) {
  return {{"file", declaration.file}, {"line", declaration.line}, {"says", declaration.says}};
}

/// C libraries that were compared with the toolkit, and the reason for each that could not be.
Json c_libraries(const Acceptance& acceptance) {
  Json all = Json::array();
  for (const LibcComparison& libc : acceptance.libcs) {
    Json clashes = libc.clashes ? Json::array() : Json();
    if (libc.clashes)
      for (const Clash& clash : *libc.clashes)
        clashes.push_back({{"name", clash.name},
                           {"kind", to_string(clash.kind)},
                           {"libc", declaration(clash.libc)},
                           {"toolkit", declaration(clash.toolkit)}});
    all.push_back({{"headers", libc.c_headers},
                   {"clashes", std::move(clashes)},
                   {"error", libc.clashes ? Json() : Json(libc.clashes.error().message)}});
  }
  return all;
}

Json toolkit(const Toolkit& toolkit, const Terms& terms, const std::string& composed) {
  return {{"root", toolkit.root},
          {"version", to_string(toolkit.version)},
          {"origin", toolkit.origin},
          {"composed", composed.empty() ? Json() : Json(composed)},
          {"nvcc", toolkit.nvcc},
          {"documented", documented(terms.acceptance)},
          {"derived", derived(terms.acceptance)},
          {"gate_error", terms.gate_error ? Json(terms.gate_error->message) : Json()},
          {"c_libraries", c_libraries(terms.acceptance)}};
}

Json library(const StandardLibrary& library) {
  return {{"kind", library.kind},
          {"release", library.release},
          {"path", library.path},
          {"glibcxx", library.glibcxx},
          {"cxxabi", library.cxxabi}};
}

Json candidates(const Examination& examination) {
  Json all = Json::array();
  if (examination.assessment)
    for (std::size_t i = 0; i < examination.assessment->judged.size(); ++i) {
      const Judgement& judgement = examination.assessment->judged[i];
      const Relation& relation = examination.relations[i];
      Json candidate = compiler_json(judgement.compiler);
      candidate["verdict"] = to_string(judgement.verdict);
      candidate["reason"] = judgement.reason;
      candidate["source"] = judgement.source;
      candidate["other_target"] = !relation.other_target.empty();
      candidate["wraps"] = relation.wraps.empty() ? Json() : Json(relation.wraps);
      all.push_back(std::move(candidate));
    }
  for (const Proof& proof : examination.proofs)
    all[proof.candidate]["verified"] = {
        {"compiled", proof.compiled}, {"agrees", proof.agrees}, {"first_error", proof.first_error}};
  for (const BrokenCompiler& broken : examination.survey.compilers.broken)
    all.push_back({{"driver", shell_words(broken.command)},
                   {"family", nullptr},
                   {"version", nullptr},
                   {"target", nullptr},
                   {"glibc", nullptr},
                   {"origin", broken.origin},
                   {"verdict", to_string(Verdict::broken)},
                   {"reason", broken.reason},
                   {"other_target", nullptr},
                   {"wraps", nullptr},
                   {"source", "its own answer"}});
  return all;
}

Json gpu_calls(const std::vector<GpuCalls>& builds) {
  Json all = Json::array();
  for (const GpuCalls& calls : builds) {
    Json json{{"build", calls.build}, {"bound", calls.directory},   {"policy", to_string(calls.policy)},
              {"list", calls.list},   {"compared", calls.compared}, {"differ", Json::array()}};
    for (const GpuCall& call : calls.differ)
      json["differ"].push_back({{"file", call.file},
                                {"names", call.asked},
                                {"enforced", call.made.empty() ? Json() : Json(call.made)},
                                {"kept_because", call.reason.empty() ? Json() : Json(call.reason)},
                                {"origins", call.origins}});
    all.push_back(std::move(json));
  }
  return all;
}

} // namespace

std::string doctor_json(const Examination& examination) {
  const Survey& survey = examination.survey;
  Json all;
  all["hostpin"] = HOSTPIN_VERSION;
  all["toolkits"] = Json::array();
  for (std::size_t i = 0; i < survey.toolkits.toolkits.size(); ++i)
    all["toolkits"].push_back(
        toolkit(survey.toolkits.toolkits[i], examination.terms[i], examination.composed[i]));
  all["rejected_toolkits"] = Json::array();
  for (const ToolkitRejection& rejection : survey.toolkits.rejected)
    all["rejected_toolkits"].push_back(
        {{"path", rejection.path}, {"origin", rejection.origin}, {"reason", rejection.reason}});
  all["toolkit"] = survey.toolkit ? Json(survey.toolkit->root) : Json();
  all["stdenv"] = nullptr;
  if (survey.stdenv) {
    all["stdenv"] = compiler_json(*survey.stdenv);
    all["stdenv"]["libstdcxx"] = library(survey.stdenv->library);
  }
  all["candidates"] = candidates(examination);
  all["call"] = call_json(examination.prediction);
  all["selection"] = selection_json(examination.binding);
  all["suggested"] = examination.suggested;
  all["views"] = Json::array();
  for (const KnownView& view : examination.views)
    all["views"].push_back({{"directory", view.directory},
                            {"origin", view.origin},
                            {"toolkit", view.toolkit},
                            {"problem", view.problem.empty() ? Json() : Json(view.problem)}});
  all["device_code"] = examination.device_code ? Json::parse(*examination.device_code) : Json();
  all["gpu_calls"] = gpu_calls(examination.gpu_calls);
  // Paths can contain any bytes; JSON cannot.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin::command
