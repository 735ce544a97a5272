# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The rules for the plain Makefile and for the one that configure writes: both set srcdir, CXX, NVCC and PREFIX.
CXXFLAGS ?= -O2
# One architecture that CUDA 10 to 13 all know; its PTX also runs on newer devices.
NVCCFLAGS ?= -O2 -gencode arch=compute_75,code=[compute_75,sm_75]
CPPFLAGS += -I$(srcdir)
# Installed programs find the library relative to themselves. nvcc quotes the dollar for the shell it uses.
RPATH = -Xlinker '-rpath,$$ORIGIN/../lib'

all: libreport.so saxpy_cuda saxpy_mixed

libreport.so: $(srcdir)/report.cpp $(srcdir)/report.hpp
	$(CXX) -std=c++20 $(CPPFLAGS) -D_GLIBCXX_ASSERTIONS $(CXXFLAGS) -fPIC -shared -o $@ $<

saxpy_cuda.o device.o: %.o: $(srcdir)/%.cu $(srcdir)/saxpy.cuh
	$(NVCC) $(CPPFLAGS) $(NVCCFLAGS) -c -o $@ $<
saxpy_mixed.o: $(srcdir)/saxpy_mixed.cpp $(srcdir)/device.hpp
	$(CXX) -std=c++20 $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

# nvcc links: it knows the toolkit's libraries, and with hostpin it links as $(CXX) would.
saxpy_cuda: saxpy_cuda.o libreport.so
	$(NVCC) $(NVCCFLAGS) -o $@ saxpy_cuda.o -L. -lreport $(RPATH)
saxpy_mixed: saxpy_mixed.o device.o libreport.so
	$(NVCC) $(NVCCFLAGS) -o $@ saxpy_mixed.o device.o -L. -lreport $(RPATH)

# 77: there is no GPU for the device half
check: all
	for program in saxpy_cuda saxpy_mixed; do LD_LIBRARY_PATH=. ./$$program || test $$? = 77 || exit 1; done

install: all
	mkdir -p "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/lib"
	cp saxpy_cuda saxpy_mixed "$(DESTDIR)$(PREFIX)/bin"
	cp libreport.so "$(DESTDIR)$(PREFIX)/lib"

clean:
	rm -f libreport.so saxpy_cuda saxpy_mixed saxpy_cuda.o saxpy_mixed.o device.o

.PHONY: all check install clean
