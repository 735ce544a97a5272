// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/parse/parse.hpp"

#include <algorithm>
#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <memory>
#include <utility>

namespace hostpin::probe {

namespace {

constexpr std::size_t most_mistakes = 5000;

class Listener final : public clang::DiagnosticConsumer {
public:
  explicit Listener(std::vector<Mistake>& mistakes) : mistakes_(mistakes) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    const bool fatal = level == clang::DiagnosticsEngine::Fatal;
    if (level < clang::DiagnosticsEngine::Error || (mistakes_.size() >= most_mistakes && !fatal))
      return;
    llvm::SmallString<128> text;
    diagnostic.FormatDiagnostic(text);
    Mistake& mistake = mistakes_.emplace_back();
    mistake.text = text.str().str();
    mistake.id = diagnostic.getID();
    mistake.lexical = mistake.id >= clang::diag::DIAG_START_LEX && mistake.id < clang::diag::DIAG_START_PARSE;
    mistake.fatal = fatal;
    if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid())
      return;
    const clang::SourceManager& sources = diagnostic.getSourceManager();
    const clang::SourceLocation at = sources.getExpansionLoc(diagnostic.getLocation());
    mistake.file = sources.getFilename(at).str();
    mistake.line = sources.getSpellingLineNumber(at);
  }

private:
  std::vector<Mistake>& mistakes_;
};

class SkippedIncludes final : public clang::PPCallbacks {
public:
  SkippedIncludes(const SourceText& source, Parsed& parsed) : source_(source), parsed_(parsed) {}

  bool FileNotFound(llvm::StringRef name) override {
    if (!source_.may_lack({name.data(), name.size()}))
      return false;
    parsed_.lacked.push_back(name.str());
    return true;
  }

private:
  const SourceText& source_;
  Parsed& parsed_;
};

class Consumer final : public clang::ASTConsumer {
public:
  Consumer(const ParsedVisitor& visit, clang::CompilerInstance& compiler, const Parsed& parsed)
      : visit_(visit), compiler_(compiler), parsed_(parsed) {}
  void HandleTranslationUnit(clang::ASTContext& /*context*/) override { visit_(compiler_, parsed_.mistakes); }

private:
  const ParsedVisitor& visit_;
  clang::CompilerInstance& compiler_;
  const Parsed& parsed_;
};

class Action final : public clang::ASTFrontendAction {
public:
  Action(const SourceText& source, const ParsedVisitor& visit, Parsed& parsed)
      : source_(source), visit_(visit), parsed_(parsed) {}

  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<SkippedIncludes>(source_, parsed_));
    return true;
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef /*file*/) override {
    return std::make_unique<Consumer>(visit_, compiler, parsed_);
  }
  void EndSourceFileAction() override {
    const clang::SourceManager& sources = getCompilerInstance().getSourceManager();
    for (auto entry = sources.fileinfo_begin(); entry != sources.fileinfo_end(); ++entry)
      parsed_.files.insert(entry->first.getName().str());
  }

private:
  const SourceText& source_;
  const ParsedVisitor& visit_;
  Parsed& parsed_;
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_of(const SourceText& source) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  memory->addFile(source.name, 0, llvm::MemoryBuffer::getMemBuffer(source.text));
  for (const auto& [path, text] : source.memory)
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(text));
  auto all =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(plain_files(llvm::vfs::getRealFileSystem()));
  all->pushOverlay(memory);
  return all;
}

bool set_up(clang::CompilerInstance& compiler, const SourceText& source) {
  std::vector<const char*> words = {"-fsyntax-only", "-w", "-ferror-limit", "0"};
  for (const std::string& argument : source.arguments)
    words.push_back(argument.c_str());
  words.push_back(source.name.c_str());
  if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), words, compiler.getDiagnostics()))
    return false;
  // Only declarations are needed, and no "12 errors generated." on stderr.
  compiler.getFrontendOpts().SkipFunctionBodies = true;
  compiler.getDiagnosticOpts().ShowCarets = false;
  compiler.getFrontendOpts().DisableFree = false;
  return true;
}

class PlainFiles final : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    auto found = ProxyFileSystem::status(path);
    if (found && !found->isRegularFile() && !found->isDirectory())
      return std::make_error_code(std::errc::no_such_file_or_directory);
    return found;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    if (const auto found = status(path); !found)
      return found.getError();
    return ProxyFileSystem::openFileForRead(path);
  }
};

} // namespace

std::string to_string(const Mistake& mistake) {
  return mistake.file.empty() ? mistake.text
                              : mistake.file + ':' + std::to_string(mistake.line) + ": " + mistake.text;
}

Result<Parsed> parse(const SourceText& source, const ParsedVisitor& visit) {
  Parsed parsed;
  Listener listener(parsed.mistakes);
  clang::CompilerInstance compiler;
  compiler.setDiagnostics(
      new clang::DiagnosticsEngine(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &listener, false));
  if (!set_up(compiler, source) || !compiler.createTarget())
    return failure("Clang cannot be set up to read headers: " +
                   (parsed.mistakes.empty() ? "no reason given" : parsed.mistakes.front().text));
  compiler.createFileManager(files_of(source));
  Action action(source, visit, parsed);
  compiler.ExecuteAction(action);
  parsed.files.erase(source.name);
  for (const auto& [path, text] : source.memory)
    parsed.files.erase(path);
  return parsed;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
plain_files(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> all) {
  return llvm::makeIntrusiveRefCnt<PlainFiles>(std::move(all));
}

} // namespace hostpin::probe
