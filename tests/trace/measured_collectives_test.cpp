// Which events of a GPU are collectives, of which kind and group, and what launched them.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/trace/measured_links.h"
#include "tests/trace/trace_sketch.h"

namespace overlap {
namespace {

TEST(KindOfACollective, IsWhatItsNameIndicates) {
    for (const auto& [name, kind] : std::vector<std::pair<std::string, CollectiveKind>>{
             {"nccl:_all_gather_base", CollectiveKind::all_gather},
             {"AllReduce", CollectiveKind::all_reduce},
             {"ncclDevKernel_ReduceScatter_Sum_bf16", CollectiveKind::reduce_scatter},
             {"all_to_allv", CollectiveKind::all_to_all},
             {"broadcast_oop", CollectiveKind::broadcast},
             {"ncclDevKernel_SendRecv(AllReduce)", CollectiveKind::none},
             {"send", CollectiveKind::point_to_point},
             {"recv 0<-1", CollectiveKind::point_to_point},
             {"barrier", CollectiveKind::none},
             {"", CollectiveKind::none}})
        EXPECT_EQ(collective_kind_of(name), kind) << name;
}

TEST(KernelsThatCommunicate, AreThoseOfNcclAndOfSymmetricMemory) {
    for (const char* name : {"ncclDevKernel_AllGather_RING_LL", "ncclSymkDevKernel_AllGather_LL", "nccl_other",
                             "void ncclKernel_AllReduce", "void one_shot_all_reduce_kernel", "two_shot_all_reduce",
                             "multimem_one_shot", "ns::ncclSymDevKernel"})
        EXPECT_TRUE(is_communication_kernel(name)) << name;
    for (const char* name : {"gemm", "all_reduce", "void nccl", ""})
        EXPECT_FALSE(is_communication_kernel(name)) << name;
}

/// A trace with an operator from 10 to 30 us of the host and a copy that a call at `launch_us` launched.
struct CopyOfAnOperator {
    std::string operator_name = "record_param_comms";
    std::string operator_thread = "101";
    std::int64_t launch_us = 15;
    bool names_operator = true;  ///< the copy's External id is the operator's
    bool has_arguments = true;

    std::shared_ptr<const MeasuredTrace> trace() const {
        test::TraceSketch sketch;
        TraceEvent around = test::TraceSketch::event("cpu_op", operator_name, 10, 20);
        around.thread = operator_thread;
        around.external_id = 40;
        if (has_arguments) {
            CollectiveArguments& arguments = around.collective.emplace();
            arguments.name = sketch.builder.intern("_allgather_base");
            arguments.dtype = sketch.builder.intern("BFloat16");
            arguments.group_name = sketch.builder.intern("3");
            arguments.input_elements = 10;
            arguments.output_elements = 80;
        }
        sketch.builder.add(around);
        TraceEvent call = test::TraceSketch::event("cuda_runtime", "cudaMemcpyAsync", launch_us, 1);
        call.correlation = 1;
        sketch.builder.add(call);
        TraceEvent copy = test::TraceSketch::event("gpu_memcpy", "Memcpy DtoD", 50, 10);
        copy.process = "0";
        copy.thread = "20";
        copy.correlation = 1;
        copy.external_id = names_operator ? 40 : no_id;
        sketch.builder.add(copy);
        return sketch.finish();
    }
};

TEST(CopyOfACollective, HasWhatTheOperatorAroundItsLaunchSays) {
    const auto trace = CopyOfAnOperator().trace();
    ASSERT_EQ(trace->collectives().size(), 1u);
    const MeasuredCollective& collective = trace->collectives()[0];
    EXPECT_EQ(trace->activities()[0].work, GpuWork::communication);
    EXPECT_EQ(trace->activities()[0].operation, 0u);
    EXPECT_EQ(trace->activities()[0].launch, 1u);
    EXPECT_EQ(collective.source, CollectiveSource::operation);
    EXPECT_EQ(collective.kind, CollectiveKind::all_gather);
    EXPECT_EQ(collective.input_bytes, 20);
    EXPECT_EQ(collective.output_bytes, 160);
    EXPECT_EQ(trace->groups()[collective.group].name, "3");
}

TEST(CopyOfACollective, IsOneWhereTheLaunchLiesWithinTheOperatorToItsEnds) {
    for (const auto& [launch_us, count] :
         std::vector<std::pair<std::int64_t, std::size_t>>{{9, 0}, {10, 1}, {30, 1}, {31, 0}})
        EXPECT_EQ(CopyOfAnOperator{.launch_us = launch_us}.trace()->collectives().size(), count) << launch_us;
}

TEST(CopyOfACollective, IsMemoryWhereNothingSaysThatItCommunicates) {
    for (const CopyOfAnOperator& other :
         {CopyOfAnOperator{.operator_name = "aten::copy_"}, CopyOfAnOperator{.operator_thread = "102"},
          CopyOfAnOperator{.names_operator = false}}) {
        const auto trace = other.trace();
        EXPECT_EQ(trace->activities()[0].work, GpuWork::memory);
        EXPECT_TRUE(trace->collectives().empty());
    }
}

TEST(CopyOfACollective, OfAnOperatorThatSaysNothingHasNeitherGroupNorSource) {
    const auto trace = CopyOfAnOperator{.has_arguments = false}.trace();
    ASSERT_EQ(trace->collectives().size(), 1u);
    EXPECT_EQ(trace->collectives()[0].kind, CollectiveKind::none);
    EXPECT_EQ(trace->collectives()[0].group, no_index);
    EXPECT_EQ(trace->collectives()[0].source, CollectiveSource::none);
}

/// Adds a kernel of a collective on a stream, 100 us behind the one before it.
/// @param arguments null: the trace says nothing of it.
void add_kernel(test::TraceSketch& sketch, const std::string& stream, const CollectiveArguments* arguments) {
    TraceEvent made = test::TraceSketch::event("kernel", "ncclDevKernel_AllGather", sketch.builder.size() * 100, 10);
    made.process = "0";
    made.thread = stream;
    if (arguments) made.collective = *arguments;
    sketch.builder.add(made);
}

/// What an event says of an all-gather in a group; texts that are empty are left out, and so is a size of 0.
CollectiveArguments of_group(test::TraceSketch& sketch, const std::string& name, const std::string& ranks = {},
                             const std::string& description = {}, std::int64_t size = 0) {
    CollectiveArguments arguments;
    arguments.name = sketch.builder.intern("allgather");
    arguments.group_name = sketch.builder.intern(name);
    arguments.group_ranks = sketch.builder.intern(ranks);
    arguments.group_description = sketch.builder.intern(description);
    arguments.group_size = size;
    return arguments;
}

TEST(GroupsOfCollectives, AreTheSameWhereNameAndRanksAre) {
    test::TraceSketch sketch;
    for (const auto& [name, ranks] : std::vector<std::pair<std::string, std::string>>{
             {"a", "[0, 1]"}, {"a", "[2, 3]"}, {"a", "[0,1]"}, {"b", "[0, 1]"}, {"a", "[2, 3]"}}) {
        const CollectiveArguments arguments = of_group(sketch, name, ranks);
        add_kernel(sketch, "20", &arguments);
    }
    const auto trace = sketch.finish();
    std::vector<std::uint32_t> groups;
    for (const MeasuredCollective& collective : trace->collectives()) groups.push_back(collective.group);
    EXPECT_EQ(groups, (std::vector<std::uint32_t>{0, 1, 0, 2, 1}));
    ASSERT_EQ(trace->groups().size(), 3u);
    EXPECT_EQ(trace->groups()[1].ranks, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(trace->groups()[1].size, 2);
    EXPECT_EQ(trace->remarks().unreadable_group_ranks, 0u);
}

TEST(GroupsOfCollectives, LearnFromLaterEventsWhatFormerOnesLeftOut) {
    test::TraceSketch sketch;
    for (const CollectiveArguments& arguments :
         {of_group(sketch, "a", "[0, ..., 3]", "", 4), of_group(sketch, "a", "[0, 1, 2, 3]", "data parallel"),
          of_group(sketch, "a", "", "another text")})
        add_kernel(sketch, "20", &arguments);
    const auto trace = sketch.finish();
    ASSERT_EQ(trace->groups().size(), 1u);
    EXPECT_EQ(trace->groups()[0].description, "data parallel");
    EXPECT_EQ(trace->groups()[0].ranks, (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(trace->groups()[0].size, 4);
    EXPECT_EQ(trace->remarks().unreadable_group_ranks, 1u);
    for (const MeasuredCollective& collective : trace->collectives()) EXPECT_EQ(collective.group, 0u);
}

TEST(GroupsOfCollectives, AreInferredFromAStreamOfOneGroupAlone) {
    test::TraceSketch sketch;
    const CollectiveArguments a = of_group(sketch, "a"), b = of_group(sketch, "b");
    add_kernel(sketch, "20", nullptr);
    add_kernel(sketch, "20", &a);
    add_kernel(sketch, "21", nullptr);
    add_kernel(sketch, "21", &a);
    add_kernel(sketch, "21", &b);
    add_kernel(sketch, "22", nullptr);
    const auto trace = sketch.finish();
    EXPECT_EQ(trace->collectives()[0].group, trace->collectives()[1].group);
    EXPECT_EQ(trace->collectives()[0].source, CollectiveSource::stream);
    for (const std::size_t number : {2, 5}) {
        EXPECT_EQ(trace->collectives()[number].group, no_index) << number;
        EXPECT_EQ(trace->collectives()[number].source, CollectiveSource::none) << number;
    }
}

TEST(BytesOfCollectives, AreUnknownForCountsAndTypesThatCannotBe) {
    const auto bytes_of = [](const std::string& type, std::int64_t elements) {
        test::TraceSketch sketch;
        CollectiveArguments arguments = of_group(sketch, "a");
        arguments.dtype = sketch.builder.intern(type);
        arguments.input_elements = 1;
        arguments.output_elements = elements;
        add_kernel(sketch, "20", &arguments);
        return sketch.finish()->collectives()[0].output_bytes;
    };
    EXPECT_EQ(bytes_of("Float", 3), 12);
    EXPECT_EQ(bytes_of("Half", 3), 6);
    EXPECT_EQ(bytes_of("Long", 3), 24);
    EXPECT_EQ(bytes_of("float8_e4m3fn", 3), 3);
    EXPECT_EQ(bytes_of("Quaternion", 3), 0);
    EXPECT_EQ(bytes_of("Float", -3), 0);
    EXPECT_EQ(bytes_of("Float", std::int64_t{1} << 62), 0);
}

/// An event of the host's runtime.
TraceEvent call_of(std::string_view name, std::int64_t start_us, std::int64_t correlation) {
    TraceEvent call = test::TraceSketch::event("cuda_runtime", name, start_us, 1);
    call.correlation = correlation;
    return call;
}

TEST(Launches, AreTheFirstCallsWithTheCorrelationInAnyOrderOfTheFile) {
    test::TraceSketch sketch;
    for (const std::int64_t correlation : {9, 3, 7, 3}) sketch.builder.add(call_of("cudaLaunchKernel", 0, correlation));
    for (const std::int64_t correlation : {3, 7, 9, 8})
        sketch.unlaunched("kernel", "gemm", "7", 10 * correlation, 1, correlation);
    const auto trace = sketch.finish();
    std::vector<std::uint32_t> launches;
    for (const GpuActivity& activity : trace->activities()) launches.push_back(activity.launch);
    EXPECT_EQ(launches, (std::vector<std::uint32_t>{1, 2, 0, no_index}));
    EXPECT_EQ(trace->remarks().activities_without_launch, 1u);
    EXPECT_EQ(trace->remarks().launches_without_activity, 0u);
}

TEST(Launches, WithoutAnActivityCountWhereTheyLaunchWork) {
    const auto counted = [](std::string_view name) {
        test::TraceSketch sketch;
        sketch.kernel("gemm", "7", 10, 10);
        sketch.builder.add(call_of(name, 30, 99));
        return sketch.finish()->remarks().launches_without_activity;
    };
    for (const char* name : {"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaMemsetAsync"})
        EXPECT_EQ(counted(name), 1u) << name;
    for (const char* name : {"cudaStreamSynchronize", "cudaEventRecord"}) EXPECT_EQ(counted(name), 0u) << name;
}

TEST(Launches, ThatSeemToComeLaterThanTheirWorkAreCounted) {
    test::TraceSketch sketch;
    sketch.kernel("early", "7", 10, 5, 11);
    sketch.kernel("at once", "7", 20, 5, 20);
    EXPECT_EQ(sketch.finish()->remarks().starts_before_launch, 1u);
}

TEST(OperatorsOfActivities, AreOperatorsAndAnnotationsWithTheExternalId) {
    const auto operation_of = [](std::string_view category) {
        test::TraceSketch sketch;
        TraceEvent around = test::TraceSketch::event(category, "aten::mm", 0, 10);
        around.external_id = 5;
        sketch.builder.add(around);
        TraceEvent kernel = test::TraceSketch::event("kernel", "gemm", 20, 10);
        kernel.external_id = 5;
        sketch.builder.add(kernel);
        return sketch.finish()->activities()[0].operation;
    };
    EXPECT_EQ(operation_of("cpu_op"), 0u);
    EXPECT_EQ(operation_of("user_annotation"), 0u);
    EXPECT_EQ(operation_of("python_function"), no_index);
}

}  // namespace
}  // namespace overlap
