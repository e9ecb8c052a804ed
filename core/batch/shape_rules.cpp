#include "core/batch/shape_rules.h"

#include <cstdint>
#include <optional>
#include <set>
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

/// Whether the slices of a tensor along a dimension are parts of one size that make up all of it: what `torch.chunk`
/// becomes in a trace.
bool is_part(const OperatorCall& call, std::size_t cut) {
    const NodeId source = call.graph.argument(call.node, 0)->node;
    const std::int64_t whole = call.tensor(0)->sizes[cut], part = call.out().sizes[cut];
    if (part == 0 || whole % part != 0 || call.integer(4, 1) != 1) return false;
    std::set<std::int64_t> starts;
    for (const NodeId user : call.graph.users(source)) {
        if (call.graph.target(user) != call.graph.target(call.node)) continue;
        const OperatorCall other(call.classes, user);
        if (other.dimension(1, 0, call.out().rank()) != cut || other.out().rank() <= cut) continue;
        const std::int64_t start = other.integer(2, 0);
        if (other.out().sizes[cut] != part || start % part != 0) return false;
        starts.insert(start);
    }
    return static_cast<std::int64_t>(starts.size()) == whole / part;
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
/// side is the outermost: the batch, if it is among them. Where one becomes several, what grows must be the batch
/// alone.
bool view(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input) return false;
    const Dimensions output = call.out();
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
        while (in_elements != out_elements) {
            const bool more_in = in_elements < out_elements;
            const Dimensions& side = more_in ? *input : output;
            std::size_t& at = more_in ? in : out;
            if (at >= side.rank()) return false;
            if (!more_in) call.classes.only_whole(output.at(outermost));
            (more_in ? in_elements : out_elements) *= side.sizes[at];
            call.classes.fix(side.at(at++));
        }
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

bool concatenation(const OperatorCall& call) {
    for (const Value& part : call.list(0)) {
        const std::optional<Dimensions> input = call.tensor(part);
        if (!input || input->rank() != call.out().rank()) return false;
        call.join(*input, call.out());
    }
    return true;
}

/// Parts have as many of the grown elements as before, in sizes that grow with them.
bool parts(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input) return false;
    for (std::size_t part = 0; part < call.graph.outputs(call.node).size(); ++part) call.join(*input, call.out(part));
    return true;
}

bool slice(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input) return false;
    const std::size_t cut = call.dimension(1, 0, input->rank());
    const Dimensions output = call.out();
    if (cut >= input->rank() || output.rank() != input->rank()) return false;
    const bool grows_alike = input->sizes[cut] == output.sizes[cut] || is_part(call, cut);
    call.join(*input, output, grows_alike ? OperatorCall::all_dimensions : cut);
    if (!grows_alike) {
        call.classes.fix(input->at(cut));
        call.classes.fix(output.at(cut));
    }
    return true;
}

/// Gathers and scatters are along the first dimension, of which every rank has as much.
bool collective(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input || input->rank() != call.out().rank()) return false;
    call.join(*input, call.out());
    return true;
}

}  // namespace overlap::batch_rules
