#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "python/fx_values.h"

namespace overlap::python {

/// Nodes of an overlap-graph document that Python has read, as text of what nodes are compared by: name, operator,
/// arguments, in which nodes are places, types, sizes and strides, and where it is asked for, modules and direction.
class DocumentNodes {
  public:
    /// @param nodes stay as they are.
    /// @param groups texts that name process groups.
    DocumentNodes(JsonWriter& json, const nb::list& nodes, nb::handle groups);

    /// Writes a node; false where it has none of the usual forms, names a process group or is not there. What was written
    /// is to be dropped then.
    bool write_compared(std::size_t place, bool with_modules);

  private:
    bool write_arguments(nb::handle node);
    bool write_argument(nb::handle value);
    bool write_reference(nb::handle used);
    bool write_outputs(nb::handle outputs);
    bool write_modules(nb::handle node);
    bool write_paths(const char* field, nb::handle stack);

    JsonWriter& json_;
    FxValues values_{json_};
    const nb::list& nodes_;
    nb::handle groups_;
    std::unordered_map<std::string_view, std::size_t> places_;
    nb::object name_ = interned("name"), op_ = interned("op"), target_ = interned("target"), args_ = interned("args"),
               kwargs_ = interned("kwargs"), outputs_ = interned("outputs"), dtype_ = interned("dtype"),
               shape_ = interned("shape"), stride_ = interned("stride"), module_stack_ = interned("module_stack"),
               fwd_module_stack_ = interned("fwd_module_stack"), custom_ = interned("custom"),
               module_fqn_ = interned("module_fqn"), backward_ = interned("autograd_backward"), node_ = interned("node"),
               dict_ = interned("dict");
};

}  // namespace overlap::python
