#include "core/batch/element_rules.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace overlap::batch_rules {
namespace {

/// `squeeze`, `select` and reductions over the dimensions that argument 1 names; kept with a size of 1 where
/// `keepdim`, argument 2, says so.
bool without_dimensions(const OperatorCall& call, bool may_keep) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input) return false;
    std::vector<bool> gone(input->rank(), false);
    std::size_t named = 0;
    const auto name = [&](const Value& dimension) {
        const std::size_t at =
            dimension.is(ValueKind::integer) ? OperatorCall::wrapped(dimension.integer, input->rank()) : input->rank();
        if (at < input->rank()) gone[at] = true;
        ++named;
        return at < input->rank();
    };
    if (const Value* one = call.graph.argument(call.node, 1); one && one->is(ValueKind::integer) && !name(*one))
        return false;
    for (const Value& dimension : call.list(1)) {
        if (!name(dimension)) return false;
    }
    const Dimensions output = call.out();
    const bool keeps = may_keep && call.flag(2);
    if (named == 0) return output.rank() == 0;
    std::size_t to = 0;
    for (std::size_t dimension = 0; dimension < input->rank(); ++dimension) {
        if (!gone[dimension]) call.classes.join(input->at(dimension), output.at(to));
        if (!gone[dimension] || keeps) ++to;
    }
    return to == output.rank();
}

}  // namespace

/// Elements of the results come from those at the same place of the arguments.
bool elementwise(const OperatorCall& call) {
    bool fits = true;
    for (const Value& argument : call.graph.children(call.graph.record(call.node).args)) {
        const std::optional<Dimensions> input = call.tensor(argument);
        for (std::size_t output = 0; input && output < call.graph.outputs(call.node).size(); ++output)
            fits = call.align(*input, call.out(output)) && fits;
    }
    return fits;
}

/// As elementwise; sizes of the last dimensions are in a list among the arguments.
bool normalization(const OperatorCall& call) {
    for (const Value& argument : call.graph.children(call.graph.record(call.node).args)) {
        const std::optional<Dimensions> input = call.tensor(0);
        if (!input || !argument.is(ValueKind::list) || argument.count > input->rank()) continue;
        if (argument.count > 0 && call.graph.children(argument)[0].is(ValueKind::integer))
            call.fix(*input, input->rank() - argument.count);
    }
    return elementwise(call);
}

bool item_of_tuple(const OperatorCall& call) {
    const Value* source = call.graph.argument(call.node, 0);
    const std::int64_t index = call.integer(1, -1);
    if (!source || !source->is(ValueKind::node) || index < 0) return false;
    call.join(call.classes.of(source->node, static_cast<std::size_t>(index)), call.out());
    return true;
}

bool complex_view(const OperatorCall& call) {  // the other way round, too: one of both has a last dimension of 2 more
    const std::optional<Dimensions> input = call.tensor(0);
    if (input) call.join(*input, call.out());
    return input.has_value();
}

/// Sizes are joined where they stand for the same elements. Where several become one or one several, the first of each
/// side is the outermost: the batch, if it is among them. Where one becomes several, the first of these must be the
/// batch alone, and none of the others be left to torch.
bool view(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input) return false;
    const Dimensions output = call.out();
    const std::span<const Value> sizes = call.list(1);
    const auto is_derived = [](const Value& size) { return size.is(ValueKind::integer) && size.integer == -1; };
    std::size_t in = 0, out = 0;
    const auto skip_ones = [](const Dimensions& of, std::size_t at) {
        while (at < of.rank() && of.sizes[at] == 1) ++at;
        return at;
    };
    while ((in = skip_ones(*input, in)) < input->rank() && (out = skip_ones(output, out)) < output.rank()) {
        std::int64_t in_elements = input->sizes[in], out_elements = output.sizes[out];
        if (in_elements == 0 || out_elements == 0) return false;
        const std::size_t outermost = out;
        call.classes.join(input->at(in++), output.at(out++));
        bool splits = false, derived = false;
        while (in_elements != out_elements) {
            const bool more_in = in_elements < out_elements;
            const Dimensions& side = more_in ? *input : output;
            std::size_t& at = more_in ? in : out;
            if (at >= side.rank()) return false;
            splits = splits || !more_in;
            derived = derived || (!more_in && at < sizes.size() && is_derived(sizes[at]));
            (more_in ? in_elements : out_elements) *= side.sizes[at];
            call.classes.fix(side.at(at++));
        }
        if (splits) call.classes.demand(output.at(outermost), Demand::batches_alone);
        if (derived) call.classes.demand(output.at(outermost), Demand::no_derived_size);
    }
    return true;
}

bool transpose(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input) return false;
    const bool whole = call.graph.target(call.node) == "aten.t.default";
    const Dimensions output = call.out();
    if (input->rank() < 2) return false;
    const std::size_t one = whole ? 0 : call.dimension(1, 0, input->rank());
    const std::size_t other = whole ? 1 : call.dimension(2, 1, input->rank());
    for (std::size_t dimension = 0; dimension < input->rank(); ++dimension) {
        const std::size_t to = dimension == one ? other : dimension == other ? one : dimension;
        call.classes.join(input->at(dimension), output.at(to));
    }
    return true;
}

bool permute(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    const std::span<const Value> order = call.list(1);
    if (!input || order.size() != input->rank()) return false;
    for (std::size_t to = 0; to < order.size(); ++to) {
        if (!order[to].is(ValueKind::integer)) return false;
        call.classes.join(input->at(OperatorCall::wrapped(order[to].integer, order.size())), call.out().at(to));
    }
    return true;
}

bool unsqueeze(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input) return false;
    const std::size_t added = call.dimension(1, 0, input->rank() + 1);
    for (std::size_t dimension = 0; dimension < input->rank(); ++dimension)
        call.classes.join(input->at(dimension), call.out().at(dimension + (dimension >= added ? 1 : 0)));
    return true;
}

bool reduction(const OperatorCall& call) {
    return without_dimensions(call, true);
}

bool squeeze(const OperatorCall& call) {
    return without_dimensions(call, false);
}

bool select(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input) return false;
    call.classes.fix(input->at(call.dimension(1, 0, input->rank())));
    return without_dimensions(call, false);
}

}  // namespace overlap::batch_rules
