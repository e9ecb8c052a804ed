#include "app/arguments/cost_model_option.h"

#include <ostream>

#include "app/arguments/file_arguments.h"
#include "app/arguments/number_range.h"
#include "app/commands/formatting.h"
#include "core/batch/scaled_batch.h"
#include "core/cost/shared_links.h"
#include "core/cost/with_cost_model.h"
#include "core/io/cost_model/cost_model_file.h"
#include "core/pipeline/time_source.h"
#include "core/simulate/contention.h"

namespace overlap::commands {

namespace {

bool has_flex_attention(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.target(node).starts_with("higher_order.flex_attention")) return true;
    }
    return false;
}

/// Before links are shared: that puts an object of contention into a cost model that has no factors.
void require_contention(const Graph& graph, const std::string& file) {
    try {
        contention_of(graph);
    } catch (const InputError& error) {
        throw error.file().empty() ? error.in_file(file) : error;
    }
}

}  // namespace

void CostModelOption::declare(CLI::App& command) {
    reads(command.add_option(
        "--cost-model", name_or_file_,
        "times of all nodes by this cost model, in place of those in the graph: a built-in one (overlap "
        "estimate --list-cost-models) or a *.cost.json file"));
}

void CostModelOption::declare_compilation(CLI::App& command) {
    compiled_.declare(
        command,
        "times of a job that compiles its transformer blocks, the whole graph, or nothing (eager): kernels as "
        "that job runs them, priced by the cost model; none: times of nodes as traced, whatever the graph "
        "says");
    command
        .add_option(
            "--attention-density", attention_density_,
            "of a compiled job, and of flex attention alone: the share of scores that the mask leaves (0.5: causal)")
        ->check(number_from(0, 1));
}

void CostModelOption::declare_shared_links(CLI::App& command) {
    command.add_flag("--shared-links", share_links_, shared_links_help);
}

void CostModelOption::declare_batch(CLI::App& command) {
    command
        .add_option("--local-batch", local_batch_,
                    "the step with this many sequences a rank, where the graph was traced with another number: sizes "
                    "are followed through every operator, or the graph is refused with the reason")
        ->check(whole_number_from(1, 1'000'000));
}

std::string CostModelOption::given_option() const {
    if (!name_or_file_.empty()) return "--cost-model";
    if (compiled_.given()) return "--compiled";
    if (attention_density_) return "--attention-density";
    return local_batch_ ? "--local-batch" : "";
}

std::optional<Compilation> CostModelOption::compilation(const Graph& graph) const {
    const std::optional<CostParameters>& cost = graph.header().cost;
    std::optional<Compilation> compilation = cost ? cost->compilation : std::nullopt;
    if (compiled_.asks_for_none() && attention_density_)
        throw CLI::ValidationError("--attention-density", "it is of a compiled job, and --compiled none asks for none");
    if (compiled_.asks_for_none()) return std::nullopt;
    if (const auto scope = compiled_.scope()) {
        if (!compilation) compilation.emplace();
        compilation->scope = *scope;
    }
    if (attention_density_) {
        if (!compilation)
            throw CLI::ValidationError("--attention-density", "it is of a compiled job: --compiled is missing");
        compilation->attention_density = *attention_density_;
    }
    return compilation;
}

std::shared_ptr<const Graph> CostModelOption::with_batch(const std::shared_ptr<const Graph>& graph,
                                                         const std::string& file) const {
    if (!local_batch_) return graph;
    try {
        return with_local_batch(graph, *local_batch_);
    } catch (const InputError& error) {
        throw error.in_file(file);
    }
}

std::shared_ptr<const Graph> CostModelOption::apply(const std::shared_ptr<const Graph>& graph, const std::string& file,
                                                    const Streams& streams, bool contention) const {
    std::shared_ptr<const Graph> modelled = with_batch(graph, file);
    if (!name_or_file_.empty()) {
        ModelledGraph made = with_cost_model(modelled, find_cost_model(name_or_file_));
        for (const std::string& note : made.notes) streams.notes << "overlap: " << one_line(note) << '\n';
        modelled = std::move(made.graph);
    }
    if (contention) require_contention(*modelled, file);
    if (share_links_) modelled = with_shared_links(modelled, LinkSharing::by_host);
    if (!compiled_.given() && !attention_density_) return modelled;
    if (attention_density_ && !has_flex_attention(*modelled))
        streams.notes << "overlap: " << file
                      << ": --attention-density has no effect: the graph has no flex attention, whose mask it is of\n";
    try {
        return with_compilation(modelled, compilation(*modelled));
    } catch (const InputError& error) {
        throw with_cost_model_hint(error, file);
    }
}

std::shared_ptr<const TimeSource> CostModelOption::link_source(const Graph& graph) const {
    return overlap::commands::link_source(graph, share_links_);
}

std::shared_ptr<const TimeSource> link_source(const Graph& graph, bool share_links) {
    return share_links && !graph.header().cost ? modelled_source(false, {}, true) : nullptr;
}

void print_contention_notes(const Streams& streams, const std::string& file, const Graph& graph) {
    if (contention_of(graph).none()) {
        streams.notes << "overlap: " << file
                      << ": the cost model's factors of contention are all zero, so figures are those without it; "
                         "overlap calibrate finds them in runs of the job\n";
    }
    std::string unknown;
    for (const std::string& factor :
         unknown_factors(*named_model_of(*graph.header().cost, graph.header().name).contention))
        unknown += (unknown.empty() ? "" : "; ") + factor;
    if (unknown.empty()) return;
    streams.notes << "overlap: " << file
                  << ": the cost model does not know, and figures leave out: " << one_line(unknown) << '\n';
}

InputError with_cost_model_hint(const InputError& error, const std::string& file) {
    const bool lacks_model = error.code() == ErrorCode::no_cost_model;
    return {error.file().empty() ? file : error.file(), error.place(),
            error.problem() + (lacks_model ? "; --cost-model gives it one" : ""), error.code()};
}

std::vector<double> times_of(const Graph& graph, const std::string& file) {
    try {
        return sourced_times(graph, own_time_source(graph).get()).times_ms;
    } catch (const InputError& error) {
        throw with_cost_model_hint(error, file);
    }
}

}  // namespace overlap::commands
