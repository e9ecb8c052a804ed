#include "python/fx_objects.h"

#include <nanobind/stl/string.h>

namespace overlap::python {

nb::object interned(const char* name) {
    PyObject* text = PyUnicode_InternFromString(name);
    if (!text) throw nb::python_error();
    return nb::steal(text);
}

nb::handle member(nb::handle dictionary, const nb::object& key) {
    return PyDict_GetItem(dictionary.ptr(), key.ptr());
}

nb::object attribute(nb::handle object, const nb::object& name) {
    PyObject* found = PyObject_GetAttr(object.ptr(), name.ptr());
    if (!found) throw nb::python_error();
    return nb::steal(found);
}

nb::object called(nb::handle object, const nb::object& method) {
    PyObject* result = PyObject_CallMethodObjArgs(object.ptr(), method.ptr(), nullptr);
    if (!result) throw nb::python_error();
    return nb::steal(result);
}

std::optional<std::string_view> utf8(nb::handle text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) {
        PyErr_Clear();
        return std::nullopt;
    }
    return std::string_view(data, static_cast<std::size_t>(size));
}

std::optional<std::int64_t> integer(nb::handle number) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return overflow == 0 ? std::optional<std::int64_t>(value) : std::nullopt;
}

bool is_exactly(nb::handle object, const nb::object& type) {
    return reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) == type.ptr();
}

bool is_sequence(nb::handle object) {
    return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
}

bool is_true(nb::handle value) {
    return value && PyObject_IsTrue(value.ptr()) == 1;
}

const std::string& KnownTexts::of(nb::handle object) {
    const auto found = texts_.find(object.ptr());
    if (found != texts_.end()) return found->second;
    kept_.push_back(nb::borrow(object));
    return texts_.emplace(object.ptr(), nb::cast<std::string>(ask_(object))).first->second;
}

}  // namespace overlap::python
