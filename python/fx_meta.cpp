#include "python/fx_meta.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

namespace overlap::python {

const std::array<const char*, FxMeta::first_trainer_key> FxMeta::names = {
    "val",    "example_value",   "nn_module_stack",         "fwd_nn_module_stack", "custom",
    "seq_nr", "partitioner_tag", "manual_bucket_node_type", "autograd_backward"};

FxMeta::FxMeta(FxValues& values, const nb::object& document)
    : values_(values), document_(document), class_texts_(document.attr("class_name")) {
    const nb::object trainer = document.attr("TRAINER_META");
    for (const nb::handle name : trainer) trainer_names_.push_back(nb::cast<std::string>(name));
    fields_.resize(first_trainer_key + trainer_names_.size());
}

bool FxMeta::take(nb::handle meta) {
    std::ranges::fill(fields_, nb::handle());
    PyObject *key = nullptr, *item = nullptr;
    for (Py_ssize_t place = 0; PyDict_Next(meta.ptr(), &place, &key, &item) != 0;) {
        const unsigned kind = kind_of(key);
        if (kind == told_key) return false;
        if (kind != meaningless_key) fields_[kind] = item;
    }
    return true;
}

unsigned FxMeta::kind_of(nb::handle key) {
    const auto found = kinds_.find(key.ptr());
    if (found != kinds_.end()) return found->second;
    kept_keys_.push_back(nb::borrow(key));
    const unsigned kind = ask_kind(key);
    kinds_.emplace(key.ptr(), kind);
    return kind;
}

unsigned FxMeta::ask_kind(nb::handle key) const {
    if (!PyUnicode_Check(key.ptr())) return told_key;
    const auto text = utf8(key);
    for (unsigned kind = 0; kind < first_trainer_key; ++kind)
        if (text == names[kind]) return kind;
    for (unsigned kind = 0; kind < trainer_names_.size(); ++kind)
        if (text == trainer_names_[kind]) return first_trainer_key + kind;
    return nb::cast<bool>(document_.attr("is_meaningless")(key)) ? meaningless_key : told_key;
}

bool FxMeta::write() {
    JsonWriter& json = values_.json();
    for (const auto& [key, field] : {std::pair(nn_module_stack_key, "module_stack"),
                                     std::pair(fwd_nn_module_stack_key, "fwd_module_stack")}) {
        if (!is_true(fields_[key])) continue;
        json.key(field);
        if (!write_module_stack(fields_[key])) return false;
    }
    if (is_true(fields_[custom_key])) {
        json.key("custom");
        if (!values_.write_plain(fields_[custom_key])) return false;
    }
    if (const nb::handle number = fields_[seq_nr_key]; number && !number.is_none()) {
        json.key("seq_nr");
        if (!PyLong_CheckExact(number.ptr()) || !values_.write_integer(number)) return false;
    }
    for (const Key key : {partitioner_tag_key, manual_bucket_node_type_key}) {
        if (!is_true(fields_[key])) continue;
        json.key(names[key]);
        if (!PyUnicode_CheckExact(fields_[key].ptr()) || !values_.write_text(fields_[key])) return false;
    }
    if (is_true(fields_[autograd_backward_key])) json.member("autograd_backward", true);
    return write_trainer_meta();
}

bool FxMeta::write_compared() {
    JsonWriter& json = values_.json();
    for (const auto& [key, field] : {std::pair(nn_module_stack_key, "module_stack"),
                                     std::pair(fwd_nn_module_stack_key, "fwd_module_stack")}) {
        if (!is_true(fields_[key])) continue;
        if (!PyDict_Check(fields_[key].ptr())) return false;
        json.key(field).begin_array();
        PyObject *name = nullptr, *entry = nullptr;
        for (Py_ssize_t place = 0; PyDict_Next(fields_[key].ptr(), &place, &name, &entry) != 0;) {
            if (!is_sequence(entry)) return false;
            const Items pair{nb::handle(entry)};
            if (pair.size() < 2 || !PyUnicode_Check(pair[0].ptr()) || !values_.write_text(pair[0])) return false;
        }
        json.end_array();
    }
    if (is_true(fields_[custom_key])) {
        if (!PyDict_Check(fields_[custom_key].ptr())) return false;
        if (PyObject* module = PyDict_GetItem(fields_[custom_key].ptr(), module_fqn_.ptr())) {
            json.key("module_fqn");
            if (!values_.write_plain(module)) return false;
        }
    }
    if (is_true(fields_[autograd_backward_key])) json.member("autograd_backward", true);
    return true;
}

bool FxMeta::write_trainer_meta() {
    JsonWriter& json = values_.json();
    bool has_any = false;
    for (std::size_t place = 0; place < trainer_names_.size(); ++place) {
        const nb::handle value = fields_[first_trainer_key + place];
        if (!value || value.is_none()) continue;
        if (!has_any) json.key("titan_meta").begin_object();
        has_any = true;
        json.key(trainer_names_[place]);
        if (!values_.write_plain(value)) return false;
    }
    if (has_any) json.end_object();
    return true;
}

/// Pairs of a module's path and its class, which is a text or the class itself.
bool FxMeta::write_module_stack(nb::handle stack) {
    if (!PyDict_Check(stack.ptr())) return false;
    JsonWriter& json = values_.json();
    json.begin_array();
    PyObject *key = nullptr, *entry = nullptr;
    for (Py_ssize_t place = 0; PyDict_Next(stack.ptr(), &place, &key, &entry) != 0;) {
        if (!is_sequence(entry)) return false;
        const Items pair{nb::handle(entry)};
        if (pair.size() < 2 || !PyUnicode_Check(pair[0].ptr())) return false;
        json.begin_array();
        if (!values_.write_text(pair[0])) return false;
        if (!PyUnicode_Check(pair[1].ptr()))
            json.value(std::string_view(class_texts_.of(pair[1])));
        else if (!values_.write_text(pair[1]))
            return false;
        json.end_array();
    }
    json.end_array();
    return true;
}

}  // namespace overlap::python
