#include "python/fx_values.h"

#include <cmath>

namespace overlap::python {

bool FxValues::write_text(nb::handle text) {
    const auto bytes = utf8(text);
    if (bytes) json_.value(*bytes);
    return bytes.has_value();
}

bool FxValues::write_integer(nb::handle number) {
    const auto value = integer(number);
    if (value) json_.value(*value);
    return value.has_value();
}

bool FxValues::write_float(nb::handle value) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (std::isfinite(number)) {
        json_.floating(number);
        return true;
    }
    return write_tagged("float", std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
}

bool FxValues::write_simple(nb::handle value) {
    if (value.is_none())
        json_.null();
    else if (PyBool_Check(value.ptr()))
        json_.value(value.ptr() == Py_True);
    else
        return write_text(value);
    return true;
}

bool FxValues::write_plain(nb::handle value) {
    if (value.is_none() || PyBool_Check(value.ptr()) || PyUnicode_CheckExact(value.ptr())) return write_simple(value);
    if (PyLong_CheckExact(value.ptr())) return write_integer(value);
    if (PyFloat_CheckExact(value.ptr()) && std::isfinite(PyFloat_AsDouble(value.ptr()))) return write_float(value);
    const auto write_item = [&](nb::handle item) { return write_plain(item); };
    if (is_sequence(value)) return write_items(value, write_item);
    return PyDict_Check(value.ptr()) && write_members(value, write_item);
}

bool FxValues::write_tagged(std::string_view tag, std::string_view text) {
    json_.begin_object().member(tag, text).end_object();
    return true;
}

}  // namespace overlap::python
