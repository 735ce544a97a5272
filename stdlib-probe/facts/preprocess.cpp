// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/preprocess.hpp"

#include "stdlib-probe/parse/parse.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <memory>
#include <utility>

namespace hostpin::probe {

namespace {

constexpr const char* main_file = "hostpin-facts.cpp";
// Real headers produce some thousands of tokens; macros that double each other would never
// end.
constexpr std::size_t most_tokens = 1'000'000;

/// Stores the first error.
class Listener final : public clang::DiagnosticConsumer {
public:
  explicit Listener(std::string& mistake) : mistake_(mistake) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error || !mistake_.empty())
      return;
    llvm::SmallString<128> text;
    diagnostic.FormatDiagnostic(text);
    mistake_ = text.str().str();
    if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid())
      return;
    const clang::SourceManager& sources = diagnostic.getSourceManager();
    const clang::SourceLocation location = sources.getExpansionLoc(diagnostic.getLocation());
    mistake_ = sources.getBufferName(location).str() + ':' +
               std::to_string(sources.getSpellingLineNumber(location)) + ": " + mistake_;
  }

private:
  std::string& mistake_;
};

/// Collects missing headers; reading continues with the others.
class Missing final : public clang::PPCallbacks {
public:
  explicit Missing(std::vector<std::string>& names) : names_(names) {}

  bool FileNotFound(llvm::StringRef name) override {
    names_.push_back(name.str());
    return true;
  }

private:
  std::vector<std::string>& names_;
};

std::vector<std::string> front_end_arguments(const HeaderSearchPlan& plan) {
  std::vector<std::string> arguments{"-triple", plan.triple, "-x", "c++",
                                     "-fgnuc-version=" + plan.gcc_version};
  for (const std::string& directory : plan.directories) {
    arguments.emplace_back("-internal-isystem");
    arguments.push_back(directory);
  }
  arguments.emplace_back("-internal-isystem");
  arguments.push_back(plan.resources + "/include");
  arguments.insert(arguments.end(), plan.flags.begin(), plan.flags.end());
  arguments.emplace_back(main_file);
  return arguments;
}

std::string read_words(clang::Preprocessor& preprocessor) {
  std::string words;
  clang::Token token;
  preprocessor.EnterMainSourceFile();
  for (std::size_t count = 0; count < most_tokens; ++count) {
    preprocessor.Lex(token);
    if (token.is(clang::tok::eof))
      break;
    words += preprocessor.getSpelling(token);
    words += ' ';
  }
  return words;
}

} // namespace

Result<Preprocessed> preprocessed(const HeaderSearchPlan& plan, std::string_view source) {
  Preprocessed result;
  Listener listener(result.mistake);
  clang::CompilerInstance compiler;
  compiler.setDiagnostics(
      new clang::DiagnosticsEngine(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &listener, false));
  const std::vector<std::string> arguments = front_end_arguments(plan);
  std::vector<const char*> words;
  for (const std::string& argument : arguments)
    words.push_back(argument.c_str());
  if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), words, compiler.getDiagnostics()))
    return failure("Clang's preprocessor does not accept these flags: " + result.mistake);
  if (!compiler.createTarget())
    return failure("there is no target '" + plan.triple + "': " + result.mistake,
                   "name a triple such as x86_64-linux-gnu");
  compiler.setFileManager(
      new clang::FileManager(clang::FileSystemOptions{}, plain_files(llvm::vfs::getRealFileSystem())));
  compiler.createSourceManager(compiler.getFileManager());
  clang::SourceManager& sources = compiler.getSourceManager();
  sources.setMainFileID(sources.createFileID(
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(source.data(), source.size()), main_file)));
  compiler.createPreprocessor(clang::TU_Complete);
  clang::Preprocessor& preprocessor = compiler.getPreprocessor();
  preprocessor.addPPCallbacks(std::make_unique<Missing>(result.missing));
  listener.BeginSourceFile(compiler.getLangOpts(), &preprocessor);
  result.words = read_words(preprocessor);
  listener.EndSourceFile();
  for (auto entry = sources.fileinfo_begin(); entry != sources.fileinfo_end(); ++entry)
    result.files.push_back(entry->first.getName().str());
  return result;
}

} // namespace hostpin::probe
