#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "core/job/pipeline/stage_actions.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"

namespace overlap::job {

/// What forward and backward of one evaluated graph take. They end with the step, to the bit: the forward's time and
/// what is exposed are rounded to the step's last binary digit. The backward begins with the first operation of it
/// that takes compute time.
/// A graph without a backward is all forward. With one, what the forward leaves is what is held when the backward
/// begins, beyond what was held at the start: parameters and inputs.
/// @throws InputError without a place: times are not known.
GraphStageTimes split_step(const Evaluation& evaluation);

/// How graphs of stages are read. @throws InputError with the file.
using GraphReader = std::function<std::shared_ptr<const Graph>(const std::string& path)>;
/// Any graph file on the disk.
std::shared_ptr<const Graph> read_stage_graph(const std::string& path);

/// Stages given as graphs, evaluated once: a stage is evaluated again where its files' names or their plan change.
class GraphStages {
  public:
    /// @param folder that paths are relative to.
    explicit GraphStages(std::string folder, GraphReader reader = read_stage_graph)
        : folder_(std::move(folder)), reader_(std::move(reader)) {}

    /// @throws InputError with the file: not readable, a plan for another graph or one that a pass refuses; when it was
    /// stopped, and then nothing is remembered.
    GraphStageTimes times(const StageSpec& stage, const std::stop_token& stop = {});
    /// The same of a stage of one graph with another plan than its file's. Not remembered.
    GraphStageTimes times(const StageSpec& stage, const Plan& plan);
    StageEvaluator evaluator(std::stop_token stop = {});

    /// Evaluations made so far.
    std::size_t evaluations() const { return evaluations_; }

  private:
    std::shared_ptr<const Evaluation> evaluate_file(const std::string& graph, const std::string& plan,
                                                    const std::stop_token& stop);
    std::shared_ptr<const Graph> graph_of_file(const std::string& graph);
    std::string path(const std::string& file) const;

    std::string folder_;
    GraphReader reader_;
    std::map<std::string, std::shared_ptr<const Graph>> graphs_;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<const Evaluation>> by_files_;
    std::size_t evaluations_ = 0;
};

}  // namespace overlap::job
