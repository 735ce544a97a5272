// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/compiler/real_driver.hpp"
#include "toolchains/library/library.hpp"
#include "wrapper/pack/contents.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin::pack {

namespace {

/// Headers that the C library and the kernel install into a shared include directory (glibc 2.42, Linux 6.17,
/// musl 1.2), and crypt.h, which belonged to glibc until 2.28.
constexpr std::string_view c_library_headers =
    "a.out.h aio.h aliases.h alloca.h alltypes.h ar.h argp.h argz.h arpa asm asm-generic assert.h bits "
    "byteswap.h complex.h cpio.h crypt.h ctype.h cxl dirent.h dlfcn.h drm elf.h endian.h envz.h err.h "
    "errno.h error.h execinfo.h fcntl.h features.h fenv.h finclude float.h fmtmsg.h fnmatch.h "
    "fpu_control.h fstab.h fts.h ftw.h fwctl features-time64.h gconv.h getopt.h glob.h gnu gnu-versions.h "
    "grp.h gshadow.h hwprobe iconv.h ieee754.h ifaddrs.h inttypes.h iso646.h langinfo.h lastlog.h "
    "libgen.h libintl.h limits.h link.h linux locale.h malloc.h math.h mcheck.h memory.h misc mntent.h "
    "monetary.h mqueue.h mtd net netash netatalk netax25 netdb.h neteconet netinet netipx netiucv "
    "netpacket netrom netrose nfs nl_types.h nss.h obstack.h paths.h perf poll.h printf.h proc_service.h "
    "protocols pthread.h pty.h pwd.h rdma re_comp.h regex.h regexp.h regulator resolv.h rpc sched.h scsi "
    "search.h semaphore.h setjmp.h sgtty.h shadow.h signal.h sound spawn.h stdalign.h stdarg.h stdbit.h "
    "stdbool.h stdc-predef.h stdckdint.h stddef.h stdint.h stdio.h stdio_ext.h stdlib.h stdnoreturn.h "
    "string.h strings.h stropts.h sys syscall.h sysexits.h syslog.h tar.h termio.h termios.h tgmath.h "
    "thread_db.h threads.h time.h ttyent.h uchar.h ucontext.h ulimit.h unistd.h utime.h utmp.h utmpx.h "
    "values.h video wait.h wchar.h wctype.h wordexp.h xen";

/// A driver reports their paths.
constexpr std::string_view compiler_programs = "cc1 cc1plus collect2 lto1 lto-wrapper as ld ld.bfd ld.gold";

/// Front ends of other languages and files for plugins: by far the largest part of GCC's own directories.
constexpr std::string_view not_for_cuda =
    "adainclude adalib cc1gm2 cc1obj cc1objplus d21 f951 finclude gnat1 go1 install-tools m2 plugin rust1 "
    "crab1";

/// Start files and libraries that a link may use, and those of a foreign target by which it is verified; a
/// driver reports their paths.
constexpr std::string_view link_files =
    "crt1.o Scrt1.o rcrt1.o gcrt1.o grcrt1.o Mcrt1.o crti.o crtn.o libc.so libc.a libc_nonshared.a "
    "libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libm.so libm.a libmvec.so libmvec.a "
    "libpthread.so libpthread.a libpthread_nonshared.a libdl.so "
    "libdl.a librt.so librt.a libutil.so libutil.a libresolv.so libresolv.a libanl.so libanl.a "
    "libcrypt.so libcrypt.a libgcc_s.so libgcc_s.so.1 libstdc++.so libstdc++.a libstdc++.so.6 libsupc++.a "
    "libstdc++fs.a libstdc++exp.a libc++.so libc++.a libc++abi.so libc++abi.a libunwind.so libgomp.so "
    "libgomp.a libgomp.spec libsanitizer.spec libitm.spec libomp.so libatomic.so libatomic.a "
    "libquadmath.so libquadmath.a libasan.so libasan.a libasan_preinit.o libubsan.so libubsan.a "
    "libtsan.so libtsan.a libtsan_preinit.o liblsan.so liblsan.a liblsan_preinit.o";

bool is_one_of(std::string_view list, std::string_view name) {
  const std::vector<std::string> names = filled_parts(list, " ");
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_c_library_header(std::string_view name) {
  return is_one_of(c_library_headers, name);
}

bool is_wanted_of_gcc(std::string_view name) {
  return !is_one_of(not_for_cuda, name);
}

/// Clang uses start files and libraries of a GCC, but none of its programs.
bool is_wanted_of_gcc_for_clang(std::string_view name) {
  return is_wanted_of_gcc(name) && !is_one_of(compiler_programs, name);
}

class CompilerParts {
public:
  CompilerParts(Contents& contents, const Compiler& compiler, const Machine& machine)
      : contents_(contents), compiler_(compiler), machine_(machine) {}

  Result<void> add() {
    add_driver();
    if (!contents_.tree.add(compiler_.front_end))
      return failure(fmt::format("{} does not print where its front end is", compiler_.command.front()));
    add_directories();
    TRY(add_answers());
    return {};
  }

private:
  Command question(std::string word) const {
    Command command{compiler_.command, "", variables_a_probe_hides()};
    command.argv.push_back(std::move(word));
    return command;
  }

  void add_driver() {
    for (const std::string& word : compiler_.command)
      if (word.starts_with('/'))
        contents_.tree.add(word);
    for (const std::string& path : compiler_.files)
      contents_.tree.add(path);
    const auto driver = real_driver(compiler_.command, machine_.files);
    if (!driver) {
      contents_.notes.push_back(fmt::format("{}: {}; name the other programs that it runs with --with",
                                            compiler_.command.front(), driver.error().message));
      return;
    }
    contents_.tree.add(driver->program);
    for (const std::string& path : driver->files)
      contents_.tree.add(path);
  }

  void add_directories() {
    const bool is_gcc = compiler_.family == Family::gcc;
    if (!compiler_.gcc_install.empty())
      contents_.tree.add_whole(compiler_.gcc_install, is_gcc ? is_wanted_of_gcc : is_wanted_of_gcc_for_clang);
    if (is_gcc)
      contents_.tree.add(directory_of(compiler_.front_end) + "/liblto_plugin.so");
    for (const std::string& directory : compiler_.include_directories)
      add_headers(directory);
  }

  /// Headers of a C++ library and of a compiler have directories of their own; those of a C library do not.
  void add_headers(const std::string& directory) {
    const auto has = [&](const char* name) {
      return machine_.files.status(directory + '/' + name).has_value();
    };
    const bool is_own = has("cstddef") || has("bits/c++config.h") || has("emmintrin.h") ||
                        has("auto_ptr.h") || has("arm_neon.h") || has("backward/auto_ptr.h");
    contents_.tree.add_whole(directory, is_own ? Tree::Wanted() : is_c_library_header);
  }

  /// The driver's own answers, all in one batch.
  Result<void> add_answers() {
    std::vector<Command> questions;
    const std::vector<std::string> programs = filled_parts(compiler_programs, " ");
    const std::vector<std::string> files = filled_parts(link_files, " ");
    for (const std::string& name : programs)
      questions.push_back(question(fmt::format("-print-prog-name={}", name)));
    for (const std::string& name : files)
      questions.push_back(question(fmt::format("-print-file-name={}", name)));
    if (compiler_.family == Family::clang)
      questions.push_back(question("-print-resource-dir"));
    const std::vector<Outcome> answers = machine_.processes.run(questions);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].ok())
        return failure(fmt::format("{} {}: {}", compiler_.command.front(), questions[i].argv.back(),
                                   describe(answers[i])));
      const std::string answer = answers[i].output.substr(0, answers[i].output.find_first_of("\r\n"));
      if (i < programs.size())
        add_program(programs[i], answer);
      else if (answer.starts_with('/'))
        i < programs.size() + files.size() ? add_link_file(answer)
                                           : static_cast<void>(contents_.tree.add_whole(answer));
    }
    return {};
  }

  /// A program that the driver does not locate is searched on PATH, as the driver will do.
  void add_program(std::string_view name, const std::string& answer) {
    if (compiler_.family == Family::clang && name.starts_with("cc1"))
      return;
    const auto program = executable(answer, machine_.environment);
    if (!program)
      return;
    contents_.tree.add(*program);
    // Drivers answer with the target-prefixed name; collect2 searches for the name without the prefix.
    contents_.tree.add(fmt::format("{}/{}", directory_of(*program), name));
  }

  void add_link_file(const std::string& path) {
    constexpr std::size_t longest_script = 65536;
    if (!contents_.tree.add(path))
      return;
    const auto status = machine_.files.status(path);
    if (!status || status->size > longest_script)
      return;
    const auto text = machine_.files.read(path, longest_script);
    for (const std::string& input : text ? script_inputs(*text) : std::vector<std::string>()) {
      if (!input.starts_with('/'))
        continue; // already in the list of queries
      contents_.tree.add(input);
      for (const std::string& word : compiler_.command)
        if (word.starts_with(sysroot_option))
          contents_.tree.add(word.substr(sysroot_option.size()) + input);
      if (!sysroot().empty())
        contents_.tree.add(sysroot() + input);
    }
  }

  /// A script's inputs are below the driver's sysroot, even if a script around the driver adds it.
  std::string sysroot() {
    if (!sysroot_) {
      const Outcome answer = machine_.processes.run({{question("-print-sysroot")}}).front();
      sysroot_ = answer.ok() ? answer.output.substr(0, answer.output.find_first_of("\r\n")) : "";
    }
    return *sysroot_;
  }

  static constexpr std::string_view sysroot_option = "--sysroot=";

  Contents& contents_;
  const Compiler& compiler_;
  const Machine& machine_;
  std::optional<std::string> sysroot_;
};

} // namespace

Result<void> add_compiler(Contents& contents, const Compiler& compiler, const Machine& machine) {
  return CompilerParts(contents, compiler, machine).add();
}

} // namespace hostpin::pack
