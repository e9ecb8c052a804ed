#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::python {

namespace nb = nanobind;

/// What is no UTF-8 is shown by replacement characters, and never an error of its own.
nb::object text(std::string_view utf8);
/// A path as Python has it, with bytes that are no text.
nb::object path_text(std::string_view path);
/// JSON as dictionaries, lists and numbers.
nb::object parsed_json(std::string_view json);
/// An object of Python as JSON text.
std::string json_of(nb::handle object);

/// The name of a node, None for none.
std::optional<std::string> name_or_none(const Graph& graph, NodeId node);
std::vector<std::string> names_of(const Graph& graph);

template <typename T>
using Column = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

/// For properties that are such arrays: they have an owner, which is not the object.
inline constexpr auto shared_array = nb::rv_policy::reference;

/// Numbers that `owner` keeps, as an array that shares them.
/// @param stride from one to the next, for a field of records.
template <typename T>
Column<T> column(const T* first, std::size_t count, std::shared_ptr<const void> owner, std::int64_t stride = 1) {
    static const T nothing{};
    auto kept = std::make_unique<std::shared_ptr<const void>>(std::move(owner));
    const nb::capsule capsule(kept.get(),
                              [](void* owned) noexcept { delete static_cast<std::shared_ptr<const void>*>(owned); });
    kept.release();  // the capsule's
    return Column<T>(count == 0 ? &nothing : first, 1, &count, capsule, &stride);
}

template <typename T>
Column<T> column(const std::vector<T>& values, std::shared_ptr<const void> owner) {
    return column(values.data(), values.size(), std::move(owner));
}

}  // namespace overlap::python
