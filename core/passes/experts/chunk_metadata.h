#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/json_writer.h"
#include "core/graph/graph.h"

namespace overlap::experts {

/// What a node has to do with a module whose batch is halved (torchtitan/experiments/graph_trainer/ep_pass_utils.py).
enum class ChunkRole : std::uint8_t {
    none,
    body,             ///< computes one of the halves
    split_boundary,   ///< cuts a value in two
    chunk_input,      ///< prepares what one half reads
    materialization,  ///< joins the halves of a value
};

/// Who halved the module: the model itself, or torchtitan's pass.
enum class ChunkProducer : std::uint8_t { none, eager, graph };

/// What a node's `titan_meta` says of chunks; what it does not say is empty.
struct ChunkMetadata {
    ChunkRole role = ChunkRole::none;              ///< `chunked_region_role`
    ChunkProducer producer = ChunkProducer::none;  ///< `chunked_region_producer`
    std::optional<int> chunk;                      ///< `chunk_id`: 0 or 1
    std::optional<bool> is_backward;               ///< `chunked_region_is_backward`; none: the node's own direction
    std::string region;                            ///< `chunked_region_fqn`: path of the module
    std::string original_name;                     ///< `chunked_original_name`: of the node before it was halved

    bool operator==(const ChunkMetadata&) const = default;
    bool empty() const { return *this == ChunkMetadata(); }
};

/// A symbol in the sizes of a placeholder along which modules may be halved, and its whole extent.
struct ChunkSymbolHint {
    std::string symbol;  ///< such as `u0`
    std::int64_t extent = 0;

    bool operator==(const ChunkSymbolHint&) const = default;
};

// A node that computes a half has unknown fields of its own, for they name the node that it was: they are composed
// (StringPool::compose()) of what they say of sizes, what they say of the half, that name, and the end. So each is
// written and read once for all nodes that share it.
inline constexpr std::size_t place_of_sizes = 0, place_of_half = 1;
inline constexpr std::string_view end_of_half = "\"}}";

/// The part of a node's unknown fields that says of which half it is: all of them unless they are composed.
inline StringId half_part(const StringPool& strings, StringId extra_json) {
    const TextPieces* pieces = strings.pieces(extra_json);
    return pieces ? (*pieces)[place_of_half] : extra_json;
}

/// Name of a role in a document, such as `split_boundary`; empty for none.
std::string_view chunk_role_name(ChunkRole role);

/// What a node says of chunks.
/// @throws PassRefusal of `pass` where a field has a value that neither torchtitan's pass nor its model writes.
ChunkMetadata chunk_metadata(const Graph& graph, NodeId node, std::string_view pass);

/// The same for display: nothing for fields that no pass would take, which passes say themselves.
ChunkMetadata shown_chunk_metadata(const Graph& graph, NodeId node);

/// Takes a member of a node's `titan_meta` into what it says of chunks. @returns whether it is one of those fields;
/// hints of symbols are not. @throws PassRefusal as above.
bool read_chunk_member(ChunkMetadata& metadata, std::string_view key, std::string_view value, const Graph& graph,
                       NodeId node, std::string_view pass);

/// Of what a node says of chunks: where it belongs.
struct ChunkPlace {
    ChunkRole role = ChunkRole::none;
    std::optional<int> chunk;
    std::optional<bool> is_backward;
    std::string_view region;  ///< in the graph's text
};

/// The same as chunk_metadata() for these fields, at a fraction of the time where they stand one behind the other as
/// torchtitan and with_chunk_metadata() write them.
/// @throws PassRefusal as chunk_metadata() does.
ChunkPlace chunk_place(const Graph& graph, NodeId node, std::string_view pass);

/// The same for display, as shown_chunk_metadata().
ChunkPlace shown_chunk_place(const Graph& graph, NodeId node);

/// A node's unknown fields with these of chunks in place of the ones that they have; `{}` takes them away. Symbols'
/// hints and other fields stay.
std::string with_chunk_metadata(std::string_view extra_json, const ChunkMetadata& metadata);

/// A node's unknown fields with what a model that halves the batch itself wrote into `custom`: `chunk_id`,
/// `chunked_region_fqn` and `chunked_region_role` as they stand there, and the producer `eager` where the node then has
/// a role. @param custom_json the node's `custom`; unless it is an object, nothing changes.
std::string with_chunk_metadata_of_model(std::string_view extra_json, std::string_view custom_json);

/// As much of `custom` as with_chunk_metadata_of_model() looks at: two nodes for which this is the same, and which have
/// the same unknown fields, get the same.
std::string chunk_fields_of_model(std::string_view custom_json);

/// Writes the members of `titan_meta` that say this, into the object that is open.
void write_chunk_members(JsonWriter& json, const ChunkMetadata& metadata);

/// `chunk_symbol_hints` of a node, in the document's order; empty where it has none.
/// @throws PassRefusal of `pass` where they are no object of whole numbers.
std::vector<ChunkSymbolHint> chunk_symbol_hints(const Graph& graph, NodeId node, std::string_view pass);

/// A node's unknown fields with these hints in place of those that they have; an empty list takes them away.
std::string with_chunk_symbol_hints(std::string_view extra_json, std::span<const ChunkSymbolHint> hints);

}  // namespace overlap::experts
