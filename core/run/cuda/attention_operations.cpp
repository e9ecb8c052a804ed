#include "core/run/cuda/attention_operations.h"

#include <array>
#include <string_view>
#include <utility>

namespace overlap::cuda {

namespace {

using cudnn::Attribute;
using cudnn::DataType;
using cudnn::DescriptorType;
using cudnn::PointwiseMode;
using cudnn::ReductionOperator;

using Sizes = std::array<std::int64_t, 4>;

enum class Kept { memory, number, nowhere };

/// Tensors and operations of one graph. A tensor is its place in AttentionOperations::descriptors.
class OperationsBuilder {
  public:
    using Tensor = std::size_t;

    OperationsBuilder(const CudnnLibrary& library, const AttentionShape& shape) : library_(library) {
        type_ = dtype_info(shape.dtype).name == "bfloat16" ? DataType::bfloat16 : DataType::float16;
    }

    DataType type() const { return type_; }

    Tensor tensor(std::int64_t identity, DataType type, const Sizes& sizes, const Sizes& strides, Kept kept) {
        CudnnDescriptor& descriptor = add(DescriptorType::tensor);
        descriptor.set(Attribute::tensor_byte_alignment, std::int64_t{16});
        descriptor.set(Attribute::tensor_data_type, type);
        descriptor.set(Attribute::tensor_dimensions, std::span<const std::int64_t>(sizes));
        descriptor.set(Attribute::tensor_strides, std::span<const std::int64_t>(strides));
        descriptor.set(Attribute::tensor_unique_id, identity);
        descriptor.set(Attribute::tensor_is_virtual, kept == Kept::nowhere);
        descriptor.set(Attribute::tensor_is_by_value, kept == Kept::number);
        descriptor.finalize();
        const Tensor place = made_.descriptors.size() - 1;
        if (kept == Kept::nowhere) return place;
        made_.identities.push_back(identity);
        return place;
    }

    /// A value that never reaches memory.
    Tensor value(DataType type, const Sizes& sizes, const Sizes& strides) {
        return tensor(next_value_++, type, sizes, strides, Kept::nowhere);
    }
    Tensor value(DataType type, const Sizes& sizes) { return value(type, sizes, dense(sizes)); }

    Tensor number(AttentionExtra which) {
        return tensor(static_cast<std::int64_t>(which), DataType::float32, {1, 1, 1, 1}, {1, 1, 1, 1}, Kept::number);
    }

    Tensor accumulator(AttentionExtra which, DataType type, const Sizes& sizes) {
        return tensor(static_cast<std::int64_t>(which), type, sizes, dense(sizes), Kept::memory);
    }

    struct Pointwise {
        PointwiseMode mode;
        Tensor input;
        std::optional<Tensor> second = {}, condition = {};
        DataType precision = DataType::float32;
        std::optional<std::int64_t> axis = {};
    };
    Tensor pointwise(const Pointwise& asked, Tensor result) {
        CudnnDescriptor& kind = add(DescriptorType::pointwise);
        kind.set(Attribute::pointwise_mode, asked.mode);
        kind.set(Attribute::pointwise_math_precision, asked.precision);
        if (asked.axis) kind.set(Attribute::pointwise_axis, *asked.axis);
        kind.finalize();
        const Tensor kind_place = made_.descriptors.size() - 1;
        CudnnDescriptor& operation = add(DescriptorType::operation_pointwise);
        operation.set(Attribute::operation_pointwise_descriptor, at(kind_place));
        operation.set(Attribute::operation_pointwise_x, at(asked.input));
        if (asked.second) operation.set(Attribute::operation_pointwise_b, at(*asked.second));
        if (asked.condition) operation.set(Attribute::operation_pointwise_t, at(*asked.condition));
        operation.set(Attribute::operation_pointwise_y, at(result));
        return finish(operation, result);
    }

    Tensor product(Tensor left, Tensor right, Tensor result) {
        CudnnDescriptor& kind = add(DescriptorType::matmul);
        kind.set(Attribute::matmul_compute_type, DataType::float32);
        kind.finalize();
        const Tensor kind_place = made_.descriptors.size() - 1;
        CudnnDescriptor& operation = add(DescriptorType::operation_matmul);
        operation.set(Attribute::operation_matmul_a, at(left));
        operation.set(Attribute::operation_matmul_b, at(right));
        operation.set(Attribute::operation_matmul_c, at(result));
        operation.set(Attribute::operation_matmul_descriptor, at(kind_place));
        return finish(operation, result);
    }

    Tensor reduce(ReductionOperator by, Tensor input, Tensor result) {
        CudnnDescriptor& kind = add(DescriptorType::reduction);
        kind.set(Attribute::reduction_operator, by);
        kind.set(Attribute::reduction_compute_type, DataType::float32);
        kind.finalize();
        const Tensor kind_place = made_.descriptors.size() - 1;
        CudnnDescriptor& operation = add(DescriptorType::operation_reduction);
        operation.set(Attribute::operation_reduction_x, at(input));
        operation.set(Attribute::operation_reduction_y, at(result));
        operation.set(Attribute::operation_reduction_descriptor, at(kind_place));
        return finish(operation, result);
    }

    Tensor reshape(Tensor input, Tensor result) {
        CudnnDescriptor& operation = add(DescriptorType::operation_reshape);
        operation.set(Attribute::operation_reshape_x, at(input));
        operation.set(Attribute::operation_reshape_y, at(result));
        return finish(operation, result);
    }

    static Sizes dense(const Sizes& sizes) {
        return {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
    }

    AttentionOperations take() { return std::move(made_); }

  private:
    CudnnDescriptor& add(DescriptorType type) { return made_.descriptors.emplace_back(library_, type); }
    const CudnnDescriptor& at(Tensor tensor) const { return made_.descriptors[tensor]; }
    Tensor finish(CudnnDescriptor& operation, Tensor result) {
        operation.finalize();
        made_.operations.push_back(operation.get());
        return result;
    }

    const CudnnLibrary& library_;
    DataType type_;
    AttentionOperations made_;
    std::int64_t next_value_ = static_cast<std::int64_t>(AttentionExtra::first_virtual);
};

Sizes with_last_two_exchanged(Sizes sizes) {
    std::swap(sizes[2], sizes[3]);
    return sizes;
}

/// The parts that both passes have.
class AttentionBuilder {
  public:
    using Tensor = OperationsBuilder::Tensor;

    AttentionBuilder(const CudnnLibrary& library, const AttentionShape& shape)
        : builder_(library, shape), shape_(shape) {
        const Sizes& query = shape[AttentionRole::query].sizes;
        scores_ = {query[0], query[1], query[2], shape[AttentionRole::key].sizes[2]};
        rows_ = {query[0], query[1], query[2], 1};
    }

    AttentionOperations make() {
        if (shape_.backward) {
            make_backward();
        } else {
            make_forward();
        }
        return builder_.take();
    }

  private:
    Tensor tensor(AttentionRole role) { return tensor(role, false); }
    Tensor transposed(AttentionRole role) { return tensor(role, true); }
    Tensor tensor(AttentionRole role, bool exchanged) {
        const AttentionTensor& given = shape_[role];
        const DataType type = role == AttentionRole::statistics ? DataType::float32 : builder_.type();
        return builder_.tensor(static_cast<std::int64_t>(role), type,
                               exchanged ? with_last_two_exchanged(given.sizes) : given.sizes,
                               exchanged ? with_last_two_exchanged(given.strides) : given.strides, Kept::memory);
    }

    Tensor score_value(DataType type = DataType::float32) { return builder_.value(type, scores_); }
    Tensor row_value() { return builder_.value(DataType::float32, rows_); }

    Tensor binary(PointwiseMode mode, Tensor left, Tensor right, Tensor result) {
        return builder_.pointwise({mode, left, right, {}}, result);
    }
    Tensor unary(PointwiseMode mode, Tensor input, Tensor result) {
        return builder_.pointwise({mode, input, {}, {}}, result);
    }

    /// Scores behind a query's own place are what exponentials make nothing of.
    Tensor masked(Tensor scores) {
        if (!shape_.causal) return scores;
        const auto index = [&](std::int64_t axis) {
            return builder_.pointwise({PointwiseMode::generate_index, scores, {}, {}, DataType::float32, axis},
                                      score_value(DataType::int32));
        };
        const Tensor row = index(2), column = index(3);
        const Tensor seen = builder_.pointwise({PointwiseMode::greater_or_equal, row, column, {}, DataType::boolean},
                                               score_value(DataType::boolean));
        return builder_.pointwise(
            {PointwiseMode::select, scores, builder_.number(AttentionExtra::minus_infinity), seen}, score_value());
    }

    void make_forward() {
        const Tensor query = tensor(AttentionRole::query), key = transposed(AttentionRole::key);
        const Tensor products = builder_.product(query, key, score_value());
        const Tensor scaled =
            binary(PointwiseMode::multiply, products, builder_.number(AttentionExtra::scale), score_value());
        const Tensor scores = masked(scaled);
        const Tensor largest = builder_.reduce(ReductionOperator::maximum, scores, row_value());
        const Tensor exponentials = unary(
            PointwiseMode::exponential, binary(PointwiseMode::subtract, scores, largest, score_value()), score_value());
        const Tensor sum = builder_.reduce(ReductionOperator::add, exponentials, row_value());
        const Tensor logarithm = unary(PointwiseMode::logarithm, sum, row_value());
        binary(PointwiseMode::add, largest, logarithm, tensor(AttentionRole::statistics));
        const Tensor shares = binary(PointwiseMode::divide, exponentials, sum, score_value(builder_.type()));
        builder_.product(shares, tensor(AttentionRole::value), tensor(AttentionRole::output));
    }

    /// Each row's gradient of the softmax is taken off by the sum of output times its gradient.
    Tensor row_sums(Tensor output_gradient) {
        const Sizes& sizes = shape_[AttentionRole::output].sizes;
        const Sizes strides{sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[1] * sizes[3], 1};
        const Tensor products = binary(PointwiseMode::multiply, output_gradient, tensor(AttentionRole::output),
                                       builder_.value(DataType::float32, sizes, strides));
        const Tensor sums = builder_.reduce(ReductionOperator::add, products, row_value());
        return binary(PointwiseMode::multiply, sums, builder_.number(AttentionExtra::one),
                      builder_.accumulator(AttentionExtra::sums, DataType::float32, rows_));
    }

    /// Seen from the key's side.
    Tensor turned(Tensor scores) {
        const Sizes sizes = with_last_two_exchanged(scores_);
        return builder_.reshape(
            scores, builder_.value(builder_.type(), sizes, with_last_two_exchanged(OperationsBuilder::dense(scores_))));
    }

    /// The gradient of key or value, of all heads of the query first where these share one.
    void reduce_heads(Tensor scores, Tensor factor, AttentionRole role, AttentionExtra of_all_heads) {
        if (!shape_.has_grouped_heads()) {
            builder_.product(scores, factor, tensor(role));
            return;
        }
        Sizes sizes = shape_[role].sizes;
        sizes[1] = scores_[1];
        const Tensor all = builder_.product(scores, factor, builder_.accumulator(of_all_heads, builder_.type(), sizes));
        builder_.reduce(ReductionOperator::add, all, tensor(role));
    }

    void make_backward() {
        const Tensor query = tensor(AttentionRole::query), key = transposed(AttentionRole::key);
        const Tensor output_gradient = tensor(AttentionRole::output_gradient);
        const Tensor sums = row_sums(output_gradient);
        const Tensor scale = builder_.number(AttentionExtra::scale);
        const Tensor products = builder_.product(query, key, score_value());
        const Tensor scaled = binary(PointwiseMode::multiply, products, scale, score_value());
        const Tensor shifted =
            binary(PointwiseMode::subtract, scaled, tensor(AttentionRole::statistics), score_value());
        const Tensor shares = unary(PointwiseMode::exponential, masked(shifted), score_value());
        reduce_heads(turned(shares), output_gradient, AttentionRole::value_gradient, AttentionExtra::value_gradient);
        const Tensor share_gradients =
            builder_.product(output_gradient, transposed(AttentionRole::value), score_value());
        const Tensor centred = binary(PointwiseMode::subtract, share_gradients, sums, score_value());
        const Tensor unscaled = binary(PointwiseMode::multiply, centred, shares, score_value());
        const Tensor gradients = binary(PointwiseMode::multiply, unscaled, scale, score_value());
        reduce_heads(turned(gradients), query, AttentionRole::key_gradient, AttentionExtra::key_gradient);
        const AttentionTensor& keys = shape_[AttentionRole::key];
        const Tensor key_again = builder_.reshape(key, builder_.value(builder_.type(), keys.sizes, keys.strides));
        const Tensor accumulated =
            builder_.product(gradients, key_again,
                             builder_.accumulator(AttentionExtra::query_gradient, DataType::float32,
                                                  shape_[AttentionRole::query].sizes));
        unary(PointwiseMode::identity, accumulated, tensor(AttentionRole::query_gradient));
    }

    OperationsBuilder builder_;
    const AttentionShape& shape_;
    Sizes scores_{}, rows_{};
};

}  // namespace

AttentionOperations attention_operations(const CudnnLibrary& library, const AttentionShape& shape) {
    return AttentionBuilder(library, shape).make();
}

}  // namespace overlap::cuda
