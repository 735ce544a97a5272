// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scale.scale([1.0, 2.0], 3.0) == [3.0, 6.0]: on the GPU if there is one, else on the host; scale.where()
// returns which.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

__global__ void multiply(std::size_t n, float factor, float* values) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n)
    values[i] *= factor;
}

struct DeviceDelete {
  void operator()(float* memory) const { cudaFree(memory); }
};

void check(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

bool has_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

void scale_on_device(std::vector<float>& values, float factor) {
  const std::size_t bytes = values.size() * sizeof(float);
  float* memory = nullptr;
  check(cudaMalloc(reinterpret_cast<void**>(&memory), bytes));
  const std::unique_ptr<float, DeviceDelete> owned{memory};
  check(cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice));
  multiply<<<static_cast<unsigned>((values.size() + 255) / 256), 256>>>(values.size(), factor, memory);
  check(cudaGetLastError());
  check(cudaMemcpy(values.data(), memory, bytes, cudaMemcpyDeviceToHost));
}

struct Release {
  void operator()(PyObject* object) const { Py_XDECREF(object); }
};
using Owned = std::unique_ptr<PyObject, Release>;

std::vector<float> to_floats(PyObject* sequence) {
  std::vector<float> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i)
    values.push_back(static_cast<float>(PyFloat_AsDouble(PySequence_Fast_GET_ITEM(sequence, i))));
  return values;
}

PyObject* to_list(const std::vector<float>& values) {
  Owned list{PyList_New(static_cast<Py_ssize_t>(values.size()))};
  for (std::size_t i = 0; list && i < values.size(); ++i) {
    PyObject* value = PyFloat_FromDouble(values[i]);
    if (value == nullptr)
      return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), value);
  }
  return list.release();
}

PyObject* scale(PyObject*, PyObject* arguments) {
  PyObject* given = nullptr;
  float factor = 1.0F;
  if (!PyArg_ParseTuple(arguments, "Of", &given, &factor))
    return nullptr;
  const Owned sequence{PySequence_Fast(given, "scale() takes a sequence of numbers")};
  if (!sequence)
    return nullptr;
  // No C++ exception may pass through Python's C code.
  try {
    std::vector<float> values = to_floats(sequence.get());
    if (PyErr_Occurred() != nullptr)
      return nullptr;
    if (!values.empty() && has_device())
      scale_on_device(values, factor);
    else
      for (float& value : values)
        value *= factor;
    return to_list(values);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

PyObject* where(PyObject*, PyObject*) {
  return PyUnicode_FromString(has_device() ? "device" : "host");
}

PyMethodDef methods[] = {
    {"scale", scale, METH_VARARGS, "scale(numbers, factor): each of them times the factor"},
    {"where", where, METH_NOARGS, "device or host: where scale() computes"},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {PyModuleDef_HEAD_INIT,
                      "scale",
                      "Numbers, scaled on a GPU.",
                      -1,
                      methods,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr};

} // namespace

PyMODINIT_FUNC PyInit_scale() {
  return PyModule_Create(&module);
}
