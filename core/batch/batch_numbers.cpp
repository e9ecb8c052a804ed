#include "core/batch/batch_numbers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/batch/batch_rules.h"
#include "core/batch/refusal.h"

namespace overlap {
namespace {

/// The whole number of at least two that a number is, or one divided by it, whatever its sign.
std::optional<std::int64_t> count_in(const Value& value) {
    const double number = std::fabs(value.is(ValueKind::integer)    ? static_cast<double>(value.integer)
                                    : value.is(ValueKind::floating) ? value.floating
                                                                    : 0);
    if (!(number > 0)) return std::nullopt;
    const double count = number >= 1 ? number : 1 / number, whole = std::round(count);
    constexpr double rounding = 1e-6;  // of a reciprocal in float32
    if (whole < 2 || whole > 1e15 || std::fabs(count - whole) > (number >= 1 ? 0 : rounding * whole))
        return std::nullopt;
    return static_cast<std::int64_t>(whole);
}

struct Factor {
    bool is_one = false;
    bool scales = false;       ///< what argument 0 is; else the number fills a tensor
    std::size_t argument = 0;  ///< at which the number stands
};

/// The number that calls of an operator divide, multiply or fill by.
Factor factor_of(std::string_view target) {
    for (const std::string_view scaling : {"aten.div.", "aten.div_.", "aten.mul.", "aten.mul_."}) {
        if (target.starts_with(scaling)) return {true, true, 1};
    }
    if (target == "aten.scalar_tensor.default") return {true, false, 0};
    if (target == "aten.new_full.default") return {true, false, 2};
    return {target == "aten.full.default" || target == "aten.full_like.default", false, 1};
}

/// What could be made from the batch in a graph whose classes are known.
class BatchNumbers {
  public:
    BatchNumbers(const DimensionClasses& classes, std::int64_t batch, const std::unordered_set<NodeId>& parameters)
        : classes_(classes), graph_(classes.graph()), batch_(batch), parameters_(parameters) {
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const bool is_input = graph_.op(node) == NodeOp::placeholder || graph_.op(node) == NodeOp::get_attr;
            for (std::size_t output = 0; output < graph_.outputs(node).size(); ++output)
                note(classes_.of(node, output), is_input);
        }
    }

    void check(NodeId node) const {
        if (graph_.op(node) == NodeOp::placeholder && !parameters_.contains(node)) check_input(node);
        if (graph_.op(node) != NodeOp::call_function) return;
        if (makes_sizes(node)) check_sizes(node);
        check_factor(node);
    }

  private:
    void note(const Dimensions& tensor, bool is_input) {
        std::int64_t elements = 1;
        bool grows = false;
        for (std::size_t dimension = 0; dimension < tensor.rank(); ++dimension) {
            elements *= tensor.sizes[dimension];
            if (is_input) ++of_inputs_[classes_.root(tensor.at(dimension))];
            if (!classes_.grows(tensor.at(dimension))) continue;
            grows = true;
            counts_.insert(tensor.sizes[dimension]);
        }
        if (grows) counts_.insert(elements);
    }

    /// Whether nothing says if the dimension grows.
    bool is_loose(DimensionId dimension) const {
        return !classes_.grows(dimension) && !classes_.fixed(dimension) &&
               !of_inputs_.contains(classes_.root(dimension));
    }

    void check_input(NodeId node) const {
        const Dimensions tensor = classes_.of(node);
        if (tensor.rank() < 2 || tensor.sizes[0] != batch_) return;
        const bool has_others = of_inputs_.at(classes_.root(tensor.at(0))) > 1;  // a weight that meets other weights
        if (!classes_.grows(tensor.at(0)) && !classes_.fixed(tensor.at(0)) && !has_others)
            refuse_batch(graph_, node,
                         "whether its first size of " + std::to_string(batch_) + " is the batch is not known");
    }

    /// Whether sizes of the result are among the arguments, and no input has them.
    bool makes_sizes(NodeId node) const {
        return has_free_sizes(graph_.target(node)) || (!has_batch_rule(graph_.target(node)) && names_number(node));
    }

    bool names_number(NodeId node) const {
        const auto holds_batch = [&](const Value& value) {
            return value.is(ValueKind::integer) && value.integer >= batch_ && value.integer % batch_ == 0;
        };
        return std::ranges::any_of(graph_.children(graph_.record(node).args), [&](const Value& argument) {
            return argument.is(ValueKind::list) ? std::ranges::any_of(graph_.children(argument), holds_batch)
                                                : holds_batch(argument);
        });
    }

    void check_sizes(NodeId node) const {
        for (std::size_t output = 0; output < graph_.outputs(node).size(); ++output) {
            const Dimensions tensor = classes_.of(node, output);
            for (std::size_t dimension = 0; dimension < tensor.rank(); ++dimension) {
                const std::int64_t size = tensor.sizes[dimension];
                if (size >= batch_ && size % batch_ == 0 && is_loose(tensor.at(dimension)))
                    refuse_batch(
                        graph_, node,
                        "whether its size of " + std::to_string(size) + " is made from the batch is not known");
            }
        }
    }

    /// A number that something is divided or multiplied by, or that fills a tensor.
    void check_factor(NodeId node) const {
        const Factor factor = factor_of(graph_.target(node));
        const Value* number = factor.is_one ? graph_.argument(node, factor.argument) : nullptr;
        const std::optional<std::int64_t> count = number ? count_in(*number) : std::nullopt;
        if (!count || !counts_.contains(*count)) return;
        const Value* scaled = graph_.argument(node, 0);
        const bool is_mean = factor.scales && scaled->is(ValueKind::node) && is_expanded_by(scaled->node, *count);
        const bool grows_mean = is_mean && expands_batch(scaled->node);
        // Few numbers are as frequent as a small batch: alone it counts only as what scales a loss.
        const bool doubtful = *count == batch_ ? factor.scales && classes_.of(node).rank() == 0 : !is_mean;
        if (doubtful || grows_mean)
            refuse_batch(graph_, node,
                         "its number of " + std::to_string(*count) +
                             " may count what grows with the batch, and would have to grow with it");
    }

    /// Elements that an expanded tensor repeats each of its own: a mean's gradient is divided by that.
    bool is_expanded_by(NodeId node, std::int64_t count) const {
        std::int64_t repeated = 1;
        for_each_expanded(node, [&](const Dimensions& tensor, std::size_t at) { repeated *= tensor.sizes[at]; });
        return repeated == count;
    }
    bool expands_batch(NodeId node) const {
        bool found = false;
        for_each_expanded(
            node, [&](const Dimensions& tensor, std::size_t at) { found = found || classes_.grows(tensor.at(at)); });
        return found;
    }
    template <typename Visit>
    void for_each_expanded(NodeId node, const Visit& visit) const {
        const Value* source = graph_.argument(node, 0);
        if (graph_.target(node) != "aten.expand.default" || !source || !source->is(ValueKind::node)) return;
        const Dimensions tensor = classes_.of(node), before = classes_.of(source->node);
        const std::size_t added = tensor.rank() - std::min(before.rank(), tensor.rank());
        for (std::size_t at = 0; at < tensor.rank(); ++at) {
            if (at < added || before.sizes[at - added] != tensor.sizes[at]) visit(tensor, at);
        }
    }

    const DimensionClasses& classes_;
    const Graph& graph_;
    const std::int64_t batch_;
    const std::unordered_set<NodeId>& parameters_;
    std::unordered_map<DimensionId, std::size_t> of_inputs_;  ///< dimensions of inputs in each class that has some
    std::unordered_set<std::int64_t> counts_;                 ///< sizes that grow, and elements of tensors that do
};

}  // namespace

void refuse_numbers_of_batch(const DimensionClasses& classes, std::int64_t batch,
                             const std::unordered_set<NodeId>& parameters) {
    const BatchNumbers numbers(classes, batch, parameters);
    for (NodeId node = 0; node < classes.graph().node_count(); ++node) numbers.check(node);
}

}  // namespace overlap
