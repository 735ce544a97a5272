// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/syntax.hpp"

#include "stdlib-probe/parse/parse.hpp"
#include "stdlib-probe/why/use_graph.hpp"

#include <algorithm>
#include <array>
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace hostpin::probe {

namespace {

/// Stores the first error.
class Listener final : public clang::DiagnosticConsumer {
public:
  explicit Listener(Syntax& syntax) : syntax_(syntax) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error || ++syntax_.errors > 1)
      return;
    llvm::SmallString<128> text;
    diagnostic.FormatDiagnostic(text);
    syntax_.first_error = text.str().str();
    if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid())
      return;
    const clang::SourceManager& sources = diagnostic.getSourceManager();
    const clang::PresumedLoc place = sources.getPresumedLoc(diagnostic.getLocation());
    if (place.isValid())
      syntax_.first_error = std::string(place.getFilename()) + ':' + std::to_string(place.getLine()) + ": " +
                            syntax_.first_error;
  }

private:
  Syntax& syntax_;
};

/// Stores which file included which.
class Inclusions final : public clang::PPCallbacks {
public:
  Inclusions(Syntax& syntax, const clang::SourceManager& sources) : syntax_(syntax), sources_(sources) {}

  void InclusionDirective(clang::SourceLocation hash, const clang::Token& /*directive*/, llvm::StringRef name,
                          bool angled, clang::CharSourceRange /*range*/, clang::OptionalFileEntryRef file,
                          llvm::StringRef /*search*/, llvm::StringRef /*relative*/,
                          const clang::Module* /*suggested*/, bool /*imported*/,
                          clang::SrcMgr::CharacteristicKind kind) override {
    if (!file)
      return;
    const std::string path = file_path(sources_, *file);
    if (kind != clang::SrcMgr::C_User)
      syntax_.system_files.push_back(path);
    const std::string quoted = angled ? '<' + name.str() + '>' : '"' + name.str() + '"';
    if (auto place = place_of(sources_, hash)) {
      place->what = "#include " + quoted;
      syntax_.includes.try_emplace(path, std::move(*place));
    }
  }

private:
  Syntax& syntax_;
  const clang::SourceManager& sources_;
};

class Consumer final : public clang::ASTConsumer {
public:
  explicit Consumer(Syntax& syntax) : syntax_(syntax) {}
  void HandleTranslationUnit(clang::ASTContext& context) override { walk(context, syntax_); }

private:
  Syntax& syntax_;
};

class Action final : public clang::ASTFrontendAction {
public:
  explicit Action(Syntax& syntax) : syntax_(syntax) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef /*file*/) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<Inclusions>(syntax_, compiler.getSourceManager()));
    return std::make_unique<Consumer>(syntax_);
  }

private:
  Syntax& syntax_;
};

// Flags that change the meaning of a source. Others matter only to GCC, and Clang would refuse some.
constexpr auto language_flags = std::to_array<std::string_view>({"-D",
                                                                 "-I",
                                                                 "-O",
                                                                 "-U",
                                                                 "-ansi",
                                                                 "-fabi-version=",
                                                                 "-fchar8_t",
                                                                 "-fcoroutines",
                                                                 "-fexceptions",
                                                                 "-ffreestanding",
                                                                 "-fms-extensions",
                                                                 "-fno-char8_t",
                                                                 "-fno-exceptions",
                                                                 "-fno-rtti",
                                                                 "-fno-threadsafe-statics",
                                                                 "-fopenmp",
                                                                 "-frtti",
                                                                 "-fshort-enums",
                                                                 "-fsigned-char",
                                                                 "-funsigned-char",
                                                                 "-idirafter",
                                                                 "-imacros",
                                                                 "-include",
                                                                 "-iquote",
                                                                 "-isystem",
                                                                 "-m32",
                                                                 "-m64",
                                                                 "-march=",
                                                                 "-mcpu=",
                                                                 "-mavx",
                                                                 "-mfma",
                                                                 "-msse",
                                                                 "-pthread",
                                                                 "-std=",
                                                                 "-undef",
                                                                 "-x"});
// If the compiler's directories are not known, Clang derives them from these.
constexpr auto place_flags =
    std::to_array<std::string_view>({"--gcc-install-dir", "--gcc-toolchain", "--sysroot", "--target", "-B",
                                     "-isysroot", "-nostdinc", "-stdlib", "-target"});
constexpr auto with_value =
    std::to_array<std::string_view>({"--sysroot", "-B", "-D", "-I", "-U", "-idirafter", "-imacros",
                                     "-include", "-iquote", "-isysroot", "-isystem", "-target", "-x"});

bool begins_with_one_of(std::string_view word, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return word.starts_with(beginning); });
}

/// GCC's own headers for its builtins (stddef.h, immintrin.h) cannot be parsed by Clang, which has its own.
bool is_gcc_internal(const std::string& directory) {
  const bool of_gcc = directory.find("/gcc/") != std::string::npos;
  return of_gcc && (directory.ends_with("/include") || directory.ends_with("/include-fixed"));
}

std::vector<std::string> driver_arguments(const ParsePlan& plan) {
  std::vector<std::string> words{plan.is_c ? "clang" : "clang++", "-fsyntax-only", "-resource-dir",
                                 plan.resources, "-w", "-ferror-limit=0", "-ftemplate-depth=2048",
                                 // Also reads bodies that GCC may inline although the library has them.
                                 "-D_GLIBCXX_EXTERN_TEMPLATE=0"};
  const bool given = !plan.system_directories.empty();
  if (given)
    words.insert(words.end(), {"-nostdinc", "-nostdinc++"});
  if (!plan.triple.empty())
    words.push_back("--target=" + plan.triple);
  if (!plan.gcc_version.empty())
    words.push_back("-fgnuc-version=" + plan.gcc_version);
  if (!plan.standard.empty())
    words.push_back("-std=" + plan.standard);
  for (std::size_t i = 0; i < plan.flags.size(); ++i) {
    const std::string& flag = plan.flags[i];
    const bool two = std::find(with_value.begin(), with_value.end(), flag) != with_value.end() &&
                     i + 1 < plan.flags.size();
    if (begins_with_one_of(flag, language_flags) || (!given && begins_with_one_of(flag, place_flags))) {
      words.push_back(flag);
      if (two)
        words.push_back(plan.flags[i + 1]);
    }
    i += two ? 1 : 0;
  }
  bool own = false;
  for (const std::string& directory : plan.system_directories) {
    if (is_gcc_internal(directory) && std::exchange(own, true))
      continue;
    words.emplace_back("-isystem");
    words.push_back(is_gcc_internal(directory) ? plan.resources + "/include" : directory);
  }
  if (given && !own) {
    words.emplace_back("-isystem");
    words.push_back(plan.resources + "/include");
  }
  words.push_back(plan.source);
  return words;
}

void parse(const ParsePlan& plan, Syntax& syntax, bool& understood) {
  Listener listener(syntax);
  const llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics(
      new clang::DiagnosticsEngine(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &listener, false));
  const std::vector<std::string> arguments = driver_arguments(plan);
  std::vector<const char*> words;
  for (const std::string& argument : arguments)
    words.push_back(argument.c_str());
  const auto files = plain_files(llvm::vfs::createPhysicalFileSystem());
  if (files->setCurrentWorkingDirectory(plan.directory))
    return;
  clang::CreateInvocationOptions options;
  options.Diags = diagnostics;
  options.VFS = files;
  options.RecoverOnError = true;
  std::shared_ptr<clang::CompilerInvocation> invocation = clang::createInvocation(words, options);
  if (!invocation)
    return;
  // Errors about the driver's flags are not errors of the source.
  syntax.errors = 0;
  syntax.first_error.clear();
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getDiagnosticOpts().ShowCarets = false; // otherwise Clang prints the number of errors on stderr
  clang::CompilerInstance compiler;
  compiler.setInvocation(std::move(invocation));
  compiler.setDiagnostics(diagnostics.get());
  compiler.setFileManager(new clang::FileManager(clang::FileSystemOptions{}, files));
  Action action(syntax);
  understood = true;
  compiler.ExecuteAction(action);
}

} // namespace

Result<Syntax> read_syntax(const ParsePlan& plan) {
  Syntax syntax;
  bool understood = false;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  // Deeply nested templates need more than the default stack of a thread.
  constexpr unsigned stack = 256U << 20U;
  if (!recovery.RunSafelyOnThread([&] { parse(plan, syntax, understood); }, stack))
    return failure("Clang crashed on " + plan.source);
  if (!understood)
    return failure("Clang cannot follow the compile command of " + plan.source +
                   (syntax.first_error.empty() ? std::string() : ": " + syntax.first_error));
  return syntax;
}

} // namespace hostpin::probe
