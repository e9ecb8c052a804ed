#include "core/measure/collective_members.h"

#include <algorithm>
#include <set>

namespace overlap {

namespace {

class Members {
  public:
    explicit Members(const Evaluation& evaluation) : evaluation_(evaluation) {
        for (const PassReport& report : evaluation.reports) {
            for (const BucketReport& bucket : report.buckets) buckets_.push_back(&bucket);
        }
    }

    std::vector<std::string> of(NodeId start) const {
        std::set<std::string> names;
        const NodeId origin = evaluation_.origin[start];
        if (origin != no_node) {
            names.emplace(evaluation_.input->name(origin));
        } else {
            resolve(std::string(evaluation_.graph->name(start)), buckets_.size(), names);
        }
        return {names.begin(), names.end()};
    }

  private:
    /// A later pass may merge what an earlier one has merged, so a name is looked for among the buckets before
    /// `end` alone, the latest first.
    void resolve(const std::string& name, std::size_t end, std::set<std::string>& names) const {
        for (std::size_t index = end; index-- > 0;) {
            if (buckets_[index]->start != name) continue;
            for (const std::string& member : buckets_[index]->members) resolve(member, index, names);
            return;
        }
        names.insert(name);
    }

    const Evaluation& evaluation_;
    std::vector<const BucketReport*> buckets_;
};

}  // namespace

std::vector<std::vector<std::string>> collective_members(const Evaluation& evaluation) {
    const Members members(evaluation);
    std::vector<std::vector<std::string>> result;
    result.reserve(evaluation.simulation.collectives.size());
    for (const CollectiveTiming& collective : evaluation.simulation.collectives) {
        result.push_back(members.of(collective.start));
    }
    return result;
}

}  // namespace overlap
