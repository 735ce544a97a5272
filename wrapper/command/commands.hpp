// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/survey/request.hpp"
#include "wrapper/command/context.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Each subcommand returns the exit code, and has reported its errors.
struct BindOptions {
  Request request;
  std::string directory;                   ///< to write a bound toolchain into
  bool refresh = false;                    ///< decide again what `directory` holds, by the names it recorded
  bool view = false;                       ///< make `directory` a whole toolkit tree in which nvcc is ours
  std::optional<std::string> capabilities; ///< list of GPUs that builds are told of
  bool no_forward_compatibility = false;   ///< no PTX but what that list asks for
  std::optional<std::string> pack;         ///< archive to write of it and all it rests on
  std::vector<std::string> with;           ///< files and directories that the archive is to hold besides
};
int run_bind(const Context& context, const BindOptions& options);

struct DoctorOptions {
  Request request;
  bool json = false;
  bool verify = false;  ///< compile with each candidate and show where the verdict was wrong
  bool suggest = false; ///< print only the drivers that would fit, newest first
};
int run_doctor(const Context& context, const DoctorOptions& options);

struct ExplainOptions {
  Request request;
  std::optional<std::string> bound; ///< explain calls through this bound directory
  std::vector<std::string> call;    ///< `nvcc ARGS`, `c++ ARGS` or ARGS of nvcc
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
  std::optional<std::string> list; ///< nothing: show what the toolkit takes
  std::string format;              ///< print one spelling alone; empty: all
  bool json = false;
  bool no_forward_compatibility = false; ///< no PTX but what the list asks for
  bool ask_driver = false;               ///< print what libcuda.so.1 says of this machine: `native` asks so
};
int run_capabilities(const Context& context, const CapabilitiesOptions& options);

struct FatbinOptions {
  Request request;
  std::vector<std::string> paths;  ///< files and directories
  std::optional<std::string> list; ///< what each file is to hold; nothing: show what there is
  bool no_forward_compatibility = false;
  bool each = false;    ///< each fatbin is to hold it, not only the file as a whole
  bool members = false; ///< a table for each member of an archive too
  bool json = false;
};
int run_fatbin(const Context& context, const FatbinOptions& options);

struct ReportOptions {
  Request request;
  std::optional<std::string> bound; ///< show this bound directory
  std::string output;               ///< file to write; `-`: standard output
  std::vector<std::string> trees;   ///< for leak-check, and for the graph of libraries
  std::vector<std::string> answers; ///< files that `leak-check --json` wrote
  std::vector<std::string> lto;     ///< inputs for lto-check
  std::vector<std::string> link;    ///< a link command for it instead
};
int run_report(const Context& context, const ReportOptions& options);

} // namespace hostpin
