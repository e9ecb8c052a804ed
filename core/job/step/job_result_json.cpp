#include "core/files/json_writer.h"
#include "core/job/step/job_result.h"

namespace overlap::job {

namespace {

void write_rank(JsonWriter& json, const JobResult& result, const RankResult& rank) {
    const RankFigures& figures = result.classes[rank.figures];
    json.begin_object().member("rank", rank.rank);
    if (!result.of_programs) {
        json.member("stage", std::int64_t{rank.stage}).member("replica", std::int64_t{rank.replica});
        json.key("stages").begin_array();
        for (const std::int32_t stage : result.stages_of[static_cast<std::size_t>(rank.stage)])
            json.value(std::int64_t{stage});
        json.end_array();
    }
    json.member("busy_ms", figures.busy_ms).member("idle_ms", *result.step_ms - figures.busy_ms);
    json.member("waiting_for_peers_ms", figures.waiting_for_peers_ms);
    json.member("transfer_exposed_ms", figures.transfer_exposed_ms).end_object();
}

void write_ops(JsonWriter& json, std::string_view key, const std::vector<OpOnRank>& ops) {
    json.key(key).begin_array();
    for (const OpOnRank& op : ops) {
        json.begin_object().member("rank", op.rank).member("op", std::string_view(op.op));
        if (op.peer >= 0) json.member("peer", op.peer);
        json.end_object();
    }
    json.end_array();
}

void write_problem(JsonWriter& json, const JobProblem& problem) {
    json.begin_object().member("kind", problem_kind_name(problem.kind));
    json.member("message", std::string_view(problem.message));
    if (problem.kind == JobProblem::Kind::deadlock) {
        write_ops(json, "cycle", problem.cycle);
        write_ops(json, "missing", problem.missing);
    } else if (problem.kind == JobProblem::Kind::mismatch) {
        if (!problem.group.empty())
            json.member("group", std::string_view(problem.group));
        else
            json.key("pair").begin_array().value(problem.from).value(problem.to).end_array();
        json.member("index", problem.index).member("field", std::string_view(problem.field));
        json.key("values").begin_array().json(problem.left_json).json(problem.right_json).end_array();
    }
    json.end_object();
}

void write_spread(JsonWriter& json, const StepSpread& spread) {
    json.key("variation").begin_object().member("samples", std::int64_t{spread.samples});
    json.member("mean_ms", spread.mean_ms).member("p50_ms", spread.p50_ms).member("p90_ms", spread.p90_ms);
    json.member("p99_ms", spread.p99_ms).member("least_ms", spread.least_ms).member("most_ms", spread.most_ms);
    json.end_object();
}

}  // namespace

std::string_view problem_kind_name(JobProblem::Kind kind) {
    switch (kind) {
        case JobProblem::Kind::deadlock:
            return "deadlock";
        case JobProblem::Kind::mismatch:
            return "mismatch";
        case JobProblem::Kind::hazard:
            return "hazard";
    }
    return "";
}

std::string result_json(const JobResult& result) {
    JsonWriter json;
    json.begin_object().key("step_ms");
    result.step_ms ? json.value(*result.step_ms) : json.null();
    json.key("notes").begin_array();
    for (const std::string& note : result.notes) json.value(std::string_view(note));
    json.end_array().key("ranks").begin_array();
    if (result.step_ms)
        for (const RankResult& rank : result.ranks) write_rank(json, result, rank);
    json.end_array().key("critical_path").begin_array();
    for (const PathStep& step : result.critical_path) {
        json.begin_object().member("rank", step.rank).member("op", std::string_view(step.op));
        json.member("start_ms", step.start_ms).member("end_ms", step.end_ms);
        json.member("why", std::string_view(step.why)).end_object();
    }
    json.end_array().key("problems").begin_array();
    for (const JobProblem& problem : result.problems) write_problem(json, problem);
    json.end_array();
    if (result.spread) write_spread(json, *result.spread);
    json.end_object();
    return json.take();
}

}  // namespace overlap::job
