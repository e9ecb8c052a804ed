#include "core/bound/gather_results.h"

#include <algorithm>

namespace overlap {
namespace {

/// Nodes that look at one result; leaving out what has more only loosens bounds.
constexpr std::size_t most_holders = 64;

class ResultFinder {
  public:
    ResultFinder(const StepWork& work, const StorageTable& table) : work_(work), graph_(*work.graph), table_(table) {}

    GatherResult find(std::size_t collective) {
        const NodeId start = work_.collectives[collective].node;
        // Others may write into what exists already.
        if (graph_.target_info(start).starts != CollectiveKind::all_gather) return {};
        holders_ = {start};
        storages_.clear();
        GatherResult result;
        if (!add_memory_of(start, result)) return {};
        for (std::size_t next = 0; next < holders_.size(); ++next) {
            if (holders_.size() > most_holders) return {};
            for (const NodeId user : graph_.users(holders_[next])) {
                if (std::ranges::find(holders_, user) != holders_.end()) continue;
                const bool is_wait =
                    work_.is_wait[user] && work_.collective_of_node[user] == static_cast<std::int32_t>(collective);
                if (is_wait && !add_memory_of(user, result)) return {};
                (is_wait || is_view(user) ? holders_ : result.uses).push_back(user);
            }
        }
        return result;
    }

  private:
    /// @returns false where it is not one piece of memory.
    bool add_memory_of(NodeId node, GatherResult& result) {
        const std::span<const StorageIndex> held = table_.held_by(node);
        if (held.size() != 1 || !table_.storages()[held[0]].counted) return false;
        const std::int64_t bytes = table_.storages()[held[0]].bytes;
        result.bytes = storages_.empty() ? bytes : std::min(result.bytes, bytes);
        storages_.push_back(held[0]);
        return true;
    }

    bool is_view(NodeId node) const {
        return std::ranges::any_of(table_.held_by(node), [&](StorageIndex storage) {
            return std::ranges::find(storages_, storage) != storages_.end();
        });
    }

    const StepWork& work_;
    const Graph& graph_;
    const StorageTable& table_;
    std::vector<NodeId> holders_;
    std::vector<StorageIndex> storages_;
};

}  // namespace

std::vector<GatherResult> gather_results(const StepWork& work, const StorageTable& table) {
    ResultFinder finder(work, table);
    std::vector<GatherResult> results;
    for (std::size_t index = 0; index < work.collectives.size(); ++index) results.push_back(finder.find(index));
    return results;
}

}  // namespace overlap
