#include "core/passes/registry/registry.h"

#include <array>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/passes/bucketing/fsdp_pre_bucketing.h"
#include "core/passes/bucketing/manual_overlap_bucketing.h"
#include "core/passes/bucketing/stand_alone_bucketing.h"
#include "core/passes/bucketing/transformer_block_bucketing.h"
#include "core/passes/cleanup/canonicalize_graph.h"
#include "core/passes/cleanup/dedup_reduce_scatter.h"
#include "core/passes/cleanup/deduplicate_unshards.h"
#include "core/passes/cleanup/deduplicate_waits.h"
#include "core/passes/cleanup/eliminate_dead_code.h"
#include "core/passes/cleanup/stable_topological_sort_pass.h"
#include "core/passes/experts/concretize_chunk_shapes.h"
#include "core/passes/experts/ep_overlap_chunk.h"
#include "core/passes/experts/ep_overlap_schedule.h"
#include "core/passes/experts/populate_chunk_dim_metadata.h"
#include "core/passes/experts/populate_eager_chunk_metadata.h"
#include "core/passes/groups/process_group_passes.h"
#include "core/passes/memory/apply_cpu_offload.h"
#include "core/passes/memory/selective_activation_remat.h"
#include "core/passes/memory/tag_with_memory_policy.h"
#include "core/passes/pass.h"
#include "core/passes/scheduling/low_contention_collectives.h"
#include "core/passes/scheduling/regions/schedule_to_dense_regions.h"
#include "core/passes/scheduling/schedule_overlap_bucketing.h"
#include "core/passes/tensor_parallel/micro_pipeline_tp.h"

namespace overlap {

std::span<const Pass* const> all_passes() {
    static const ApplyCpuOffload apply_cpu_offload;
    static const StandAloneBucketing bucket_all_gather(CollectiveKind::all_gather);
    static const StandAloneBucketing bucket_all_reduce(CollectiveKind::all_reduce);
    static const StandAloneBucketing bucket_reduce_scatter(CollectiveKind::reduce_scatter);
    static const CanonicalizeGraph canonicalize_graph;
    static const ConcretizeChunkShapes concretize_chunk_shapes;
    static const DedupReduceScatter dedup_reduce_scatter;
    static const DeduplicateUnshards deduplicate_unshards;
    static const DeduplicateWaits deduplicate_waits;
    static const EliminateDeadCode eliminate_dead_code;
    static const EpOverlapChunk ep_overlap_chunk;
    static const EpOverlapSchedule ep_overlap_schedule;
    static const IsolateExpertGroup isolate_expert_group;
    static const JointTransformerBlockBucketing joint_transformer_block_bucketing;
    static const LowContentionCollectives low_contention_collectives;
    static const ManualOverlapBucketing manual_overlap_bucketing;
    static const MicroPipelineTp micro_pipeline_tp;
    static const PopulateChunkDimMetadata populate_chunk_dim_metadata;
    static const PopulateEagerChunkMetadata populate_eager_chunk_metadata;
    static const PreBucketFsdpCollectives pre_bucket_fsdp_collectives;
    static const ReassignCollectiveGroups reassign_collective_groups;
    static const ScheduleOverlapBucketing schedule_overlap_bucketing;
    static const ScheduleToDenseRegions schedule_to_dense_regions;
    static const SelectiveActivationRemat selective_activation_remat;
    static const StableTopologicalSort stable_topological_sort;
    static const TagWithMemoryPolicy tag_with_memory_policy;
    static const TransformerBlockBucketing transformer_block_bucketing;
    static const auto passes = std::to_array<const Pass*>({
        &apply_cpu_offload,
        &bucket_all_gather,
        &bucket_all_reduce,
        &bucket_reduce_scatter,
        &canonicalize_graph,
        &concretize_chunk_shapes,
        &dedup_reduce_scatter,
        &deduplicate_unshards,
        &deduplicate_waits,
        &eliminate_dead_code,
        &ep_overlap_chunk,
        &ep_overlap_schedule,
        &isolate_expert_group,
        &joint_transformer_block_bucketing,
        &manual_overlap_bucketing,
        &micro_pipeline_tp,
        &populate_chunk_dim_metadata,
        &populate_eager_chunk_metadata,
        &pre_bucket_fsdp_collectives,
        &reassign_collective_groups,
        &low_contention_collectives,
        &schedule_to_dense_regions,
        &schedule_overlap_bucketing,
        &selective_activation_remat,
        &stable_topological_sort,
        &tag_with_memory_policy,
        &transformer_block_bucketing,
    });
    return passes;
}

const Pass* find_pass(std::string_view name) {
    for (const Pass* pass : all_passes()) {
        if (pass->name() == name) return pass;
    }
    // A former name is accepted but not offered.
    static const ReassignCollectiveGroups renamed(true);
    return name == renamed.name() ? &renamed : nullptr;
}

const Pass& require_pass(std::string_view name) {
    if (const Pass* pass = find_pass(name)) return *pass;
    std::vector<std::string> names;
    for (const Pass* pass : all_passes()) names.emplace_back(pass->name());
    throw InputError("", "unknown pass " + in_quotes(name) + suggest_names(name, names));
}

}  // namespace overlap
