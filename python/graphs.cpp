// Graphs: read, written, and with other times, links or batches.

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/batch/scaled_batch.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/shared_links.h"
#include "core/cost/with_cost_model.h"
#include "core/imports/any_graph_file.h"
#include "core/io/cost_model/cost_model_file.h"
#include "core/io/graph_file.h"
#include "core/plan/plan.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/cost_models.h"
#include "python/handles.h"
#include "python/running.h"

namespace overlap::python {

namespace {

using ProgressCall = std::optional<nb::typed<nb::callable, void(double)>>;

GraphHandle read_graph(const std::filesystem::path& path, const ProgressCall& progress) {
    Reports<double> shares;
    OpenedGraph opened = result_of(
        [&](std::stop_token stop) {
            return read_any_graph_file(path.string(), {std::move(stop), [&](double share) { shares.add(share); }});
        },
        [&] {
            for (const double share : shares.take())
                if (progress) (*progress)(share);
        });
    return {opened.graph, opened.graph, sentences_of(opened.notes)};
}

GraphHandle parse_graph(const std::variant<std::string, nb::bytes>& document, const std::string& name) {
    const std::string bytes =
        std::holds_alternative<std::string>(document)
            ? std::get<std::string>(document)
            : std::string(std::get<nb::bytes>(document).c_str(), std::get<nb::bytes>(document).size());
    auto graph = result_of([&](std::stop_token stop) { return read_graph_text(bytes, name, std::move(stop)); });
    return {graph, graph};
}

std::string document_of(const GraphHandle& graph) {
    return result_of([&](const std::stop_token&) { return write_graph_text(*graph.graph); });
}

void write(const GraphHandle& graph, const std::filesystem::path& path) {
    run_interruptibly([&](const std::stop_token&) { write_graph_file(*graph.graph, path.string()); });
}

GraphHandle modelled(const GraphHandle& graph, const CostModelArgument& model) {
    const NamedCostModel found = cost_model_of(model);
    ModelledGraph made = result_of([&](const std::stop_token&) { return with_cost_model(graph.graph, found); });
    return {std::move(made.graph), graph.as_read, std::move(made.notes)};
}

GraphHandle linked(const GraphHandle& graph) {
    if (!graph.graph->header().cost)
        throw InputError("", "links are those of a cost model, and the graph has none", ErrorCode::no_cost_model);
    return {with_shared_links(graph.graph, LinkSharing::by_host), graph.as_read};
}

GraphHandle compiled(const GraphHandle& graph, const std::optional<std::string>& scope, double attention_density) {
    std::optional<Compilation> compilation;
    if (scope) {
        const std::optional<CompiledScope> found = compiled_scope_by_name(*scope);
        if (!found) {
            const std::vector<std::string> names = {"eager", "blocks", "whole"};
            throw InputError("scope", "there is no scope " + in_quotes(*scope) + suggest_names(*scope, names));
        }
        compilation = Compilation{*found, attention_density};
    }
    if (!(attention_density >= 0 && attention_density <= 1))
        throw InputError("attention_density", "expected a share from 0 to 1");
    return {with_compilation(graph.graph, compilation), graph.as_read};
}

GraphHandle with_batch(const GraphHandle& graph, std::int64_t sequences) {
    auto made = result_of([&](const std::stop_token&) { return with_local_batch(graph.graph, sequences); });
    return {std::move(made), graph.as_read};
}

std::string digest(const GraphHandle& graph) {
    return result_of([&](const std::stop_token&) { return fingerprint(*graph.graph).digest; });
}

std::string shown(const GraphHandle& graph) {
    return "<Graph " + in_quotes(graph.graph->header().name) + ", " + std::to_string(graph.graph->node_count()) +
           " nodes>";
}

std::optional<std::string> model_name(const GraphHandle& graph) {
    const std::optional<CostParameters>& cost = graph.graph->header().cost;
    if (!cost || cost->model_name.empty()) return std::nullopt;
    return cost->model_name;
}

void add_groups(nb::module_& core) {
    nb::class_<ProcessGroup>(core, "ProcessGroup", "A process group of the job, as the graph's rank sees it.")
        .def_ro("name", &ProcessGroup::name, "The string that collectives carry.")
        .def_ro("ranks", &ProcessGroup::ranks, "Global ranks, in the group's order.")
        .def_ro("rank", &ProcessGroup::rank, "The index of the graph's own rank in `ranks`.")
        .def_ro("description", &ProcessGroup::description, "What the job says that it is for; may be empty.");
}

void add_cost_models(nb::module_& core) {
    nb::class_<NamedCostModel>(core, "CostModel", "A device with its links: what times are estimated by.")
        .def_ro("name", &NamedCostModel::name)
        .def_ro("description", &NamedCostModel::description, "A sentence.")
        .def_ro("device", &NamedCostModel::device_name)
        .def_ro("memory_bytes", &NamedCostModel::memory_bytes, "What the device holds; 0 where that is not known.")
        .def(
            "document", [](const NamedCostModel& model) { return parsed_json(cost_model_text(model)); },
            nb::sig("def document(self) -> dict[str, typing.Any]"), "The overlap-cost-model document.");
    core.def(
        "cost_models",
        [] {
            const std::span<const NamedCostModel> models = built_in_cost_models();
            return std::vector<NamedCostModel>(models.begin(), models.end());
        },
        "The built-in cost models: published figures of usual devices, which a calibration replaces.");
    core.def(
        "cost_model", [](const CostModelArgument& model) { return cost_model_of(model); }, nb::arg("name_or_file"),
        "The built-in cost model of that name, else the one in the file of that name.\n\n"
        "Raises InputError where there is neither, with the names of the built-in ones.");
}

}  // namespace

NamedCostModel cost_model_of(const CostModelArgument& model) {
    if (const auto* given = std::get_if<NamedCostModel>(&model)) return *given;
    return find_cost_model(std::get<std::filesystem::path>(model).string());
}

void add_graphs(nb::module_& core) {
    add_groups(core);
    add_cost_models(core);
    nb::class_<GraphHandle>(core, "Graph", "The FX graph of one rank in execution order.")
        .def(
            "__len__", [](const GraphHandle& graph) { return graph.graph->node_count(); }, "Number of nodes.")
        .def("__repr__", shown)
        .def_prop_ro("name", [](const GraphHandle& graph) { return graph.graph->header().name; })
        .def_prop_ro("digest", digest, "16 hexadecimal digits by which a plan knows its graph.")
        .def_prop_ro(
            "node_names", [](const GraphHandle& graph) { return names_of(*graph.graph); },
            "Names of all nodes in execution order. Indices of nodes elsewhere are positions in this list.")
        .def_prop_ro(
            "process_groups", [](const GraphHandle& graph) { return graph.graph->header().process_groups; },
            "The process groups that the graph lists.")
        .def_prop_ro(
            "rank", [](const GraphHandle& graph) { return graph.graph->header().rank; },
            "The global rank that it is of, where the document says so.")
        .def_prop_ro(
            "world_size", [](const GraphHandle& graph) { return graph.graph->header().world_size; },
            "Ranks of the job, where the document says so.")
        .def_prop_ro("cost_model", model_name,
                     "The name of its cost model; None where it has none, or one without a name.")
        .def_ro("notes", &GraphHandle::notes,
                "What reading, or the change that made this graph, could not take over: sentences without full stop.")
        .def("json", document_of, "The overlap-graph document as text; every field that was read is in it.")
        .def("write", write, nb::arg("path"),
             "Writes the overlap-graph document, compressed where `path` ends in `.gz`. The file appears whole or not "
             "at all.\n\nRaises InputError where it cannot be written.")
        .def("with_cost_model", modelled, nb::arg("model"),
             "The graph with all times by this cost model, in place of its own.\n\n"
             "`model` is a CostModel, the name of a built-in one, or a `*.cost.json` file. `notes` says what was "
             "replaced.")
        .def("with_shared_links", linked,
             "The graph whose process groups share links: those within a host share a GPU's link, those across hosts "
             "its "
             "network card. Unchanged where its cost model says which do.\n\nRaises InputError without a cost model.")
        .def("with_compilation", compiled, nb::arg("scope").none(), nb::arg("attention_density") = 0.5,
             "The graph of a job that compiles its transformer blocks (`blocks`), all of it (`whole`) or nothing "
             "(`eager`): times are those of the kernels that run. None: times of nodes as traced.\n\n"
             "`attention_density` is the share of scores that the mask of flex attention leaves.\n"
             "Raises InputError without a cost model, which prices kernels.")
        .def("with_local_batch", with_batch, nb::arg("sequences"),
             "The graph of the same step with another number of sequences a rank.\n\n"
             "Raises InputError, with the node, where sizes cannot be followed through the graph.");
    core.def("read_graph", read_graph, nb::arg("path"), nb::kw_only(), nb::arg("progress").none() = nb::none(),
             "Reads an overlap-graph document, plain or gzip, or the one graph of a text of an FX graph or of a "
             "TORCH_TRACE log.\n\n"
             "`progress` is called with the share of nodes that have been read, from 0 to 1. What it raises ends the "
             "reading.\nRaises InputError with file and place.");
    core.def("parse_graph", parse_graph, nb::arg("document"), nb::arg("name") = "graph",
             "Reads an overlap-graph document from a text or from bytes, plain or gzip.\n\n"
             "`name` stands for the file in errors. Raises InputError with the place.");
}

}  // namespace overlap::python
