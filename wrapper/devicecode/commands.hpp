// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/survey/request.hpp"
#include "wrapper/command/context.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

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
  bool allow_missing = false;      ///< write although a GPU finds nothing, or a file of a tree is refused
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
  bool all = false;                  ///< machine code too
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

/// What of the device code of files GPUs find: the part of `hostpin doctor FILE...` that this program prints.
struct ServedOptions {
  std::vector<std::string> files;
  std::optional<std::string> list;    ///< list of GPUs; nothing: this machine's
  std::optional<std::string> release; ///< of the toolkit that lists such as `all` depend on
  std::size_t width = 0;              ///< columns of the terminal; 0: endless
  bool colours = false;
  bool json = false;
};
int run_fatbin_served(const Context& context, const ServedOptions& options);

/// The commands of `hostpin fatbin`.
struct FatbinChanges {
  std::string command; ///< `slim`, `slice`, ...; empty: none, FatbinOptions apply
  SlimOptions slim;
  SliceOptions slice;
  MergeOptions merge;
  RepackOptions repack;
  ProveOptions prove;
  ServedOptions served;
};

} // namespace hostpin::command
