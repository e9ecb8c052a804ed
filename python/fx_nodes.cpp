#include "python/fx_nodes.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "core/files/json_writer.h"
#include "python/document_nodes.h"
#include "python/fx_meta.h"
#include "python/fx_objects.h"
#include "python/fx_tensors.h"
#include "python/fx_values.h"

namespace overlap::python {

namespace {

/// What a `bool` says: see FxValues. Where it is false, the encoder is asked for the whole node.
class FxNodes {
  public:
    FxNodes(nb::handle encoder, const nb::list& nodes)
        : encoder_(encoder), nodes_(nodes), tensors_(values_, torch_names_, encoder) {
        positions_.reserve(nb::len(nodes));
        for (const nb::handle node : nodes) {
            positions_.emplace(node.ptr(), positions_.size());
            names_.push_back(attribute(node, name_));
        }
        sorted_only_ = nb::cast<bool>(encoder.attr("sorted_only"));
        estimate_ = encoder.attr("estimate");
    }

    nb::bytes encode(const std::vector<std::size_t>& places) {
        all_.reserve(std::size_t{400} * places.size() + 2);
        all_.begin_array();
        for (const std::size_t place : places) {
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

    std::vector<std::size_t> doubtful(const nb::list& expected, nb::handle groups, bool with_modules,
                                      const std::vector<std::size_t>& places) {
        JsonWriter text;
        DocumentNodes documents(text, expected, groups);
        std::vector<std::size_t> found;
        compares_ = true;
        with_modules_ = with_modules;
        for (const std::size_t place : places) {
            one_.clear();
            text.clear();
            if (!documents.write_compared(place, with_modules) || !is_written(nb::borrow(nodes_[place]), place) ||
                one_.text() != text.text())
                found.push_back(place);
        }
        return found;
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
        const nb::object meta = attribute(node, meta_name_), users = attribute(node, users_);
        const auto name = utf8(names_[place]), op_text = utf8(op);
        if (!name || !op_text || !PyDict_Check(meta.ptr()) || !PyDict_Check(users.ptr())) return false;
        one_.begin_object().member("name", *name).member("op", *op_text).key("target");
        if (!write_target(target) || !write_arguments(node, place) || !meta_.take(meta)) return false;
        if (compares_) {
            if (!write_outputs(false) || (with_modules_ && !meta_.write_compared())) return false;
            one_.end_object();
            return true;
        }
        const bool must_have_value = *op_text == "call_function" && PyDict_Size(users.ptr()) > 0;
        if (!write_outputs(must_have_value) || !meta_.write() || !write_time(node)) return false;
        if (!write_users_order(users)) return false;
        one_.end_object();
        return true;
    }

    bool write_target(nb::handle target) {
        if (PyUnicode_Check(target.ptr())) return values_.write_text(target);
        one_.value(std::string_view(target_texts_.of(target)));
        return true;
    }

    bool write_arguments(nb::handle node, std::size_t place) {
        const nb::object args = attribute(node, args_), kwargs = attribute(node, kwargs_);
        if (!PyTuple_Check(args.ptr()) || !PyDict_Check(kwargs.ptr())) return false;
        if (PyTuple_Size(args.ptr()) > 0) {
            one_.key("args");
            if (!write_argument(args, place)) return false;
        }
        if (PyDict_Size(kwargs.ptr()) == 0) return true;
        one_.key("kwargs");
        return values_.write_members(kwargs, [&](nb::handle item) { return write_argument(item, place); });
    }

    bool write_argument(nb::handle value, std::size_t place) {
        const auto write_item = [&](nb::handle item) { return write_argument(item, place); };
        if (value.is_none() || PyBool_Check(value.ptr()) || PyUnicode_Check(value.ptr()))
            return values_.write_simple(value);
        if (const auto used = positions_.find(value.ptr()); used != positions_.end()) {
            if (sorted_only_ && used->second >= place) return false;
            if (compares_) {
                one_.begin_object().member("node", static_cast<std::int64_t>(used->second)).end_object();
                return true;
            }
            const auto name = utf8(names_[used->second]);
            return name && values_.write_tagged("node", *name);
        }
        if (PyLong_Check(value.ptr())) return values_.write_integer(value);
        if (PyFloat_Check(value.ptr())) return values_.write_float(value);
        if (is_sequence(value)) return values_.write_items(value, write_item);
        if (PyDict_Check(value.ptr())) {
            one_.begin_object().key("dict");
            if (!values_.write_members(value, write_item)) return false;
            one_.end_object();
            return true;
        }
        return write_torch_value(value);
    }

    bool write_torch_value(nb::handle value) {
        if (is_exactly(value, dtype_)) return values_.write_tagged("dtype", torch_names_.of(value));
        if (is_exactly(value, layout_type_)) return values_.write_tagged("layout", torch_names_.of(value));
        if (is_exactly(value, memory_format_)) return values_.write_tagged("memory_format", torch_names_.of(value));
        if (!is_exactly(value, device_)) return false;
        const nb::str text(value);
        const auto bytes = utf8(text);
        return bytes && values_.write_tagged("device", *bytes);
    }

    bool write_outputs(bool must_have_value) {
        const nb::handle value = meta_.value();
        // An older form of values is the encoder's, as is a node without any that is used.
        if (!value) return !meta_.has_example_value() && !must_have_value;
        if (value.is_none()) return !meta_.has_example_value();
        return tensors_.write_outputs(value, compares_ ? FxTensors::Extent::compared : FxTensors::Extent::whole);
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
            if (!values_.write_text(names_[place])) return false;
        one_.end_array();
        return true;
    }

    nb::handle encoder_;
    const nb::list& nodes_;
    nb::object document_ = nb::module_::import_("overlap_studio.document");
    nb::object torch_ = nb::module_::import_("torch");
    nb::object dtype_ = torch_.attr("dtype"), device_ = torch_.attr("device"), layout_type_ = torch_.attr("layout"),
               memory_format_ = torch_.attr("memory_format");
    nb::object name_ = interned("name"), op_ = interned("op"), target_ = interned("target"), args_ = interned("args"),
               kwargs_ = interned("kwargs"), meta_name_ = interned("meta"), users_ = interned("users");
    nb::object estimate_;
    bool sorted_only_ = true;
    bool compares_ = false, with_modules_ = false;  ///< what nodes are compared by is written, as DocumentNodes does
    std::vector<nb::object> names_;
    std::unordered_map<PyObject*, std::size_t> positions_;
    std::vector<std::size_t> order_;
    JsonWriter one_, all_;
    FxValues values_{one_};
    KnownTexts target_texts_{document_.attr("target_name")}, torch_names_{document_.attr("dtype_name")};
    FxTensors tensors_;
    FxMeta meta_{values_, document_};
};

std::vector<std::size_t> places_of(const nb::list& nodes, const std::optional<std::vector<std::size_t>>& places) {
    if (places) {
        for (const std::size_t place : *places)
            if (place >= nb::len(nodes)) throw nb::index_error("there is no node at one of the places");
        return *places;
    }
    std::vector<std::size_t> all(nb::len(nodes));
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

}  // namespace

nb::bytes fx_nodes(nb::handle encoder, const nb::list& nodes, const std::optional<std::vector<std::size_t>>& places) {
    return FxNodes(encoder, nodes).encode(places_of(nodes, places));
}

std::vector<std::size_t> fx_doubtful(nb::handle encoder, const nb::list& nodes, const nb::list& expected,
                                     nb::handle groups, bool with_modules,
                                     const std::optional<std::vector<std::size_t>>& places) {
    return FxNodes(encoder, nodes).doubtful(expected, groups, with_modules, places_of(nodes, places));
}

}  // namespace overlap::python
