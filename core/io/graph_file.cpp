#include "core/io/graph_file.h"

#include <new>
#include <optional>

#include "core/base/error.h"
#include "core/files/json_document.h"
#include "core/files/json_list_pieces.h"
#include "core/graph/graph_builder.h"
#include "core/io/graph/graph_header_reader.h"
#include "core/io/graph/graph_node_reader.h"
#include "core/io/graph/graph_supplements.h"

namespace overlap {

namespace {

constexpr std::size_t nodes_between_polls = 256;
/// The piece parsed at once: simdjson's tree takes several times the text, and is fastest if it stays in the cache.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

/// Reads nodes with their places, until it is stopped.
class NodeListReader {
  public:
    NodeListReader(GraphBuilder& builder, simdjson::dom::array known, const std::stop_token& stop)
        : reader_(builder, known), stop_(stop) {}

    /// The next nodes. @return false when stopped.
    bool read(simdjson::dom::array nodes) {
        for (const simdjson::dom::element node : nodes) {
            if (index_ % nodes_between_polls == 0 && stop_.stop_requested()) return false;
            reader_.read(node, place_, index_++);
        }
        return true;
    }
    void finish() { reader_.finish(); }

  private:
    GraphNodeReader reader_;
    const std::stop_token& stop_;
    const JsonPlace place_{"nodes"};
    std::size_t index_ = 0;
};

simdjson::dom::array nodes_of(simdjson::dom::object fields) {
    const JsonPlace place("nodes");
    simdjson::dom::element nodes;
    if (fields.at_key("nodes").get(nodes)) place.fail("this field is missing; expected a list");
    return json_list(nodes, place);
}

/// @param read_nodes from the document's list, or from elsewhere; returns false when stopped.
template <typename ReadNodes>
std::shared_ptr<const Graph> read_graph(const JsonDocument& document, const std::stop_token& stop,
                                        ReadNodes&& read_nodes) {
    simdjson::dom::object fields;
    if (document.root().get(fields)) {
        throw InputError(
            "", "expected an object with \"format\": \"overlap-graph\", found " + describe_json(document.root()));
    }
    check_graph_format(fields);
    GraphHeader header = read_graph_header(fields);
    const simdjson::dom::array nodes = nodes_of(fields);
    GraphBuilder builder;
    simdjson::dom::element supplement;
    if (!fields.at_key("naming").get(supplement)) read_naming(supplement, JsonPlace("naming"), builder);
    if (!fields.at_key("operators").get(supplement)) read_operators(supplement, JsonPlace("operators"), builder);
    NodeListReader reader(builder, nodes, stop);
    if (!read_nodes(reader, nodes)) return nullptr;
    reader.finish();
    return std::make_shared<const Graph>(builder.finish(std::move(header)));
}

std::shared_ptr<const Graph> read_whole(JsonBytes bytes, const std::stop_token& stop) {
    return read_graph(JsonDocument(std::move(bytes)), stop,
                      [](NodeListReader& reader, simdjson::dom::array nodes) { return reader.read(nodes); });
}

/// @return nothing where the document cannot be taken apart, and when stopped.
/// @throws InputError; another error of the document may be the one to report.
std::shared_ptr<const Graph> read_in_pieces(const JsonBytes& bytes, const GraphReading& reading) {
    auto taken = json_list_pieces(bytes.view(), "nodes", piece_bytes, reading.stop);
    if (!taken) return nullptr;
    const JsonDocument rest{JsonBytes(std::move(taken->rest))};
    return read_graph(rest, reading.stop, [&](NodeListReader& reader, simdjson::dom::array) {
        std::size_t pieces_read = 0;
        for (const std::string_view piece : taken->pieces) {
            std::string text;
            text.reserve(piece.size() + simdjson::SIMDJSON_PADDING + 16);
            // As deep as in the document, so that limits are the same.
            text.append(R"({"nodes":[)").append(piece).append("]}");
            const JsonDocument document{JsonBytes(std::move(text))};
            if (!reader.read(nodes_of(document.root().get_object().value()))) return false;
            ++pieces_read;
            if (reading.progress)
                reading.progress(static_cast<double>(pieces_read) / static_cast<double>(taken->pieces.size()));
        }
        return true;
    });
}

std::shared_ptr<const Graph> read_graph(std::optional<JsonBytes> bytes, const GraphReading& reading) {
    const std::stop_token& stop = reading.stop;
    if (!bytes || stop.stop_requested()) return nullptr;
    std::optional<InputError> problem;
    try {
        if (auto graph = read_in_pieces(*bytes, reading)) return graph;
    } catch (const InputError& error) {
        problem = error;
    }
    if (stop.stop_requested()) return nullptr;
    // Of several errors, those of syntax are reported first, and a name's node is looked for in the whole document.
    try {
        return read_whole(std::move(*bytes), stop);
    } catch (const JsonMemoryError&) {
        if (problem) throw *problem;
        throw;
    }
}

template <typename Read>
std::shared_ptr<const Graph> with_file_in_errors(const std::string& file, Read&& read) {
    try {
        return read();
    } catch (const InputError& error) {
        throw error.in_file(file);
    } catch (const std::bad_alloc&) {
        throw InputError(file, "", "there is not enough memory to read it");
    }
}

}  // namespace

std::shared_ptr<const Graph> read_graph_file(const std::string& path, const GraphReading& reading) {
    return with_file_in_errors(path, [&] { return read_graph(read_json_file(path, reading.stop), reading); });
}

std::shared_ptr<const Graph> read_graph_text(std::string_view bytes, const std::string& name, std::stop_token stop) {
    return with_file_in_errors(name, [&] { return read_graph(read_json_bytes(bytes, stop), {stop, {}}); });
}

}  // namespace overlap
