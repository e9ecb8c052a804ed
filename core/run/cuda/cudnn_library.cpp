#include "core/run/cuda/cudnn_library.h"

#include <dlfcn.h>

#include <utility>

#include "core/base/error.h"
#include "core/run/cuda/cudnn_functions.h"

namespace overlap::cuda {

namespace {

constexpr const char* library_name = "libcudnn.so.9";

template <typename Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

bool find_all(void* library, CudnnLibrary::Functions& functions) {
    return find(library, "cudnnCreate", functions.create) && find(library, "cudnnDestroy", functions.destroy) &&
           find(library, "cudnnSetStream", functions.set_stream) &&
           find(library, "cudnnGetVersion", functions.version) &&
           find(library, "cudnnGetErrorString", functions.error_text) &&
           find(library, "cudnnBackendCreateDescriptor", functions.create_descriptor) &&
           find(library, "cudnnBackendDestroyDescriptor", functions.destroy_descriptor) &&
           find(library, "cudnnBackendSetAttribute", functions.set_attribute) &&
           find(library, "cudnnBackendGetAttribute", functions.get_attribute) &&
           find(library, "cudnnBackendFinalize", functions.finalize) &&
           find(library, "cudnnBackendExecute", functions.execute);
}

/// cuDNN 9 writes 91900 for 9.19.0.
std::string version_text(std::size_t number) {
    return std::to_string(number / 10000)
        .append(".")
        .append(std::to_string(number % 10000 / 100))
        .append(".")
        .append(std::to_string(number % 100));
}

}  // namespace

std::unique_ptr<CudnnLibrary> CudnnLibrary::load(std::string& reason) {
    std::unique_ptr<CudnnLibrary> cudnn(new CudnnLibrary);
    cudnn->library_ = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (!cudnn->library_) {
        reason = std::string(library_name).append(" was not found");
        return nullptr;
    }
    cudnn->functions_ = std::make_unique<Functions>();
    if (!find_all(cudnn->library_, *cudnn->functions_)) {
        reason = std::string(library_name).append(" has not all functions of cuDNN 9");
        return nullptr;
    }
    if (const int status = cudnn->functions_->create(&cudnn->handle_); status != 0) {
        cudnn->handle_ = nullptr;
        reason = std::string("cuDNN does not start: ").append(cudnn->functions_->error_text(status));
        return nullptr;
    }
    return cudnn;
}

// The library stays loaded: its threads and the tables it registers with CUDA outlive every handle.
CudnnLibrary::~CudnnLibrary() {
    if (handle_) functions_->destroy(handle_);
}

std::string CudnnLibrary::version() const {
    return version_text(functions_->version());
}

std::string CudnnLibrary::installed_version() {
    void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    std::size_t (*version)() = nullptr;
    return library && find(library, "cudnnGetVersion", version) ? version_text(version()) : std::string();
}

void CudnnLibrary::set_stream(CUstream_st* stream) const {
    check(functions_->set_stream(handle_, stream), "choosing a stream");
}

void CudnnLibrary::check(int status, const char* attempted) const {
    if (status != 0) {
        throw InputError("cuDNN", std::string(attempted).append(": ").append(functions_->error_text(status)));
    }
}

CudnnDescriptor::CudnnDescriptor(const CudnnLibrary& library, cudnn::DescriptorType type) : library_(&library) {
    library.check(library.functions().create_descriptor(static_cast<int>(type), &descriptor_), "describing attention");
}

CudnnDescriptor::~CudnnDescriptor() {
    if (descriptor_) library_->functions().destroy_descriptor(descriptor_);
}

CudnnDescriptor::CudnnDescriptor(CudnnDescriptor&& other) noexcept
    : library_(other.library_), descriptor_(std::exchange(other.descriptor_, nullptr)) {}

void CudnnDescriptor::set(cudnn::Attribute attribute, cudnn::AttributeType type, std::int64_t count,
                          const void* values) {
    library_->check(library_->functions().set_attribute(descriptor_, static_cast<int>(attribute),
                                                        static_cast<int>(type), count, values),
                    "describing attention");
}

void CudnnDescriptor::set(cudnn::Attribute attribute, cudnn::DataType value) {
    set(attribute, cudnn::AttributeType::data_type, 1, &value);
}

void CudnnDescriptor::set(cudnn::Attribute attribute, cudnn::PointwiseMode value) {
    set(attribute, cudnn::AttributeType::pointwise_mode, 1, &value);
}

void CudnnDescriptor::set(cudnn::Attribute attribute, cudnn::ReductionOperator value) {
    set(attribute, cudnn::AttributeType::reduction_operator, 1, &value);
}

void CudnnDescriptor::set(cudnn::Attribute attribute, cudnn::HeuristicsMode value) {
    set(attribute, cudnn::AttributeType::heuristics_mode, 1, &value);
}

void CudnnDescriptor::set(cudnn::Attribute attribute, bool value) {
    set(attribute, cudnn::AttributeType::boolean, 1, &value);
}

void CudnnDescriptor::set(cudnn::Attribute attribute, std::int64_t value) {
    set(attribute, cudnn::AttributeType::int64, 1, &value);
}

void CudnnDescriptor::set(cudnn::Attribute attribute, std::span<const std::int64_t> values) {
    set(attribute, cudnn::AttributeType::int64, static_cast<std::int64_t>(values.size()), values.data());
}

void CudnnDescriptor::set(cudnn::Attribute attribute, const CudnnDescriptor& value) {
    void* const descriptor = value.get();
    set(attribute, cudnn::AttributeType::descriptor, 1, &descriptor);
}

void CudnnDescriptor::set(cudnn::Attribute attribute, std::span<void* const> values, cudnn::AttributeType type) {
    set(attribute, type, static_cast<std::int64_t>(values.size()), values.data());
}

std::int64_t CudnnDescriptor::integer(cudnn::Attribute attribute) const {
    std::int64_t value = 0, count = 0;
    library_->check(
        library_->functions().get_attribute(descriptor_, static_cast<int>(attribute),
                                            static_cast<int>(cudnn::AttributeType::int64), 1, &count, &value),
        "asking what attention needs");
    return value;
}

void CudnnDescriptor::finalize() {
    library_->check(library_->functions().finalize(descriptor_), "describing attention");
}

bool CudnnDescriptor::try_finalize() {
    return library_->functions().finalize(descriptor_) == 0;
}

}  // namespace overlap::cuda
