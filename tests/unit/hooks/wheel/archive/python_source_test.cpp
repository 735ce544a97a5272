// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/archive/python_source.hpp"

#include <string>

#include <doctest/doctest.h>

using hostpin::wheel::read_python_source;
using Names = std::set<std::string>;

TEST_CASE("sources that open libraries are recognised by their calls") {
  for (const char* text : {"ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)", "ct.cdll.LoadLibrary(str(path))",
                           "if x:\n    lib = CDLL(\n  path)", "ffi.dlopen('./libx.so')",
                           "pathfinder.load_nvidia_dynamic_lib(name)",
                           "def f(): return ctypes.CDLL(\"librmm.so\")", "x = undef; CDLL(x)"})
    CHECK_MESSAGE(read_python_source(text).opens, text);
  for (const char* text : {"", "# ctypes.CDLL(path)", "'''\nctypes.CDLL(path)\n'''", "\"ctypes.CDLL(path)\"",
                           "ctypes.CDLL(None)", "ctypes.CDLL( # the process\r\n  None)",
                           "def LoadLibrary(path):", "class CDLL(Library):", "def  dlopen(\n  path):",
                           "ctypes.CDLL", "raise Error('no CDLL(x)') # CDLL(x)"})
    CHECK_MESSAGE(!read_python_source(text).opens, text);
}

TEST_CASE("names of libraries are whole string constants, without directories") {
  CHECK(read_python_source("a = ['librmm.so', \"lib/libx.so.1\", 'libcublas.so.*[0-9]', r'libx-1a2b.so.1.2']")
            .libraries == Names{"librmm.so", "libx.so.1", "libcublas.so.*[0-9]", "libx-1a2b.so.1.2"});
  CHECK(read_python_source("f(load_nvidia_dynamic_lib('cufft'), 'nvrtc')").libraries ==
        Names{"libcufft.so.*"});
  CHECK(read_python_source("load_nvidia_dynamic_lib(\n    # first\r\n    \"cublas\"\n)").libraries ==
        Names{"libcublas.so.*"});
  CHECK(read_python_source("load_nvidia_dynamic_lib(name, 'cublas')").libraries == Names{});
  CHECK(read_python_source(R"({"preload-library": [{"library": "libcublas.so.12"}]})").libraries ==
        Names{"libcublas.so.12"});
  for (const char* text : {"# 'libx.so'", "'''opens libx.so'''", "f'lib{name}.so'", "'libx.sock'", "'x.so'",
                           "'lib.so'", "libx.so", "'libx.dll'", "'libx.so is missing'", "'lib\\\\'"})
    CHECK_MESSAGE(read_python_source(text).libraries == Names{}, text);
  CHECK(read_python_source("'a\\'' + 'libx.so'").libraries == Names{"libx.so"});
  CHECK(read_python_source("\"\"\"a \" b\"\"\" + 'libx.so'").libraries == Names{"libx.so"});
}

TEST_CASE("imports are packages by the first part of their names") {
  CHECK(read_python_source(
            "import librmm\ntry:\n    import a.b as c\nexcept ImportError: pass\nfrom d.e import f\n"
            "from . import g\nx = 'import h'\n# import i\n")
            .imports == Names{"librmm", "a", "d"});
}

TEST_CASE("a source that is too long, or ends within a constant, is no error") {
  CHECK_FALSE(read_python_source(std::string(hostpin::wheel::longest_source, ' ') + "CDLL(x)").opens);
  CHECK(read_python_source("CDLL('''libx").opens);
  CHECK(read_python_source("'libx.so").libraries == Names{"libx.so"});
  CHECK(read_python_source("'\\").libraries.empty());
}
