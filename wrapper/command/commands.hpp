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
  std::optional<std::string> slices;       ///< directory of the slices; empty: none are used
  std::optional<std::string> policy;       ///< manylinux policy of links; empty: none
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

/// A toolchain in a directory, from nothing.
struct SetupOptions {
  std::string directory;
  std::optional<std::string> stdenv;
  std::optional<std::string> cuda, gcc, clang, from; ///< see setup::Asked
  std::vector<std::string> suites, libraries;
  std::optional<std::string> keyring;
  bool dry_run = false; ///< print what would be done
  bool json = false;    ///< as JSON
  bool yes = false;     ///< do it without a question
  bool accept_eula = false;
  bool refresh = false; ///< decide again for a directory that is set up
};
int run_setup(const Context& context, const SetupOptions& options);

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
  std::optional<std::string> list; ///< nothing: print what the toolkit supports
  std::string format;              ///< print only this spelling; empty: all
  bool json = false;
  bool no_forward_compatibility = false; ///< no PTX except what the list asks for
  bool ask_driver = false; ///< print what libcuda.so.1 reports about this machine: how `native` queries it
};
int run_capabilities(const Context& context, const CapabilitiesOptions& options);

struct FatbinOptions {
  Request request;
  std::vector<std::string> paths;  ///< files and directories
  std::optional<std::string> list; ///< what each file must contain; nothing: print its content
  bool no_forward_compatibility = false;
  bool each = false;    ///< each fatbin must contain it, not only the file as a whole
  bool members = false; ///< a table for each member of an archive too
  bool json = false;
};
int run_fatbin(const Context& context, const FatbinOptions& options);

struct SlimOptions {
  std::string path;                  ///< a file or a directory
  std::string keep;                  ///< list of GPUs
  std::string ptx = "newest";        ///< `newest`, `none` or `all`
  std::optional<std::string> output; ///< nothing: `in_place`
  bool in_place = false;
  bool licensed_to_modify = false; ///< files of NVIDIA's may be changed
  bool json = false;
};
int run_fatbin_slim(const Context& context, const SlimOptions& options);

struct SliceOptions {
  std::string path;
  std::string gpu; ///< one capability
  std::string output;
};
int run_fatbin_slice(const Context& context, const SliceOptions& options);

struct MergeOptions {
  std::string path;
  std::vector<std::string> sources; ///< slices, or builds of `path` for other GPUs; at least one
  std::string output;
  bool licensed_to_modify = false;
};
int run_fatbin_merge(const Context& context, const MergeOptions& options);

struct RepackOptions {
  std::string path;
  std::string compress;              ///< `size`, `balance`, `speed` or `none`
  std::optional<std::string> output; ///< nothing: `in_place`
  bool in_place = false;
  bool licensed_to_modify = false;
};
int run_fatbin_repack(const Context& context, const RepackOptions& options);

struct ProveOptions {
  std::string before, after;
  std::string gpus;                  ///< list of capabilities
  std::optional<std::string> driver; ///< version of the NVIDIA driver, or its CUDA release; nothing: any
  bool json = false;
};
int run_fatbin_prove(const Context& context, const ProveOptions& options);

/// The commands of `hostpin fatbin`.
struct FatbinChanges {
  std::string command; ///< `slim`, `slice`, ...; empty: none, FatbinOptions apply
  SlimOptions slim;
  SliceOptions slice;
  MergeOptions merge;
  RepackOptions repack;
  ProveOptions prove;
};

struct SlicesOptions {
  std::string store;    ///< directory given to `bind --slices`
  bool by_time = false; ///< the most expensive first
  bool json = false;
  std::string emit; ///< `make`, `slurm`, `nix`: print the recorded calls as tasks; empty: their costs
};
int run_slices(const Context& context, const SlicesOptions& options);

struct ReportOptions {
  Request request;
  std::optional<std::string> bound;  ///< report on this bound directory
  std::string output;                ///< file to write; `-`: standard output
  std::vector<std::string> trees;    ///< for leak-check, and for the graph of libraries
  std::vector<std::string> answers;  ///< files that `leak-check --json` wrote
  std::vector<std::string> lto;      ///< inputs for lto-check
  std::vector<std::string> link;     ///< a link command for it instead
  std::optional<std::string> matrix; ///< a page of this merged matrix instead
  std::optional<std::string> before; ///< earlier results of it
};
int run_report(const Context& context, const ReportOptions& options);

} // namespace hostpin::command
