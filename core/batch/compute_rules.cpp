#include "core/batch/compute_rules.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace overlap::batch_rules {
namespace {

bool product(const OperatorCall& call, std::size_t first) {
    const std::optional<Dimensions> left = call.tensor(first), right = call.tensor(first + 1);
    if (!left || !right || left->rank() != right->rank() || left->rank() < 2) return false;
    const Dimensions output = call.out();
    const std::size_t rows = left->rank() - 2, columns = left->rank() - 1;
    for (std::size_t batch = 0; batch < rows; ++batch) {
        call.classes.join(left->at(batch), output.at(batch));
        call.classes.join(right->at(batch), output.at(batch));
    }
    call.classes.join(left->at(rows), output.at(rows));
    call.classes.join(right->at(columns), output.at(columns));
    call.classes.join(left->at(columns), right->at(rows));
    if (first == 1) {
        if (const std::optional<Dimensions> added = call.tensor(0)) call.align(*added, output);
    }
    return true;
}

/// Rows of a table, argument `table`, by numbers, argument `numbers`.
bool rows_by_number(const OperatorCall& call, const Dimensions& table, const Dimensions& numbers,
                    const Dimensions& rows) {
    if (rows.rank() + 1 != table.rank() + numbers.rank()) return false;
    call.classes.fix(table.at(0));
    for (std::size_t dimension = 0; dimension < numbers.rank(); ++dimension)
        call.classes.join(numbers.at(dimension), rows.at(dimension));
    for (std::size_t dimension = 1; dimension < table.rank(); ++dimension)
        call.classes.join(table.at(dimension), rows.at(numbers.rank() + dimension - 1));
    return true;
}

/// Queries, keys and values from argument `first` on: batch, heads, length, size of a head. All but the batch are
/// fixed: twice as long a sequence is four times the work.
bool attention_inputs(const OperatorCall& call, std::size_t first) {
    const std::optional<Dimensions> query = call.tensor(first), key = call.tensor(first + 1),
                                    value = call.tensor(first + 2);
    for (const std::optional<Dimensions>& tensor : {query, key, value}) {
        if (!tensor || tensor->rank() != 4) return false;
        call.fix(*tensor, 1);
        call.classes.join(tensor->at(0), query->at(0));
    }
    const Value* mask = call.graph.keyword(call.node, "attn_mask");
    if (const std::optional<Dimensions> of_mask = mask ? call.tensor(*mask) : std::nullopt) {
        if (of_mask->rank() < 2 || of_mask->rank() > 4) return false;
        call.fix(*of_mask, of_mask->rank() - 2);
        if (of_mask->rank() == 4 && of_mask->sizes[0] == query->sizes[0])
            call.classes.join(of_mask->at(0), query->at(0));
    }
    return true;
}

/// Results of four or three dimensions are by batch, heads and queries; smaller ones are numbers of the generator.
void join_batch(const OperatorCall& call, const Dimensions& query, const Dimensions& result) {
    if (result.rank() != 4 && result.rank() != 3) return;
    call.classes.join(query.at(0), result.at(0));
    call.fix(result, 1);
}

bool join_labels(const OperatorCall& call, const Dimensions& scores, const Dimensions& labels) {
    if (scores.rank() < 2 || labels.rank() + 1 != scores.rank()) return false;
    for (std::size_t dimension = 0; dimension < labels.rank(); ++dimension)
        call.classes.join(scores.at(dimension == 0 ? 0 : dimension + 1), labels.at(dimension));
    return true;
}

}  // namespace

bool matrix_product(const OperatorCall& call) {
    return product(call, 0);
}

bool added_product(const OperatorCall& call) {
    return product(call, 1);
}

bool embedding(const OperatorCall& call) {
    const std::optional<Dimensions> table = call.tensor(0), numbers = call.tensor(1);
    return table && numbers && rows_by_number(call, *table, *numbers, call.out());
}

bool embedding_backward(const OperatorCall& call) {
    const std::optional<Dimensions> gradient = call.tensor(0), numbers = call.tensor(1);
    return gradient && numbers && rows_by_number(call, call.out(), *numbers, *gradient);
}

/// By one tensor of numbers, which replaces the first dimension.
bool index(const OperatorCall& call) {
    const std::optional<Dimensions> table = call.tensor(0);
    const std::span<const Value> numbers = call.list(1);
    if (!table || numbers.size() != 1) return false;
    const std::optional<Dimensions> of_numbers = call.tensor(numbers[0]);
    return of_numbers && rows_by_number(call, *table, *of_numbers, call.out());
}

/// Values, argument 2, go to the places that the tensors of numbers say: as many as these have elements. One tensor of
/// numbers chooses rows of a table; several choose elements, for which each of several rows says its own. A mask
/// chooses from dimensions like its own.
bool index_put(const OperatorCall& call) {
    const std::optional<Dimensions> target = call.tensor(0);
    const std::span<const Value> numbers = call.list(1);
    if (!target || numbers.empty() || numbers.size() > target->rank()) return false;
    call.join(*target, call.out());
    if (const std::optional<Dimensions> mask = numbers.size() == 1 ? call.tensor(numbers[0]) : std::nullopt;
        mask && call.is_mask(numbers[0])) {
        const std::optional<Dimensions> value = call.tensor(2);
        call.join(*mask, *target);
        return mask->rank() <= target->rank() && value && value->rank() == 0;
    }
    if (numbers.size() == 1) call.classes.fix(target->at(0));
    std::optional<Dimensions> first;
    for (const Value& of_dimension : numbers) {
        const std::optional<Dimensions> found = call.tensor(of_dimension);
        if (!found || (first && first->rank() != found->rank())) return false;
        if (first) call.align(*first, *found);
        first = first ? first : found;
    }
    const std::optional<Dimensions> values = call.tensor(2);
    const std::size_t rest = target->rank() - numbers.size();
    for (std::size_t back = 1; values && back <= values->rank(); ++back) {
        const std::size_t at = values->rank() - back;
        if (values->sizes[at] == 1) continue;
        if (back > rest + first->rank()) return false;
        call.classes.join(back <= rest ? target->at(target->rank() - back) : first->at(first->rank() + rest - back),
                          values->at(at));
    }
    return true;
}

/// Rows of dimension `along`, argument 1, by one tensor of numbers.
bool index_select(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0), numbers = call.tensor(2);
    const Dimensions output = call.out();
    if (!input || !numbers || numbers->rank() != 1 || input->rank() != output.rank()) return false;
    const std::size_t along = call.dimension(1, 0, input->rank());
    call.join(*input, output, along);
    call.classes.fix(input->at(along));
    call.classes.join(numbers->at(0), output.at(along));
    return true;
}

/// Elements along one dimension, argument 1, are written by numbers; all other dimensions are those of the numbers.
bool scatter(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0), numbers = call.tensor(2);
    if (!input || !numbers || numbers->rank() != input->rank()) return false;
    const std::size_t along = call.dimension(1, 0, input->rank());
    call.join(*input, call.out());
    call.classes.fix(input->at(along));
    for (std::size_t dimension = 0; dimension < input->rank(); ++dimension) {
        if (dimension == along) continue;
        if (input->sizes[dimension] != numbers->sizes[dimension]) return false;
        call.classes.join(input->at(dimension), numbers->at(dimension));
    }
    if (const std::optional<Dimensions> values = call.tensor(3)) {
        for (std::size_t dimension = 0; dimension < std::min(values->rank(), numbers->rank()); ++dimension) {
            if (values->sizes[dimension] != numbers->sizes[dimension]) return false;
            call.classes.join(values->at(dimension), numbers->at(dimension));
        }
    }
    return true;
}

/// Elements along one dimension, argument 1, are read by numbers. Along every other one the numbers may be fewer than
/// the input has, but never more: they would become more where they alone grow, and where the input alone does, it may
/// become shorter than they are.
bool gather(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0), numbers = call.tensor(2);
    if (!input || !numbers || numbers->rank() != input->rank()) return false;
    call.join(*numbers, call.out());
    const std::size_t along = call.dimension(1, 0, input->rank());
    call.classes.fix(input->at(along));
    for (std::size_t dimension = 0; dimension < input->rank(); ++dimension) {
        if (dimension == along) continue;
        if (input->sizes[dimension] == numbers->sizes[dimension]) {
            call.classes.join(input->at(dimension), numbers->at(dimension));
        } else {
            call.classes.fix(input->at(dimension));
            call.classes.fix(numbers->at(dimension));
        }
    }
    return true;
}

/// Scores by rows and classes, or by sequences, classes and places; labels have no classes. One loss, or one of each
/// label.
bool loss(const OperatorCall& call) {
    const std::optional<Dimensions> scores = call.tensor(0), labels = call.tensor(1);
    if (!scores || !labels || !join_labels(call, *scores, *labels)) return false;
    call.join(*labels, call.out());
    return call.out().rank() == 0 || call.out().rank() == labels->rank();
}

bool loss_backward(const OperatorCall& call) {
    const std::optional<Dimensions> gradient = call.tensor(0), scores = call.tensor(1), labels = call.tensor(2);
    if (!gradient || !scores || !labels || !join_labels(call, *scores, *labels)) return false;
    call.join(*scores, call.out());
    call.join(*gradient, *labels);
    return true;
}

/// Of two tensors, element by element: one loss, or one of each element.
bool loss_of_elements(const OperatorCall& call) {
    const std::optional<Dimensions> input = call.tensor(0), wanted = call.tensor(1);
    if (!input || !wanted || !call.align(*input, *wanted)) return false;
    call.join(*input, call.out());
    return call.out().rank() == 0 || call.out().rank() == input->rank();
}

bool attention(const OperatorCall& call) {
    if (!attention_inputs(call, 0)) return false;
    for (std::size_t output = 0; output < call.graph.outputs(call.node).size(); ++output)
        join_batch(call, *call.tensor(0), call.out(output));
    return true;
}

/// The gradient comes first, then what forward took and what it returned.
bool attention_backward(const OperatorCall& call) {
    if (!attention_inputs(call, 1)) return false;
    for (const std::size_t index : {0, 4, 5}) {
        if (const std::optional<Dimensions> tensor = call.tensor(index)) join_batch(call, *call.tensor(1), *tensor);
    }
    for (std::size_t output = 0; output < call.graph.outputs(call.node).size(); ++output)
        join_batch(call, *call.tensor(1), call.out(output));
    return true;
}

}  // namespace overlap::batch_rules
