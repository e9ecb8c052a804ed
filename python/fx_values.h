#pragma once

#include <string_view>

#include "core/files/json_writer.h"
#include "python/fx_objects.h"

namespace overlap::python {

/// Objects of Python as JSON. Every `bool` says whether what was written is what overlap_studio/document.py would have
/// written; where it is false, what was written is to be dropped.
class FxValues {
  public:
    explicit FxValues(JsonWriter& json) : json_(json) {}
    JsonWriter& json() { return json_; }

    bool write_text(nb::handle text);
    bool write_integer(nb::handle number);
    bool write_float(nb::handle number);
    /// None, a truth value or a text.
    bool write_simple(nb::handle value);
    /// A value for which JSON has a word, down to what is in it.
    bool write_plain(nb::handle value);
    /// An object with one member, as documents have what JSON lacks.
    bool write_tagged(std::string_view tag, std::string_view text);

    /// A dictionary whose keys are texts, each of whose values `write` writes.
    template <typename Write>
    bool write_members(nb::handle dictionary, Write&& write) {
        json_.begin_object();
        PyObject *key = nullptr, *item = nullptr;
        for (Py_ssize_t place = 0; PyDict_Next(dictionary.ptr(), &place, &key, &item) != 0;) {
            const auto name = PyUnicode_Check(key) ? utf8(key) : std::nullopt;
            if (!name) return false;
            json_.key(*name);
            if (!write(nb::handle(item))) return false;
        }
        json_.end_object();
        return true;
    }

    /// A list or a tuple.
    template <typename Write>
    bool write_items(nb::handle sequence, Write&& write) {
        const Items items(sequence);
        json_.begin_array();
        for (Py_ssize_t place = 0; place < items.size(); ++place)
            if (!write(items[place])) return false;
        json_.end_array();
        return true;
    }

  private:
    JsonWriter& json_;
};

}  // namespace overlap::python
