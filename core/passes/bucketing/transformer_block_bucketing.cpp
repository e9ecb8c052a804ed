#include "core/passes/bucketing/transformer_block_bucketing.h"

#include "core/passes/bucketing/module_bucketing.h"

namespace overlap {

namespace {

const ModuleBucketingTable& joint_table() {
    static const ModuleBucketingTable table = [] {
        ModuleBucketingTable made;
        add_bucket_plans(made, "module_bucket_plans");
        add_insert_overlap_deps(made);
        add_bucket_mode(made);
        add_parameter_order(made);
        add_safe(made);
        return made;
    }();
    return table;
}

const ModuleBucketingTable& table() {
    static const ModuleBucketingTable table = [] {
        ModuleBucketingTable made;
        add_bucket_plans(made, "fsdp_manual_buckets");
        add_safe(made);
        return made;
    }();
    return table;
}

}  // namespace

std::string_view JointTransformerBlockBucketing::summary() const {
    return "Buckets the FSDP collectives of a joint forward and backward graph by module, each direction apart, and "
           "overlaps neighbouring buckets";
}

std::span<const PassOption> JointTransformerBlockBucketing::options() const {
    return joint_table().options();
}

PassResult JointTransformerBlockBucketing::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                               std::stop_token stop) const {
    const ModuleBucketing settings{std::string(name()), joint_table().read(options), ModuleSource::module_fqn, true};
    return bucket_by_modules(graph, settings, std::move(stop));
}

std::string_view TransformerBlockBucketing::summary() const {
    return "Buckets the FSDP collectives of a forward or backward graph by module and overlaps neighbouring buckets";
}

std::span<const PassOption> TransformerBlockBucketing::options() const {
    return table().options();
}

PassResult TransformerBlockBucketing::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                          std::stop_token stop) const {
    return bucket_by_modules(graph, {std::string(name()), table().read(options)}, std::move(stop));
}

}  // namespace overlap
