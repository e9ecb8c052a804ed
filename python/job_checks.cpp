// What a training job checks its graph and its plan by, on objects of Python: the counterparts of
// overlap_studio/digests.py and differences.py, which do the same where there is no native core.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/word_hash.h"
#include "core/graph/graph.h"
#include "core/graph/value.h"
#include "python/bindings.h"
#include "python/fx_nodes.h"
#include "python/fx_objects.h"

namespace overlap::python {

namespace {

std::string_view text_of(nb::handle text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) throw nb::python_error();
    return {data, static_cast<std::size_t>(size)};
}

nb::handle required(nb::handle dictionary, const nb::object& key) {
    const nb::handle found = member(dictionary, key);
    if (!found) throw nb::key_error(std::string(text_of(key)).c_str());
    return found;
}

template <typename Visit>
void for_each_item(nb::handle sequence, Visit&& visit) {
    const bool is_list = PyList_Check(sequence.ptr());
    if (!is_list && !PyTuple_Check(sequence.ptr())) throw nb::type_error("expected a list");
    const Py_ssize_t size = is_list ? PyList_Size(sequence.ptr()) : PyTuple_Size(sequence.ptr());
    for (Py_ssize_t place = 0; place < size; ++place)
        visit(nb::handle(is_list ? PyList_GetItem(sequence.ptr(), place) : PyTuple_GetItem(sequence.ptr(), place)));
}

template <typename Visit>
void for_each_member(nb::handle dictionary, Visit&& visit) {
    if (!PyDict_Check(dictionary.ptr())) throw nb::type_error("expected a dictionary");
    PyObject *key = nullptr, *item = nullptr;
    for (Py_ssize_t place = 0; PyDict_Next(dictionary.ptr(), &place, &key, &item) != 0;)
        visit(nb::handle(key), nb::handle(item));
}

std::size_t size_of(nb::handle container) {
    const Py_ssize_t size = PyObject_Size(container.ptr());
    if (size < 0) throw nb::python_error();
    return static_cast<std::size_t>(size);
}

/// Values of JSON, as the digest of a plan's section takes them.
class JsonHash {
  public:
    virtual ~JsonHash() = default;

    void add(nb::handle value) {
        if (value.is_none()) {
            hash_.add(head(ValueKind::none));
        } else if (PyBool_Check(value.ptr())) {
            hash_.add(head(ValueKind::boolean));
            hash_.add(value.ptr() == Py_True ? 1 : 0);
        } else if (PyLong_Check(value.ptr())) {
            add_integer(value);
        } else if (PyFloat_Check(value.ptr())) {
            hash_.add(head(ValueKind::floating));
            hash_.add(std::bit_cast<std::uint64_t>(PyFloat_AsDouble(value.ptr())));
        } else if (PyUnicode_Check(value.ptr())) {
            add_text(ValueKind::string, value);
        } else if (is_sequence(value)) {
            add_items(ValueKind::list, value);
        } else {
            add_object(value);
        }
    }

    std::string digest() const { return hexadecimal(hash_.value()); }

  protected:
    /// The first word of a value: what it is, and how many there are of what it holds.
    static std::uint64_t head(ValueKind kind, std::size_t count = 0) {
        return static_cast<std::uint64_t>(kind) << 32 | count;
    }

    /// Most texts occur often, so each object is hashed once.
    std::uint64_t word(nb::handle text) {
        const auto found = words_.find(text.ptr());
        if (found != words_.end()) return found->second;
        kept_.push_back(nb::borrow(text));
        return words_.emplace(text.ptr(), word_of_text(text_of(text))).first->second;
    }

    void add_text(ValueKind kind, nb::handle text) {
        hash_.add(head(kind));
        hash_.add(word(text));
    }

    void add_items(ValueKind kind, nb::handle items) {
        hash_.add(head(kind, size_of(items)));
        for_each_item(items, [&](nb::handle item) { add(item); });
    }

    void add_members(nb::handle members) {
        hash_.add(head(ValueKind::dictionary, 2 * size_of(members)));
        for_each_member(members, [&](nb::handle key, nb::handle item) {
            add_text(ValueKind::string, key);
            add(item);
        });
    }

    virtual void add_object(nb::handle members) { add_members(members); }

    WordHash hash_;

  private:
    void add_integer(nb::handle value) {
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
        if (number == -1 && PyErr_Occurred()) throw nb::python_error();
        if (overflow == 0) {
            hash_.add(head(ValueKind::integer));
            hash_.add(static_cast<std::uint64_t>(number));
        } else {
            hash_.add(head(ValueKind::raw_json));
            hash_.add(word_of_text(text_of(nb::str(value))));
        }
    }

    std::unordered_map<PyObject*, std::uint64_t> words_;
    std::vector<nb::object> kept_;
};

/// Nodes, in whose arguments some objects mean nodes, types and the like.
class NodeHash final : public JsonHash {
  public:
    explicit NodeHash(nb::handle nodes) {
        std::size_t place = 0;
        for_each_item(nodes, [&](nb::handle node) { positions_[text_of(required(node, name_))] = place++; });
        for_each_item(nodes, [&](nb::handle node) { add_node(node); });
    }

  private:
    void add_node(nb::handle node) {
        const std::optional<NodeOp> op = node_op_by_name(text_of(required(node, op_)));
        if (!op) throw nb::key_error("op");
        hash_.add(static_cast<std::uint64_t>(*op));
        hash_.add(word(required(node, name_)));
        hash_.add(word(required(node, target_)));
        const nb::handle args = member(node, args_), kwargs = member(node, kwargs_);
        args ? add_items(ValueKind::list, args) : hash_.add(head(ValueKind::none));
        kwargs ? add_members(kwargs) : hash_.add(head(ValueKind::none));
        if (const nb::handle outputs = member(node, outputs_))
            for_each_item(outputs, [&](nb::handle tensor) { add_tensor(tensor); });
        for (const nb::object* field : {&module_stack_, &fwd_module_stack_}) {
            const nb::handle stack = member(node, *field);
            hash_.add(stack ? size_of(stack) : 0);
            if (stack)
                for_each_item(stack, [&](nb::handle entry) {
                    if (!is_sequence(entry)) throw nb::type_error("a module is a list of its path and its class");
                    if (size_of(entry) != 2) throw nb::value_error("a module is a path and a class");
                    hash_.add(word(nb::object(entry[0])));
                });
        }
        const nb::handle custom = member(node, custom_);
        const nb::handle module = custom && PyDict_Check(custom.ptr()) ? member(custom, module_fqn_) : nb::handle();
        hash_.add(module && PyUnicode_Check(module.ptr()) ? word(module) : word_of_text(""));
    }

    void add_tensor(nb::handle tensor) {
        if (tensor.is_none()) {
            hash_.add(0);
            return;
        }
        const nb::handle shape = required(tensor, shape_);
        hash_.add(size_of(shape) + 1);
        hash_.add(word(required(tensor, dtype_)));
        for_each_item(shape, [&](nb::handle size) {
            std::int64_t number = 0;
            if (!nb::try_cast(size, number)) throw nb::type_error("a size is no integer of 64 bits");
            hash_.add(static_cast<std::uint64_t>(number));
        });
    }

    void add_object(nb::handle members) override {
        if (size_of(members) == 1) {
            nb::handle tag, content;
            for_each_member(members, [&](nb::handle key, nb::handle item) { tag = key, content = item; });
            const std::string_view name = text_of(tag);
            if (name == "node") {
                const auto found = positions_.find(text_of(content));
                if (found == positions_.end()) throw nb::key_error(std::string(text_of(content)).c_str());
                hash_.add(head(ValueKind::node));
                hash_.add(found->second);
                return;
            }
            if (const std::optional<ValueKind> kind = kind_of_text(name)) return add_text(*kind, content);
            if (name == "dict") return add_members(content);
            if (name == "slice") return add_items(ValueKind::slice, content);
        } else if (const nb::handle symbol = member(members, symbol_);
                   size_of(members) == 2 && symbol && PyUnicode_Check(symbol.ptr()) && member(members, hint_)) {
            hash_.add(head(ValueKind::symbol, 2));
            add(symbol);
            add(member(members, hint_));
            return;
        }
        hash_.add(head(ValueKind::raw_json));
        const nb::object text = nb::module_::import_("overlap_studio.document").attr("json_text")(members);
        hash_.add(word_of_text(text_of(text)));
    }

    static std::optional<ValueKind> kind_of_text(std::string_view tag) {
        if (tag == "dtype") return ValueKind::dtype;
        if (tag == "device") return ValueKind::device;
        if (tag == "layout") return ValueKind::layout;
        if (tag == "memory_format") return ValueKind::memory_format;
        if (tag == "float") return ValueKind::special_float;
        return std::nullopt;
    }

    std::unordered_map<std::string_view, std::size_t> positions_;
    nb::object name_ = interned("name"), op_ = interned("op"), target_ = interned("target"), args_ = interned("args"),
               kwargs_ = interned("kwargs"), outputs_ = interned("outputs"), module_stack_ = interned("module_stack"),
               fwd_module_stack_ = interned("fwd_module_stack"), custom_ = interned("custom"),
               module_fqn_ = interned("module_fqn"), shape_ = interned("shape"), dtype_ = interned("dtype"),
               symbol_ = interned("symbol"), hint_ = interned("hint");
};

}  // namespace

void add_job_checks(nb::module_& core) {
    core.def("fx_nodes", fx_nodes, nb::arg("encoder"), nb::arg("nodes"), nb::arg("places").none() = nb::none(),
             nb::sig("def fx_nodes(encoder: typing.Any, nodes: list[typing.Any], places: list[int] | None = None) -> bytes"),
             "The list `nodes` of an overlap-graph document as JSON, for nodes of torch.fx in their order.\n\n"
             "`encoder` is the `overlap_studio.document.NodeEncoder` that is asked for what is out of the ordinary, and "
             "whose errors are raised. `places` are those of the nodes that are asked for, where that is not all; "
             "IndexError for one that is none.");
    core.def("fx_doubtful", fx_doubtful, nb::arg("encoder"), nb::arg("nodes"), nb::arg("expected"), nb::arg("groups"),
             nb::arg("with_modules"), nb::arg("places").none() = nb::none(),
             nb::sig("def fx_doubtful(encoder: typing.Any, nodes: list[typing.Any], expected: list[dict[str, typing.Any]], "
                     "groups: frozenset[str], with_modules: bool, places: list[int] | None = None) -> list[int]"),
             "Places of nodes of torch.fx that are not certainly what is expected of them, in order, found without their "
             "document: those that `overlap_studio.differences.Comparison` has to look at.\n\n"
             "`expected` are nodes of a document. `groups` are texts that name process groups, which are never certain. "
             "`with_modules` compares modules and direction too. `encoder` and `places` are as of `fx_nodes`.");
    core.def(
        "value_digest",
        [](nb::handle value) {
            JsonHash hash;
            hash.add(value);
            return hash.digest();
        },
        nb::arg("value").none(), nb::sig("def value_digest(value: typing.Any) -> str"),
        "The digest of a JSON value, 16 hexadecimal digits: `overlap_studio.digests.value_digest`.");
    core.def(
        "nodes_digest", [](const nb::list& nodes) { return NodeHash(nodes).digest(); }, nb::arg("nodes"),
        nb::sig("def nodes_digest(nodes: list[dict[str, typing.Any]]) -> str"),
        "The digest of nodes of an overlap-graph document, 16 hexadecimal digits: "
        "`overlap_studio.digests.fingerprint`.");
}

}  // namespace overlap::python
