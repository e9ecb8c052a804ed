#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct CUstream_st;

namespace overlap::cuda {

/// The numbers of cuDNN's graph interface that attention needs (cuDNN 9, `cudnn_graph.h`). They are part of its binary
/// interface, so neither its headers nor its library are needed to build.
namespace cudnn {

enum class DescriptorType : int {
    pointwise = 0,
    engine_configuration = 3,
    engine_heuristics = 4,
    execution_plan = 5,
    operation_pointwise = 13,
    operation_graph = 15,
    variant_pack = 16,
    tensor = 17,
    matmul = 18,
    operation_matmul = 19,
    reduction = 21,
    operation_reduction = 22,
    operation_reshape = 31,
};

enum class Attribute : int {
    pointwise_mode = 0,
    pointwise_math_precision = 1,
    pointwise_axis = 9,
    heuristics_mode = 200,
    heuristics_operation_graph = 201,
    heuristics_results = 202,
    plan_handle = 400,
    plan_engine_configuration = 401,
    plan_workspace_size = 402,
    operation_pointwise_descriptor = 750,
    operation_pointwise_x = 751,
    operation_pointwise_b = 752,
    operation_pointwise_y = 753,
    operation_pointwise_t = 758,
    operation_graph_handle = 800,
    operation_graph_operations = 801,
    tensor_byte_alignment = 900,
    tensor_data_type = 901,
    tensor_dimensions = 902,
    tensor_strides = 903,
    tensor_unique_id = 906,
    tensor_is_virtual = 907,
    tensor_is_by_value = 908,
    variant_pack_unique_ids = 1000,
    variant_pack_data_pointers = 1001,
    variant_pack_workspace = 1003,
    matmul_compute_type = 1500,
    operation_matmul_a = 1520,
    operation_matmul_b = 1521,
    operation_matmul_c = 1522,
    operation_matmul_descriptor = 1523,
    reduction_operator = 1600,
    reduction_compute_type = 1601,
    operation_reduction_x = 1610,
    operation_reduction_y = 1611,
    operation_reduction_descriptor = 1612,
    operation_reshape_x = 2200,
    operation_reshape_y = 2201,
};

enum class AttributeType : int {
    handle = 0,
    data_type = 1,
    boolean = 2,
    int64 = 3,
    pointer = 6,
    heuristics_mode = 8,
    pointwise_mode = 14,
    descriptor = 15,
    reduction_operator = 18,
};

enum class DataType : int { float32 = 0, float16 = 2, int32 = 4, bfloat16 = 9, boolean = 11 };

enum class PointwiseMode : int {
    add = 0,
    multiply = 1,
    divide = 6,
    subtract = 9,
    exponential = 13,
    logarithm = 15,
    identity = 21,
    greater_or_equal = 303,
    generate_index = 501,
    select = 601,
};

enum class ReductionOperator : int { add = 0, maximum = 3 };

enum class HeuristicsMode : int { fallback = 2, best = 3 };

}  // namespace cudnn

/// libcudnn.so.9, loaded where it is found, with a handle for the device that is set. One thread uses it.
class CudnnLibrary {
  public:
    /// @returns nothing where no such library is found, or where it does not work on the device that is set: attention
    /// is then run without it. @param reason why, a clause.
    static std::unique_ptr<CudnnLibrary> load(std::string& reason);
    ~CudnnLibrary();
    CudnnLibrary(const CudnnLibrary&) = delete;
    CudnnLibrary& operator=(const CudnnLibrary&) = delete;

    std::string version() const;  ///< such as 9.19.0
    /// Of the library that load() would take, without a device; empty where there is none.
    static std::string installed_version();

    struct Functions;
    const Functions& functions() const { return *functions_; }
    void* handle() const { return handle_; }
    /// What is executed from now on runs on the stream. @throws InputError
    void set_stream(CUstream_st* stream) const;
    /// @throws InputError "cuDNN: WHAT: REASON" unless `status` is success.
    void check(int status, const char* attempted) const;

  private:
    CudnnLibrary() = default;

    void* library_ = nullptr;
    std::unique_ptr<Functions> functions_;
    void* handle_ = nullptr;
};

/// A descriptor of cuDNN's graph interface: attributes are set, then it is finalized.
class CudnnDescriptor {
  public:
    /// @throws InputError
    CudnnDescriptor(const CudnnLibrary& library, cudnn::DescriptorType type);
    ~CudnnDescriptor();
    CudnnDescriptor(CudnnDescriptor&& other) noexcept;
    CudnnDescriptor(const CudnnDescriptor&) = delete;
    CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;
    CudnnDescriptor& operator=(CudnnDescriptor&&) = delete;

    void* get() const { return descriptor_; }

    /// Sets an attribute of one value or of several. @throws InputError
    void set(cudnn::Attribute attribute, cudnn::AttributeType type, std::int64_t count, const void* values);
    void set(cudnn::Attribute attribute, cudnn::DataType value);
    void set(cudnn::Attribute attribute, cudnn::PointwiseMode value);
    void set(cudnn::Attribute attribute, cudnn::ReductionOperator value);
    void set(cudnn::Attribute attribute, cudnn::HeuristicsMode value);
    void set(cudnn::Attribute attribute, bool value);
    void set(cudnn::Attribute attribute, std::int64_t value);
    void set(cudnn::Attribute attribute, std::span<const std::int64_t> values);
    void set(cudnn::Attribute attribute, const CudnnDescriptor& value);
    void set(cudnn::Attribute attribute, std::span<void* const> values, cudnn::AttributeType type);

    /// @throws InputError
    std::int64_t integer(cudnn::Attribute attribute) const;
    /// @throws InputError where the library refuses what is described.
    void finalize();
    /// As finalize(), false where the library has nothing for what is described.
    bool try_finalize();

  private:
    const CudnnLibrary* library_;
    void* descriptor_ = nullptr;
};

}  // namespace overlap::cuda
