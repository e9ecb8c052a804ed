#pragma once

#include <simdjson.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/files/json_fields.h"
#include "core/files/json_text.h"
#include "core/graph/graph_builder.h"
#include "core/io/graph/graph_argument_reader.h"

namespace overlap {

/// Reads the nodes of a document, one after the other, into a GraphBuilder.
class GraphNodeReader {
  public:
    GraphNodeReader(GraphBuilder& builder, simdjson::dom::array nodes)
        : builder_(builder), arguments_(builder, nodes) {}

    /// Appends the node `value`. @throws InputError
    void read(simdjson::dom::element value, const JsonPlace& list_place, std::size_t index);
    /// Gives the builder every `users_order` of the nodes read, which may name later nodes. @throws InputError
    void finish();

    static constexpr std::size_t rank_limit = 64;

  private:
    void read_field(std::string_view key, simdjson::dom::element value, const JsonPlace& place);
    void read_outputs(simdjson::dom::element value, const JsonPlace& place);
    TensorMeta read_tensor(simdjson::dom::element value, const JsonPlace& place);
    void read_dimensions(simdjson::dom::element value, const JsonPlace& place, std::vector<std::int64_t>& dimensions);
    void count_bytes(const TensorMeta& tensor, const JsonPlace& place);
    ModuleStackId read_module_stack(simdjson::dom::element value, const JsonPlace& place);
    void read_custom(simdjson::dom::element value, const JsonPlace& place);
    void read_users_order(NodeId node, std::size_t index, simdjson::dom::element value, const JsonPlace& place);
    void see_field_once(unsigned field, const JsonPlace& place);

    struct UsersOrder {
        NodeId node;
        std::size_t index;
        std::size_t first_name, name_count;  ///< in users_names_
    };

    GraphBuilder& builder_;
    GraphArgumentReader arguments_;
    std::vector<UsersOrder> users_orders_;
    std::vector<StringId> users_names_;
    std::int64_t total_bytes_ = 0;

    // Of the node that is being read; members so that their memory is used again.
    NodeRecord record_;
    NodeMetadata metadata_;
    std::uint32_t seen_fields_ = 0;
    std::vector<TensorMeta> outputs_;
    std::vector<std::int64_t> sizes_, strides_;
    std::vector<ModuleStackEntry> stack_;
    JsonMembers further_, further_of_tensor_;
    JsonWriter json_;
};

}  // namespace overlap
