#include "python/convert.h"

namespace overlap::python {

nb::object text(std::string_view utf8) {
    return nb::steal(PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "replace"));
}

nb::object path_text(std::string_view path) {
    return nb::steal(PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
}

nb::object parsed_json(std::string_view json) {
    return nb::module_::import_("json").attr("loads")(text(json));
}

std::string json_of(nb::handle object) {
    return nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(object));
}

std::optional<std::string> name_or_none(const Graph& graph, NodeId node) {
    if (node == no_node) return std::nullopt;
    return std::string(graph.name(node));
}

std::vector<std::string> names_of(const Graph& graph) {
    std::vector<std::string> names;
    names.reserve(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) names.emplace_back(graph.name(node));
    return names;
}

}  // namespace overlap::python
