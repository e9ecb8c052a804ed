// How short a step can be at best, the search for plans that come near, and redistribution.

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/base/error.h"
#include "core/cost/shared_links.h"
#include "core/files/ordered_json.h"
#include "core/io/redistribution_answers.h"
#include "core/io/redistribution_cases.h"
#include "core/memory/device_memory.h"
#include "core/pipeline/evaluation.h"
#include "core/search/plan_search.h"
#include "core/search/search_report.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/handles.h"
#include "python/running.h"

namespace overlap::python {

namespace {

std::shared_ptr<const Graph> linked_graph(const GraphHandle& graph, bool separate_links) {
    return with_shared_links(graph.graph, separate_links ? LinkSharing::by_group : LinkSharing::by_host);
}

LowerBound bound(const GraphHandle& graph, std::optional<std::int64_t> memory_limit, bool separate_links,
                 bool any_order) {
    return result_of([&](const std::stop_token&) {
        return lower_bound(*step_work(linked_graph(graph, separate_links)), memory_limit, any_order);
    });
}

/// With what its report says of it.
struct FoundPlan {
    SearchResult result;
    double simulated_ms = 0;
    std::vector<Problem> problems{};  ///< of the figures
};

using SearchProgressCall = std::optional<nb::typed<nb::callable, nb::object(SearchProgress)>>;

FoundPlan search(const GraphHandle& graph, const std::optional<Plan>& start, std::optional<std::int64_t> memory_limit,
                 std::size_t effort, unsigned threads, std::uint32_t seed, bool separate_links,
                 const std::vector<std::string>& locks, bool any_order, const SearchProgressCall& progress) {
    if (effort == 0) throw InputError("effort", "expected 1 or more");
    if (!locks.empty() && !start) throw InputError("locks", "there is no plan to start from, whose parts they are");
    PlanLocks kept;
    for (const std::string& lock : locks) add_lock(kept, lock, *start);
    Reports<SearchProgress> reports;
    std::stop_source enough;
    return result_of(
        [&](const std::stop_token& interrupted) {
            const std::stop_callback pass_on(interrupted, [&] { enough.request_stop(); });
            SearchOptions options;
            options.memory_limit = memory_limit;
            options.effort = effort;
            options.threads = threads;
            options.seed = seed;
            options.from = start;
            options.locks = kept;
            options.any_order = any_order;
            options.stop = enough.get_token();
            options.progress = [&](const SearchProgress& made) { reports.add(made); };
            FoundPlan found{search_plans(linked_graph(graph, separate_links), options)};
            const std::shared_ptr<const Evaluation> simulated = evaluate(graph.graph, found.result.best.plan);
            found.simulated_ms = simulated->simulation.step_ms;
            if (auto problem = memory_problem(*simulated->graph, simulated->corrected_memory))
                found.problems.push_back(std::move(*problem));
            found.result.best.plan = found_plan(found.result, found.simulated_ms);
            return found;
        },
        [&] {
            for (const SearchProgress& made : reports.take())
                if (progress && (*progress)(made).is(nb::handle(Py_False))) enough.request_stop();
        });
}

nb::object report_of(const FoundPlan& found) {
    return parsed_json(search_report_json(found.result, found.simulated_ms, found.problems));
}

nb::object redistribute(nb::handle cases, const std::string& name) {
    const std::string text = nb::isinstance<nb::str>(cases) ? nb::cast<std::string>(cases) : json_of(cases);
    const std::string answers = result_of([&](const std::stop_token& stop) {
        RedistributionAnswers answering;
        Json list = Json::array();
        for (const MeshCase& question : read_redistribution_cases_text(text, name)) {
            if (stop.stop_requested()) break;  // the answers are not looked at then
            list.push_back(answering.answer(question));
        }
        return list.dump(-1, ' ', false, Json::error_handler_t::replace);
    });
    return parsed_json(answers);
}

void add_bounds(nb::module_& core) {
    nb::class_<BoundStep>(core, "BoundStep", "A stretch of time that no plan can shorten.")
        .def_prop_ro(
            "kind", [](const BoundStep& step) { return std::string(bound_step_kind_name(step.kind)); },
            "`compute`, `link`, `collective` or `memory`.")
        .def_ro("start_ms", &BoundStep::start_ms)
        .def_ro("end_ms", &BoundStep::end_ms)
        .def_ro("first", &BoundStep::first, "The node at its beginning.")
        .def_ro("last", &BoundStep::last, "The node at its end.")
        .def_ro("groups", &BoundStep::groups, "The process groups of a link.");
    nb::class_<LowerBound>(core, "Bound", "How short a step can be at best, whatever the plan.")
        .def_ro("step_ms", &LowerBound::step_ms, "The larger of the two that follow.")
        .def_ro("ordered_ms", &LowerBound::ordered_ms,
                "For plans that keep the order of the heavy compute; 0 with `any_order`.")
        .def_ro("order_free_ms", &LowerBound::order_free_ms, "For all plans, in whatever order they compute.")
        .def_ro("chain", &LowerBound::chain, "Why: stretches in order of time, together as long as `step_ms`.")
        .def_ro("order_free_chain", &LowerBound::order_free_chain, "The same for `order_free_ms`.")
        .def_ro("reason", &LowerBound::reason, "The same in a sentence without full stop.")
        .def_ro("least_peak_bytes", &LowerBound::least_peak_bytes, "What must be alive at once in every plan.")
        .def_ro("least_peak_node", &LowerBound::least_peak_node, "While it runs.");
    core.def(
        "bound", bound, nb::arg("graph"), nb::kw_only(), nb::arg("memory_limit").none() = nb::none(),
        nb::arg("separate_links") = false, nb::arg("any_order") = false,
        "How short a step of the graph can be at best.\n\n"
        "`memory_limit` is of the peak, bytes. `separate_links` gives each process group a link of its own; without "
        "it groups within a host share one, and groups across hosts another, unless the cost model says which do. "
        "`any_order` "
        "asks for the bound of plans that may change the order of heavy compute alone: `ordered_ms` is 0.\n"
        "Raises InputError where times are not known, or no plan stays within the limit.");
}

void add_searches(nb::module_& core) {
    nb::class_<SearchProgress>(core, "SearchProgress", "How far a search is.")
        .def_ro("evaluations", &SearchProgress::evaluations, "Plans that were evaluated.")
        .def_ro("effort", &SearchProgress::effort, "How many may be.")
        .def_ro("best_ms", &SearchProgress::best_ms, "The shortest step so far; 0: none yet.")
        .def_ro("bound_ms", &SearchProgress::bound_ms, "What no plan can beat.")
        .def_ro("best_peak_bytes", &SearchProgress::best_peak_bytes)
        .def_ro("origin", &SearchProgress::origin, "How the best was made, in words.");
    nb::class_<Candidate>(core, "Candidate", "A plan that a search has evaluated.")
        .def_ro("plan", &Candidate::plan)
        .def_ro("origin", &Candidate::origin, "How it was made, in words.")
        .def_ro("refusal", &Candidate::refusal, "Why it cannot be used; empty: it can.")
        .def_ro("step_ms", &Candidate::step_ms)
        .def_ro("exposed_ms", &Candidate::exposed_ms)
        .def_ro("peak_bytes", &Candidate::corrected_peak_bytes);
    nb::class_<FrontPoint>(core, "FrontPoint", "The shortest step that was found within a limit of memory.")
        .def_ro("limit_bytes", &FrontPoint::limit_bytes)
        .def_ro("step_ms", &FrontPoint::step_ms)
        .def_ro("peak_bytes", &FrontPoint::peak_bytes)
        .def_ro("bound_ms", &FrontPoint::bound_ms, "What no plan within the limit can beat.")
        .def_ro("plan", &FrontPoint::plan)
        .def_ro("knee", &FrontPoint::knee, "Behind it memory gains least for what it costs.");
    nb::class_<FoundPlan>(core, "SearchResult", "What a search has found.")
        .def_prop_ro(
            "plan", [](const FoundPlan& found) { return found.result.best.plan; }, "The best plan.")
        .def_prop_ro(
            "best", [](const FoundPlan& found) { return found.result.best; }, "The best with its figures.")
        .def_prop_ro("bound", [](const FoundPlan& found) { return found.result.bound; })
        .def_prop_ro(
            "baselines", [](const FoundPlan& found) { return found.result.baselines; },
            "The graph as it is, the given plan, the presets, PyTorch's scheduler alone.")
        .def_prop_ro(
            "front", [](const FoundPlan& found) { return found.result.front; },
            "Step against peak memory, the least memory first.")
        .def_prop_ro("evaluations", [](const FoundPlan& found) { return found.result.evaluations; })
        .def_prop_ro(
            "locked", [](const FoundPlan& found) { return found.result.locked; },
            "What of the given plan was kept, in words.")
        .def_prop_ro(
            "groups_left_out", [](const FoundPlan& found) { return found.result.groups_left_out; },
            "Process groups that the given plan has settings for and the best does not make: it is without them.")
        .def_prop_ro(
            "stopped", [](const FoundPlan& found) { return found.result.stopped; }, "Whether `progress` ended it.")
        .def("report", report_of, nb::sig("def report(self) -> dict[str, typing.Any]"),
             "All of it, as `overlap search --report` writes it.");
    core.def(
        "search", search, nb::arg("graph"), nb::kw_only(), nb::arg("start").none() = nb::none(),
        nb::arg("memory_limit").none() = nb::none(), nb::arg("effort") = std::size_t{1500}, nb::arg("threads") = 0u,
        nb::arg("seed") = std::uint32_t{1}, nb::arg("separate_links") = false,
        nb::arg("locks") = std::vector<std::string>(), nb::arg("any_order") = false,
        nb::arg("progress").none() = nb::none(),
        "Looks for a plan with a short step.\n\n"
        "`start` is a plan to improve, beside presets and PyTorch's scheduler. `memory_limit` is of the peak, bytes. "
        "`effort` is how many plans are evaluated at most, `threads` on how many threads (0: one for each "
        "processor); the result does not depend on it. `seed` is of what is tried at random.\n"
        "`locks` are parts of `start` that every plan keeps as they are: `buckets`, `bucket:MODULE` or `bucket:NUMBER` "
        "(from 1), `overlaps`, `overlap:COLLECTIVE`, `passes`, `pass:NAME`, `memory`. `any_order` lets plans change "
        "the order of heavy compute; the bound is then the one for any order.\n"
        "`progress` is called after each round; where it returns False, the search ends with the best so far.\n"
        "Raises InputError for a graph without times or collectives, where a lock is of nothing that the plan has, and "
        "where nothing stays within the limit.");
}

}  // namespace

void add_bounds_and_searches(nb::module_& core) {
    add_bounds(core);
    add_searches(core);
    core.def("redistribute", redistribute, nb::arg("cases"), nb::arg("name") = "cases",
             nb::sig("def redistribute(cases: str | collections.abc.Mapping[str, typing.Any], name: str = 'cases') -> "
                     "list[dict[str, typing.Any]]"),
             "Which collectives lead from one placement of a tensor to another: an answer for each case, as "
             "`overlap redistribute` writes it.\n\n"
             "`cases` is a document of cases (docs/formats.md), as text or as objects; `name` stands for the file in "
             "errors.\nRaises InputError with the place; a case without an answer has `error`.");
}

}  // namespace overlap::python
