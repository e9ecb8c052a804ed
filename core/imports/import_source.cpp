#include "core/imports/import_source.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "core/base/error.h"
#include "core/base/md5.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/files/json_bytes.h"
#include "core/files/text_window.h"
#include "core/imports/graph_digest.h"
#include "core/imports/log_rank.h"
#include "core/imports/log_times.h"

namespace overlap {
namespace {

constexpr std::size_t head_bytes = 1 << 16;
constexpr std::size_t longest_head_bytes = std::size_t{64} << 20;
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

/// Nodes of a graph and their digest, or what is wrong with its text.
void look_into(std::string_view text, const FxFunction& function, ImportableGraph& listed) {
    try {
        const ImportedGraph imported = read_fx_text(text, function, {});
        const Graph& graph = *imported.graph;
        listed.nodes = graph.node_count();
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            const bool calls = graph.op(node) == NodeOp::call_function;
            if (!calls || graph.target_info(node).starts == CollectiveKind::none) continue;
            ++listed.collectives;
            if (const std::string_view group = graph.group_name(node); !group.empty()) listed.groups.emplace(group);
        }
        listed.symbols = imported.symbols;
        listed.unknown_inputs = imported.typing.unknown_inputs.size();
        listed.digest = program_digest(graph);
    } catch (const InputError& error) {
        listed.problem = error.what();
        listed.digest = md5_hexadecimal(text);
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
        look_into(text, functions[index], graph);
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

/// `main at train.py:52` of the innermost frame that is being compiled, `main at line 52` where its file is not
/// known. Files are interned by number.
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
    if (file.empty()) return text.append(" at line ").append(std::to_string(line));
    text += " at ";
    text += file.substr(file.find_last_of("/\\") + 1);
    text += ':';
    text += std::to_string(line);
    return text;
}

void list_log(const std::string& path, ImportListing& listing, std::stop_token stop) {
    const std::size_t first = listing.graphs.size();
    const std::size_t first_schedule = listing.schedules.size();
    std::map<std::string, std::string> starts;  // by compile id, until all strings are known
    std::set<std::int64_t> ranks;
    const LogSummary summary = read_structured_log(
        path,
        [&](const LogRecord& record) {
            const std::string id = record.compile_id.text();
            if (record.rank) ranks.insert(*record.rank);
            if (record.key == "dynamo_start") starts[id] = record.detail_json;
            if (record.name == "inductor_collective_schedule") {
                listing.schedules.push_back({path, id, record.rank, string_list(record.payload)});
            }
            if (record.payload.empty() || record.key == "inductor_output_code" || !mentions_graph(record.payload))
                return true;
            ImportableGraph model;
            model.file = path;
            model.kind = record.name.empty() ? record.key : record.name;
            model.compile_id = id;
            model.record_rank = record.rank;
            model.record_line = record.line;
            model.is_damaged = record.is_damaged;
            list_text(record.payload, model, listing.graphs);
            return true;
        },
        stop);
    if (summary.was_stopped) return;
    if (summary.records == 0) throw InputError(path, "", "the log has no record that can be read");
    const LogRank rank = rank_of_log(path, ranks);
    for (ImportableGraph& graph : std::span(listing.graphs).subspan(first)) {
        graph.rank = rank.of_record(graph.record_rank);
        const auto start = starts.find(graph.compile_id);
        if (start != starts.end()) graph.label = compiled_function(start->second, summary.strings);
    }
    for (CollectiveSchedule& schedule : std::span(listing.schedules).subspan(first_schedule)) {
        schedule.rank = rank.of_record(schedule.rank);
    }
    if (!rank.note.empty()) listing.notes.push_back(path + ": " + rank.note);
    if (!summary.damage.empty()) listing.notes.push_back(path + ": " + summary.damage.sentence());
    if (listing.graphs.size() == first) {
        std::string note = path;
        note.append(": none of its records holds a graph; there are ").append(std::to_string(summary.records));
        listing.notes.push_back(std::move(note));
    }
}

bool is_json(std::string_view head) {
    const std::size_t begin = head.find_first_not_of(" \t\r\n");
    return begin != std::string_view::npos && (head[begin] == '{' || head[begin] == '[');
}

bool is_text_of_graph(std::string_view head) {
    if (is_json(head)) return false;
    return !find_fx_functions(head).empty() || head.find("import torch") != std::string_view::npos;
}

/// Whether this may be a log of which the beginning of a record comes later: lines of a payload begin with a tab, which
/// torch.fx does not print.
bool may_be_cut_log(std::string_view head) {
    if (is_structured_log(head) || is_json(head)) return false;
    return head.starts_with('\t') || head.find("\n\t") != std::string_view::npos || !is_text_of_graph(head);
}

/// The beginning of a file, decompressed, as far as it can be read.
/// @throws InputError when nothing can be.
std::string head_of(const std::string& path) {
    TextWindow window = TextWindow::of_file(path);
    auto grow_to = [&](std::size_t wanted) {
        try {
            while (window.text().size() < wanted && window.grow()) {
            }
        } catch (const InputError&) {
            if (window.text().empty()) throw;
        }
        return window.text().substr(0, wanted);
    };
    std::string_view head = grow_to(head_bytes);
    // Of a log that was cut in front, or that begins with another program's output, the first record may come late.
    for (std::size_t wanted = 2 * head_bytes; wanted <= longest_head_bytes && may_be_cut_log(head); wanted *= 2) {
        const std::size_t before = head.size();
        head = grow_to(wanted);
        if (head.size() == before) break;
    }
    return std::string(head);
}

using GraphNumbers = std::vector<std::size_t>;

/// @param numbers of the graphs to name, from 0.
[[noreturn]] void fail_to_choose(const ImportListing& listing, const GraphNumbers& numbers, std::string problem) {
    problem += "; there are ";
    constexpr std::size_t most = 5;
    for (std::size_t index = 0; index < std::min(most, numbers.size()); ++index) {
        if (index > 0) problem += ", ";
        problem.append("number ").append(std::to_string(numbers[index] + 1));
        problem.append(" (").append(listing.graphs[numbers[index]].title()).append(")");
    }
    if (numbers.size() > most) problem += ", ...";
    throw InputError("", problem);
}

/// The payload of one record, and the other records of its compilation that have times.
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
            const bool same = record.compile_id.text() == graph.compile_id && record.rank == graph.record_rank;
            if (same && record.name == "inductor_runtime_and_tensor_meta") {
                for (LoggedTime& time : parse_logged_times(record.payload)) logged.times.push_back(std::move(time));
            }
            return true;
        },
        stop);
    return logged;
}

}  // namespace

std::string ImportableGraph::name() const {
    return compile_id.empty() ? kind : kind + ' ' + compile_id;
}

std::string ImportableGraph::title() const {
    std::string title = name();
    if (rank) {
        title += ", rank ";
        title += std::to_string(*rank);
    }
    return title;
}

bool is_importable_file(const std::string& path) {
    try {
        const std::string head = head_of(path);
        return is_structured_log(head) || is_text_of_graph(head);
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
    GraphNumbers all(listing.graphs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (wanted.empty()) {
        if (listing.graphs.size() == 1) return listing.graphs.front();
        fail_to_choose(listing, all, "which graph is meant is not clear: --graph NUMBER chooses one");
    }
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error == std::errc() && end == wanted.data() + wanted.size()) {
        if (number >= 1 && number <= listing.graphs.size()) return listing.graphs[number - 1];
        fail_to_choose(listing, all, "there is no graph of number " + wanted);
    }
    GraphNumbers matching;
    std::ranges::copy_if(all, std::back_inserter(matching), [&](std::size_t index) {
        const ImportableGraph& graph = listing.graphs[index];
        return wanted == graph.kind || wanted == graph.name() || wanted == graph.title();
    });
    if (matching.empty()) fail_to_choose(listing, all, "there is no graph " + in_quotes(shortened(wanted)));
    if (matching.size() > 1) fail_to_choose(listing, matching, in_quotes(shortened(wanted)) + " names several graphs");
    return listing.graphs[matching.front()];
}

std::optional<std::size_t> most_useful_graph(const ImportListing& listing) {
    // The later in the compilation, the more a graph is what runs.
    constexpr std::array<std::string_view, 7> kinds = {
        "dynamo_output_graph", "before_pre_grad_graph", "after_pre_grad_graph", "aot_inference_graph",
        "aot_joint_graph",     "aot_forward_graph",     "after_post_grad_graph"};
    auto usefulness = [&](const ImportableGraph& graph) {
        const auto kind = std::ranges::find(kinds, graph.kind) - kinds.begin();
        const bool is_known = kind < std::ssize(kinds);
        return std::tuple(graph.problem.empty(), graph.collectives > 0, is_known ? kind : -1, graph.collectives);
    };
    const auto best = std::ranges::max_element(listing.graphs, {}, usefulness);
    if (best == listing.graphs.end()) return std::nullopt;
    return static_cast<std::size_t>(best - listing.graphs.begin());
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
        if (graph.record_line != 0) {
            function.name = graph.name();
        } else if (function.name.empty()) {
            function.name = std::filesystem::path(graph.file).stem().string();
        }
        ImportedGraph imported = read_fx_text(logged.text, function, told);
        if (graph.is_damaged) imported.notes.push_back({"the log's checksum does not match the text of this graph"});
        const auto nested = std::ranges::count_if(functions, &FxFunction::is_nested);
        if (nested > 0) {
            imported.notes.push_back({counted(static_cast<std::size_t>(nested), "graph") +
                                      " inside of higher-order operators " + (nested == 1 ? "is" : "are") +
                                      " not part of the graph"});
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
