// What a document of a job may say: all of it comes back, and what is wrong is refused with its place.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/job/document/job_file.h"

namespace overlap::job {
namespace {

using Cases = std::vector<std::pair<std::string, std::string>>;

/// What is wrong with a document, after its place; empty where nothing is.
std::string refusal_of(const std::string& text) {
    try {
        read_job_text(text, "x.job.json");
    } catch (const InputError& error) {
        return error.place() + ": " + error.problem();
    }
    return "";
}

std::string stages_text(const std::string& stage, const std::string& schedule, const std::string& further = "") {
    return R"({"format": "overlap-job", "version": 1, "stages": [)" + stage + R"(], "schedule": )" + schedule +
           (further.empty() ? "" : ", " + further) + "}";
}
const std::string plain_stage = R"({"ms": {"F": 1, "B": 2}})",
                  plain_schedule = R"({"name": "1F1B", "microbatches": 4})";

std::string with_stage(const std::string& stage) {
    return stages_text(stage, plain_schedule);
}
std::string with_schedule(const std::string& schedule) {
    return stages_text(plain_stage, schedule);
}
std::string with_further(const std::string& further) {
    return stages_text(plain_stage, plain_schedule, further);
}
std::string programs_text(const std::string& programs, const std::string& further = "") {
    return R"({"format": "overlap-job", "version": 1, "programs": )" + programs +
           (further.empty() ? "" : ", " + further) + "}";
}
std::string with_op(const std::string& op) {
    return programs_text(R"([{"rank": 0, "ops": [)" + op + "]}]");
}

/// Each document made of the first text is refused with the second.
void expect_refusals(std::string (*document)(const std::string&), const Cases& cases) {
    for (const auto& [given, refusal] : cases) EXPECT_EQ(refusal_of(document(given)), refusal) << given;
}

void expect_comes_back(const std::string& text) {
    EXPECT_EQ(nlohmann::json::parse(write_job_text(read_job_text(text, "x"))), nlohmann::json::parse(text)) << text;
}

TEST(JobDocument, EveryFieldComesBack) {
    expect_comes_back(stages_text(
        R"({"name": "first", "segments": {"F": [{"compute_ms": 1, "experts": true},
            {"collective": "all_reduce", "dim": "dp", "bytes": 1000}, {"collective": "all_gather", "dim": "dp", "ms": 2}]},
            "gradient_sync_bytes": 5000, "backward_input_share": 0.5},
           {"graph": "a.graph.json", "plan": "a.plan.json", "gradient_sync_ms": 1},
           {"forward": "f.graph.json", "backward": "b.graph.json", "action_graphs": {"UNSHARD": "u.graph.json"}})",
        R"({"file": "list.csv", "microbatches": 4, "ranks": 3, "stages_per_rank": 1, "overlap": 0.75})",
        R"("mesh": {"dims": [["dp", 2], ["pp", 3]], "order": ["pp", "dp"], "note": 1},
           "transfer": {"activation_bytes": 100, "gradient_bytes": 200, "note": 1},
           "routing": {"group": "dp", "share": [1.0, 2.0], "note": 1},
           "variation": {"seed": 7, "samples": 20, "compute": {"sigma": 0.1, "each": "rank", "note": 1},
                         "transfer": {"uniform": [0.5, 1.5]}, "pauses": [{"probability": 0.5, "ms": 3.0, "note": 1}],
                         "slow": [{"factor": 2.0, "note": 1}, {"stage": 1, "factor": 1.5}, {"rank": 2, "factor": 1.25}]},
           "topology": {"levels": [{"name": "host", "ranks": 2, "latency_ms": 0.1, "bytes_per_s": 1e9, "note": 1},
                                   {"ranks": 6, "bytes_per_s": 1e8, "contention": "shared", "links": 2,
                                    "oversubscription": 2.0}],
                        "algorithms": {"all_reduce": "tree"}, "note": 1})"));
    expect_comes_back(stages_text(plain_stage, R"({"name": "x", "actions": [["0F0", "", "0B0"]], "microbatches": 1,
                                                   "overlap": "max"})",
                                  R"("transfer": {"activations_ms": 1.0, "gradients_ms": 2.0, "activation_bytes": 3,
                                      "gradient_bytes": 4},
                                     "variation": {"compute": {"each": "rank"}, "transfer": {"note": 1}})"));
    expect_comes_back(with_schedule(R"({"name": "1F1B", "microbatches": 4, "overlap": "sum"})"));
    expect_comes_back(with_further(R"("variation": {"compute": {"exponential": 2.0}, "transfer": {"factors": [1.0]}},
                                      "replicas": 2)"));
    expect_comes_back(programs_text(
        R"([{"rank": 0, "note": 1, "ops": [
            {"id": "a", "kind": "compute", "ms": 1.0, "stream": "side"},
            {"id": "b", "kind": "collective", "after": ["a"], "group": "g", "op": "all_to_all", "dtype": "float32",
             "reduce": "sum", "bytes": 8, "root": 1, "split": [1, 2], "receive": [2, 1]},
            {"id": "c", "kind": "batch", "ops": [{"id": "d", "kind": "send", "peer": 1}]}]}])",
        R"("groups": {"g": [0, 1]}, "p2p": "buffered")"));
    expect_comes_back(programs_text("[]", R"("groups": {}, "p2p": "rendezvous")"));
}

TEST(JobDocument, EmptyCellsMayBeNull) {
    const JobDocument job =
        read_job_text(with_schedule(R"({"actions": [[null, "0F0"]], "microbatches": 1})"), "x.job.json");
    EXPECT_EQ(job.schedule.actions, (std::vector<std::vector<std::string>>{{"", "0F0"}}));
}

TEST(JobDocument, HeadsAreRefused) {
    EXPECT_EQ(refusal_of("[]"), ": found a list, expected a job, which is an object");
    EXPECT_EQ(refusal_of("{}"), "format: missing, expected \"overlap-job\"");
    EXPECT_EQ(refusal_of(R"({"format": "overlap-plan"})"),
              "format: found the string \"overlap-plan\", expected \"overlap-job\"");
    EXPECT_EQ(refusal_of(R"({"format": "overlap-job"})"), "version: missing, expected 1");
    EXPECT_EQ(refusal_of(R"({"format": "overlap-job", "version": "1"})"),
              "version: found the string \"1\", expected 1");
    const std::string head = R"({"format": "overlap-job", "version": 1)";
    EXPECT_EQ(refusal_of(head + "}"), ": expected either stages with a schedule, or programs");
    EXPECT_EQ(refusal_of(head + R"(, "stages": [], "programs": []})"),
              ": expected either stages with a schedule, or programs");
    EXPECT_EQ(refusal_of(head + R"(, "stages": []})"), "stages: the list is empty, expected a stage at least");
    EXPECT_EQ(refusal_of(head + R"(, "stages": {}})"), "stages: found an object, expected a list");
    EXPECT_EQ(refusal_of(head + R"(, "name": 3, "programs": []})"), "name: found 3, expected a string");
    EXPECT_EQ(refusal_of(head + R"(, "stages": [)" + plain_stage + "]}"),
              "schedule: missing, expected an object with name, file or actions, and microbatches");
    EXPECT_EQ(refusal_of(with_further(R"("groups": {})")), "groups: belong to programs, and the document has stages");
    EXPECT_EQ(refusal_of(programs_text("[]", R"("schedule": {})")),
              "schedule: belongs to stages, and the document has programs");
    EXPECT_EQ(refusal_of(programs_text("[]", R"("p2p": "eager")")),
              "p2p: found the string \"eager\", expected \"rendezvous\" or \"buffered\"");
    EXPECT_EQ(refusal_of(with_further(R"("replicas": 2, "mesh": {"dims": [["pp", 1]]})")),
              "replicas: the mesh says how many there are; expected one of them");
}

TEST(JobDocument, NumbersAreWholeAndWithinTheirLimits) {
    expect_refusals(
        with_further,
        {{R"("replicas": 0)", "replicas: found 0, expected a whole number of at least 1 and at most 10,000,000"},
         {R"("replicas": 1.5)", "replicas: found 1.5, expected a whole number of at least 1 and at most 10,000,000"},
         {R"("replicas": 18446744073709551615)",
          "replicas: found 18446744073709551615, expected a whole number of at least 1 and at most 10,000,000"},
         {R"("replicas": "2")",
          "replicas: found the string \"2\", expected a whole number of at least 1 and at most 10,000,000"},
         {R"("transfer": {"activation_bytes": -1})",
          "transfer.activation_bytes: found -1, expected a whole number of at least 0"},
         {R"("transfer": {"activations_ms": "1"})",
          "transfer.activations_ms: found the string \"1\", expected a number of 0 to 10,000,000,000,000"},
         {R"("transfer": {"gradients_ms": 1e14})",
          "transfer.gradients_ms: found 100000000000000.0, expected a number of 0 to 10,000,000,000,000"},
         {R"("transfer": 3)", "transfer: found 3, expected an object with activations_ms and gradients_ms"}});
}

TEST(JobDocument, StagesSayOneThing) {
    const std::string one = "stages[0]: expected exactly one of ms, segments and graph (or forward and backward)";
    expect_refusals(
        with_stage,
        {{"3", "stages[0]: found 3, expected an object with ms, segments or graph"},
         {"{}", one},
         {R"({"ms": {}, "segments": {}})", one},
         {R"({"ms": {}, "graph": "a"})", one},
         {R"({"ms": []})",
          "stages[0].ms: found a list, expected an object with the time of each action, such as F, I, W, B"},
         {R"({"segments": []})",
          "stages[0].segments: found a list, expected an object with a list for each action, such as F, B"},
         {R"({"segments": {"F": {}}})", "stages[0].segments.F: found an object, expected a list of segments"},
         {R"({"segments": {"F": [1]}})",
          "stages[0].segments.F[0]: found 1, expected an object with compute_ms, or with collective, dim and ms"},
         {R"({"segments": {"F": [{"compute_ms": 1, "experts": 1}]}})",
          "stages[0].segments.F[0].experts: found 1, expected true or false"},
         {R"({"segments": {"F": [{"compute_ms": 1, "collective": "all_reduce"}]}})",
          "stages[0].segments.F[0]: has both compute_ms and collective, expected one of them"},
         {R"({"segments": {"F": [{}]}})",
          "stages[0].segments.F[0].collective: missing, expected compute_ms, or the kind of a collective"},
         {R"({"segments": {"F": [{"collective": ""}]}})",
          "stages[0].segments.F[0].collective: is empty, expected a kind such as all_reduce"},
         {R"({"segments": {"F": [{"collective": "all_reduce"}]}})",
          "stages[0].segments.F[0].dim: missing, expected a mesh dimension"},
         {R"({"segments": {"F": [{"collective": "all_reduce", "dim": "dp", "ms": 1, "bytes": 1}]}})",
          "stages[0].segments.F[0]: has both ms and bytes, expected one of them"},
         {R"({"graph": "a", "forward": "f"})",
          "stages[0]: has graph beside forward or backward, expected one graph, or forward and backward"},
         {R"({"graph": "a", "backward": "b"})",
          "stages[0]: has graph beside forward or backward, expected one graph, or forward and backward"},
         {R"({"forward": "f"})", "stages[0]: has one of forward and backward, expected both"},
         {R"({"backward": "b"})", "stages[0]: has one of forward and backward, expected both"},
         {R"({"graph": "a", "action_graphs": {}})",
          "stages[0].action_graphs: are beside forward and backward, and the stage has one graph"},
         {R"({"forward": "f", "backward": "b", "action_graphs": []})",
          "stages[0].action_graphs: found a list, expected an object with a graph's file for each action, such as "
          "UNSHARD"},
         {R"({"forward": "f", "backward": "b", "action_graphs": {"F": "f"}})",
          "stages[0].action_graphs.F: forward and backward are the graphs of F and B"},
         {R"({"forward": "f", "backward": "b", "action_graphs": {"B": "f"}})",
          "stages[0].action_graphs.B: forward and backward are the graphs of F and B"},
         {R"({"forward": "f", "backward": "b", "action_graphs": {"UNSHARD": 3}})",
          "stages[0].action_graphs.UNSHARD: found 3, expected a string"},
         {R"({"ms": {"F": 1, "B": 1}, "plan": "a"})",
          "stages[0].plan: a plan is applied to a graph, and the stage has none"},
         {R"({"ms": {"F": 1, "B": 1}, "gradient_sync_ms": 1, "gradient_sync_bytes": 1})",
          "stages[0]: has both gradient_sync_ms and gradient_sync_bytes, expected one of them"},
         {R"({"ms": {"F": 1, "B": 1}, "backward_input_share": 2})",
          "stages[0].backward_input_share: found 2, expected a number of 0 to 1"}});
}

TEST(JobDocument, ActionsHaveSoManySegmentsAtMost) {
    std::string segments = R"({"compute_ms": 1})";
    for (int more = 0; more < 100'000; ++more) segments += R"(,{"compute_ms": 1})";
    EXPECT_EQ(refusal_of(with_stage(R"({"segments": {"F": [)" + segments + "]}}")),
              "stages[0].segments.F: has more than 100,000 segments");
}

TEST(JobDocument, SchedulesSayOneThing) {
    expect_refusals(
        with_schedule,
        {{"3", "schedule: found 3, expected an object with name, file or actions, and microbatches"},
         {R"({"microbatches": 1})", "schedule: has none of name, file and actions"},
         {R"({"name": "1F1B"})", "schedule.microbatches: missing, expected their number"},
         {R"({"file": "a.csv", "actions": [], "microbatches": 1})",
          "schedule: has both file and actions, expected one of them"},
         {R"({"actions": {}, "microbatches": 1})", "schedule.actions: found an object, expected a list"},
         {R"({"actions": ["0F0"], "microbatches": 1})",
          "schedule.actions[0]: found the string \"0F0\", expected the list of a rank's actions"},
         {R"({"actions": [["0F0", 3]], "microbatches": 1})", "schedule.actions[0][1]: found 3, expected a string"},
         {R"({"name": "1F1B", "microbatches": 1, "overlap": "most"})",
          "schedule.overlap: found the string \"most\", expected \"sum\", \"max\" or a factor of the sum"},
         {R"({"name": "1F1B", "microbatches": 1, "overlap": -1})",
          "schedule.overlap: found -1, expected a number of 0 to 1,000,000"}});
}

TEST(JobDocument, OperationsHaveWhatTheirKindNeeds) {
    const std::string kinds = "expected compute, collective, send, recv or batch";
    expect_refusals(
        with_op,
        {{"3", "programs[0].ops[0]: found 3, expected an operation, which is an object with id and kind"},
         {"{}", "programs[0].ops[0].id: missing, expected a name that the rank has once"},
         {R"({"id": "a"})", "programs[0].ops[0].kind: missing, " + kinds},
         {R"({"id": "a", "kind": "wait"})", "programs[0].ops[0].kind: found \"wait\", " + kinds},
         {R"({"id": "a", "kind": "compute", "stream": 3})", "programs[0].ops[0].stream: found 3, expected a string"},
         {R"({"id": "a", "kind": "compute", "after": "b"})",
          "programs[0].ops[0].after: found the string \"b\", expected a list"},
         {R"({"id": "a", "kind": "compute", "after": [3]})", "programs[0].ops[0].after[0]: found 3, expected a string"},
         {R"({"id": "a", "kind": "compute", "ops": []})", "programs[0].ops[0].ops: only a batch has operations"},
         {R"({"id": "a", "kind": "collective"})", "programs[0].ops[0].group: missing, expected a name of groups"},
         {R"({"id": "a", "kind": "collective", "group": "g", "split": [-1]})",
          "programs[0].ops[0].split[0]: found -1, expected a whole number of at least 0"},
         {R"({"id": "a", "kind": "send"})", "programs[0].ops[0].peer: missing, expected the other rank"},
         {R"({"id": "a", "kind": "recv"})", "programs[0].ops[0].peer: missing, expected the other rank"},
         {R"({"id": "a", "kind": "batch"})", "programs[0].ops[0].ops: missing, expected what the batch issues"},
         {R"({"id": "a", "kind": "batch", "ms": 1, "ops": []})",
          "programs[0].ops[0].ms: a batch ends with its last operation and has no time of its own"},
         {R"({"id": "a", "kind": "batch", "ops": [{"id": "b", "kind": "batch"}]})",
          "programs[0].ops[0].ops[0].kind: a batch within a batch, expected send, recv or collective"},
         {R"({"id": "a", "kind": "batch", "ops": [{"id": "b", "kind": "compute"}]})",
          "programs[0].ops[0].ops[0].kind: found compute in a batch, expected send, recv or collective"},
         {R"({"id": "a", "kind": "batch", "ops": [{"id": "b", "kind": "send", "peer": 1, "stream": "s"}]})",
          "programs[0].ops[0].ops[0].stream: operations of a batch are on the stream of the batch"}});
    EXPECT_EQ(refusal_of(programs_text("{}")),
              "programs: found an object, expected a list with a program for each rank");
    EXPECT_EQ(refusal_of(programs_text("[3]")), "programs[0]: found 3, expected an object with rank and ops");
    EXPECT_EQ(refusal_of(programs_text("[{}]")), "programs[0].rank: missing, expected the rank whose program it is");
    EXPECT_EQ(refusal_of(programs_text(R"([{"rank": 0}])")), "programs[0].ops: missing, expected a list of operations");
    EXPECT_EQ(refusal_of(programs_text(R"([{"rank": 0, "ops": []}, {"rank": 0, "ops": []}])")),
              "programs[1].rank: rank 0 has a program already");
    EXPECT_EQ(refusal_of(programs_text("[]", R"("groups": [])")),
              "groups: found a list, expected an object with the ranks of each group");
    EXPECT_EQ(refusal_of(programs_text("[]", R"("groups": {"g": []})")), "groups.g: has no ranks");
    EXPECT_EQ(refusal_of(programs_text("[]", R"("groups": {"g": [1, 1]})")), "groups.g: has rank 1 twice");
    EXPECT_EQ(refusal_of(programs_text("[]", R"("groups": {"g": 3})")), "groups.g: found 3, expected a list");
}

TEST(JobDocument, SurroundingsAreRefusedWithTheirPlace) {
    std::string pauses = "{}";
    for (int more = 0; more < 1000; ++more) pauses += ",{}";
    std::string factors = "1";
    for (int more = 0; more < 100'000; ++more) factors += ",1";
    const std::string one_kind = "variation.compute: expected one of sigma, uniform, exponential and factors";
    expect_refusals(
        with_further,
        {{R"("variation": 3)",
          "variation: found 3, expected an object with slow, or seed, samples, compute and transfer"},
         {R"("variation": {"compute": 3})",
          "variation.compute: found 3, expected an object with sigma, uniform, exponential or factors"},
         {R"("variation": {"compute": {"uniform": [1]}})",
          "variation.compute.uniform: expected the least and the greatest factor"},
         {R"("variation": {"compute": {"uniform": [2, 1]}})",
          "variation.compute.uniform[1]: found 1, expected a number of 2 to 1,000,000"},
         {R"("variation": {"compute": {"sigma": 1, "exponential": 1}})", one_kind},
         {R"("variation": {"compute": {"uniform": [1, 2], "factors": [1]}})", one_kind},
         {R"("variation": {"compute": {"factors": []}})", "variation.compute.factors: expected 1 to 100,000 factors"},
         {R"("variation": {"compute": {"factors": [)" + factors + "]}}",
          "variation.compute.factors: expected 1 to 100,000 factors"},
         {R"("variation": {"compute": {"each": "stage"}})",
          "variation.compute.each: found \"stage\", expected \"action\" or \"rank\""},
         {R"("variation": {"pauses": [)" + pauses + "]}", "variation.pauses: has more than 1,000 kinds"},
         {R"("variation": {"pauses": [3]})",
          "variation.pauses[0]: found 3, expected an object with probability and ms"},
         {R"("variation": {"pauses": [{"ms": 1}]})",
          "variation.pauses[0].probability: missing, expected that an action has the pause"},
         {R"("variation": {"pauses": [{"probability": 0.5}]})",
          "variation.pauses[0].ms: missing, expected what the pause takes"},
         {R"("variation": {"slow": [{}]})", "variation.slow[0].factor: missing, expected what multiplies the compute"},
         {R"("variation": {"slow": [{"rank": 1, "stage": 0, "factor": 2}]})",
          "variation.slow[0].rank: found beside replica or stage: a rank has the stages that the schedule gives it"},
         {R"("mesh": {})", "mesh.dims: missing, expected a list such as [[\"dp\", 2], [\"pp\", 4]]"},
         {R"("mesh": {"dims": ["dp"]})", "mesh.dims[0]: found the string \"dp\", expected a name and a size"},
         {R"("mesh": {"dims": [["dp"]]})", "mesh.dims[0]: found a list, expected a name and a size"},
         {R"("mesh": {"dims": [["dp", 2], ["dp", 2]]})", "mesh.dims[1]: the dimension \"dp\" is there twice"},
         {R"("mesh": {"dims": [["dp", 10000], ["tp", 10000]]})", "mesh.dims: more than 10,000,000 ranks"},
         {R"("mesh": {"dims": [["dp", 2], ["pp", 1]], "order": ["dp"]})",
          "mesh.order: expected each dimension of the mesh once"},
         {R"("routing": {"share": [1]})", "routing.group: missing, expected a mesh dimension"},
         {R"("routing": {"group": "ep"})",
          "routing.share: missing, expected the part of the tokens of each of its ranks"},
         {R"("routing": {"group": "ep", "share": [0, 0]})", "routing.share: has no tokens"},
         {R"("topology": {})", "topology.levels: missing, expected a list, innermost first"},
         {R"("topology": {"levels": [3]})",
          "topology.levels[0]: found 3, expected an object with ranks, latency_ms and bytes_per_s"},
         {R"("topology": {"levels": [{"bytes_per_s": 1}]})",
          "topology.levels[0].ranks: missing, expected the number of ranks within one of these"},
         {R"("topology": {"levels": [{"ranks": 2}]})",
          "topology.levels[0].bytes_per_s: missing, expected the rate of its links"},
         {R"("topology": {"levels": [{"ranks": 2, "bytes_per_s": 1, "contention": "some"}]})",
          "topology.levels[0].contention: found \"some\", expected \"shared\" or \"none\""},
         {R"("topology": {"levels": [{"ranks": 2, "bytes_per_s": 1, "contention": "none", "links": 2}]})",
          "topology.levels[0].links: is of links that are shared; expected \"contention\": \"shared\" beside it"},
         {R"("topology": {"levels": [{"ranks": 2, "bytes_per_s": 1}, {"ranks": 3, "bytes_per_s": 1}]})",
          "topology.levels[1].ranks: expected a multiple of the level within, 2"},
         {R"("topology": {"levels": [], "algorithms": []})",
          "topology.algorithms: found a list, expected an object such as {\"all_reduce\": \"tree\"}"},
         {R"("topology": {"levels": [], "algorithms": {"all_reduce": "star"}})",
          "topology.algorithms.all_reduce: found \"star\", expected \"ring\", \"tree\" or \"hierarchical\""}});
    EXPECT_EQ(refusal_of(with_further(R"("variation": {"compute": {"sigma": 1, "each": "action"}})")), "");
}

}  // namespace
}  // namespace overlap::job
