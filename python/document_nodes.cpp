#include "python/document_nodes.h"

namespace overlap::python {

DocumentNodes::DocumentNodes(JsonWriter& json, const nb::list& nodes, nb::handle groups)
    : json_(json), nodes_(nodes), groups_(groups) {
    places_.reserve(nb::len(nodes));
    std::size_t place = 0;
    for (const nb::handle node : nodes) {
        const nb::handle name = PyDict_Check(node.ptr()) ? member(node, name_) : nb::handle();
        const auto text = name && PyUnicode_Check(name.ptr()) ? utf8(name) : std::nullopt;
        if (!text) throw nb::key_error("name");
        places_[*text] = place++;
    }
}

bool DocumentNodes::write_compared(std::size_t place, bool with_modules) {
    if (place >= nb::len(nodes_)) return false;
    const nb::handle node = PyList_GetItem(nodes_.ptr(), static_cast<Py_ssize_t>(place));
    json_.begin_object();
    for (const auto& [key, field] : {std::pair("name", &name_), std::pair("op", &op_), std::pair("target", &target_)}) {
        const nb::handle text = member(node, *field);
        json_.key(key);
        if (!text || !PyUnicode_Check(text.ptr()) || !values_.write_text(text)) return false;
    }
    if (!write_arguments(node)) return false;
    if (const nb::handle outputs = member(node, outputs_); outputs && !write_outputs(outputs)) return false;
    if (with_modules && !write_modules(node)) return false;
    json_.end_object();
    return true;
}

bool DocumentNodes::write_arguments(nb::handle node) {
    if (const nb::handle args = member(node, args_)) {
        json_.key("args");
        if (!PyList_CheckExact(args.ptr()) || !write_argument(args)) return false;
    }
    const nb::handle kwargs = member(node, kwargs_);
    if (!kwargs) return true;
    json_.key("kwargs");
    return PyDict_CheckExact(kwargs.ptr()) &&
           values_.write_members(kwargs, [&](nb::handle item) { return write_argument(item); });
}

bool DocumentNodes::write_argument(nb::handle value) {
    const auto write_item = [&](nb::handle item) { return write_argument(item); };
    if (PyUnicode_CheckExact(value.ptr())) {
        const int is_group = PySet_Contains(groups_.ptr(), value.ptr());
        if (is_group < 0) throw nb::python_error();
        return is_group == 0 && values_.write_text(value);
    }
    if (PyList_CheckExact(value.ptr())) return values_.write_items(value, write_item);
    if (!PyDict_CheckExact(value.ptr())) return values_.write_plain(value);
    if (PyDict_Size(value.ptr()) != 1) return values_.write_members(value, write_item);
    if (const nb::handle used = member(value, node_)) return write_reference(used);
    const nb::handle members = member(value, dict_);
    if (!members) return values_.write_members(value, write_item);
    // Members of a dictionary are called as it likes: one that is called "node" makes no reference of it.
    json_.begin_object().key("dict");
    if (!PyDict_CheckExact(members.ptr()) || !values_.write_members(members, write_item)) return false;
    json_.end_object();
    return true;
}

bool DocumentNodes::write_reference(nb::handle used) {
    const auto name = PyUnicode_CheckExact(used.ptr()) ? utf8(used) : std::nullopt;
    const auto found = name ? places_.find(*name) : places_.end();
    if (found == places_.end()) return false;
    json_.begin_object().member("node", static_cast<std::int64_t>(found->second)).end_object();
    return true;
}

bool DocumentNodes::write_outputs(nb::handle outputs) {
    if (!PyList_CheckExact(outputs.ptr())) return false;
    json_.key("outputs");
    return values_.write_items(outputs, [&](nb::handle tensor) {
        if (tensor.is_none()) return values_.write_simple(tensor);
        if (!PyDict_CheckExact(tensor.ptr())) return false;
        json_.begin_object();
        for (const auto& [key, field] :
             {std::pair("dtype", &dtype_), std::pair("shape", &shape_), std::pair("stride", &stride_)}) {
            const nb::handle value = member(tensor, *field);
            json_.key(key);
            if (!value || !values_.write_plain(value)) return false;
        }
        json_.end_object();
        return true;
    });
}

bool DocumentNodes::write_modules(nb::handle node) {
    if (!write_paths("module_stack", member(node, module_stack_)) ||
        !write_paths("fwd_module_stack", member(node, fwd_module_stack_)))
        return false;
    if (const nb::handle custom = member(node, custom_); is_true(custom)) {
        if (!PyDict_CheckExact(custom.ptr())) return false;
        if (const nb::handle module = member(custom, module_fqn_)) {
            json_.key("module_fqn");
            if (!values_.write_plain(module)) return false;
        }
    }
    if (is_true(member(node, backward_))) json_.member("autograd_backward", true);
    return true;
}

bool DocumentNodes::write_paths(const char* field, nb::handle stack) {
    if (!is_true(stack)) return true;
    if (!PyList_CheckExact(stack.ptr())) return false;
    json_.key(field);
    return values_.write_items(stack, [&](nb::handle entry) {
        if (!PyList_CheckExact(entry.ptr()) || PyList_Size(entry.ptr()) == 0) return false;
        const nb::handle path = PyList_GetItem(entry.ptr(), 0);
        return PyUnicode_Check(path.ptr()) && values_.write_text(path);
    });
}

}  // namespace overlap::python
