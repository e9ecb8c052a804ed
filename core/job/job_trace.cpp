#include "core/job/job_trace.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/trace_origin.h"
#include "core/files/json_writer.h"
#include "core/job/program_step.h"
#include "core/job/rank_texts.h"

namespace overlap::job {

namespace {

constexpr double us_per_ms = 1e3;

class TraceWriter {
  public:
    TraceWriter(const JobDocument& job, const StepTimes& times) : times_(times) {
        json_.begin_object().member("displayTimeUnit", "ms");
        json_.key("otherData").begin_object().member("job", std::string_view(job.name));
        json_.member("step_ms", times.step_ms).member(trace_times_member, simulated_trace_times).end_object();
        json_.key("traceEvents").begin_array();
    }

    void process(std::int64_t id, const std::string& name) {
        metadata("process_name", id, 0, name);
        json_.begin_object().member("name", "process_sort_index").member("ph", "M").member("pid", id);
        json_.key("args").begin_object().member("sort_index", id).end_object().end_object();
    }
    void thread(std::int64_t id, std::int64_t thread, const std::string& name) {
        metadata("thread_name", id, thread, name);
    }

    void event(const std::string& name, std::string_view category, std::int64_t process, std::int64_t thread,
               double start, double end) {
        if (end <= start) return;
        json_.begin_object().member("name", std::string_view(name)).member("cat", category).member("ph", "X");
        json_.member("pid", process).member("tid", thread);
        json_.member("ts", start * us_per_ms).member("dur", (end - start) * us_per_ms).end_object();
    }

    /// A node with the time in which it stood still for its peers.
    void node(NodeIndex node, const std::string& name, std::string_view category, std::int64_t process,
              std::int64_t thread) {
        event(std::string("wait: ").append(name), "wait", process, thread, times_.issued[node], times_.start[node]);
        event(name, category, process, thread, times_.start[node], times_.end[node]);
    }

    void arrow(NodeIndex from, NodeIndex to, std::int64_t from_process, std::int64_t to_process) {
        const std::int64_t id = ++arrows_;
        for (const bool start : {true, false}) {
            json_.begin_object().member("name", "message").member("cat", "message").member("ph", start ? "s" : "f");
            if (!start) json_.member("bp", "e");
            json_.member("id", id).member("pid", start ? from_process : to_process).member("tid", std::int64_t{0});
            // Within the event that it leaves, so that viewers find it.
            const double at = start ? std::max(times_.start[from], times_.end[from] - 1e-6) : times_.start[to];
            json_.member("ts", at * us_per_ms).end_object();
        }
    }

    std::string take() {
        json_.end_array().end_object();
        return json_.take();
    }

  private:
    void metadata(std::string_view what, std::int64_t process, std::int64_t thread, const std::string& name) {
        json_.begin_object().member("name", what).member("ph", "M").member("pid", process).member("tid", thread);
        json_.key("args").begin_object().member("name", std::string_view(name)).end_object().end_object();
    }

    const StepTimes& times_;
    JsonWriter json_;
    std::int64_t arrows_ = 0;
};

std::string trace_of_pipeline(const JobDocument& job, const PipelineOptions& options) {
    const PipelineStep step = pipeline_step(job, options);
    const StepTimes times = run_whole_step(step.graph, order_of(step.graph));
    const NodeNames names = pipeline_names(step);
    TraceWriter trace(job, times);
    JobResult result;
    add_ranks(step, result);
    for (const auto& [process, ranks] : ranks_of_classes(result)) {
        std::string name = ranks_text(ranks).append(", stage");
        const auto& stages = result.stages_of[process % static_cast<std::uint32_t>(step.ranks())];
        for (const std::int32_t stage : stages) name.append(" ").append(std::to_string(stage));
        trace.process(process, name);
        // Also of whom they are: viewers that list threads alone would show one name again and again.
        const std::string whose = " of " + ranks_text(ranks, 2);
        trace.thread(process, 0, "compute" + whose);
        trace.thread(process, 1, "gradients" + whose);
    }
    for (NodeIndex node = 0; node < step.graph.node_count(); ++node) {
        const PieceRole role = step.piece(node).role;
        const std::int64_t process = step.graph.rank(node);
        const bool sync = role == PieceRole::gradient_sync;
        trace.node(node, names.op(node), role == PieceRole::action ? "compute" : "collective", process, sync ? 1 : 0);
        for (std::uint32_t i = step.graph.first_dependency(node); i < step.graph.first_dependency(node + 1); ++i) {
            const NodeIndex on = step.graph.on()[i];
            if (step.graph.rank(on) != step.graph.rank(node)) trace.arrow(on, node, step.graph.rank(on), process);
        }
    }
    return trace.take();
}

std::string trace_of_programs(const JobDocument& job) {
    const ProgramStep step = program_step(job);
    const StepTimes times = run_whole_step(step.graph, order_of_programs(step));
    TraceWriter trace(job, times);
    std::vector<std::map<std::string_view, std::int64_t>> streams(job.programs.size());
    for (std::size_t i = 0; i < job.programs.size(); ++i) {
        const std::int64_t process = static_cast<std::int64_t>(i);
        trace.process(process, ranks_text({job.programs[i].rank}));
        for (const OpSpec& op : job.programs[i].ops) {
            const auto [stream, first] = streams[i].emplace(op.stream, static_cast<std::int64_t>(streams[i].size()));
            if (first) trace.thread(process, stream->second, op.stream);
        }
    }
    bool in_batch = false;
    std::int64_t stream = 0;
    for (NodeIndex node = 0; node < step.graph.node_count(); ++node) {
        const OpSpec& op = *step.op_of_node[node];
        const std::uint32_t program = step.graph.rank(node);
        // Operations of a batch come between its two nodes, and are on its stream.
        if (!in_batch) stream = streams[program][op.stream];
        if (op.kind == OpSpec::Kind::batch) {
            in_batch = step.kind_of_node[node] == ProgramNode::issue;
            continue;
        }
        const bool computes = step.kind_of_node[node] == ProgramNode::compute;
        trace.node(node, op.id, computes ? "compute" : "collective", program, stream);
    }
    return trace.take();
}

}  // namespace

std::string job_trace_json(const JobDocument& job, const PipelineOptions& options) {
    return job.has_programs ? trace_of_programs(job) : trace_of_pipeline(job, options);
}

}  // namespace overlap::job
