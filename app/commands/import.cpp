// overlap import FILE...: a graph document from a text or a log that torch wrote.

#include <cstdint>
#include <limits>
#include <ostream>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/number_range.h"
#include "app/arguments/readable_value.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/base/error.h"
#include "core/base/wording.h"
#include "core/files/ordered_json.h"
#include "core/imports/import_source.h"
#include "core/imports/tensor_table.h"
#include "core/imports/told_options.h"
#include "core/io/graph_file.h"
#include "core/passes/pass.h"

namespace overlap::commands {

namespace {

/// Ranks are numbers of 32 bits in graphs.
constexpr std::int64_t most_ranks = std::numeric_limits<int>::max();

Json graph_json(const ImportableGraph& graph, std::size_t number) {
    Json json = {{"number", number},
                 {"file", graph.file},
                 {"kind", graph.kind},
                 {"nodes", graph.nodes},
                 {"collectives", graph.collectives}};
    if (!graph.compile_id.empty()) json["compile_id"] = graph.compile_id;
    if (!graph.label.empty()) json["compiled"] = graph.label;
    if (graph.rank) json["rank"] = *graph.rank;
    if (graph.record_line != 0) json["line"] = graph.record_line;
    if (!graph.problem.empty()) json["problem"] = graph.problem;
    json["damaged"] = graph.is_damaged;
    return json;
}

class Import final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "import", "A graph document from a text of an FX graph or a TORCH_TRACE log; several files are ranks.");
        reads(command->add_option("FILE", files_, "text (print_readable, fx_graph_runnable, print(graph)) or log"))
            ->required();
        command->add_option("--graph", wanted_, "which graph: its number in the list, its kind, or KIND COMPILE_ID");
        command->add_flag("--list", list_, "list the graphs instead, and compare ranks");
        writes(command->add_option("-o,--output", output_, "graph document to write, .graph.json or .graph.json.gz"));
        cost_model_.declare(*command);
        cost_model_.declare_compilation(*command);
        command->add_option("--symbol", symbols_, "NAME=VALUE: the value of a symbolic size")
            ->check(readable_by([](const std::string& text) { return told_symbol(text, ""); }));
        command->add_option("--group", groups_, "NAME=0-7,16-23 or NAME=0,2,4: the ranks of a process group")
            ->check(readable_by([](const std::string& text) { return told_process_group(text, ""); }));
        command->add_option("--rank", rank_, "the rank whose graph this is")
            ->check(whole_number_from(0, most_ranks - 1));
        command->add_option("--world-size", world_size_, "ranks of the job")->check(whole_number_from(1, most_ranks));
        command->add_option("--device", device_, "device of tensors whose device is not given (cuda)");
        reads(command->add_option("--tensors", tensors_,
                                  "JSON file {\"NODE\": \"bf16[16, 32][32, 1]cuda:0\"} of types that are missing"));
        command->add_flag("--json", json_, "print JSON");
        command->callback([this] {
            if (output_.empty() && !list_) throw CLI::RequiredError("--output, or --list to list what there is,");
            if (rank_ && world_size_ && *rank_ >= *world_size_)
                throw CLI::ValidationError("--rank", "rank " + std::to_string(*rank_) + " is not one of a job of " +
                                                         counted(*world_size_, "rank"));
        });
        return command;
    }

    void run(const Streams& streams) override {
        const ImportListing listing = list_importable_graphs(files_);
        if (list_) {
            show(streams, listing);
            return;
        }
        for (const std::string& note : listing.notes) streams.notes << "overlap: " << one_line(note) << '\n';
        const ImportableGraph& chosen = [&]() -> const ImportableGraph& {
            try {
                return choose_graph(listing, wanted_);
            } catch (const InputError& error) {
                throw error.in_file(files_.front());
            }
        }();
        const ImportedGraph imported = import_graph(chosen, options());
        write_graph_file(*cost_model_.apply(imported.graph, files_.front(), streams), output_);
        report(streams, chosen, imported);
    }

  private:
    ImportOptions options() const {
        ImportOptions options;
        options.rank = rank_;
        options.world_size = world_size_;
        if (!device_.empty()) options.device = device_;
        for (const std::string& symbol : symbols_) options.symbols.insert(told_symbol(symbol, "--symbol"));
        for (const std::string& group : groups_) {
            options.process_groups.push_back(told_process_group(group, "--group"));
        }
        if (!tensors_.empty()) options.tensors = read_tensor_table(tensors_, options.symbols);
        return options;
    }

    void show(const Streams& streams, const ImportListing& listing) const {
        const std::vector<std::string> comparison = compare_ranks(listing);
        if (json_) {
            Json json = {{"graphs", Json::array()}, {"notes", listing.notes}, {"ranks", comparison}};
            for (std::size_t index = 0; index < listing.graphs.size(); ++index) {
                json["graphs"].push_back(graph_json(listing.graphs[index], index + 1));
            }
            streams.out << json_text(json) << '\n';
            return;
        }
        std::vector<std::string> head = {"graph", "rank", "compile id", "kind", "nodes", "collectives", "compiled"};
        const bool has_files = files_.size() > 1;
        if (has_files) head.insert(head.begin() + 1, "file");
        TextTable table(head);
        for (std::size_t index = 0; index < listing.graphs.size(); ++index) {
            const ImportableGraph& graph = listing.graphs[index];
            std::vector<std::string> row = {
                std::to_string(index + 1),
                graph.rank ? std::to_string(*graph.rank) : "",
                name_text(graph.compile_id),
                name_text(graph.kind),
                graph.problem.empty() ? std::to_string(graph.nodes) : "?",
                graph.problem.empty() ? std::to_string(graph.collectives) : "?",
                graph.problem.empty() ? name_text(graph.label) : name_text(graph.problem, longest_sentence)};
            if (has_files) row.insert(row.begin() + 1, graph.file);
            table.add(row);
        }
        table.write(streams.out, "");
        for (const std::string& sentence : comparison) streams.out << name_text(sentence, longest_sentence) << '\n';
        for (const std::string& note : listing.notes) streams.notes << "overlap: " << one_line(note) << '\n';
    }

    void report(const Streams& streams, const ImportableGraph& chosen, const ImportedGraph& imported) const {
        const TypingReport& typing = imported.typing;
        if (json_) {
            Json json = graph_json(chosen, 1);
            json.erase("number");
            json["nodes"] = imported.graph->node_count();
            json["typed_by_text"] = typing.declared;
            json["typed_by_rule"] = typing.propagated;
            json["without_tensor"] = typing.without_tensor;
            json["unknown"] = typing.unknown;
            json["unknown_operators"] = typing.unknown_operators;
            json["unknown_inputs"] = typing.unknown_inputs;
            json["notes"] = sentences_of(imported.notes);
            streams.out << json_text(json) << '\n';
            return;
        }
        streams.out << name_text(chosen.title(), longest_sentence) << ": "
                    << counted(imported.graph->node_count(), "node") << "; tensors of " << typing.declared
                    << " given by the text, of " << typing.propagated << " inferred, of " << typing.unknown
                    << " unknown\n";
        for (const ImportNote& note : imported.notes) streams.notes << "overlap: " << one_line(note.sentence) << '\n';
        for (const ImportNote& note : unknown_notes(typing, "--tensors"))
            streams.notes << "overlap: " << one_line(note.sentence) << '\n';
    }

    std::vector<std::string> files_, symbols_, groups_;
    std::string wanted_, output_, device_, tensors_;
    std::optional<std::int64_t> rank_, world_size_;
    CostModelOption cost_model_;
    bool list_ = false;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_import() {
    return std::make_unique<Import>();
}

}  // namespace overlap::commands
