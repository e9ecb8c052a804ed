// The traps of profilers' traces around collectives, launches and flows; see the profilers' issues named at each.

#include <gtest/gtest.h>

#include "core/trace/collective_alignment.h"
#include "core/trace/trace_statistics.h"
#include "tests/io/trace_text.h"

namespace overlap {
namespace {

using test::event_text;
using test::gpu_text;
using test::launch_text;
using test::trace_of;

const std::string gather_arguments =
    R"("Collective name": "_allgather_base", "In msg nelems": 1000, "Out msg nelems": 8000, "Group size": 8,
       "dtype": "BFloat16", "Process Group Name": "3", "Process Group Description": "fsdp",
       "Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7]")";

/// `record_param_comms` with that External id.
std::string operator_text(const std::string& external_id, const std::string& start, const std::string& duration,
                          const std::string& arguments = gather_arguments) {
    return event_text("cpu_op", "record_param_comms", start, duration,
                      R"(, "args": {"External id": )" + external_id + ", " + arguments + "}");
}

TEST(Collectives, SayTheirGroupAndBytes) {
    const auto trace = trace_of(gpu_text("kernel", "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                                         "20", "5", "10", "1", ", \"Seq\": 17, " + gather_arguments));
    ASSERT_EQ(trace->collectives().size(), 1u);
    const MeasuredCollective& collective = trace->collectives()[0];
    EXPECT_EQ(collective.kind, CollectiveKind::all_gather);
    EXPECT_EQ(collective.source, CollectiveSource::kernel);
    EXPECT_EQ(collective.input_bytes, 2000);
    EXPECT_EQ(collective.output_bytes, 16000);
    EXPECT_EQ(collective.sequence, 17);
    const MeasuredGroup& group = trace->groups()[collective.group];
    EXPECT_EQ(group.name, "3");
    EXPECT_EQ(group.description, "fsdp");
    EXPECT_EQ(group.ranks, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(group.size, 8);
}

// Trap 1: collectives by copy engines are gpu_memcpy events, which get no args.
TEST(Collectives, ByCopyEnginesAreFoundThroughTheirOperator) {
    const auto trace = trace_of(
        operator_text("40", "0", "20") + "," + launch_text("5", "1") + "," +
        gpu_text("gpu_memcpy", "Memcpy DtoD (Device -> Device)", "20", "30", "10", "1", R"(, "External id": 40)"));
    ASSERT_EQ(trace->collectives().size(), 1u);
    EXPECT_EQ(trace->activities()[0].work, GpuWork::communication);
    EXPECT_EQ(trace->collectives()[0].source, CollectiveSource::operation);
    EXPECT_EQ(trace->collectives()[0].kind, CollectiveKind::all_gather);
    EXPECT_EQ(trace->collectives()[0].output_bytes, 16000);
    const auto holistic = holistic_times(*trace);
    ASSERT_EQ(holistic->missed_collectives.size(), 1u) << "the name filter sees a copy";
    EXPECT_EQ(holistic->missed_collectives[0].name, "Memcpy DtoD (Device -> Device)");
}

TEST(Collectives, CopiesWithinTheirOperatorAreNone) {
    // The copy into the flat buffer runs within record_param_comms, but for aten::copy_.
    const auto trace = trace_of(operator_text("40", "0", "20") + "," +
                                event_text("cpu_op", "aten::copy_", "4", "4", R"(, "args": {"External id": 41})") +
                                "," + launch_text("5", "1") + "," +
                                gpu_text("gpu_memcpy", "Memcpy DtoD", "7", "30", "10", "1", R"(, "External id": 41)"));
    EXPECT_EQ(trace->activities()[0].work, GpuWork::memory);
    EXPECT_TRUE(trace->collectives().empty());
}

TEST(Collectives, AreNotFoundThroughNumbersOfAnotherKind) {
    // Old traces write the correlation as External id, which may be some operator's by chance.
    const auto trace =
        trace_of(operator_text("40", "0", "20") + "," + launch_text("900", "40") + "," +
                 gpu_text("gpu_memcpy", "Memcpy DtoD", "7", "910", "10", "40", R"(, "External id": 40)"));
    EXPECT_EQ(trace->activities()[0].work, GpuWork::memory);
}

// Trap 2: kernels of coalesced collectives carry nothing.
TEST(Collectives, CoalescedOnesHaveTheGroupOfTheirStream) {
    const std::string coalesced = gpu_text("kernel", "ncclDevKernel_AllGather_RING_LL", "20", "50", "10", "2");
    const auto of_group = [](const char* stream, const char* group) {
        return gpu_text("kernel", "ncclDevKernel_AllGather_RING_LL", stream, "5", "10", "1",
                        std::string(R"(, "Collective name": "allgather", "Process Group Name": ")") + group + "\"");
    };
    auto trace = trace_of(of_group("20", "fsdp") + "," + of_group("24", "tp") + "," + coalesced);
    EXPECT_EQ(trace->collectives()[2].source, CollectiveSource::stream);
    EXPECT_EQ(trace->groups()[trace->collectives()[2].group].name, "fsdp");
    EXPECT_EQ(trace->collectives()[2].kind, CollectiveKind::all_gather) << "by its name";
    trace = trace_of(of_group("20", "fsdp") + "," + of_group("20", "tp") + "," + coalesced);
    EXPECT_EQ(trace->collectives()[2].group, no_index) << "two groups on the stream: it may be of either";
    EXPECT_EQ(trace->collectives()[2].source, CollectiveSource::none);
}

// Trap 3: Seq exists only in recent traces; see also collective_alignment_test.cpp.
TEST(Collectives, WithoutSequenceMatchByOrder) {
    const auto rank = [](int late_us) {
        std::string events;
        for (const int number : {0, 1, 2}) {
            events += std::string(number ? "," : "") + gpu_text("kernel", "ncclDevKernel_AllGather", "20",
                                                                std::to_string(1000 * number + late_us), "50", "1",
                                                                ", " + gather_arguments);
        }
        return trace_of(events);
    };
    const std::vector<std::shared_ptr<const MeasuredTrace>> traces = {rank(0), rank(7)};
    EXPECT_EQ(traces[0]->collectives()[0].sequence, no_id);
    const AlignedRanks aligned = align_ranks(traces);
    EXPECT_EQ(aligned.matches.size(), 3u);
    EXPECT_EQ(aligned.ranks[1].clock_offset_ns, -7000);
}

// Trap 4: long lists of ranks are elided; pg_config has them, as a list or by name, with lists or texts.
TEST(Collectives, WithElidedRanksTakeThemFromTheConfiguration) {
    const std::string collective =
        gpu_text("kernel", "ncclDevKernel_AllReduce", "20", "5", "10", "1",
                 R"(, "Collective name": "allreduce", "Group size": 4, "Process Group Name": "5",
                    "Process Group Ranks": "[0, 1, ..., 3]")");
    for (const char* config : {R"([{"pg_name": "5", "pg_desc": "dp", "pg_size": 4, "ranks": [0, 1, 2, 3]}])",
                               R"([{"pg_name": "5", "pg_desc": "dp", "ranks": "[0, 1, 2, 3]"}])",
                               R"({"5": {"pg_desc": "dp", "ranks": [0, 1, 2, 3]}})"}) {
        const auto trace = trace_of(collective, std::string(R"(, "distributedInfo": {"backend": "nccl", "rank": 2,
                                                               "world_size": 4, "pg_config": )") +
                                                    config + "}");
        EXPECT_EQ(trace->remarks().unreadable_group_ranks, 1u);
        ASSERT_EQ(trace->groups().size(), 1u) << config;
        EXPECT_EQ(trace->collectives()[0].group, 0u);
        EXPECT_EQ(trace->groups()[0].ranks, (std::vector<std::int64_t>{0, 1, 2, 3}));
        EXPECT_EQ(trace->groups()[0].description, "dp");
        EXPECT_EQ(trace->header().rank, 2);
        EXPECT_EQ(trace->header().world_size, 4);
    }
    const auto alone = trace_of(collective);
    EXPECT_EQ(alone->groups()[0].size, 4) << "the event says the size at least";
    EXPECT_TRUE(alone->groups()[0].ranks.empty());
}

// Trap 5: events of one stream overlap.
TEST(Streams, MayOverlapThemselves) {
    const auto trace =
        trace_of(gpu_text("kernel", "a", "7", "0", "10", "1") + "," + gpu_text("kernel", "b", "7", "8", "10", "2"));
    EXPECT_EQ(trace->remarks().overlapping_activities, 1u);
    const GpuTimes total = device_times(*trace).at(0).total;
    EXPECT_EQ(total.activities, 2u);
    EXPECT_EQ(total.compute_ns, 18'000) << "clipped, not 20";
}

// Trap 6: kernels that seem to start before they are launched.
TEST(Launches, MayComeAfterTheirKernel) {
    const auto trace = trace_of(launch_text("5", "1") + "," + gpu_text("kernel", "a", "7", "4.5", "10", "1"));
    EXPECT_EQ(trace->activities()[0].launch, 0u);
    EXPECT_EQ(trace->remarks().starts_before_launch, 1u);
    EXPECT_EQ(trace->remarks().activities_without_launch, 0u);
}

// Trap 7: the first steps may have lost events.
TEST(Launches, WithoutEventAndEventsWithoutLaunchAreCounted) {
    const auto trace =
        trace_of(launch_text("5", "1") + "," + gpu_text("kernel", "a", "7", "6", "10", "2") + "," +
                 event_text("cuda_runtime", "cudaStreamSynchronize", "7", "1", R"(, "args": {"correlation": 3})"));
    EXPECT_EQ(trace->remarks().launches_without_activity, 1u) << "a call that launches nothing is none";
    EXPECT_EQ(trace->remarks().activities_without_launch, 1u);
    EXPECT_EQ(device_times(*trace).at(0).total.unmatched, 1u);
}

// Trap 8: names of NCCL's kernels through the versions.
TEST(Collectives, AreKnownByTheNamesOfAllVersions) {
    for (const char* name :
         {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)",
          "ncclSymkDevKernel_AllGather_LL(ncclSymkDevWorkArgs4K)", "void ncclSymkDevKernel_x<1>(y)",
          "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)"}) {
        const auto trace = trace_of(gpu_text("kernel", name, "20", "0", "1", "1"));
        EXPECT_EQ(trace->activities()[0].work, GpuWork::communication) << name;
    }
    for (const char* name : {"gemm", "void at::native::all_gather_copy_kernel(float*)", "Memcpy"}) {
        EXPECT_EQ(trace_of(gpu_text("kernel", name, "7", "0", "1", "1"))->activities()[0].work, GpuWork::compute)
            << name;
    }
}

TEST(Collectives, KindsComeFromNamesWhereNoArgsSayThem) {
    const auto kind = [](const char* name) {
        return trace_of(gpu_text("kernel", name, "20", "0", "1", "1"))->collectives().front().kind;
    };
    EXPECT_EQ(kind("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)"), CollectiveKind::reduce_scatter);
    EXPECT_EQ(kind("ncclKernel_Broadcast_RING_LL_Sum_int8_t(x)"), CollectiveKind::broadcast);
    EXPECT_EQ(kind("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)"), CollectiveKind::none) << "all-to-all or a send";
}

// Trap 10: older traces call the number of elements a size.
TEST(Collectives, OfOlderTracesSayTheirSizeByAnotherName) {
    const auto trace = trace_of(gpu_text("kernel", "ncclKernel_AllReduce", "20", "5", "10", "1",
                                         R"(, "Collective name": "allreduce", "In msg size": 10, "Out msg size": 20,
                                            "Group size": 2, "dtype": "Half")"));
    EXPECT_EQ(trace->collectives()[0].input_bytes, 20);
    EXPECT_EQ(trace->collectives()[0].output_bytes, 40);
}

TEST(Collectives, ArgsOfAnyTypeAreNoError) {
    const auto trace = trace_of(gpu_text("kernel", "ncclKernel_AllReduce", "20", "5", "10", "1",
                                         R"(, "Collective name": ["x"], "In msg nelems": {}, "Out msg nelems": 1e300,
                                            "Group size": "four", "dtype": 7, "Process Group Ranks": [0, 1],
                                            "Process Group Name": null, "Seq": true)"));
    EXPECT_EQ(trace->activities()[0].work, GpuWork::communication);
    EXPECT_EQ(trace->collectives()[0].input_bytes, 0);
}

TEST(Memory, OfGpusIsKept) {
    const auto sample = [](const char* type, const char* bytes) {
        return std::string(R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1,
            "ts": 3, "args": {"Total Reserved": 9, "Total Allocated": )") +
               bytes + R"(, "Device Id": 0, "Device Type": )" + type + "}}";
    };
    const auto trace = trace_of(sample("0", "5") + "," + sample("1", "38535168"), R"(, "baseTimeNanoseconds": 1000)");
    ASSERT_EQ(trace->memory().size(), 1u);
    EXPECT_EQ(trace->memory()[0].allocated_bytes, 38535168);
    EXPECT_EQ(trace->memory()[0].time_ns, 4000);
}

}  // namespace
}  // namespace overlap
