#include "core/passes/bucketing/bucketing_support.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/passes/hazards.h"
#include "core/passes/pass_support.h"

namespace overlap {

PassOption bucket_mode_option(std::string_view name, std::string_view help) {
    return {.name = std::string(name),
            .help = std::string(help),
            .choices = {"default", "custom_ops", "custom_ops_multidtype", "coalesced"},
            .empty_is_unset = true};
}

PassResult bucketed(const std::shared_ptr<const Graph>& graph, GraphEditor& editor, std::string_view pass,
                    PassReport report) {
    if (report.buckets.empty()) return unchanged(graph, pass);
    const std::optional<Problem> open = order_left_open(editor);
    PassResult result = finished(editor, pass);
    result.report = std::move(report);
    result.report.pass = pass;
    if (open) {
        result.report.problems.push_back(*open);
    } else {
        std::ranges::move(find_hazards(*graph, *result.graph, result.report),
                          std::back_inserter(result.report.problems));
    }
    return result;
}

}  // namespace overlap
