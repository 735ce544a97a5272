// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/config/config.hpp"
#include "toolchains/headers/header_probe.hpp"
#include "toolchains/judge/judge.hpp"
#include "toolchains/library/library.hpp"
#include "toolchains/survey/request.hpp"
#include "toolchains/table/table.hpp"
#include "toolchains/toolkit/discovery.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostpin {

class RememberingProcesses;

/// What a survey works with. Everything it rests on besides files and programs is in here.
struct SurveyInputs {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
  const Config& config;
  const Table& table;
  const HeaderProbe& headers;
  const RememberingProcesses* memory = nullptr; ///< what `processes` is, where answers are remembered
};

/// The running distribution's identifiers, its own before those it derives from; empty when it does not say.
std::vector<std::string> distributions(const Files& files);

/// The request with what the environment and the configuration name filled in, each with who says so.
Request completed(Request request, const Environment& environment, const Config& config);

/// Everything on this machine that a decision could rest on, asked once.
struct Survey {
  Request request;
  ToolkitSurvey toolkits;
  Result<Toolkit> toolkit; ///< the one to use
  Result<Compiler> stdenv; ///< with the versions of its library where they could be read
  Result<LibraryFacts> stdenv_library;
  Result<Compiler> host;           ///< the named host compiler; an error without text when nobody named one
  CompilerSurvey compilers;        ///< the stdenv and the named host compiler included
  std::vector<std::string> looked; ///< directories and files that discovery and configuration depended on
};
Survey survey(const Request& request, const SurveyInputs& inputs);

/// What is known of one toolkit's accepted compilers, and why its gate could not be evaluated if it could
/// not.
struct Terms {
  Acceptance acceptance;
  std::optional<Error> gate_error;
};
/// In the order of `toolkits`; all gates that are not known yet are evaluated in one round. The C libraries
/// of those compilers that fit otherwise are compared with the chosen toolkit alone: only for it is anything
/// judged.
std::vector<Terms> terms(std::span<const Toolkit> toolkits, const Survey& survey, const SurveyInputs& inputs);

/// What a person should know of them: a gate that could not be evaluated, a toolkit that the table does not
/// know, sources that disagree.
std::vector<std::string> notes(const Toolkit& toolkit, const Terms& terms);

/// Every compiler of the survey held against one toolkit, and the choice.
struct Assessment {
  std::vector<Judgement> judged;
  Result<Selection> selection;
};
Assessment assess(const Toolkit& toolkit, const Compiler& stdenv, const Terms& terms, const Survey& survey,
                  const SurveyInputs& inputs);

} // namespace hostpin
