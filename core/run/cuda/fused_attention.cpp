#include "core/run/cuda/fused_attention.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/run/cuda/attention_operations.h"
#include "core/run/cuda/cudnn_functions.h"
#include "core/run/cuda/cudnn_library.h"

namespace overlap::cuda {

namespace {

using cudnn::Attribute;
using cudnn::AttributeType;
using cudnn::DescriptorType;

/// A plan and the configuration of an engine that it was made of, which it may refer to.
struct ChosenPlan {
    CudnnDescriptor configuration, plan;
};

/// An attention of one shape, ready to launch.
struct PreparedAttention {
    AttentionOperations operations;
    std::optional<CudnnDescriptor> graph;
    std::optional<ChosenPlan> chosen;
    std::int64_t workspace_bytes = 0;
};

/// The first plan that can be built among those that the heuristics propose, best first.
std::optional<ChosenPlan> first_plan(const CudnnLibrary& library, const CudnnDescriptor& graph,
                                     cudnn::HeuristicsMode mode) {
    CudnnDescriptor heuristics(library, DescriptorType::engine_heuristics);
    heuristics.set(Attribute::heuristics_operation_graph, graph);
    heuristics.set(Attribute::heuristics_mode, mode);
    if (!heuristics.try_finalize()) return std::nullopt;
    constexpr std::size_t most = 8;
    std::vector<CudnnDescriptor> configurations;
    std::vector<void*> addresses;
    for (std::size_t index = 0; index < most; ++index) {
        configurations.emplace_back(library, DescriptorType::engine_configuration);
        addresses.push_back(configurations.back().get());
    }
    std::int64_t found = 0;
    library.check(library.functions().get_attribute(heuristics.get(), static_cast<int>(Attribute::heuristics_results),
                                                    static_cast<int>(AttributeType::descriptor),
                                                    static_cast<std::int64_t>(most), &found, addresses.data()),
                  "asking for attention's kernels");
    for (std::size_t index = 0; index < std::min(most, static_cast<std::size_t>(found)); ++index) {
        CudnnDescriptor plan(library, DescriptorType::execution_plan);
        void* const handle = library.handle();
        plan.set(Attribute::plan_handle, AttributeType::handle, 1, &handle);
        plan.set(Attribute::plan_engine_configuration, configurations[index]);
        if (plan.try_finalize()) return ChosenPlan{std::move(configurations[index]), std::move(plan)};
    }
    return std::nullopt;
}

std::unique_ptr<PreparedAttention> prepare(const CudnnLibrary& library, const AttentionShape& shape) {
    auto prepared = std::make_unique<PreparedAttention>();
    prepared->operations = attention_operations(library, shape);
    CudnnDescriptor& graph = prepared->graph.emplace(library, DescriptorType::operation_graph);
    void* const handle = library.handle();
    graph.set(Attribute::operation_graph_operations, std::span<void* const>(prepared->operations.operations),
              AttributeType::descriptor);
    graph.set(Attribute::operation_graph_handle, AttributeType::handle, 1, &handle);
    if (!graph.try_finalize()) return nullptr;
    for (const auto mode : {cudnn::HeuristicsMode::best, cudnn::HeuristicsMode::fallback}) {
        std::optional<ChosenPlan> chosen = first_plan(library, graph, mode);
        if (!chosen) continue;
        prepared->workspace_bytes = chosen->plan.integer(Attribute::plan_workspace_size);
        prepared->chosen.emplace(std::move(*chosen));
        return prepared;
    }
    return nullptr;
}

std::string described(const AttentionShape& shape) {
    const auto sizes = [](const AttentionTensor& tensor) {
        std::string text;
        for (const std::int64_t size : tensor.sizes) {
            if (!text.empty()) text += 'x';
            text += std::to_string(size);
        }
        return text;
    };
    return std::string(shape.backward ? "the backward pass of attention" : "attention")
        .append(" of queries ")
        .append(sizes(shape[AttentionRole::query]))
        .append(" and values ")
        .append(sizes(shape[AttentionRole::value]));
}

}  // namespace

struct FusedAttention::State {
    std::string obstacle;
    std::unique_ptr<CudnnLibrary> library = CudnnLibrary::load(obstacle);
    std::map<AttentionShape, std::unique_ptr<PreparedAttention>> prepared;  ///< nullptr where cuDNN has no kernel
    std::int64_t workspace_bytes = 0;

    PreparedAttention* find(const AttentionShape& shape) {
        if (!library) return nullptr;
        const auto [slot, is_new] = prepared.try_emplace(shape);
        if (!is_new) return slot->second.get();
        std::string reason = "cuDNN " + library->version() + " has no kernel for it";
        try {
            slot->second = prepare(*library, shape);
        } catch (const InputError& error) {
            reason = error.what();
        }
        if (!slot->second) {
            if (obstacle.empty()) obstacle = described(shape).append(": ").append(reason);
            return nullptr;
        }
        workspace_bytes = std::max(workspace_bytes, slot->second->workspace_bytes);
        return slot->second.get();
    }
};

FusedAttention::FusedAttention(const Device& device) {
    use(device);
    state_ = std::make_unique<State>();
}
FusedAttention::~FusedAttention() = default;

bool FusedAttention::runs(const AttentionShape& shape) {
    return state_->find(shape) != nullptr;
}

const std::string& FusedAttention::obstacle() const {
    return state_->obstacle;
}

std::string FusedAttention::version() const {
    return state_->library ? state_->library->version() : std::string();
}

std::int64_t FusedAttention::workspace_bytes() const {
    return state_->workspace_bytes;
}

void FusedAttention::launch(const AttentionShape& shape, const Memory& memory, cudaStream_t stream) {
    State& state = *state_;
    const PreparedAttention& prepared = *state.find(shape);
    const AttentionAccumulators places = attention_accumulators(shape);
    float scale = static_cast<float>(shape.scale), minus_infinity = -std::numeric_limits<float>::infinity(), one = 1;
    const auto address_of = [&](std::int64_t identity) -> void* {
        char* const start = static_cast<char*>(memory.accumulators);
        switch (static_cast<AttentionExtra>(identity)) {
            case AttentionExtra::sums:
                return start + places.sums;
            case AttentionExtra::query_gradient:
                return start + places.query_gradient;
            case AttentionExtra::key_gradient:
                return start + places.key_gradient;
            case AttentionExtra::value_gradient:
                return start + places.value_gradient;
            case AttentionExtra::scale:
                return &scale;
            case AttentionExtra::minus_infinity:
                return &minus_infinity;
            case AttentionExtra::one:
                return &one;
            default:
                return memory.tensors[static_cast<std::size_t>(identity)];
        }
    };
    std::vector<void*> pointers;
    for (const std::int64_t identity : prepared.operations.identities) pointers.push_back(address_of(identity));
    CudnnDescriptor pack(*state.library, DescriptorType::variant_pack);
    pack.set(Attribute::variant_pack_unique_ids, std::span<const std::int64_t>(prepared.operations.identities));
    pack.set(Attribute::variant_pack_data_pointers, std::span<void* const>(pointers), AttributeType::pointer);
    pack.set(Attribute::variant_pack_workspace, AttributeType::pointer, 1, &memory.workspace);
    pack.finalize();
    state.library->set_stream(stream);
    state.library->check(
        state.library->functions().execute(state.library->handle(), prepared.chosen->plan.get(), pack.get()),
        "launching an attention");
}

}  // namespace overlap::cuda
