#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/imports/fx/fx_text.h"
#include "core/imports/structured_log.h"

namespace overlap {

/// A graph that files hold in another form than a graph document.
struct ImportableGraph {
    std::string file;
    std::string kind;        ///< `aot_forward_graph`, an artifact's name; of a text: the class, such as `GraphModule`
    std::string compile_id;  ///< as torch writes it, such as `0/1`; empty in a text
    std::string label;       ///< what was compiled: `main at train.py:52`; may be empty
    std::optional<std::int64_t> rank;         ///< of the log, see rank_of_log()
    std::optional<std::int64_t> record_rank;  ///< what its record says; differs where all ranks say 0
    std::size_t record_line = 0;              ///< of a log; 0: the file is a text
    std::size_t function = 0;                 ///< which one of the text
    std::size_t nodes = 0;
    std::size_t collectives = 0;     ///< nodes that start communication
    std::set<std::string> groups;    ///< process groups of these
    std::set<std::string> symbols;   ///< that types name
    std::size_t unknown_inputs = 0;  ///< whose tensors the text does not have
    std::string problem;             ///< why it cannot be read; empty where it can
    std::string digest;              ///< equal where ranks run the same program, see program_digest()
    bool is_damaged = false;         ///< the log's checksum does not match

    /// `after_post_grad_graph 0/0`
    std::string name() const;
    /// `after_post_grad_graph 0/0, rank 1`
    std::string title() const;
};

/// The collectives of one compilation in the order in which Inductor issues them.
struct CollectiveSchedule {
    std::string file;
    std::string compile_id;
    std::optional<std::int64_t> rank;
    std::vector<std::string> operators;
};

struct ImportListing {
    std::vector<ImportableGraph> graphs;
    std::vector<CollectiveSchedule> schedules;
    std::vector<std::string> notes;  ///< what was skipped, by file; logs without a graph; ranks that are not clear
};

/// Whether a file, plain or gzip, looks like a text or a log that graphs can be imported from. A file that cannot be
/// read does not: reading it reports what is wrong with it.
bool is_importable_file(const std::string& path);

/// The graphs of texts and logs, plain or gzip, file by file in their order.
/// @throws InputError with the file's name.
ImportListing list_importable_graphs(const std::vector<std::string>& files, std::stop_token stop = {});

/// The graph that `wanted` names: its number in the list from 1, its kind, or `KIND COMPILE_ID`. If `wanted` is empty,
/// the only one. @throws InputError that says what there is.
const ImportableGraph& choose_graph(const ImportListing& listing, const std::string& wanted);

/// The graph of a listing that most likely is to be planned: one that can be read and has collectives, after Inductor's
/// passes rather than before them; the first such one. Nothing for an empty listing.
std::optional<std::size_t> most_useful_graph(const ImportListing& listing);

/// Reads a graph; of a log, with the times that Inductor logged for its compilation where they name the graph's nodes.
/// @throws InputError with file and place.
ImportedGraph import_graph(const ImportableGraph& graph, const ImportOptions& options, std::stop_token stop = {});

/// Whether ranks have the same graphs and issue the same collectives: a sentence for each compilation of several ranks.
/// Files that claim the same rank are reported and compared by file.
std::vector<std::string> compare_ranks(const ImportListing& listing);

}  // namespace overlap
