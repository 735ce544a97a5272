// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/keys.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/text.hpp"
#include "wrapper/slices/digest.hpp"

#include <algorithm>
#include <optional>

namespace hostpin::slices {

namespace {

/// The tool's path: `$CICC_PATH/cicc`, or a name on PATH.
std::optional<std::string> tool_path(const std::string& word, const Environment::Variables& variables,
                                     const DryRun& run) {
  if (!word.starts_with('$'))
    return executable(word, Environment(variables));
  const std::size_t slash = word.find('/');
  const std::string_view value = run.variable(std::string_view(word).substr(1, slash - 1));
  if (slash == std::string::npos || value.empty())
    return std::nullopt;
  return std::string(value) + word.substr(slash);
}

/// Collects what a key depends on; `complete` is false once something could not be read.
class Key {
public:
  Key(const Store& store, const std::string& directory) : store_(store), directory_(directory) {}

  void text(std::string_view text) { digest_.add(text); }
  void large_file(const std::string& path) { part(store_.file_digest(path)); }
  void temporary_file(const std::string& path) {
    const auto content = DiskFiles().read(path, largest_file);
    complete_ &= content.has_value();
    digest_.add(content.value_or(""));
  }
  void word(const std::string& word) { digest_.add(replaced(word, directory_, directory_placeholder)); }
  void incomplete() { complete_ = false; }

  /// Every file of a directory that the tool reads by itself.
  void library(const std::string& directory) {
    const std::vector<std::string> names = DiskFiles().entries(directory);
    complete_ &= !names.empty();
    for (const std::string& name : names) {
      text(name);
      large_file(directory + '/' + name);
    }
  }

  std::string finish() { return complete_ ? digest_.text() : std::string(); }

private:
  void part(const std::string& digest) {
    complete_ &= !digest.empty();
    digest_.add(digest);
  }

  const Store& store_;
  const std::string& directory_;
  Digest digest_;
  bool complete_ = true;
};

/// A word that names a file which is not a temporary one, such as an object to link.
void add_named_file(const std::string& word, const std::string& directory, Key& key) {
  const bool other = word.starts_with('-') || word.starts_with(directory + '/');
  const auto status = other ? std::nullopt : DiskFiles().status(word);
  if (status && status->kind == FileStatus::Kind::regular)
    key.large_file(word);
}

/// nvlink reads `lib<name>.a` of the first directory that has one.
void add_library(const std::string& name, const std::vector<std::string>& words, Key& key) {
  for (const std::string& word : words) {
    const std::string path = word.starts_with("-L") ? word.substr(2) + "/lib" + name + ".a" : std::string();
    if (path.empty() || !DiskFiles().status(path))
      continue;
    key.large_file(path);
    return;
  }
  key.incomplete();
}

/// What nvlink reads in addition: libraries, and NVVM for link-time code.
void add_link_inputs(const std::vector<std::string>& words, Key& key) {
  constexpr std::string_view nvvm = "-nvvmpath=";
  for (const std::string& word : words)
    if (word.starts_with("-l"))
      add_library(word.substr(2), words, key);
    else if (word.starts_with(nvvm)) {
      key.library(word.substr(nvvm.size()) + "/libdevice");
      key.library(word.substr(nvvm.size()) + "/lib64");
    }
}

/// What tileiras runs and loads: ptxas of PATH, and NVVM of the toolkit that nvcc names.
void add_tile_inputs(const Environment::Variables& variables, const DryRun& run, Key& key) {
  if (const auto ptxas = executable("ptxas", Environment(variables)))
    key.large_file(*ptxas);
  else
    key.incomplete();
  const std::string toolkit(run.variable("CUDA_ROOT"));
  for (const char* const name : {"/nvvm/lib64/libnvvm.so", "/lib/libnvvm.so.4"}) // in its order
    if (!toolkit.empty() && DiskFiles().status(toolkit + name))
      return key.large_file(toolkit + name);
  key.incomplete();
}

/// Values that name the source for messages: its content is in the preprocessed input.
bool names_source(const std::string& option) {
  return option == "--orig_src_file_name" || option == "--orig_src_path_name";
}

} // namespace

std::string slice_key(const Step& step, const std::string& directory, const Environment::Variables& variables,
                      const DryRun& run, const Store& store) {
  Key key(store, directory);
  const auto tool = tool_path(step.words.front(), variables, run);
  if (!tool)
    return {};
  key.text(to_string(step.tool));
  key.large_file(*tool);
  for (std::size_t at = 1; at < step.words.size(); ++at) {
    key.word(step.words[at]);
    if (!names_source(step.words[at - 1]) && step.words[at - 1] != "-o")
      add_named_file(step.words[at], directory, key);
  }
  for (const std::string& input : step.inputs)
    key.temporary_file(input);
  if (step.tool == Tool::cicc)
    key.library(std::string(run.variable("NVVMIR_LIBRARY_DIR")));
  if (step.tool == Tool::tileiras)
    add_tile_inputs(variables, run, key);
  if (step.tool == Tool::nvlink)
    add_link_inputs(step.words, key);
  return key.finish();
}

} // namespace hostpin::slices
