// Why a collective is bucketed or exposed as it is, and what differs between two plans.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/advice/named_moves.h"
#include "core/base/error.h"
#include "core/explain/explain_node.h"
#include "core/io/report_json.h"
#include "core/measure/variant_comparison.h"
#include "core/plan/plan.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/handles.h"
#include "python/running.h"

namespace overlap::python {

namespace {

struct Explanation {
    std::shared_ptr<const Evaluation> evaluation;
    CollectiveExplanation explained;
    std::string node;
};

Explanation explain(const EvaluationHandle& handle, const std::string& node) {
    CollectiveExplanation explained = result_of([&](std::stop_token stop) {
        CollectiveExplanation found = explain_node(*handle.evaluation, node, stop);
        if (found.timing >= 0)
            for (std::string& sentence : evaluated_moves(handle.evaluation, static_cast<std::size_t>(found.timing),
                                                         RefusedMoves::left_out, stop))
                found.sentences.push_back(std::move(sentence));
        return found;
    });
    return {handle.evaluation, std::move(explained), node};
}

std::optional<std::string> collective_of(const Explanation& explanation) {
    const std::string& name = explanation.explained.collective;
    return name.empty() ? std::nullopt : std::optional(name);
}

nb::object bucket_of(const Explanation& explanation) {
    const BucketReport* bucket = explanation.explained.bucket;
    if (!bucket) return nb::none();
    return parsed_json(bucket_json(*bucket).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string sentences_of(const Explanation& explanation) {
    std::string lines;
    for (const std::string& sentence : explanation.explained.sentences)
        lines.append(lines.empty() ? "" : "\n").append(sentence).append(".");
    return lines;
}

/// What two evaluations are compared by is positions in the same graph.
Comparison compare(const EvaluationHandle& before, const EvaluationHandle& after) {
    return result_of([&](const std::stop_token&) {
        const Graph &first = *before.evaluation->original, &second = *after.evaluation->original;
        if (&first != &second && fingerprint(first) != fingerprint(second))
            throw InputError("",
                             "the two evaluations are of different graphs, so their collectives cannot be compared");
        return compare_variants(*before.evaluation, *after.evaluation);
    });
}

void add_explanations(nb::module_& core) {
    nb::class_<Explanation>(core, "Explanation", "Why a node is treated as it is.")
        .def_ro("node", &Explanation::node)
        .def_prop_ro(
            "collective", collective_of,
            "The collective that is explained: of a wait, what it waits for. None where the node is related to "
            "none.")
        .def_prop_ro("bucket", bucket_of, nb::sig("def bucket(self) -> dict[str, typing.Any] | None"),
                     "The bucket that it is merged in, as `overlap apply --report` writes it, or None.")
        .def_prop_ro(
            "sentences", [](const Explanation& explanation) { return explanation.explained.sentences; },
            "What it is merged with, or why not; why it is exposed, or what hides it; which option would help; what "
            "becomes of its tensor; what the moves that it names do to the step. Without full stops.")
        .def("__str__", sentences_of);
    core.def("explain", explain, nb::arg("evaluation"), nb::arg("node"),
             "Explains a node, by its name in the evaluation's input or in its graph.\n\n"
             "May run the plan's passes again with other options and moves.\nRaises InputError for a name that neither "
             "has, with the "
             "nearest.");
}

template <typename Field>
auto total(Field ComparisonTotals::*field) {
    return [field](const ComparisonTotals& totals) { return totals.*field; };
}

void add_comparisons(nb::module_& core) {
    nb::class_<ComparedCollective>(core, "ComparedCollective",
                                   "A collective as one side has it; of several that correspond to one, all together.")
        .def_ro("name", &ComparedCollective::name)
        .def_ro("process_group", &ComparedCollective::process_group)
        .def_prop_ro("kind", [](const ComparedCollective& one) { return std::string(collective_kind_name(one.kind)); })
        .def_ro("bytes", &ComparedCollective::bytes)
        .def_ro("start_ms", &ComparedCollective::start_ms)
        .def_ro("time_ms", &ComparedCollective::time_ms)
        .def_ro("exposed_ms", &ComparedCollective::exposed_ms)
        .def_ro("members", &ComparedCollective::members, "Collectives of the input that it does the work of.");
    nb::class_<ComparisonRow>(core, "ComparisonRow", "What became of a collective.")
        .def_prop_ro(
            "change", [](const ComparisonRow& row) { return std::string(collective_change_name(row.change)); },
            "`same`, `moved`, `changed`, `appeared`, `vanished`, `merged` or `split`.")
        .def_ro("before", &ComparisonRow::before, "None where it appeared.")
        .def_ro("after", &ComparisonRow::after, "None where it vanished or was merged.")
        .def_ro("counterpart", &ComparisonRow::counterpart,
                "Of what was merged or split, the collective of the other side that has most of it; else empty.")
        .def_prop_ro(
            "cause", [](const ComparisonRow& row) { return std::string(difference_cause_name(row.cause)); },
            "Against a measured step why it differs: `late_peer`, `contention`, `longer_kernel`, `launch_gap`, "
            "`shorter_kernel`; `none` where what ran before it did, and between plans.")
        .def_ro("remark", &ComparisonRow::remark, "The difference as a sentence without full stop; may be empty.")
        .def_prop_ro("exposed_change_ms", &ComparisonRow::exposed_change_ms, "Longer exposed by that much.")
        .def_prop_ro("time_change_ms", &ComparisonRow::time_change_ms, "Longer by that much.")
        .def_prop_ro("start_change_ms", &ComparisonRow::start_change_ms, "Later by that much.");
    nb::class_<ComparisonTotals>(core, "ComparisonTotals", "The figures of one side.")
        .def_ro("step_ms", &ComparisonTotals::step_ms)
        .def_ro("compute_ms", &ComparisonTotals::compute_ms)
        .def_ro("communication_ms", &ComparisonTotals::communication_ms)
        .def_ro("exposed_ms", &ComparisonTotals::exposed_ms)
        .def_ro("peak_bytes", &ComparisonTotals::corrected_peak_bytes)
        .def_ro("torch_peak_bytes", &ComparisonTotals::estimated_peak_bytes)
        .def_ro("collectives", &ComparisonTotals::collectives, "How many.");
    nb::class_<Comparison>(core, "Comparison", "What differs between two evaluations of one graph.")
        .def_ro("before", &Comparison::before)
        .def_ro("after", &Comparison::after)
        .def_ro("rows", &Comparison::rows, "Every collective of either side once, the greatest effects first.");
    core.def("compare", compare, nb::arg("before"), nb::arg("after"),
             "Compares two evaluations of one graph, such as two plans or one plan and the graph as it is.\n\n"
             "Raises InputError where they are of different graphs.");
}

}  // namespace

void add_explanations_and_comparisons(nb::module_& core) {
    add_explanations(core);
    add_comparisons(core);
}

}  // namespace overlap::python
