#include "core/batch/part_rules.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace overlap::batch_rules {
namespace {

/// Whether the slices of a tensor along a dimension are parts of one size that make up all of it: what `torch.chunk`
/// becomes in a trace.
bool is_part(const OperatorCall& call, std::size_t cut) {
    const NodeId source = call.graph.argument(call.node, 0)->node;
    const std::int64_t whole = call.tensor(0)->sizes[cut], part = call.out().sizes[cut];
    if (part == 0 || part == whole || whole % part != 0 || call.integer(4, 1) != 1) return false;
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

/// A slice that is no part of several: all of the dimension, or some of one that does not grow.
bool join_slice(const OperatorCall& call, const Dimensions& whole, const Dimensions& slice, std::size_t cut,
                std::int64_t end) {
    if (cut >= whole.rank()) return false;
    const bool is_whole = whole.sizes[cut] == slice.sizes[cut];
    call.join(whole, slice, is_whole ? OperatorCall::all_dimensions : cut);
    if (!is_whole) {
        call.classes.fix(whole.at(cut));
        call.classes.fix(slice.at(cut));
    } else if (end != no_bound) {
        call.classes.demand(call.out().at(cut), Demand::no_own_bound);
    }
    return true;
}

}  // namespace

bool concatenation(const OperatorCall& call) {
    const Dimensions output = call.out();
    const std::size_t along = call.dimension(1, 0, output.rank());
    if (along >= output.rank() || call.list(0).empty()) return false;
    std::vector<DimensionId> joined;
    for (const Value& part : call.list(0)) {
        const std::optional<Dimensions> input = call.tensor(part);
        if (!input || input->rank() != output.rank()) return false;
        call.join(*input, output, along);
        joined.push_back(input->at(along));
    }
    call.classes.sum(output.at(along), std::move(joined));
    return true;
}

/// Tensors of one shape along a new dimension.
bool stack(const OperatorCall& call) {
    const Dimensions output = call.out();
    const std::size_t added = call.dimension(1, 0, output.rank());
    if (added >= output.rank()) return false;
    for (const Value& part : call.list(0)) {
        const std::optional<Dimensions> input = call.tensor(part);
        if (!input || input->rank() + 1 != output.rank()) return false;
        for (std::size_t dimension = 0; dimension < input->rank(); ++dimension)
            call.classes.join(input->at(dimension), output.at(dimension + (dimension >= added ? 1 : 0)));
    }
    call.classes.fix(output.at(added));
    return true;
}

/// Along a dimension that grows, parts are whole batches: halves of a batch do not say whether they grow or become
/// more.
bool parts(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input) return false;
    const std::size_t cut = call.dimension(2, 0, input->rank());
    for (std::size_t part = 0; part < call.graph.outputs(call.node).size(); ++part) {
        if (!call.join_part(*input, call.out(part), cut)) return false;
    }
    return true;
}

bool slice(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    const Dimensions output = call.out();
    if (!input || output.rank() != input->rank()) return false;
    const std::size_t cut = call.dimension(1, 0, input->rank());
    if (cut < input->rank() && is_part(call, cut)) return call.join_part(*input, output, cut);
    return join_slice(call, *input, output, cut, call.integer(3, no_bound));
}

/// A gradient among zeros: argument 1 says all sizes, argument 2 the dimension of the slice.
bool slice_backward(const OperatorCall& call) {
    const std::optional<Dimensions> gradient = call.tensor(0);
    const Dimensions output = call.out();
    if (!gradient || gradient->rank() != output.rank()) return false;
    return join_slice(call, output, *gradient, call.dimension(2, 0, output.rank()), call.integer(4, no_bound));
}

/// As of a slice of one element, whose dimension the gradient has not.
bool select_backward(const OperatorCall& call) {
    const std::optional<Dimensions> gradient = call.tensor(0);
    const Dimensions output = call.out();
    if (!gradient || gradient->rank() + 1 != output.rank()) return false;
    const std::size_t cut = call.dimension(2, 0, output.rank());
    for (std::size_t dimension = 0; dimension < gradient->rank(); ++dimension)
        call.classes.join(gradient->at(dimension), output.at(dimension + (dimension >= cut ? 1 : 0)));
    call.classes.fix(output.at(cut));
    return true;
}

/// Elements go from one end of a dimension to the other, by a number that a batch does not change.
bool roll(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    if (!input || call.list(2).empty()) return false;
    call.join(*input, call.out());
    for (const Value& dimension : call.list(2)) {
        if (!dimension.is(ValueKind::integer)) return false;
        call.classes.fix(input->at(OperatorCall::wrapped(dimension.integer, input->rank())));
    }
    return true;
}

/// Two numbers for each dimension that is made longer, from the last one on.
bool pad(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    const Dimensions output = call.out();
    if (!input || input->rank() != output.rank()) return false;
    for (std::size_t dimension = 0; dimension < input->rank(); ++dimension) {
        if (input->rank() - dimension > call.list(1).size() / 2) {
            call.classes.join(input->at(dimension), output.at(dimension));
        } else {
            call.classes.fix(input->at(dimension));
            call.classes.fix(output.at(dimension));
        }
    }
    return true;
}

/// Gathers and scatters are along the first dimension, of which every rank has as much.
bool collective(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0);
    const Dimensions output = call.out();
    if (!input || input->rank() != output.rank() || output.rank() == 0) return false;
    call.join(*input, output, 0);
    call.classes.join(input->at(0), output.at(0), Fraction(output.sizes[0], input->sizes[0]));
    return true;
}

}  // namespace overlap::batch_rules
