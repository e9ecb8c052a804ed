#include <new>
#include <optional>

#include "core/graph/error.h"
#include "core/graph/graph_builder.h"
#include "core/io/graph_file.h"
#include "core/io/graph_header_reader.h"
#include "core/io/graph_node_reader.h"
#include "core/io/graph_supplements.h"
#include "core/io/json_document.h"

namespace overlap {

namespace {

constexpr std::size_t nodes_between_polls = 256;

std::shared_ptr<const Graph> read_graph(std::optional<JsonBytes> bytes, const std::stop_token& stop) {
    if (!bytes || stop.stop_requested()) return nullptr;
    const JsonDocument document(std::move(*bytes));
    simdjson::dom::object fields;
    if (document.root().get(fields)) {
        throw InputError(
            "", "expected an object with \"format\": \"overlap-graph\", found " + describe_json(document.root()));
    }
    check_graph_format(fields);
    GraphHeader header = read_graph_header(fields);

    const JsonPlace place("nodes");
    simdjson::dom::element nodes_value;
    if (fields.at_key("nodes").get(nodes_value)) place.fail("this field is missing; expected a list");
    const simdjson::dom::array nodes = json_list(nodes_value, place);
    GraphBuilder builder;
    simdjson::dom::element supplement;
    if (!fields.at_key("naming").get(supplement)) read_naming(supplement, JsonPlace("naming"), builder);
    if (!fields.at_key("operators").get(supplement)) read_operators(supplement, JsonPlace("operators"), builder);
    GraphNodeReader reader(builder, nodes);
    std::size_t index = 0;
    for (const simdjson::dom::element node : nodes) {
        if (index % nodes_between_polls == 0 && stop.stop_requested()) return nullptr;
        reader.read(node, place, index++);
    }
    reader.finish();
    return std::make_shared<const Graph>(builder.finish(std::move(header)));
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

std::shared_ptr<const Graph> read_graph_file(const std::string& path, std::stop_token stop) {
    return with_file_in_errors(path, [&] { return read_graph(read_json_file(path, stop), stop); });
}

std::shared_ptr<const Graph> read_graph_text(std::string_view bytes, const std::string& name, std::stop_token stop) {
    return with_file_in_errors(name, [&] { return read_graph(read_json_bytes(bytes, stop), stop); });
}

}  // namespace overlap
