// What moves over shared links: rates, bytes, and the closed forms of collectives.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "core/base/error.h"
#include "core/job/document/job_file.h"
#include "core/job/job_evaluation.h"
#include "core/job/links/collective_flows.h"
#include "core/job/links/max_min.h"
#include "core/job/links/moving_flows.h"
#include "core/job/run_job.h"

namespace overlap::job {
namespace {

TEST(MaxMin, EachFlowIsAtItsLimitOrCrossesASaturatedLinkOnWhichNoneIsFaster) {
    std::mt19937 random(7);
    const auto pick = [&](std::size_t most) { return random() % most; };
    for (int round = 0; round < 2000; ++round) {
        std::vector<double> rates(1 + pick(12));
        for (double& rate : rates) rate = static_cast<double>(1 + pick(50)) / 3;
        std::vector<std::vector<LinkIndex>> crossed(1 + pick(30));
        std::vector<SharingFlow> flows;
        for (auto& links : crossed) {
            for (LinkIndex link = 0; link < rates.size(); ++link)
                if (pick(3) == 0) links.push_back(link);
            flows.push_back({links, pick(3) == 0 ? static_cast<double>(1 + pick(20)) / 7 : 1e9, 0});
        }
        MaxMin(rates).share(flows);
        std::vector<double> used(rates.size(), 0), fastest(rates.size(), 0);
        for (const SharingFlow& flow : flows) {
            for (const LinkIndex link : flow.links) {
                used[link] += flow.bytes_per_ms;
                fastest[link] = std::max(fastest[link], flow.bytes_per_ms);
            }
        }
        for (std::size_t link = 0; link < rates.size(); ++link) EXPECT_LE(used[link], rates[link] * (1 + 1e-9));
        for (const SharingFlow& flow : flows) {
            EXPECT_GT(flow.bytes_per_ms, 0);
            EXPECT_LE(flow.bytes_per_ms, flow.most_bytes_per_ms);
            const bool held = std::ranges::any_of(flow.links, [&](LinkIndex link) {
                return used[link] >= rates[link] * (1 - 1e-9) && flow.bytes_per_ms >= fastest[link] * (1 - 1e-9);
            });
            EXPECT_TRUE(held || flow.bytes_per_ms >= flow.most_bytes_per_ms * (1 - 1e-9));
        }
    }
}

TEST(MaxMin, OneLinkIsSharedEqually) {
    const std::vector<double> rates = {12};
    const std::vector<LinkIndex> link = {0};
    for (std::size_t count = 1; count < 9; ++count) {
        std::vector<SharingFlow> flows(count, SharingFlow{link, 100, 0});
        MaxMin(rates).share(flows);
        for (const SharingFlow& flow : flows) EXPECT_DOUBLE_EQ(flow.bytes_per_ms, 12.0 / static_cast<double>(count));
    }
}

std::vector<TopologyLevel> levels_of(const std::string& levels) {
    return read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 1}}], "schedule":
        {"name": "GPipe", "microbatches": 1}, "topology": {"levels": )" +
                             levels + "}}",
                         "x")
        .topology;
}

/// Two nodes of four ranks and two cards a leaf, two leaves behind links of which half are there.
constexpr const char* cluster = R"([{"name": "node", "ranks": 4, "bytes_per_s": 400000, "contention": "shared"},
 {"name": "leaf", "ranks": 8, "bytes_per_s": 50000, "contention": "shared", "links": 2},
 {"name": "spine", "ranks": 16, "bytes_per_s": 50000, "contention": "shared", "links": 4, "oversubscription": 2}])";

TEST(Links, AFlowCrossesItsCardAndTheUplinksButNotTheLinksWithinTheNode) {
    const LinkNetwork network(levels_of(cluster), 16);
    EXPECT_EQ(network.route(0, 3).links.size(), 2u);
    EXPECT_EQ(network.route(0, 3).most_bytes_per_ms, 400);
    EXPECT_EQ(network.route(0, 5).links.size(), 2u);
    // A card, an uplink and all of the leaf's, on both sides.
    EXPECT_EQ(network.route(0, 15).links.size(), 6u);
    // Ranks 0 and 1 have one card, 2 and 3 the other.
    EXPECT_EQ(network.route(0, 5).links, network.route(1, 4).links);
    EXPECT_NE(network.route(0, 5).links, network.route(2, 5).links);
    for (const LinkIndex link : network.route(5, 0).links)
        EXPECT_EQ(std::ranges::count(network.route(0, 5).links, link), 0);
}

TEST(Links, BytesAreConserved) {
    std::mt19937 random(11);
    const LinkNetwork network(levels_of(cluster), 16);
    for (int round = 0; round < 200; ++round) {
        MovingFlows moving(network);
        struct Begin {
            double at_ms, bytes, least_ms;
        };
        std::vector<Begin> begun;
        double all = 0, now = 0;
        std::size_t ended = 0;
        while (begun.size() < 40 || ended < begun.size()) {
            const double begin_at = begun.size() < 40 ? now + static_cast<double>(random() % 5) / 4 : 1e300;
            const double end_at = moving.next_end_ms();
            now = std::min(begin_at, end_at);
            if (end_at <= begin_at) {
                for (const std::uint32_t owner : moving.end(now)) {
                    EXPECT_GE(now, begun[owner].at_ms + begun[owner].least_ms * (1 - 1e-9));
                    ++ended;
                }
            } else {
                const std::int64_t from = random() % 16, to = (from + 1 + random() % 15) % 16;
                const double bytes = static_cast<double>(1 + random() % 1000);
                const Route route = network.route(from, to);
                moving.begin(now, route, bytes, static_cast<std::uint32_t>(begun.size()));
                begun.push_back({now, bytes, bytes / route.most_bytes_per_ms});
                all += bytes;
            }
        }
        EXPECT_EQ(ended, begun.size());
        EXPECT_NEAR(moving.moved_bytes(), all, 1e-9 * all);
        EXPECT_EQ(moving.next_end_ms(), std::numeric_limits<double>::infinity());
    }
}

/// The step of one collective of S bytes over all ranks.
double collective_ms(const std::string& kind, int ranks, double bytes, const std::string& topology) {
    const JobDocument job = read_job_text(
        R"({"format": "overlap-job", "version": 1, "mesh": {"dims": [["dp", )" + std::to_string(ranks) +
            R"(]]}, "stages": [{"segments": {"F": [{"collective": ")" + kind + R"(", "dim": "dp", "bytes": )" +
            std::to_string(static_cast<long>(bytes)) +
            R"(}], "B": [{"compute_ms": 0}]}}], "schedule": {"name": "GPipe", "microbatches": 1}, "topology": )" +
            topology + "}",
        "x");
    EXPECT_EQ(write_job_text(read_job_text(write_job_text(job), "again")), write_job_text(job));
    return *run_job(job).step_ms;
}

std::string flat(int ranks, const std::string& algorithm) {
    return R"({"levels": [{"ranks": )" + std::to_string(ranks) +
           R"(, "latency_ms": 0.5, "bytes_per_s": 100000, "contention": "shared"}], "algorithms": {"all_reduce": ")" +
           algorithm + R"(", "all_gather": ")" + algorithm + R"(", "reduce_scatter": ")" + algorithm + "\"}}";
}

TEST(Collectives, RingsHaveTheirClosedForm) {
    for (const int n : {2, 3, 5, 8}) {
        const double part = (n - 1) / static_cast<double>(n), bytes = 8000;
        EXPECT_NEAR(collective_ms("all_gather", n, bytes, flat(n, "ring")), (n - 1) * 0.5 + part * bytes / 100, 1e-9);
        EXPECT_NEAR(collective_ms("reduce_scatter", n, bytes, flat(n, "ring")), (n - 1) * 0.5 + part * bytes / 100,
                    1e-9);
        EXPECT_NEAR(collective_ms("all_reduce", n, bytes, flat(n, "ring")), 2 * ((n - 1) * 0.5 + part * bytes / 100),
                    1e-9);
        EXPECT_NEAR(collective_ms("broadcast", n, bytes, flat(n, "ring")), (n - 1) * 0.5 + bytes / 100, 1e-9);
        // Each sends to n − 1 others over its one link.
        EXPECT_NEAR(collective_ms("all_to_all", n, bytes, flat(n, "ring")), 0.5 + part * bytes / 100, 1e-9);
    }
}

TEST(Collectives, TreesHaveTheirClosedForm) {
    // A rank with two children in one tree sends half the bytes up and to each of them, and half up as a leaf of the
    // other tree.
    for (const auto& [n, depth] : {std::pair(4, 2), std::pair(6, 3), std::pair(8, 3), std::pair(16, 4)})
        EXPECT_NEAR(collective_ms("all_reduce", n, 8000, flat(n, "tree")), 2 * depth * 0.5 + 2 * 8000 / 100.0, 1e-9)
            << n;
    // Bytes that each rank sends and receives, of any number of ranks.
    for (std::int64_t n = 2; n < 40; ++n) {
        std::vector<std::int64_t> members;
        for (std::int64_t i = 0; i < n; ++i) members.push_back(3 * i);
        std::map<std::int64_t, double> sent, received;
        for (const FlowPhase& phase : collective_flows("all_reduce", CollectiveAlgorithm::tree, members, 2, {})) {
            for (const FlowLoad& flow : phase.flows) {
                sent[flow.from] += flow.bytes;
                received[flow.to] += flow.bytes;
            }
        }
        double all = 0;
        for (const std::int64_t member : members) {
            EXPECT_LE(sent[member], 4);
            EXPECT_EQ(sent[member], received[member]);
            all += sent[member];
        }
        EXPECT_EQ(all, 4.0 * static_cast<double>(n - 1));
    }
}

TEST(Collectives, HierarchiesHaveTheirClosedForm) {
    const double bytes = 48000, k = 4, m = 3, fast = 400, slow = 50;
    const auto topology = [](const std::string& algorithm) {
        return R"({"levels": [{"ranks": 4, "latency_ms": 0.25, "bytes_per_s": 400000, "contention": "shared"},
                   {"ranks": 12, "latency_ms": 2, "bytes_per_s": 50000, "contention": "shared", "links": 4}],
                   "algorithms": {"all_reduce": ")" +
               algorithm + R"(", "all_gather": ")" + algorithm + R"(", "reduce_scatter": ")" + algorithm + "\"}}";
    };
    const double within = (k - 1) * 0.25 + (k - 1) / k * bytes / fast;
    const double between = (m - 1) * 2 + (m - 1) / m * bytes / k / slow;
    EXPECT_NEAR(collective_ms("all_gather", 12, bytes, topology("hierarchical")), within + between, 1e-9);
    EXPECT_NEAR(collective_ms("reduce_scatter", 12, bytes, topology("hierarchical")), within + between, 1e-9);
    EXPECT_NEAR(collective_ms("all_reduce", 12, bytes, topology("hierarchical")), 2 * within + 2 * between, 1e-9);
    // A ring through all cards: each of the four carries a quarter of what a rank sends.
    EXPECT_NEAR(collective_ms("all_reduce", 12, bytes, topology("ring")), 22 * 2 + 22 / 12.0 * bytes / k / slow, 1e-9);
}

JobDocument messages(const std::string& level, int replicas = 4) {
    return read_job_text(
        R"({"format": "overlap-job", "version": 1, "mesh": {"dims": [["pp", 2], ["dp", )" + std::to_string(replicas) +
            R"(]]}, "stages": [{"ms": {"F": 1, "B": 1}}, {"ms": {"F": 1, "B": 1}}], "schedule": {"name": "GPipe",
            "microbatches": 1}, "transfer": {"activation_bytes": 100, "gradient_bytes": 300}, "topology": {"levels":
            [{"ranks": )" +
            std::to_string(replicas) + R"(, "bytes_per_s": 1e9}, {"ranks": )" + std::to_string(2 * replicas) +
            R"(, "bytes_per_s": 100000)" + level + "}]}}",
        "x");
}

TEST(Links, MessagesOfAllReplicasShareTheLinkOfTheirNode) {
    EXPECT_DOUBLE_EQ(*run_job(messages("")).step_ms, 4 + 1 + 3);
    EXPECT_DOUBLE_EQ(*run_job(messages(R"(, "contention": "shared")")).step_ms, 4 + 4 * (1 + 3));
    EXPECT_DOUBLE_EQ(*run_job(messages(R"(, "contention": "shared", "links": 2)")).step_ms, 4 + 2 * (1 + 3));
    EXPECT_DOUBLE_EQ(*run_job(messages(R"(, "contention": "shared", "links": 4)")).step_ms, 4 + 1 + 3);
    EXPECT_DOUBLE_EQ(*run_job(messages(R"(, "contention": "shared", "links": 4, "oversubscription": 2)")).step_ms,
                     4 + 2 * (1 + 3));
}

TEST(Links, EachMessageDelaysTheActionThatItIsFor) {
    // An activation takes 1 ms on a link of its own, a gradient 3.
    const JobDocument job = messages(R"(, "contention": "shared")", 1);
    const auto evaluation = evaluate_job(std::make_shared<const JobDocument>(job));
    std::map<std::string, double> start;
    for (NodeIndex node = 0; node < evaluation->graph().node_count(); ++node)
        start[evaluation->names.op(node)] = evaluation->times.start[node];
    EXPECT_EQ(start, (std::map<std::string, double>{{"0F0", 0}, {"1F0", 2}, {"1B0", 3}, {"0B0", 7}}));
}

TEST(Links, WhatKeepsItsTimesAndSharesNothingIsSaid) {
    JobDocument job = messages(R"(, "contention": "shared")");
    EXPECT_TRUE(run_job(job).notes.empty());
    job.stages[0].gradient_sync_ms = 2;
    const std::vector<std::string> notes = run_job(job).notes;
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_TRUE(notes[0].ends_with("they share no links with messages and with other pipelines")) << notes[0];
    EXPECT_TRUE(run_job(messages("")).notes.empty());  // where nothing shares links there is nothing to say
}

TEST(Links, AnEarlyMessageHasTheWholeLinkUntilOthersCome) {
    JobDocument job = messages(R"(, "contention": "shared")", 2);
    // Replica 1 is half a millisecond later: alone for half of 100 bytes, together until the first has moved all,
    // alone.
    job.variation = VariationSpec();
    job.variation->slow.push_back({1, 0, 1.5, {}});
    job.transfer->gradient_bytes = 0;
    const JobResult result = run_job(job);
    // 0: begins at 1; 50 bytes until 1.5, then 50 at half the rate until 2.5. 1: 50 until 2.5, 50 until 3.
    const auto busy_from = [&](std::int64_t rank) {
        return result.classes[result.ranks[static_cast<std::size_t>(rank)].figures];
    };
    EXPECT_NEAR(busy_from(2).waiting_for_peers_ms + busy_from(2).transfer_exposed_ms, 2.5, 1e-9);
    EXPECT_NEAR(busy_from(3).waiting_for_peers_ms + busy_from(3).transfer_exposed_ms, 3, 1e-9);
    EXPECT_NEAR(*result.step_ms, 3 + 1 + 1 + 1.5, 1e-9);
}

TEST(Links, FoldingAndVarianceOfNothingChangeNothing) {
    JobDocument job = messages(R"(, "contention": "shared", "links": 2)");
    job.stages[0].gradient_sync_bytes = 5000;
    job.stages[1].gradient_sync_bytes = 7000;
    PipelineOptions unfolded;
    unfolded.fold = false;
    const JobResult result = run_job(job);
    EXPECT_EQ(result.step_ms, run_job(job, unfolded).step_ms);
    job.variation = VariationSpec();
    job.variation->samples = 3;
    job.variation->has_samples = true;
    EXPECT_EQ(run_job(job).spread->least_ms, *result.step_ms);
    EXPECT_EQ(run_job(job).spread->most_ms, *result.step_ms);
    job.variation->transfer.kind = DistributionSpec::Kind::log_normal;
    job.variation->transfer.sigma = 0.5;
    EXPECT_LT(run_job(job).spread->least_ms, run_job(job).spread->most_ms);
}

TEST(Links, TokensOfTheRoutingMakeAnAllToAllLonger) {
    const auto step = [](const std::string& routing) {
        return *run_job(
                    read_job_text(
                        R"({"format": "overlap-job", "version": 1, "mesh": {"dims": [["ep", 4]]}, "stages": [{"segments":
            {"F": [{"collective": "all_to_all", "dim": "ep", "bytes": 4000}], "B": []}}], "schedule": {"name": "GPipe",
            "microbatches": 1}, "topology": {"levels": [{"ranks": 4, "bytes_per_s": 100000, "contention": "shared"}]})" +
                            routing + "}",
                        "x"))
                    .step_ms;
    };
    EXPECT_NEAR(step(""), 30, 1e-9);
    // Rank 0 receives twice its part from the three others.
    EXPECT_NEAR(step(R"(, "routing": {"group": "ep", "share": [2, 1, 1, 0]})"), 60, 1e-9);
}

TEST(Links, WhatIsWrongIsRefusedWithItsPlace) {
    const auto place = [](const std::string& level, const std::string& segment, const std::string& more = "") {
        try {
            run_job(read_job_text(R"({"format": "overlap-job", "version": 1, "mesh": {"dims": [["dp", 4]]}, "stages":
                [{"segments": {"F": [{"collective": )" +
                                      segment + R"(}], "B": []}}], "schedule": {"name": "GPipe",
                "microbatches": 1})" +
                                      (level.empty() ? ""
                                                     : R"(, "topology": {"levels": [{"ranks": 4, "bytes_per_s": 1)" +
                                                           level + "}]" + more + "}") +
                                      "}",
                                  "x"));
        } catch (const InputError& error) {
            return error.place();
        }
        return std::string("none");
    };
    const std::string bytes = R"("all_reduce", "dim": "dp", "bytes": 1)";
    EXPECT_EQ(place(" ", bytes), "none");
    EXPECT_EQ(place("", bytes), "stages");
    EXPECT_EQ(place(" ", R"("all_reduce", "dim": "dp", "bytes": 1, "ms": 1)"), "stages[0].segments.F[0]");
    EXPECT_EQ(place(" ", R"("gather", "dim": "dp", "bytes": 1)"), "stages[0].segments.F");
    EXPECT_EQ(place(R"(, "links": 2)", bytes), "topology.levels[0].links");
    EXPECT_EQ(place(R"(, "oversubscription": 0.5)", bytes), "topology.levels[0].oversubscription");
    EXPECT_EQ(place(" ", bytes, R"(, "algorithms": {"all_reduce": "star"})"), "topology.algorithms.all_reduce");
    EXPECT_EQ(place(" ", bytes, R"(, "algorithms": {"gather": "ring"})"), "topology.algorithms");
    EXPECT_EQ(place(R"(, "contention": "shared", "links": 10000000)", bytes), "topology.levels[0].links");
}

}  // namespace
}  // namespace overlap::job
