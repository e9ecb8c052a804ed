#include "python/fx_tensors.h"

namespace overlap::python {

FxTensors::FxTensors(FxValues& values, KnownTexts& torch_names, nb::handle encoder)
    : values_(values), torch_names_(torch_names), storage_number_(encoder.attr("storage_number")) {}

bool FxTensors::write_outputs(nb::handle value, Extent extent) {
    JsonWriter& json = values_.json();
    if (is_tensor(value)) {
        json.key("outputs").begin_array();
        if (!write_tensor(value, extent)) return false;
        json.end_array();
        return true;
    }
    if (!PyList_CheckExact(value.ptr()) && !PyTuple_CheckExact(value.ptr())) return false;
    const Items items(value);
    bool has_tensor = false;
    for (Py_ssize_t place = 0; place < items.size(); ++place) {
        if (is_tensor(items[place]))
            has_tensor = true;
        else if (!items[place].is_none())
            return false;
    }
    if (has_tensor) {
        json.key("outputs");
        if (!values_.write_items(value, [&](nb::handle item) {
                return item.is_none() ? values_.write_simple(item) : write_tensor(item, extent);
            }))
            return false;
    }
    if (extent == Extent::whole) json.member("multi", true);
    return true;
}

/// A tensor whose sizes are numbers.
bool FxTensors::write_tensor(nb::handle tensor, Extent extent) {
    if (attribute(tensor, layout_).ptr() != strided_.ptr() || attribute(tensor, is_nested_).ptr() != Py_False)
        return false;
    JsonWriter& json = values_.json();
    json.begin_object().member("dtype", std::string_view(torch_names_.of(attribute(tensor, dtype_))));
    if (!write_sizes("shape", attribute(tensor, shape_)) || !write_sizes("stride", called(tensor, stride_)))
        return false;
    if (extent == Extent::whole && (!write_device(attribute(tensor, device_)) || !write_storage(tensor))) return false;
    json.end_object();
    return true;
}

bool FxTensors::write_sizes(const char* field, const nb::object& sizes) {
    values_.json().key(field);
    return PyTuple_Check(sizes.ptr()) && values_.write_items(sizes, [&](nb::handle size) {
               return PyLong_CheckExact(size.ptr()) && values_.write_integer(size);
           });
}

/// The first device of a kind goes by the name of the kind.
bool FxTensors::write_device(const nb::object& device) {
    values_.json().key("device");
    if (!is_true(attribute(device, index_))) return values_.write_text(attribute(device, type_));
    return values_.write_text(nb::str(device));
}

bool FxTensors::write_storage(nb::handle tensor) {
    JsonWriter& json = values_.json();
    const nb::object offset = called(tensor, storage_offset_);
    if (!PyLong_CheckExact(offset.ptr())) return false;
    if (is_true(offset)) {
        json.key("storage_offset");
        if (!values_.write_integer(offset)) return false;
    }
    const nb::object storage = called(tensor, untyped_storage_);
    const nb::object bytes = called(storage, nbytes_);
    if (!PyLong_CheckExact(bytes.ptr())) return false;
    json.key("storage");
    if (!values_.write_integer(storage_number_(storage))) return false;
    json.key("storage_bytes");
    return values_.write_integer(bytes);
}

}  // namespace overlap::python
