// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/preprocess.hpp"

#include "stdlib-probe/gate/header_files.hpp"

#include <algorithm>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Basic/TargetOptions.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/ModuleLoader.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <cstddef>
#include <filesystem>
#include <llvm/Support/VirtualFileSystem.h>
#include <utility>

namespace hostpin::probe {

namespace {

// A toolkit's header includes only a few files of the toolkit; beyond this number it includes itself
// endlessly.
constexpr unsigned most_files = 300;
constexpr std::size_t longest_text = 400;      // bytes of an #error in a message
constexpr std::size_t most_tokens = 1'000'000; // real headers have none, or a few

/// Separates the header's own refusals from other errors.
class Listener final : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error)
      return;
    llvm::SmallString<128> text;
    diagnostic.FormatDiagnostic(text);
    // `#pragma GCC error` is equivalent to #error.
    const bool directive = diagnostic.getID() == clang::diag::err_pp_hash_error ||
                           diagnostic.getID() == clang::diag::err_pragma_message;
    std::optional<Reading::Place>& place = directive ? reading->refusal : reading->mistake;
    if (!place)
      place = where(diagnostic, text.str().substr(0, longest_text).str());
  }

  static Reading::Place where(const clang::Diagnostic& diagnostic, std::string text) {
    Reading::Place place{"", 0, std::move(text)};
    if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid())
      return place;
    const clang::SourceManager& sources = diagnostic.getSourceManager();
    const clang::SourceLocation location = sources.getExpansionLoc(diagnostic.getLocation());
    place.file = sources.getFilename(location).str();
    place.line = sources.getSpellingLineNumber(location);
    return place;
  }

  Reading* reading = nullptr;
};

/// Serves the C library as empty files, counts opened files, and collects the macros that are used.
class Watcher final : public clang::PPCallbacks {
public:
  Watcher(clang::Preprocessor& preprocessor, Reading& reading)
      : preprocessor_(preprocessor), reading_(reading) {}

  bool FileNotFound(llvm::StringRef /*name*/) override {
    return true;
  } // InclusionDirective decides whether it is an error

  void InclusionDirective(clang::SourceLocation hash, const clang::Token& /*token*/, llvm::StringRef name,
                          bool angled, clang::CharSourceRange /*range*/, clang::OptionalFileEntryRef file,
                          llvm::StringRef /*search*/, llvm::StringRef /*relative*/,
                          const clang::Module* /*suggested*/, bool /*imported*/,
                          clang::SrcMgr::CharacteristicKind /*kind*/) override {
    if (!file && (!angled || name.starts_with("crt/"))) // no C library has crt/
      mistake(hash, "includes \"" + name.str() + "\", which does not exist");
    else if (++files_ > most_files)
      mistake(hash, "includes files endlessly");
  }

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& /*definition*/,
                    clang::SourceRange /*range*/, const clang::MacroArgs* /*arguments*/) override {
    add_used(name);
  }
  void Defined(const clang::Token& name, const clang::MacroDefinition& /*definition*/,
               clang::SourceRange /*range*/) override {
    add_used(name);
  }
  void Ifdef(clang::SourceLocation /*at*/, const clang::Token& name,
             const clang::MacroDefinition& /*definition*/) override {
    add_used(name);
  }
  void Ifndef(clang::SourceLocation /*at*/, const clang::Token& name,
              const clang::MacroDefinition& /*definition*/) override {
    add_used(name);
  }

private:
  void add_used(const clang::Token& name) {
    if (const clang::IdentifierInfo* const identifier = name.getIdentifierInfo())
      reading_.used_macros.insert(identifier->getName().str());
  }

  void mistake(clang::SourceLocation at, std::string text) {
    if (reading_.mistake)
      return;
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    reading_.mistake = {sources.getFilename(at).str(), sources.getSpellingLineNumber(at), std::move(text)};
  }

  clang::Preprocessor& preprocessor_;
  Reading& reading_;
  unsigned files_ = 0;
};

std::shared_ptr<clang::TargetOptions> any_target() {
  auto options = std::make_shared<clang::TargetOptions>();
  options->Triple = "x86_64-unknown-linux-gnu"; // its macros are never defined; the reader's caller sets all
  return options;
}

clang::LangOptions cxx17() {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.LineComment = language.Bool = language.GNUMode = true;
  language.Digraphs = language.CXXOperatorNames = true;
  return language;
}

} // namespace

struct HeaderReader::State {
  State(std::string path, const Files& all)
      : header(std::move(path)), files(all, header),
        diagnostics(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &listener, false),
        file_manager(clang::FileSystemOptions{}, header_view(files)), target_options(any_target()),
        target(clang::TargetInfo::CreateTargetInfo(diagnostics, target_options)) {}

  std::string header;
  HeaderFiles files;
  Listener listener;
  clang::DiagnosticsEngine diagnostics;
  clang::FileManager file_manager;
  std::shared_ptr<clang::TargetOptions> target_options;
  llvm::IntrusiveRefCntPtr<clang::TargetInfo> target;
  clang::LangOptions language = cxx17();
};

HeaderReader::HeaderReader(const std::string& header, const Files& files)
    : state_(std::make_unique<State>(std::filesystem::absolute(header).lexically_normal().string(), files)) {}

HeaderReader::~HeaderReader() = default;

Reading HeaderReader::read(const std::string& macros) {
  Reading reading;
  State& state = *state_;
  state.listener.reading = &reading;
  state.diagnostics.Reset();
  clang::SourceManager sources(state.diagnostics, state.file_manager);
  auto search_options = std::make_shared<clang::HeaderSearchOptions>();
  clang::HeaderSearch search(search_options, sources, state.diagnostics, state.language, state.target.get());
  const std::filesystem::path directory = std::filesystem::path(state.header).parent_path();
  for (const std::filesystem::path& each :
       {directory, directory.parent_path(), std::filesystem::path(HeaderFiles::c_library)})
    if (auto entry = state.file_manager.getOptionalDirectoryRef(each.string()))
      search.AddSearchPath(clang::DirectoryLookup(*entry, clang::SrcMgr::C_User, false), true);

  clang::TrivialModuleLoader modules;
  clang::Preprocessor preprocessor(std::make_shared<clang::PreprocessorOptions>(), state.diagnostics,
                                   state.language, sources, search, modules);
  preprocessor.Initialize(*state.target);
  preprocessor.setPredefines(macros);
  preprocessor.addPPCallbacks(std::make_unique<Watcher>(preprocessor, reading));

  auto file = state.file_manager.getFileRef(state.header);
  if (!file) {
    const std::string& complaint = state.files.complaint();
    const std::string text = llvm::toString(file.takeError());
    reading.mistake = {state.header, 0, complaint.empty() ? text : complaint};
    return reading;
  }
  sources.setMainFileID(sources.createFileID(*file, clang::SourceLocation(), clang::SrcMgr::C_User));
  state.listener.BeginSourceFile(state.language, &preprocessor);
  preprocessor.EnterMainSourceFile();
  clang::Token token;
  std::size_t count = 0;
  do
    preprocessor.Lex(token);
  while (token.isNot(clang::tok::eof) && !reading.mistake && ++count < most_tokens);
  if (count == most_tokens)
    reading.mistake = {state.header, 0, "its macros expand without end"};
  state.listener.EndSourceFile();
  if (reading.mistake &&
      reading.mistake->file.empty()) // such as an error about the encoding of the whole file
    reading.mistake->file = state.header;
  // A file that exists but cannot be used is an error, even if the header may include a missing one.
  if (!state.files.complaint().empty())
    reading.mistake = {state.header, 0, state.files.complaint()};
  return reading;
}

std::vector<std::pair<std::string, FileStatus>> HeaderReader::files() const {
  return state_->files.identities();
}

} // namespace hostpin::probe
