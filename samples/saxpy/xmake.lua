-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- CXX=g++-15 xmake f --cuda=DIR && xmake, with the nvcc of the toolkit DIR. --cu-ccbin=PATH names its host compiler; the default is CXX.
set_project("saxpy")
set_version("1")
set_xmakever("2.9.9")
set_languages("c++20")
add_rules("mode.release")
-- Otherwise xmake tries each flag in a separate compilation, nvcc's flags too.
set_policy("check.auto_ignore_flags", false)

target("report")
    set_kind("shared")
    add_files("report.cpp")
    add_defines("_GLIBCXX_ASSERTIONS")

for program, sources in pairs({saxpy_cuda = {"saxpy_cuda.cu"}, saxpy_mixed = {"saxpy_mixed.cpp", "device.cu"}}) do
    target(program)
        set_kind("binary")
        add_deps("report")
        add_files(sources)
        -- One architecture that CUDA 10 to 13 all know; its PTX also runs on newer devices.
        add_cugencodes("sm_75", "compute_75")
        -- No kernel calls device code in another file, and a device link of relocatable code would drop the PTX.
        set_values("cuda.rdc", false)
        -- Installed programs find the library relative to themselves.
        add_rpathdirs("$ORIGIN/../lib")
end
