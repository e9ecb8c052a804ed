// libcudnn as far as the runner's module calls it, on the virtual device: attributes are kept as they are set, and a
// plan reads and writes the tensors in memory that its operations do. Numbers are those of cuDNN 9's interface.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/run/cuda/cudnn_library.h"
#include "tests/virtual_device/findings.h"
#include "tests/virtual_device/launches.h"
#include "tests/virtual_device/rates.h"
#include "tests/virtual_device/settings.h"

using namespace overlap::virtual_device;
namespace cudnn = overlap::cuda::cudnn;
using cudnn::Attribute;
using cudnn::DescriptorType;

namespace {

enum Status : int { success = 0, not_initialized = 1001, bad_parameter = 2000, not_supported = 3000, failed = 5000 };

constexpr std::int64_t workspace_bytes = 4096;

#define FAIL_ON_REQUEST(status) \
    if (fails(__func__)) return status

struct Descriptor {
    DescriptorType type{};
    bool finalized = false;
    std::map<Attribute, std::vector<std::int64_t>>
        values;  ///< numbers and addresses; booleans and enumerations widened

    bool has(Attribute attribute) const { return values.contains(attribute); }
    std::int64_t number(Attribute attribute) const { return values.at(attribute).at(0); }
    const Descriptor& descriptor(Attribute attribute) const {
        return *reinterpret_cast<const Descriptor*>(number(attribute));
    }
};

Descriptor& descriptor_of(void* handle) {
    return *static_cast<Descriptor*>(handle);
}

std::size_t bytes_of_value(cudnn::AttributeType type) {
    switch (type) {
        case cudnn::AttributeType::boolean:
            return sizeof(bool);
        case cudnn::AttributeType::int64:
        case cudnn::AttributeType::pointer:
        case cudnn::AttributeType::handle:
        case cudnn::AttributeType::descriptor:
            return sizeof(std::int64_t);
        default:
            return sizeof(int);
    }
}

/// Attributes by which an operation takes tensors, and those by which it returns one.
constexpr Attribute taken[] = {Attribute::operation_pointwise_x, Attribute::operation_pointwise_b,
                               Attribute::operation_pointwise_t, Attribute::operation_matmul_a,
                               Attribute::operation_matmul_b,    Attribute::operation_reduction_x,
                               Attribute::operation_reshape_x};
constexpr Attribute returned[] = {Attribute::operation_pointwise_y, Attribute::operation_matmul_c,
                                  Attribute::operation_reduction_y, Attribute::operation_reshape_y};

std::int64_t element_bytes(const Descriptor& tensor) {
    switch (static_cast<cudnn::DataType>(tensor.number(Attribute::tensor_data_type))) {
        case cudnn::DataType::float32:
        case cudnn::DataType::int32:
            return 4;
        case cudnn::DataType::boolean:
            return 1;
        default:
            return 2;
    }
}

bool in_memory(const Descriptor& tensor) {
    return !tensor.number(Attribute::tensor_is_virtual) && !tensor.number(Attribute::tensor_is_by_value);
}

class Launch {
  public:
    explicit Launch(const Descriptor& pack) : pack_(pack) { work_.name = "attention"; }

    void add(const Descriptor& operation) {
        for (const Attribute attribute : taken) {
            if (operation.has(attribute)) add(operation.descriptor(attribute), work_.reads);
        }
        for (const Attribute attribute : returned) {
            if (operation.has(attribute)) add(operation.descriptor(attribute), work_.writes);
        }
        if (operation.has(Attribute::operation_pointwise_t)) masked_ = true;
        if (operation.type == DescriptorType::operation_pointwise) check_sizes(operation);
        if (operation.type != DescriptorType::operation_matmul) return;
        const auto& left = operation.descriptor(Attribute::operation_matmul_a).values.at(Attribute::tensor_dimensions);
        const auto& right = operation.descriptor(Attribute::operation_matmul_b).values.at(Attribute::tensor_dimensions);
        if (left[3] != right[2] || left[0] != right[0]) report("attention", "the factors of a product do not fit");
        flops_ += 2.0 * static_cast<double>(left[0] * left[1]) * static_cast<double>(left[2] * left[3]) *
                  static_cast<double>(right[3]);
    }

    Work take() {
        // What one of the operations writes for another is no read of what was there before.
        std::erase_if(work_.reads, [&](const Span& read) {
            return std::ranges::any_of(work_.writes,
                                       [&](const Span& written) { return written.address == read.address; });
        });
        for (const auto* spans : {&work_.reads, &work_.writes}) {
            for (const Span& span : *spans) bytes_ += span.bytes;
        }
        work_.writes.push_back(
            {static_cast<std::uintptr_t>(pack_.number(Attribute::variant_pack_workspace)), workspace_bytes});
        // Behind a causal mask there is nothing to do, which is half of the scores.
        work_.duration_ns = flops_ns(masked_ ? flops_ / 2 : flops_, bytes_);
        return std::move(work_);
    }

  private:
    /// The second operand may be spread over the result, not the first: cuDNN's attentions are made so.
    static void check_sizes(const Descriptor& operation) {
        const auto sizes_of = [&](Attribute attribute) {
            return operation.descriptor(attribute).values.at(Attribute::tensor_dimensions);
        };
        if (sizes_of(Attribute::operation_pointwise_x) != sizes_of(Attribute::operation_pointwise_y))
            report("attention", "the first operand of an operation does not have the sizes of its result");
    }

    void add(const Descriptor& tensor, std::vector<Span>& spans) {
        if (!in_memory(tensor)) return;
        const auto& identities = pack_.values.at(Attribute::variant_pack_unique_ids);
        const auto& addresses = pack_.values.at(Attribute::variant_pack_data_pointers);
        const auto found = std::ranges::find(identities, tensor.number(Attribute::tensor_unique_id));
        if (found == identities.end()) {
            report("attention", "a tensor in memory has no address");
            return;
        }
        const auto start =
            static_cast<std::uintptr_t>(addresses.at(static_cast<std::size_t>(found - identities.begin())));
        if (start % static_cast<std::uintptr_t>(tensor.number(Attribute::tensor_byte_alignment)) != 0)
            report("misaligned", "a tensor of an attention is not aligned as it was described");
        const auto& sizes = tensor.values.at(Attribute::tensor_dimensions);
        const auto& strides = tensor.values.at(Attribute::tensor_strides);
        std::int64_t elements = 1;
        for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension)
            elements += (sizes[dimension] - 1) * strides[dimension];
        const Span span{start, elements * element_bytes(tensor)};
        const bool known = std::ranges::any_of(spans, [&](const Span& other) { return other.address == span.address; });
        if (!known) spans.push_back(span);
    }

    const Descriptor& pack_;
    Work work_;
    double flops_ = 0;
    bool masked_ = false;
    std::int64_t bytes_ = 0;
};

struct Handle {
    cudaStream_t stream = nullptr;
};

}  // namespace

extern "C" {

std::size_t cudnnGetVersion() {
    return 91900;
}

const char* cudnnGetErrorString(int status) {
    switch (status) {
        case not_initialized:
            return "CUDNN_STATUS_NOT_INITIALIZED";
        case bad_parameter:
            return "CUDNN_STATUS_BAD_PARAM";
        case not_supported:
            return "CUDNN_STATUS_NOT_SUPPORTED";
        default:
            return "CUDNN_STATUS_EXECUTION_FAILED";
    }
}

int cudnnCreate(void** handle) {
    FAIL_ON_REQUEST(not_initialized);
    *handle = new Handle;
    return success;
}

int cudnnDestroy(void* handle) {
    delete static_cast<Handle*>(handle);
    return success;
}

int cudnnSetStream(void* handle, cudaStream_t stream) {
    FAIL_ON_REQUEST(bad_parameter);
    static_cast<Handle*>(handle)->stream = stream;
    return success;
}

int cudnnBackendCreateDescriptor(int type, void** descriptor) {
    FAIL_ON_REQUEST(not_supported);
    *descriptor = new Descriptor{static_cast<DescriptorType>(type), false, {}};
    return success;
}

int cudnnBackendDestroyDescriptor(void* descriptor) {
    delete static_cast<Descriptor*>(descriptor);
    return success;
}

int cudnnBackendSetAttribute(void* handle, int attribute, int type, std::int64_t count, const void* values) {
    FAIL_ON_REQUEST(bad_parameter);
    Descriptor& descriptor = descriptor_of(handle);
    if (descriptor.finalized) return bad_parameter;
    const std::size_t bytes = bytes_of_value(static_cast<cudnn::AttributeType>(type));
    std::vector<std::int64_t>& kept = descriptor.values[static_cast<Attribute>(attribute)];
    kept.assign(static_cast<std::size_t>(count), 0);
    for (std::size_t index = 0; index < kept.size(); ++index)
        std::memcpy(&kept[index], static_cast<const char*>(values) + index * bytes, bytes);
    return success;
}

int cudnnBackendGetAttribute(void* handle, int attribute, int, std::int64_t, std::int64_t* count, void* values) {
    FAIL_ON_REQUEST(not_supported);
    Descriptor& descriptor = descriptor_of(handle);
    *count = 1;
    if (static_cast<Attribute>(attribute) == Attribute::plan_workspace_size) {
        *static_cast<std::int64_t*>(values) = workspace_bytes;
        return success;
    }
    // The one configuration is the graph itself.
    Descriptor& configuration = descriptor_of(static_cast<void**>(values)[0]);
    configuration.values[Attribute::heuristics_operation_graph] = {
        descriptor.number(Attribute::heuristics_operation_graph)};
    configuration.finalized = true;
    return success;
}

int cudnnBackendFinalize(void* handle) {
    FAIL_ON_REQUEST(not_supported);
    descriptor_of(handle).finalized = true;
    return success;
}

int cudnnBackendExecute(void* handle, void* plan, void* pack) {
    FAIL_ON_REQUEST(failed);
    const Descriptor& graph = descriptor_of(plan)
                                  .descriptor(Attribute::plan_engine_configuration)
                                  .descriptor(Attribute::heuristics_operation_graph);
    Stream* const stream = Device::get().stream_of(static_cast<Handle*>(handle)->stream);
    if (!stream || !descriptor_of(pack).finalized) return bad_parameter;
    Launch attention(descriptor_of(pack));
    for (const std::int64_t operation : graph.values.at(Attribute::operation_graph_operations))
        attention.add(*reinterpret_cast<const Descriptor*>(operation));
    launch(*stream, attention.take());
    return success;
}

}  // extern "C"
