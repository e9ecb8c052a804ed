#include "core/io/report_json.h"

namespace overlap {

Json problem_json(const Problem& problem) {
    Json json = {{"severity", severity_name(problem.severity)},
                 {"kind", problem_kind_name(problem.kind)},
                 {"message", problem.message},
                 {"nodes", problem.nodes}};
    if (problem.plan_entry >= 0) json["plan_entry"] = problem.plan_entry + 1;
    return json;
}

Json bucket_json(const BucketReport& bucket) {
    return {{"plan_entry", bucket.plan_entry ? Json(*bucket.plan_entry + 1) : Json()},
            {"kind", collective_kind_name(bucket.kind)},
            {"process_group", bucket.process_group},
            {"dtype", bucket.dtype},
            {"bytes", bucket.bytes},
            {"members", bucket.members},
            {"start", bucket.start},
            {"waits", bucket.waits}};
}

Json report_json(const PassReport& report) {
    Json buckets = Json::array();
    for (const BucketReport& bucket : report.buckets) buckets.push_back(bucket_json(bucket));
    Json orderings = Json::array();
    for (const OrderingReport& ordering : report.orderings) {
        orderings.push_back({{"target", ordering.target}, {"source", ordering.source}});
    }
    Json groups = Json::array();
    for (const GroupReport& group : report.groups) {
        groups.push_back({{"name", group.name},
                          {"source", group.source},
                          {"high_priority", group.high_priority},
                          {"ranks_reordered", group.ranks_reordered},
                          {"reason", group.reason},
                          {"moved", group.moved}});
    }
    Json collectives = Json::array();
    for (const CollectiveReport& collective : report.collectives) {
        collectives.push_back({{"start", collective.start},
                               {"estimated_ms", collective.estimated_ms},
                               {"exposed_ms", collective.exposed_ms},
                               {"size_bytes", collective.size_bytes},
                               {"hiding", collective.hiding}});
    }
    Json problems = Json::array();
    for (const Problem& problem : report.problems) problems.push_back(problem_json(problem));
    return {{"pass", report.pass},         {"buckets", std::move(buckets)},         {"orderings", std::move(orderings)},
            {"groups", std::move(groups)}, {"collectives", std::move(collectives)}, {"problems", std::move(problems)}};
}

}  // namespace overlap
