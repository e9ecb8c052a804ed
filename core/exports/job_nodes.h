#pragma once

#include <map>
#include <string>

#include "core/files/ordered_json.h"
#include "core/graph/graph.h"
#include "core/passes/pass.h"

namespace overlap {

/// Nodes of graphs as a job plan writes them: what PyTorch's passes see of each. What most nodes share, shapes, modules
/// and halves of modules, is in tables, and nodes refer to it by number.
class JobNodes {
  public:
    /// The node with `name`, `op` unless it is call_function, `target`, `args`, `kwargs`, `outputs`, `modules`, and of
    /// a node of a half `chunk` and `chunked_original_name`; what the document does not have is left out.
    Json compact(const Graph& graph, NodeId node);
    /// The same for a node that a pass made, with what its metadata holds beside.
    Json whole(const Graph& graph, NodeId node);

    /// The tables: lists of outputs, each a list of `{dtype, shape, stride}` or null for what is no tensor, and of
    /// `{module_stack, fwd_module_stack, module_fqn}`, each without what is empty.
    const Json& outputs() const { return outputs_; }
    const Json& modules() const { return modules_; }
    /// Of `{chunked_region_fqn, chunked_region_is_backward, chunked_region_producer, chunked_region_role, chunk_id}`,
    /// likewise: which half of which module a node belongs to (docs/formats.md).
    const Json& chunks() const { return chunks_; }

  private:
    Json compact(const Json& node);

    void add_chunk(const Json& trainer_fields, Json& written);

    Json outputs_ = Json::array(), modules_ = Json::array(), chunks_ = Json::array();
    std::map<std::string, std::size_t> output_numbers_, module_numbers_, chunk_numbers_;
};

/// For the nodes of `after` that slice this rank's share out of a bucket's buffer: arguments that depend on the rank,
/// as
/// `{"rank_in": GROUP, "times": N, "plus": M}` instead of a number, so that every rank can apply the same plan.
/// @param node of `graph`, as written by JobNodes; changed in place.
void mark_rank_arguments(const Graph& graph, NodeId node, Json& written);

}  // namespace overlap
