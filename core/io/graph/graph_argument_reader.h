#pragma once

#include <simdjson.h>

#include <vector>

#include "core/files/json_fields.h"
#include "core/files/json_writer.h"
#include "core/graph/graph_builder.h"

namespace overlap {

/// Reads `args` and `kwargs` of nodes into a GraphBuilder.
class GraphArgumentReader {
  public:
    /// @param nodes the document's list, in which a name that is not known yet is looked for.
    GraphArgumentReader(GraphBuilder& builder, simdjson::dom::array nodes) : builder_(builder), nodes_(nodes) {}

    /// A list, as `args` is. @throws InputError
    Value list(simdjson::dom::element value, const JsonPlace& place);
    /// An object, as `kwargs` is. @throws InputError
    Value dictionary(simdjson::dom::element value, const JsonPlace& place);

    /// Lists and dictionaries of an argument may be nested this deep; torch.fx's own walks are recursive as well.
    static constexpr int depth_limit = 64;

  private:
    Value read(simdjson::dom::element value, const JsonPlace& place, int depth);
    Value list(simdjson::dom::element value, const JsonPlace& place, int depth);
    Value dictionary(simdjson::dom::element value, const JsonPlace& place, int depth);
    Value tagged(simdjson::dom::element value, const JsonPlace& place, int depth);
    Value node(simdjson::dom::element value, const JsonPlace& place);
    Value raw(simdjson::dom::element value);
    /// A value whose children are what children_ holds from `first` on.
    Value take_children(ValueKind kind, std::size_t first);
    void check_keys_differ(std::size_t first, const JsonPlace& place);
    [[noreturn]] void fail_unknown_node(std::string_view name, const JsonPlace& place);

    GraphBuilder& builder_;
    simdjson::dom::array nodes_;
    std::vector<Value> children_;  ///< of all lists that are being read, innermost last
    JsonWriter json_;
};

}  // namespace overlap
