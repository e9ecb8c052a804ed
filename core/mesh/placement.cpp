#include "core/mesh/placement.h"

#include <array>
#include <charconv>

#include "core/base/error.h"
#include "core/base/grouped_number.h"

namespace overlap {

namespace {

constexpr std::array<std::string_view, 8> reduce_op_names = {"sum",     "avg",  "min", "max",
                                                             "product", "band", "bor", "bxor"};

/// Of tensor dimensions and split factors: as many ranges may one rank's part of a dimension have.
constexpr std::int64_t number_limit = 1 << 20;

[[noreturn]] void fail(std::string_view text, std::string problem) {
    throw InputError("placement \"" + std::string(text) + "\"", std::move(problem));
}

void skip_spaces(std::string_view& text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

bool take(std::string_view& text, std::string_view wanted) {
    if (!text.starts_with(wanted)) return false;
    text.remove_prefix(wanted.size());
    return true;
}

std::int64_t take_number(std::string_view& text, std::string_view whole, std::int64_t least) {
    skip_spaces(text);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < least || number > number_limit)
        fail(whole, "expected a number from " + grouped_count(least) + " to " + grouped_count(number_limit));
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    skip_spaces(text);
    return number;
}

void take_closing(std::string_view& text, std::string_view whole) {
    if (!take(text, ")")) fail(whole, "a closing parenthesis is missing");
}

Placement take_partial(std::string_view& text, std::string_view whole) {
    if (!take(text, "(")) return Placement::partial(ReduceOp::sum);
    for (std::size_t op = 0; op < reduce_op_names.size(); ++op) {
        if (!take(text, reduce_op_names[op])) continue;
        take_closing(text, whole);
        return Placement::partial(static_cast<ReduceOp>(op));
    }
    fail(whole, "the operation of a partial is one of sum, avg, min, max, product, band, bor, bxor");
}

}  // namespace

Placement Placement::shard(int tensor_dim) {
    return {PlacementKind::shard, ReduceOp::sum, tensor_dim, 1};
}

Placement Placement::partial(ReduceOp reduce_op) {
    return {PlacementKind::partial, reduce_op, 0, 1};
}

Placement Placement::strided_shard(int tensor_dim, std::int64_t split_factor) {
    return {PlacementKind::strided_shard, ReduceOp::sum, tensor_dim, split_factor};
}

std::string_view to_text(ReduceOp reduce_op) {
    return reduce_op_names[static_cast<std::size_t>(reduce_op)];
}

std::string to_text(const Placement& placement) {
    switch (placement.kind) {
        case PlacementKind::replicate:
            return "R";
        case PlacementKind::shard:
            return "S(" + std::to_string(placement.tensor_dim) + ")";
        case PlacementKind::partial:
            return "P(" + std::string(to_text(placement.reduce_op)) + ")";
        case PlacementKind::strided_shard:
            break;
    }
    return "_S(" + std::to_string(placement.tensor_dim) + ", " + std::to_string(placement.split_factor) + ")";
}

Placement take_placement(std::string_view& text) {
    const std::string_view whole = text;
    if (take(text, "R")) return Placement::replicate();
    if (take(text, "P")) return take_partial(text, whole);
    const bool strided = take(text, "_");
    if (!take(text, "S(")) fail(whole, "expected R, S(dim), P(op) or _S(dim, split factor)");
    const int tensor_dim = static_cast<int>(take_number(text, whole, 0));
    if (!strided) {
        take_closing(text, whole);
        return Placement::shard(tensor_dim);
    }
    if (!take(text, ",")) fail(whole, "a strided shard needs its split factor, such as _S(0, 2)");
    const std::int64_t split_factor = take_number(text, whole, 1);
    take_closing(text, whole);
    return Placement::strided_shard(tensor_dim, split_factor);
}

Placement parse_placement(std::string_view text) {
    std::string_view rest = text;
    const Placement placement = take_placement(rest);
    if (!rest.empty()) fail(text, "nothing may follow " + to_text(placement));
    return placement;
}

}  // namespace overlap
