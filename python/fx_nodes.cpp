#include "python/fx_nodes.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/files/json_writer.h"

namespace overlap::python {

namespace {

/// Fields of `meta` that a document has, in the order in which it has them; those from `recompute` on are titan_meta.
enum MetaKey : unsigned {
    val_key,
    example_value_key,
    nn_module_stack_key,
    fwd_nn_module_stack_key,
    custom_key,
    seq_nr_key,
    partitioner_tag_key,
    manual_bucket_node_type_key,
    autograd_backward_key,
    first_trainer_key,
};
constexpr std::array<const char*, first_trainer_key> meta_names = {
    "val",    "example_value",   "nn_module_stack",         "fwd_nn_module_stack", "custom",
    "seq_nr", "partitioner_tag", "manual_bucket_node_type", "autograd_backward"};
constexpr unsigned meaningless_key = 0xfffe;
constexpr unsigned told_key = 0xffff;  ///< the encoder has something to say about it

nb::object interned(const char* name) {
    return nb::steal(PyUnicode_InternFromString(name));
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

/// Nothing for text that is no UTF-8.
std::optional<std::string_view> utf8(nb::handle text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) {
        PyErr_Clear();
        return std::nullopt;
    }
    return std::string_view(data, static_cast<std::size_t>(size));
}

/// Nothing for what has more than 64 bits.
std::optional<std::int64_t> integer(nb::handle number) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return overflow == 0 ? std::optional<std::int64_t>(value) : std::nullopt;
}

bool is_exactly(nb::handle object, const nb::object& type) {
    return reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) == type.ptr();
}

/// A list or a tuple. @pre it is one.
class Items {
  public:
    explicit Items(nb::handle sequence) : sequence_(sequence), is_list_(PyList_Check(sequence.ptr())) {}
    Py_ssize_t size() const { return is_list_ ? PyList_Size(sequence_.ptr()) : PyTuple_Size(sequence_.ptr()); }
    nb::handle operator[](Py_ssize_t place) const {
        return is_list_ ? PyList_GetItem(sequence_.ptr(), place) : PyTuple_GetItem(sequence_.ptr(), place);
    }

  private:
    nb::handle sequence_;
    bool is_list_;
};

bool is_sequence(nb::handle object) {
    return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
}

/// Texts by object, each asked for once. Objects stay alive, so that no other gets their address.
class KnownTexts {
  public:
    template <typename Ask>
    const std::string& of(nb::handle object, Ask&& ask) {
        const auto found = texts_.find(object.ptr());
        if (found != texts_.end()) return found->second;
        kept_.push_back(nb::borrow(object));
        return texts_.emplace(object.ptr(), ask()).first->second;
    }

  private:
    std::unordered_map<PyObject*, std::string> texts_;
    std::vector<nb::object> kept_;
};

/// Every `bool` says whether what it wrote is what the encoder would have written; where it is false, the encoder is
/// asked for the whole node.
class FxNodes {
  public:
    FxNodes(nb::handle encoder, const nb::list& nodes) : encoder_(encoder), nodes_(nodes) {
        const nb::object trainer = document_.attr("TRAINER_META");
        for (const nb::handle name : trainer) trainer_names_.push_back(nb::cast<std::string>(name));
        values_.resize(first_trainer_key + trainer_names_.size());
        positions_.reserve(nb::len(nodes));
        for (const nb::handle node : nodes) {
            positions_.emplace(node.ptr(), positions_.size());
            names_.push_back(attribute(node, name_));
        }
        sorted_only_ = nb::cast<bool>(encoder.attr("sorted_only"));
        estimate_ = encoder.attr("estimate");
    }

    nb::bytes encode() {
        all_.reserve(std::size_t{400} * names_.size() + 2);
        all_.begin_array();
        for (std::size_t place = 0; place < names_.size(); ++place) {
            const nb::object node = nb::borrow(nodes_[place]);
            one_.clear();
            if (is_written(node, place)) {
                all_.json(one_.text());
            } else {
                const nb::object document = encoder_.attr("encode")(node);
                all_.json(nb::cast<std::string>(document_.attr("json_text")(document)));
            }
        }
        all_.end_array();
        return nb::bytes(all_.text().data(), all_.text().size());
    }

  private:
    bool is_written(nb::handle node, std::size_t place) {
        try {
            return write_node(node, place);
        } catch (nb::python_error& error) {
            // The encoder meets the same and says what it is; what is no Exception, such as an interrupt, goes on.
            if (!error.matches(PyExc_Exception)) throw;
            return false;
        }
    }

    bool write_node(nb::handle node, std::size_t place) {
        const nb::object op = attribute(node, op_), target = attribute(node, target_);
        const nb::object meta = attribute(node, meta_), users = attribute(node, users_);
        const auto name = utf8(names_[place]), op_text = utf8(op);
        if (!name || !op_text || !PyDict_Check(meta.ptr()) || !PyDict_Check(users.ptr())) return false;
        one_.begin_object().member("name", *name).member("op", *op_text).key("target");
        if (!write_target(target)) return false;
        const nb::object args = attribute(node, args_), kwargs = attribute(node, kwargs_);
        if (!PyTuple_Check(args.ptr()) || !PyDict_Check(kwargs.ptr())) return false;
        if (PyTuple_Size(args.ptr()) > 0) {
            one_.key("args");
            if (!write_argument(args, place)) return false;
        }
        if (PyDict_Size(kwargs.ptr()) > 0) {
            one_.key("kwargs");
            if (!write_members(kwargs, [&](nb::handle item) { return write_argument(item, place); })) return false;
        }
        if (!take_meta(meta)) return false;
        const bool must_have_value = *op_text == "call_function" && PyDict_Size(users.ptr()) > 0;
        if (!write_values(must_have_value) || !write_meta() || !write_time(node)) return false;
        if (!write_users_order(users)) return false;
        one_.end_object();
        return true;
    }

    bool write_target(nb::handle target) {
        if (PyUnicode_Check(target.ptr())) return write_text(target);
        one_.value(std::string_view(target_texts_.of(
            target, [&] { return nb::cast<std::string>(document_.attr("target_name")(target)); })));
        return true;
    }

    bool write_text(nb::handle text) {
        const auto bytes = utf8(text);
        if (bytes) one_.value(*bytes);
        return bytes.has_value();
    }

    bool write_integer(nb::handle number) {
        const auto value = integer(number);
        if (value) one_.value(*value);
        return value.has_value();
    }

    /// A dictionary whose keys are texts, each of whose values `write` writes.
    template <typename Write>
    bool write_members(nb::handle dictionary, Write&& write) {
        one_.begin_object();
        PyObject *key = nullptr, *item = nullptr;
        for (Py_ssize_t place = 0; PyDict_Next(dictionary.ptr(), &place, &key, &item) != 0;) {
            const auto name = PyUnicode_Check(key) ? utf8(key) : std::nullopt;
            if (!name) return false;
            one_.key(*name);
            if (!write(nb::handle(item))) return false;
        }
        one_.end_object();
        return true;
    }

    template <typename Write>
    bool write_items(nb::handle sequence, Write&& write) {
        const Items items(sequence);
        one_.begin_array();
        for (Py_ssize_t place = 0; place < items.size(); ++place)
            if (!write(items[place])) return false;
        one_.end_array();
        return true;
    }

    bool write_tagged(std::string_view tag, std::string_view text) {
        one_.begin_object().member(tag, text).end_object();
        return true;
    }

    bool write_argument(nb::handle value, std::size_t place) {
        const auto write_item = [&](nb::handle item) { return write_argument(item, place); };
        if (value.is_none() || PyBool_Check(value.ptr()) || PyUnicode_Check(value.ptr())) return write_simple(value);
        if (const auto used = positions_.find(value.ptr()); used != positions_.end()) {
            if (sorted_only_ && used->second >= place) return false;
            const auto name = utf8(names_[used->second]);
            return name && write_tagged("node", *name);
        }
        if (PyLong_Check(value.ptr())) return write_integer(value);
        if (PyFloat_Check(value.ptr())) return write_float(value);
        if (is_sequence(value)) return write_items(value, write_item);
        if (PyDict_Check(value.ptr())) {
            one_.begin_object().key("dict");
            if (!write_members(value, write_item)) return false;
            one_.end_object();
            return true;
        }
        if (is_exactly(value, dtype_)) return write_tagged("dtype", torch_name(value));
        if (is_exactly(value, layout_type_)) return write_tagged("layout", torch_name(value));
        if (is_exactly(value, memory_format_)) return write_tagged("memory_format", torch_name(value));
        if (is_exactly(value, device_)) {
            const nb::str text(value);
            const auto bytes = utf8(text);
            return bytes && write_tagged("device", *bytes);
        }
        return false;
    }

    /// None, a truth value or a text.
    bool write_simple(nb::handle value) {
        if (value.is_none())
            one_.null();
        else if (PyBool_Check(value.ptr()))
            one_.value(value.ptr() == Py_True);
        else
            return write_text(value);
        return true;
    }

    bool write_float(nb::handle value) {
        const double number = PyFloat_AsDouble(value.ptr());
        if (std::isfinite(number)) {
            one_.floating(number);
            return true;
        }
        return write_tagged("float", std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
    }

    const std::string& torch_name(nb::handle value) {
        return torch_names_.of(value, [&] { return nb::cast<std::string>(document_.attr("dtype_name")(value)); });
    }

    /// Sorts the fields of `meta`; false where the encoder has something to say of one.
    bool take_meta(nb::handle meta) {
        std::ranges::fill(values_, nb::handle());
        PyObject *key = nullptr, *item = nullptr;
        for (Py_ssize_t place = 0; PyDict_Next(meta.ptr(), &place, &key, &item) != 0;) {
            const unsigned kind = kind_of(key);
            if (kind == told_key) return false;
            if (kind != meaningless_key) values_[kind] = item;
        }
        return true;
    }

    unsigned kind_of(nb::handle key) {
        const auto found = kinds_.find(key.ptr());
        if (found != kinds_.end()) return found->second;
        kept_keys_.push_back(nb::borrow(key));
        const unsigned kind = ask_kind(key);
        kinds_.emplace(key.ptr(), kind);
        return kind;
    }

    unsigned ask_kind(nb::handle key) {
        if (!PyUnicode_Check(key.ptr())) return told_key;
        const auto text = utf8(key);
        for (unsigned kind = 0; kind < first_trainer_key; ++kind)
            if (text == meta_names[kind]) return kind;
        for (unsigned kind = 0; kind < trainer_names_.size(); ++kind)
            if (text == trainer_names_[kind]) return first_trainer_key + kind;
        return nb::cast<bool>(document_.attr("is_meaningless")(key)) ? meaningless_key : told_key;
    }

    bool write_values(bool must_have_value) {
        const nb::handle value = values_[val_key];
        // An older form of values is the encoder's, as is a node without any that is used.
        if (!value) return !values_[example_value_key] && !must_have_value;
        if (value.is_none()) return !values_[example_value_key];
        if (is_tensor(value)) {
            one_.key("outputs").begin_array();
            if (!write_tensor(value)) return false;
            one_.end_array();
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
            one_.key("outputs");
            if (!write_items(value, [&](nb::handle item) {
                    return item.is_none() ? write_simple(item) : write_tensor(item);
                }))
                return false;
        }
        one_.member("multi", true);
        return true;
    }

    bool is_tensor(nb::handle value) const { return is_exactly(value, fake_tensor_) || is_exactly(value, tensor_); }

    /// A tensor whose sizes are numbers.
    bool write_tensor(nb::handle tensor) {
        if (attribute(tensor, layout_).ptr() != strided_.ptr() || attribute(tensor, is_nested_).ptr() != Py_False)
            return false;
        one_.begin_object().member("dtype", std::string_view(torch_name(attribute(tensor, dtype_name_))));
        const auto write_sizes = [&](const char* field, const nb::object& sizes) {
            one_.key(field);
            return PyTuple_Check(sizes.ptr()) && write_items(sizes, [&](nb::handle size) {
                       return PyLong_CheckExact(size.ptr()) && write_integer(size);
                   });
        };
        if (!write_sizes("shape", attribute(tensor, shape_)) || !write_sizes("stride", called(tensor, stride_)))
            return false;
        if (!write_device(attribute(tensor, device_name_))) return false;
        const nb::object offset = called(tensor, storage_offset_);
        if (!PyLong_CheckExact(offset.ptr())) return false;
        if (PyObject_IsTrue(offset.ptr()) == 1) {
            one_.key("storage_offset");
            if (!write_integer(offset)) return false;
        }
        const nb::object storage = called(tensor, untyped_storage_);
        const nb::object bytes = called(storage, nbytes_);
        if (!PyLong_CheckExact(bytes.ptr())) return false;
        one_.key("storage");
        if (!write_integer(storage_number_(storage))) return false;
        one_.key("storage_bytes");
        if (!write_integer(bytes)) return false;
        one_.end_object();
        return true;
    }

    /// The first device of a kind goes by the name of the kind.
    bool write_device(const nb::object& device) {
        const nb::object index = attribute(device, index_);
        const bool is_first = index.is_none() || PyObject_IsTrue(index.ptr()) == 0;
        one_.key("device");
        if (is_first) return write_text(attribute(device, type_));
        return write_text(nb::str(device));
    }

    bool write_meta() {
        for (const auto& [key, field] : {std::pair(nn_module_stack_key, "module_stack"),
                                         std::pair(fwd_nn_module_stack_key, "fwd_module_stack")}) {
            if (!is_true(values_[key])) continue;
            one_.key(field);
            if (!write_module_stack(values_[key])) return false;
        }
        if (is_true(values_[custom_key])) {
            one_.key("custom");
            if (!write_plain(values_[custom_key])) return false;
        }
        if (const nb::handle number = values_[seq_nr_key]; number && !number.is_none()) {
            one_.key("seq_nr");
            if (!PyLong_CheckExact(number.ptr()) || !write_integer(number)) return false;
        }
        for (const MetaKey key : {partitioner_tag_key, manual_bucket_node_type_key}) {
            if (!is_true(values_[key])) continue;
            one_.key(meta_names[key]);
            if (!PyUnicode_CheckExact(values_[key].ptr()) || !write_text(values_[key])) return false;
        }
        if (is_true(values_[autograd_backward_key])) one_.member("autograd_backward", true);
        return write_trainer_meta();
    }

    bool write_trainer_meta() {
        bool has_any = false;
        for (std::size_t place = 0; place < trainer_names_.size(); ++place) {
            const nb::handle value = values_[first_trainer_key + place];
            if (!value || value.is_none()) continue;
            if (!has_any) one_.key("titan_meta").begin_object();
            has_any = true;
            one_.key(trainer_names_[place]);
            if (!write_plain(value)) return false;
        }
        if (has_any) one_.end_object();
        return true;
    }

    static bool is_true(nb::handle value) { return value && PyObject_IsTrue(value.ptr()) == 1; }

    bool write_module_stack(nb::handle stack) {
        if (!PyDict_Check(stack.ptr())) return false;
        one_.begin_array();
        PyObject *key = nullptr, *entry = nullptr;
        for (Py_ssize_t place = 0; PyDict_Next(stack.ptr(), &place, &key, &entry) != 0;) {
            if (!is_sequence(entry)) return false;
            const Items pair{nb::handle(entry)};
            if (pair.size() < 2 || !PyUnicode_Check(pair[0].ptr())) return false;
            one_.begin_array();
            if (!write_text(pair[0])) return false;
            if (PyUnicode_Check(pair[1].ptr())) {
                if (!write_text(pair[1])) return false;
            } else {
                one_.value(std::string_view(class_texts_.of(
                    pair[1], [&] { return nb::cast<std::string>(document_.attr("class_name")(pair[1])); })));
            }
            one_.end_array();
        }
        one_.end_array();
        return true;
    }

    /// A value of `meta` for which JSON has a word.
    bool write_plain(nb::handle value) {
        if (value.is_none() || PyBool_Check(value.ptr()) || PyUnicode_CheckExact(value.ptr()))
            return write_simple(value);
        if (PyLong_CheckExact(value.ptr())) return write_integer(value);
        if (PyFloat_CheckExact(value.ptr()) && std::isfinite(PyFloat_AsDouble(value.ptr()))) return write_float(value);
        const auto write_item = [&](nb::handle item) { return write_plain(item); };
        if (is_sequence(value)) return write_items(value, write_item);
        return PyDict_Check(value.ptr()) && write_members(value, write_item);
    }

    bool write_time(nb::handle node) {
        if (estimate_.is_none()) return true;
        const nb::object time_ms = estimate_(node);
        if (time_ms.is_none()) return true;
        const double number = PyFloat_Check(time_ms.ptr()) ? PyFloat_AsDouble(time_ms.ptr()) : -1;
        if (!(std::isfinite(number) && number >= 0)) return false;
        one_.key("estimate_ms").floating(number);
        return true;
    }

    bool write_users_order(nb::handle users) {
        std::size_t last = 0;
        bool sorted = true;
        order_.clear();
        PyObject *user = nullptr, *nothing = nullptr;
        for (Py_ssize_t place = 0; PyDict_Next(users.ptr(), &place, &user, &nothing) != 0;) {
            const auto found = positions_.find(user);
            if (found == positions_.end()) return false;
            order_.push_back(found->second);
            sorted = sorted && found->second >= last;
            last = found->second;
        }
        if (sorted) return true;
        one_.key("users_order").begin_array();
        for (const std::size_t place : order_)
            if (!write_text(names_[place])) return false;
        one_.end_array();
        return true;
    }

    nb::handle encoder_;
    const nb::list& nodes_;
    nb::object document_ = nb::module_::import_("overlap_studio.document");
    nb::object torch_ = nb::module_::import_("torch");
    nb::object dtype_ = torch_.attr("dtype"), device_ = torch_.attr("device"), layout_type_ = torch_.attr("layout"),
               memory_format_ = torch_.attr("memory_format"), strided_ = torch_.attr("strided"),
               tensor_ = torch_.attr("Tensor"),
               fake_tensor_ = nb::module_::import_("torch._subclasses.fake_tensor").attr("FakeTensor");
    nb::object storage_number_ = encoder_.attr("storage_number");
    nb::object name_ = interned("name"), op_ = interned("op"), target_ = interned("target"), args_ = interned("args"),
               kwargs_ = interned("kwargs"), meta_ = interned("meta"), users_ = interned("users"),
               shape_ = interned("shape"), stride_ = interned("stride"), layout_ = interned("layout"),
               is_nested_ = interned("is_nested"), dtype_name_ = interned("dtype"), device_name_ = interned("device"),
               type_ = interned("type"), index_ = interned("index"), storage_offset_ = interned("storage_offset"),
               untyped_storage_ = interned("untyped_storage"), nbytes_ = interned("nbytes");
    nb::object estimate_;
    bool sorted_only_ = true;
    std::vector<nb::object> names_;
    std::unordered_map<PyObject*, std::size_t> positions_;
    std::vector<std::string> trainer_names_;
    KnownTexts target_texts_, torch_names_, class_texts_;
    std::unordered_map<PyObject*, unsigned> kinds_;
    std::vector<nb::object> kept_keys_;
    std::vector<nb::handle> values_;  ///< of the node at hand, by MetaKey
    std::vector<std::size_t> order_;
    JsonWriter one_, all_;
};

}  // namespace

nb::bytes fx_nodes(nb::handle encoder, const nb::list& nodes) {
    return FxNodes(encoder, nodes).encode();
}

}  // namespace overlap::python
