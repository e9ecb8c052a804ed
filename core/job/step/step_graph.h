#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace overlap::job {

using NodeIndex = std::uint32_t;
inline constexpr std::uint32_t no_rendezvous = 0xffffffffu;

/// What a step consists of, without any name: nodes that take a time on a rank, wait for other nodes, and may have to
/// start together with others (rendezvous). A node is issued when all it waits for has ended, and what is delayed has
/// arrived; it starts then, or with the last member of its rendezvous. Dense arrays of numbers: a job has millions.
class StepGraph {
  public:
    NodeIndex add_node(std::uint32_t rank, double ms);
    /// `node` waits for the end of `on` and `delay_ms` more.
    void add_dependency(NodeIndex node, NodeIndex on, double delay_ms = 0);
    /// @param complete false where a member is missing: it never starts.
    std::uint32_t add_rendezvous(std::span<const NodeIndex> members, bool complete = true);
    /// To be called when all is there; sorts dependencies by node, and keeps the order of those of one node.
    void finish();
    void reserve(std::size_t nodes, std::size_t dependencies);
    /// Other times of nodes and delays of dependencies, of each one.
    void set_times(std::vector<double> ms, std::vector<double> delay_ms);

    std::uint32_t node_count() const { return static_cast<std::uint32_t>(ms_.size()); }
    std::uint32_t rendezvous_count() const { return static_cast<std::uint32_t>(complete_.size()); }
    std::span<const double> ms() const { return ms_; }
    std::uint32_t rank(NodeIndex node) const { return rank_[node]; }
    /// Range of a node's dependencies in on() and delay_ms().
    std::uint32_t first_dependency(NodeIndex node) const { return first_dependency_[node]; }
    std::span<const NodeIndex> on() const { return on_; }
    std::span<const double> delay_ms() const { return delay_ms_; }
    std::uint32_t rendezvous_of(NodeIndex node) const { return rendezvous_[node]; }
    std::span<const NodeIndex> members(std::uint32_t rendezvous) const {
        return {members_.data() + first_member_[rendezvous], first_member_[rendezvous + 1] - first_member_[rendezvous]};
    }
    bool complete(std::uint32_t rendezvous) const { return complete_[rendezvous] != 0; }

  private:
    std::vector<double> ms_;
    std::vector<std::uint32_t> rank_, rendezvous_;
    std::vector<NodeIndex> waiting_, on_;
    std::vector<double> delay_ms_;
    std::vector<std::uint32_t> first_dependency_;
    std::vector<NodeIndex> members_;
    std::vector<std::uint32_t> first_member_ = {0};
    std::vector<std::uint8_t> complete_;
};

/// An order in which nodes can run. It depends on no time, so that one order serves every draw of times.
struct StepOrder {
    /// A node, or node_count + a rendezvous, whose members all run there.
    std::vector<std::uint32_t> items;
    std::vector<std::uint8_t> done;  ///< of each node: it is in the order
    bool all = true;                 ///< every node is
};

/// @param admits whether a rendezvous whose members are all there may run; null: always.
/// @throws InputError when it was stopped.
StepOrder order_of(const StepGraph& graph, const std::function<bool(std::uint32_t rendezvous)>& admits = nullptr,
                   const std::stop_token& stop = {});

/// When nodes were issued, started and ended; 0 for nodes outside the order.
struct StepTimes {
    std::vector<double> issued, start, end;
    double step_ms = 0;
};

/// @param ms of each node. @param delay_ms of each dependency. @throws InputError when it was stopped.
void run_step(const StepGraph& graph, const StepOrder& order, std::span<const double> ms,
              std::span<const double> delay_ms, StepTimes& times, const std::stop_token& stop = {});
StepTimes run_step(const StepGraph& graph, const StepOrder& order, const std::stop_token& stop = {});
/// The same of a step that can run. @throws InputError where it cannot.
StepTimes run_whole_step(const StepGraph& graph, const StepOrder& order);

}  // namespace overlap::job
