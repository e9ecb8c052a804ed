#include "core/imports/import_source.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "core/graph/error.h"
#include "core/graph/quote.h"
#include "core/imports/fx_statements.h"
#include "core/imports/log_times.h"
#include "core/imports/md5.h"
#include "core/io/json_bytes.h"
#include "core/io/text_window.h"

namespace overlap {
namespace {

constexpr std::size_t head_bytes = 1 << 16;
constexpr std::size_t longest_text = std::size_t{1} << 30;

bool mentions_graph(std::string_view text) {
    return text.find("def forward(") != std::string_view::npos || text.find("graph(") != std::string_view::npos;
}

std::string whole_text(const std::string& path, std::stop_token stop) {
    std::optional<JsonBytes> bytes = read_json_file(path, stop);
    if (!bytes) return {};
    if (bytes->size() > longest_text) throw InputError("", "the text is longer than 1 GiB, which is the limit");
    return std::string(bytes->view());
}

/// Nodes of a graph, and what is wrong with its text.
void count_nodes(std::string_view text, const FxFunction& function, ImportableGraph& graph) {
    try {
        const ImportedGraph imported = read_fx_text(text, function, {});
        graph.nodes = imported.graph->node_count();
    } catch (const InputError& error) {
        graph.problem = error.what();
    }
}

/// Lists the graphs of one text. @param model what they have in common.
void list_text(std::string_view text, const ImportableGraph& model, std::vector<ImportableGraph>& graphs) {
    const std::vector<FxFunction> functions = find_fx_functions(text);
    for (std::size_t index = 0; index < functions.size(); ++index) {
        if (functions[index].is_nested) continue;
        ImportableGraph graph = model;
        graph.function = index;
        if (graph.kind.empty()) graph.kind = functions[index].name.empty() ? "graph" : functions[index].name;
        graph.checksum = md5_hexadecimal(text);
        count_nodes(text, functions[index], graph);
        graphs.push_back(std::move(graph));
    }
}

/// Strings of a JSON list; nothing where it is none.
std::vector<std::string> string_list(std::string_view json) {
    simdjson::dom::parser parser;
    simdjson::dom::array array;
    std::vector<std::string> strings;
    const simdjson::padded_string padded(json);
    if (parser.parse(padded).get(array) != simdjson::SUCCESS) return strings;
    for (const simdjson::dom::element item : array) {
        std::string_view text;
        if (item.get(text) == simdjson::SUCCESS) strings.emplace_back(text);
    }
    return strings;
}

/// `main at train.py:52` of the innermost frame that is being compiled. Files are interned by number.
std::string compiled_function(std::string_view dynamo_start, const std::map<std::int64_t, std::string>& strings) {
    simdjson::dom::parser parser;
    simdjson::dom::array stack;
    const simdjson::padded_string padded(dynamo_start);
    if (parser.parse(padded)["stack"].get(stack) != simdjson::SUCCESS || stack.size() == 0) return {};
    const simdjson::dom::element frame = stack.at(stack.size() - 1);
    std::string_view name, file;
    std::int64_t line = 0, number = 0;
    if (frame["name"].get(name) != simdjson::SUCCESS || frame["line"].get(line) != simdjson::SUCCESS) return {};
    if (frame["filename"].get(number) == simdjson::SUCCESS) {
        if (const auto known = strings.find(number); known != strings.end()) file = known->second;
    } else if (frame["filename"].get(file) != simdjson::SUCCESS) {
        return {};
    }
    std::string text(name);
    text += " at ";
    text += file.substr(file.find_last_of("/\\") + 1);
    text += ':';
    text += std::to_string(line);
    return text;
}

void list_log(const std::string& path, ImportListing& listing, std::stop_token stop) {
    const std::size_t first = listing.graphs.size();
    std::map<std::string, std::string> starts;  // by compile id, until all strings are known
    const LogSummary summary = read_structured_log(
        path,
        [&](const LogRecord& record) {
            const std::string id = record.compile_id.text();
            if (record.key == "dynamo_start") starts[id] = record.detail_json;
            if (record.name == "inductor_collective_schedule") {
                listing.schedules.push_back({id, record.rank, string_list(record.payload)});
            }
            if (record.payload.empty() || record.key == "inductor_output_code" || !mentions_graph(record.payload))
                return true;
            ImportableGraph model;
            model.file = path;
            model.kind = record.name.empty() ? record.key : record.name;
            model.compile_id = id;
            model.rank = record.rank;
            model.record_line = record.line;
            model.is_damaged = record.is_damaged;
            list_text(record.payload, model, listing.graphs);
            return true;
        },
        stop);
    if (summary.records == 0 && !summary.was_stopped)
        throw InputError(path, "", "the log has no record that can be read");
    for (std::size_t index = first; index < listing.graphs.size(); ++index) {
        const auto start = starts.find(listing.graphs[index].compile_id);
        if (start != starts.end()) listing.graphs[index].label = compiled_function(start->second, summary.strings);
    }
    if (!summary.damage.empty()) listing.notes.push_back(path + ": " + summary.damage.sentence());
}

std::string head_of(const std::string& path) {
    TextWindow window = TextWindow::of_file(path);
    while (window.text().size() < head_bytes && window.grow()) {
    }
    return std::string(window.text().substr(0, head_bytes));
}

std::string too_many(const ImportListing& listing, std::string_view why) {
    std::string problem(why);
    problem += "; there are ";
    constexpr std::size_t most = 5;
    for (std::size_t index = 0; index < std::min(most, listing.graphs.size()); ++index) {
        if (index > 0) problem += ", ";
        problem += std::to_string(index + 1);
        problem += ": ";
        problem += listing.graphs[index].title();
    }
    if (listing.graphs.size() > most) problem += ", ...";
    return problem;
}

/// The payload of one record, and the other records of its compilation that tell times.
struct LoggedGraph {
    std::string text;
    std::vector<LoggedTime> times;
};

LoggedGraph read_logged_graph(const ImportableGraph& graph, std::stop_token stop) {
    LoggedGraph logged;
    read_structured_log(
        graph.file,
        [&](const LogRecord& record) {
            if (record.line == graph.record_line) logged.text = record.payload;
            const bool same = record.compile_id.text() == graph.compile_id && record.rank == graph.rank;
            if (same && record.name == "inductor_runtime_and_tensor_meta") {
                for (LoggedTime& time : parse_logged_times(record.payload)) logged.times.push_back(std::move(time));
            }
            return true;
        },
        stop);
    return logged;
}

}  // namespace

std::string ImportableGraph::title() const {
    std::string title = kind;
    if (!compile_id.empty()) {
        title += ' ';
        title += compile_id;
    }
    if (rank) {
        title += ", rank ";
        title += std::to_string(*rank);
    }
    return title;
}

bool is_importable(std::string_view head) {
    if (is_structured_log(head)) return true;
    const std::size_t begin = head.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos || head[begin] == '{' || head[begin] == '[') return false;
    return !find_fx_functions(head).empty() || head.find("import torch") != std::string_view::npos;
}

bool is_importable_file(const std::string& path) {
    try {
        return is_importable(head_of(path));
    } catch (const InputError&) {
        return false;
    }
}

ImportListing list_importable_graphs(const std::vector<std::string>& files, std::stop_token stop) {
    ImportListing listing;
    for (const std::string& path : files) {
        try {
            if (is_structured_log(head_of(path))) {
                list_log(path, listing, stop);
                continue;
            }
            ImportableGraph model;
            model.file = path;
            const std::size_t before = listing.graphs.size();
            list_text(whole_text(path, stop), model, listing.graphs);
            if (listing.graphs.size() == before && !stop.stop_requested()) {
                throw InputError("",
                                 "this is neither a text of an FX graph nor a TORCH_TRACE log: there is no function "
                                 "forward and no graph in it");
            }
        } catch (const InputError& error) {
            if (!error.file().empty()) throw;
            throw error.in_file(path);
        }
    }
    return listing;
}

const ImportableGraph& choose_graph(const ImportListing& listing, const std::string& wanted) {
    if (listing.graphs.empty()) throw InputError("", "there is no graph in it");
    if (wanted.empty()) {
        if (listing.graphs.size() == 1) return listing.graphs.front();
        throw InputError("", too_many(listing, "which graph is meant is not clear: --graph NUMBER chooses one"));
    }
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error == std::errc() && end == wanted.data() + wanted.size()) {
        if (number >= 1 && number <= listing.graphs.size()) return listing.graphs[number - 1];
        throw InputError("", too_many(listing, "there is no graph of number " + wanted));
    }
    const ImportableGraph* found = nullptr;
    for (const ImportableGraph& graph : listing.graphs) {
        const bool matches =
            wanted == graph.kind || wanted == graph.kind + ' ' + graph.compile_id || wanted == graph.title();
        if (!matches) continue;
        if (found) throw InputError("", too_many(listing, in_quotes(shortened(wanted)) + " names several graphs"));
        found = &graph;
    }
    if (!found) throw InputError("", too_many(listing, "there is no graph " + in_quotes(shortened(wanted))));
    return *found;
}

ImportedGraph import_graph(const ImportableGraph& graph, const ImportOptions& options, std::stop_token stop) {
    try {
        LoggedGraph logged;
        if (graph.record_line != 0) {
            logged = read_logged_graph(graph, stop);
        } else {
            logged.text = whole_text(graph.file, stop);
        }
        if (stop.stop_requested()) return {};
        const std::vector<FxFunction> functions = find_fx_functions(logged.text);
        if (graph.function >= functions.size())
            throw InputError("", "the file has changed: the graph is no longer there");
        ImportOptions told = options;
        if (!told.rank) told.rank = graph.rank;
        FxFunction function = functions[graph.function];
        if (graph.record_line != 0) function.name = graph.title();
        ImportedGraph imported = read_fx_text(logged.text, function, told);
        if (graph.is_damaged) imported.notes.push_back("the log's checksum does not match the text of this graph");
        const auto nested = std::ranges::count_if(functions, &FxFunction::is_nested);
        if (nested > 0) {
            imported.notes.push_back(std::to_string(nested) +
                                     " graphs inside of higher-order operators are not part of the graph");
        }
        if (!logged.times.empty()) add_logged_times(imported, logged.times);
        return imported;
    } catch (const InputError& error) {
        if (!error.file().empty()) throw;
        std::string place = error.place();
        if (graph.record_line != 0) {
            std::string where = "record of line ";
            where += std::to_string(graph.record_line);
            place = place.empty() ? where : where + ", its " + place;
        }
        throw InputError(graph.file, place, error.problem());
    }
}

}  // namespace overlap
