// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What XLA calls for the host and for CUDA, as capsules: _handlers.host and _handlers.cuda.
#define PY_SSIZE_T_CLEAN
#include "kernel.hpp"
#include "xla/ffi/api/ffi.h"

#include <Python.h>
#include <cmath>
#include <string>

namespace ffi = xla::ffi;

namespace {

using Numbers = ffi::Buffer<ffi::F32>;

ffi::Error threshold_on_host(float limit, Numbers x, ffi::ResultBuffer<ffi::F32> y) {
  const float* from = x.typed_data();
  float* to = y->typed_data();
  for (std::size_t i = 0; i < x.element_count(); ++i)
    to[i] = std::copysign(std::fmax(std::fabs(from[i]) - limit, 0.0F), from[i]);
  return ffi::Error::Success();
}

ffi::Error threshold_for_cuda(cudaStream_t stream, float limit, Numbers x, ffi::ResultBuffer<ffi::F32> y) {
  const cudaError_t status =
      threshold_on_device(stream, x.element_count(), limit, x.typed_data(), y->typed_data());
  if (status != cudaSuccess)
    return ffi::Error::Internal(std::string("CUDA: ") + cudaGetErrorString(status));
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(host, threshold_on_host,
                       ffi::Ffi::Bind().Attr<float>("limit").Arg<Numbers>().Ret<Numbers>());
XLA_FFI_DEFINE_HANDLER(cuda, threshold_for_cuda,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<cudaStream_t>>()
                           .Attr<float>("limit")
                           .Arg<Numbers>()
                           .Ret<Numbers>());

bool add(PyObject* module, const char* name, XLA_FFI_Handler* handler) {
  PyObject* capsule = PyCapsule_New(reinterpret_cast<void*>(handler), nullptr, nullptr);
  if (capsule == nullptr)
    return false;
  if (PyModule_AddObject(module, name, capsule) == 0) // takes the capsule, unless it fails
    return true;
  Py_DECREF(capsule);
  return false;
}

PyModuleDef module = {PyModuleDef_HEAD_INIT,
                      "_handlers",
                      "Handlers for XLA's FFI.",
                      -1,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr};

} // namespace

PyMODINIT_FUNC PyInit__handlers() {
  PyObject* made = PyModule_Create(&module);
  if (made != nullptr && add(made, "host", host) && add(made, "cuda", cuda))
    return made;
  Py_XDECREF(made);
  return nullptr;
}
