#include "core/passes/bucketing/manual_overlap_bucketing.h"

#include "core/passes/bucketing/module_bucketing.h"

namespace overlap {

namespace {

const ModuleBucketingTable& table() {
    static const ModuleBucketingTable table = [] {
        ModuleBucketingTable made;
        add_bucket_plans(made, "module_bucket_plans");
        add_insert_overlap_deps(made);
        add_bucket_mode(made);
        add_module_stack_fn(made);
        add_safe(made);
        return made;
    }();
    return table;
}

}  // namespace

std::string_view ManualOverlapBucketing::name() const {
    return "manual_overlap_bucketing";
}

std::string_view ManualOverlapBucketing::summary() const {
    return "Merges the FSDP collectives of the modules that the plan names into buckets, and moves each bucket's "
           "gather and reduction over its neighbour's compute";
}

std::span<const PassOption> ManualOverlapBucketing::options() const {
    return table().options();
}

PassResult ManualOverlapBucketing::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                       std::stop_token stop) const {
    ModuleBucketing settings{std::string(name()), table().read(options)};
    if (settings.options.module_stack_fn) settings.source = ModuleSource::module_fqn;
    PassResult result = bucket_by_modules(graph, settings, std::move(stop));
    // torchtitan's pass for joint graphs finds the same modules where they are read from the same place.
    for (Problem& problem : result.report.problems)
        if (problem.kind == ProblemKind::gathered_for_both && settings.source == ModuleSource::module_fqn)
            problem.fix = "bucket either direction apart";
    return result;
}

}  // namespace overlap
