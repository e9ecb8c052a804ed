#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace overlap::python {

namespace nb = nanobind;

// Objects of Python as nodes of torch.fx have them, read with few steps: there are tens for each of 20,000 nodes.

/// A name of an attribute or a key, made once. Raises what Python raises.
nb::object interned(const char* name);
/// No object where the dictionary has no such key.
nb::handle member(nb::handle dictionary, const nb::object& key);
/// Raises what Python raises.
nb::object attribute(nb::handle object, const nb::object& name);
/// A method without arguments. Raises what it raises.
nb::object called(nb::handle object, const nb::object& method);

/// Nothing for text that is no UTF-8. Valid as long as the text.
std::optional<std::string_view> utf8(nb::handle text);
/// Nothing for what has more than 64 bits.
std::optional<std::int64_t> integer(nb::handle number);
/// Whether the type is this one, and none that is made of it.
bool is_exactly(nb::handle object, const nb::object& type);
/// Whether it is a list or a tuple.
bool is_sequence(nb::handle object);
/// False for no object at all.
bool is_true(nb::handle value);

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

/// Texts by object, each asked of Python once. Objects stay alive, so that no other gets their address.
class KnownTexts {
  public:
    /// @param ask a function of one object that returns a text.
    explicit KnownTexts(nb::object ask) : ask_(std::move(ask)) {}
    const std::string& of(nb::handle object);

  private:
    nb::object ask_;
    std::unordered_map<PyObject*, std::string> texts_;
    std::vector<nb::object> kept_;
};

}  // namespace overlap::python
