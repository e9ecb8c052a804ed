#include "app/commands/cost_model_option.h"

#include <ostream>

#include "app/commands/file_arguments.h"
#include "app/commands/formatting.h"
#include "core/cost/cost_model.h"
#include "core/cost/with_cost_model.h"
#include "core/io/cost_model_file.h"

namespace overlap::commands {

void CostModelOption::declare(CLI::App& command) {
    reads(command.add_option(
        "--cost-model", name_or_file_,
        "times of all nodes by this cost model, in place of those in the graph: a built-in one (overlap "
        "estimate --list-cost-models) or a *.cost.json file"));
}

std::shared_ptr<const Graph> CostModelOption::apply(const std::shared_ptr<const Graph>& graph,
                                                    const Streams& streams) const {
    if (!given()) return graph;
    ModelledGraph modelled = with_cost_model(graph, find_cost_model(name_or_file_));
    for (const std::string& note : modelled.notes) streams.notes << "overlap: " << one_line(note) << '\n';
    return std::move(modelled.graph);
}

InputError with_cost_model_hint(const InputError& error, const std::string& file) {
    const bool lacks_model = error.code() == ErrorCode::no_cost_model;
    return {error.file().empty() ? file : error.file(), error.place(),
            error.problem() + (lacks_model ? "; --cost-model gives it one" : ""), error.code()};
}

std::vector<double> times_of(const Graph& graph, const std::string& file) {
    try {
        return node_times_ms(graph);
    } catch (const InputError& error) {
        throw with_cost_model_hint(error, file);
    }
}

}  // namespace overlap::commands
