// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/environment.hpp"
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/terminal.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/options/program.hpp"
#include "toolchains/options/progress_line.hpp"
#include "toolchains/redist/store/command/options.hpp"
#include "toolchains/redist/store/document.hpp"
#include "toolchains/redist/store/fetch.hpp"

#include <cstdio>
#include <memory>
#include <span>
#include <string_view>
#include <unistd.h>

namespace {

using namespace hostpin;
using namespace hostpin::redist;

constexpr int exit_done = 0, exit_failed = 2;

std::string progress_of(const FetchProgress::State& state, std::size_t columns) {
  return options::progress_text(std::to_string(state.done) + " of " + std::to_string(state.archives) +
                                    " archives, " + options::amount_text(state.received) + " of " +
                                    options::amount_text(state.bytes),
                                state.name, columns);
}

std::string line_of(const Fetched& fetched) {
  std::string text = "fetched " + fetched.name + " (" + options::amount_text(fetched.size);
  if (fetched.received < fetched.size)
    text += ", " + options::amount_text(fetched.size - fetched.received) + " of it earlier";
  text += ")\n";
  if (!fetched.note.empty())
    text += "hostpin: warning: " + fetched.name + ": " + fetched.note + '\n';
  return text;
}

std::string summary_of(const FetchResult& result) {
  return std::to_string(result.fetched) + " fetched (" + options::amount_text(result.received) + "), " +
         std::to_string(result.present) + " in the store, " + std::to_string(result.failed) + " failed\n";
}

Result<Lock> lock_from(const std::string& path, const Files& files) {
  const auto text = files.read(path, document::largest_document);
  return text ? read_lock(*text, path) : tl::unexpected(text.error());
}

/// The variables that the curl command reads; its library does not.
void read_certificates(TransferOptions& options, const Environment& environment) {
  auto file = environment["CURL_CA_BUNDLE"];
  if (!file)
    file = environment["SSL_CERT_FILE"];
  options.certificates = file.value_or("");
  options.certificate_directory = environment["SSL_CERT_DIR"].value_or("");
}

Result<int> run(const FetchArguments& arguments, const Environment& environment) {
  const DiskFiles files;
  TRY_ASSIGN(const auto lock, lock_from(arguments.lock, files));
  const Store store(arguments.store);
  TRY(store.create());
  const bool watched = options::wants_progress(environment, ::isatty(STDERR_FILENO) == 1);
  FetchOptions options = arguments.options;
  read_certificates(options.transfer, environment);
  FetchProgress progress;
  FetchResult result;
  {
    const hostpin::options::ProgressLine line(
        [&progress](std::size_t columns) { return progress_of(progress.state(), columns); }, STDERR_FILENO,
        watched);
    result = fetch(lock, store, options, files, progress, [watched](const Fetched& fetched) {
      if (!watched || !fetched.note.empty())
        print_error(line_of(fetched));
    });
  }
  for (const Error& error : result.errors)
    print_failure(error);
  print_error(summary_of(result));
  return result.failed == 0 ? exit_done : exit_failed;
}

/// `redist-fetch --document URL`, for other programs of hostpin: prints the file.
Result<int> print_document(const std::string& url, const Environment& environment) {
  TRY_ASSIGN(const auto scratch, ScratchDirectory::make(environment));
  TransferOptions options;
  options.retry_within = std::chrono::seconds(60); // there is no --timeout for it
  read_certificates(options, environment);
  TRY_ASSIGN(const auto text, fetch_document(url, document::largest_document, scratch.path(), options));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_done;
}

Result<int> run_or_help(std::span<const char* const> words, const Environment& environment) {
  if (words.size() == 2 && words.front() == std::string_view("--document"))
    return print_document(words.back(), environment);
  TRY_ASSIGN(const auto arguments, read_fetch_arguments(words));
  if (arguments.help.empty())
    return run(arguments, environment);
  const std::string text = options::wrapped_help(arguments.help, terminal_width(environment, STDOUT_FILENO));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_done;
}

} // namespace

int main(int argc, char** argv, char** envp) {
  const Environment environment = Environment::from(envp);
  return options::run_program(argc, argv, exit_failed, [&](std::span<const char* const> arguments) {
    return run_or_help(arguments, environment);
  });
}
