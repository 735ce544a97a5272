// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/survey/request.hpp"
#include "wrapper/command/context.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// Each subcommand returns the exit code, and has reported its errors.
struct BindOptions {
  Request request;
  std::string directory;                   ///< to write a bound toolchain into
  bool refresh = false;                    ///< decide again for `directory`, with its recorded names
  bool view = false;                       ///< make `directory` a whole toolkit tree with hostpin's nvcc
  std::optional<std::string> capabilities; ///< list of GPUs for builds
  bool no_forward_compatibility = false;   ///< no PTX except what that list asks for
  bool enforce = false;                    ///< calls compile for that list, whatever they name
  bool no_enforce = false;                 ///< they compile for what they name
  std::optional<std::string> slices;       ///< directory of the slices; empty: none are used
  std::optional<std::string> policy;       ///< manylinux policy of links; empty: none
  std::optional<std::string> run_path;     ///< that links add, as Request has it; empty: none
  std::optional<std::string> pack;         ///< archive to write of it and all its dependencies
  std::vector<std::string> with;           ///< further files and directories for the archive
  bool is_step = false;                    ///< of another command, which prints what is next
};
int run_bind(const Context& context, const BindOptions& options);

/// A host compiler that a call names, and where it is named; empty: none.
struct CallNames {
  std::string value, by;
  bool informational = false; ///< the call runs no compiler: finding none is not an error
};

/// The launcher's request, `hostpin bind --plan`; see wrapper/bind/README.md.
struct PlanRequest {
  bool asked = false;    ///< print the plan
  bool decision = false; ///< print the directory of the decision of an unbound nvcc instead, for leak-check
  std::string index;     ///< cache file to store it in; empty: no cache
  std::string unstored;  ///< why there is none
  std::string spare;     ///< file for it if the cache cannot store it; empty: none
  std::string base;      ///< a bound directory whose toolkit and stdenv are used
  CallNames names;       ///< of the nvcc call
  std::string called_by; ///< the real nvcc that runs hostpin's `c++`
  bool noted = false;    ///< another call below that nvcc has printed the notes
};

/// Makes that plan, stores it in the cache, and prints its bytes on stdout. Without a writable cache it
/// prints a note and a plan that has no home. `options`: values that users can also name.
int run_bind_for_driver(const Context& context, const BindOptions& options, const PlanRequest& asked);

struct DoctorOptions {
  Request request;
  std::optional<std::string> bound = {}; ///< calls through this bound directory, after hostpin setup
  bool json = false;
  bool verify = false;                     ///< compile with each candidate and report wrong verdicts
  bool suggest = false;                    ///< print only the drivers that would fit, newest first
  std::vector<std::string> files;          ///< whose device code to compare with GPUs
  std::optional<std::string> capabilities; ///< list of those GPUs; nothing: this machine's
};
int run_doctor(const Context& context, const DoctorOptions& options);

struct ExplainOptions {
  Request request;
  std::optional<std::string> bound; ///< explain calls through this bound directory
  bool json = false;
  std::vector<std::string> call; ///< `nvcc ARGS`, `c++ ARGS` or ARGS of nvcc
};
int run_explain(const Context& context, const ExplainOptions& options);

struct EnvOptions {
  Request request;
  std::optional<std::string> bound; ///< export this bound directory
  std::string shell;                ///< `sh`, `fish`, `csh`, `cmake`; empty: after $SHELL
};
int run_env(const Context& context, const EnvOptions& options);

struct CapabilitiesOptions {
  Request request;
  std::optional<std::string> list; ///< nothing: print what the toolkit supports
  std::string format;              ///< print only this spelling; empty: all
  bool json = false;
  bool no_forward_compatibility = false; ///< no PTX except what the list asks for
  bool ask_driver = false; ///< print what libcuda.so.1 reports about this machine: how `native` queries it
};
int run_capabilities(const Context& context, const CapabilitiesOptions& options);

} // namespace hostpin::command
