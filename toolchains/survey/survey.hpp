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
#include "toolchains/toolkit/toolkit.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// The inputs of a survey: everything that it depends on except files and programs.
struct SurveyInputs {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
  const Config& config;
  const Table& table;
  const HeaderProbe& headers;
  std::string data = {}; ///< directory of the data files, for tables that few decisions need
};

/// The identifiers of this machine's distribution, then of those it derives from; empty if unknown.
std::vector<std::string> distributions(const Files& files);

/// The request, completed by what the environment and the configuration name, each with its origin.
Request completed(Request request, const Environment& environment, const Config& config);

/// Everything on this machine that a decision may depend on, queried once.
struct Survey {
  Request request;
  ToolkitSurvey toolkits;  ///< with `Request::one_toolkit` perhaps only the one to use
  Result<Toolkit> toolkit; ///< the one to use
  Result<Compiler> stdenv; ///< with the versions of its library if they could be read
  Result<LibraryFacts> stdenv_library;
  Result<Compiler> host;           ///< the named host compiler; an error without text if none is named
  CompilerSurvey compilers;        ///< including the stdenv and the named host compiler
  std::vector<std::string> looked; ///< directories and files that discovery and configuration depended on
  /// For the user: what was chosen for a target in place of something else that could be meant.
  std::vector<std::string> target_notes = {};
};
Survey survey(const Request& request, const SurveyInputs& inputs);

/// The compilers that one toolkit accepts, and the error if its gate could not be
/// evaluated.
struct Terms {
  Acceptance acceptance;
  std::optional<Error> gate_error;
};
/// In the order of `toolkits`; all gates that are not cached are evaluated in one batch. The C libraries
/// of compilers that fit otherwise are compared with the chosen toolkit only, the one for which compilers are
/// judged.
std::vector<Terms> terms(std::span<const Toolkit> toolkits, const Survey& survey, const SurveyInputs& inputs);

/// Notes for the user: a gate that could not be evaluated, a toolkit that is not in the table, sources that
/// disagree.
std::vector<std::string> notes(const Toolkit& toolkit, const Terms& terms);

/// The verdict on every compiler of the survey for one toolkit, and the selection.
struct Assessment {
  std::vector<Judgement> judged;
  Result<Selection> selection;
};
Assessment assess(const Toolkit& toolkit, const Compiler& stdenv, const Terms& terms, const Survey& survey,
                  const SurveyInputs& inputs);

} // namespace hostpin
