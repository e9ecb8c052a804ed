#include "core/plan/bucket_drop.h"

#include <algorithm>

namespace overlap {
namespace {

class Dropping {
  public:
    Dropping(const Graph& graph, const ModuleTree& tree, const BucketingEligibility& eligibility,
             const Buckets& buckets, std::size_t target)
        : graph_(graph), tree_(tree), eligibility_(eligibility), buckets_(buckets), target_(target) {}

    BucketDrop run(const std::vector<std::string>& modules) {
        // What is left out stays in its entry, and is in the way of others.
        std::size_t left_out = 0;
        do {
            left_out = drop_.left_out.size();
            drop_.taken.clear();
            own_nodes_of_entries(modules);
            for (const std::string& module : modules)
                if (!is_left_out(module) && std::ranges::count(drop_.taken, module) == 0) take(module);
        } while (drop_.left_out.size() > left_out);
        for (const std::string& module : drop_.taken)
            if (names_elsewhere(module)) drop_.moved.push_back(module);
        return std::move(drop_);
    }

  private:
    struct Owner {
        const std::string* module = nullptr;
        std::size_t entry = 0;
    };

    bool is_left_out(const std::string& module) const {
        return std::ranges::find(drop_.left_out, module, &BucketDrop::LeftOut::module) != drop_.left_out.end();
    }

    /// Entries that overlap one another are shown in the Problems panel.
    void own_nodes_of_entries(const std::vector<std::string>& dropped) {
        owners_.assign(graph_.node_count(), {});
        for (std::size_t entry = 0; entry < buckets_.size(); ++entry)
            for (const std::string& module : buckets_[entry].modules)
                if (std::ranges::find(dropped, module) == dropped.end() || is_left_out(module))
                    own_nodes(module, entry);
    }

    void own_nodes(const std::string& module, std::size_t entry) {
        for (const NodeId node : tree_.nodes(module)) owners_[node] = {&module, entry};
    }

    void take(const std::string& module) {
        if (std::string reason = obstacle(module); !reason.empty()) {
            drop_.left_out.push_back({module, std::move(reason)});
            return;
        }
        own_nodes(module, target_);
        drop_.taken.push_back(module);
    }

    std::string obstacle(const std::string& module) const {
        if (tree_.find(module) == ModuleTree::no_module) return "This graph has no module " + module;
        bool communicates = false;
        for (const NodeId node : tree_.nodes(module)) {
            communicates = communicates || eligibility_.eligible(node);
            const Owner& owner = owners_[node];
            if (!owner.module) continue;
            std::string place;
            if (owner.entry != target_ && owner.entry < buckets_.size())
                place = ", which is in bucket " + display_name(buckets_[owner.entry]);
            return module + " overlaps " + *owner.module + place + ": both have " + std::string(graph_.name(node));
        }
        return communicates ? std::string() : module + " has nothing that can be bucketed";
    }

    bool names_elsewhere(const std::string& module) const {
        for (std::size_t entry = 0; entry < buckets_.size(); ++entry)
            if (entry != target_ && std::ranges::count(buckets_[entry].modules, module) > 0) return true;
        return false;
    }

    const Graph& graph_;
    const ModuleTree& tree_;
    const BucketingEligibility& eligibility_;
    const Buckets& buckets_;
    std::size_t target_;
    std::vector<Owner> owners_;  ///< by node: the module that has it, of an entry or taken before
    BucketDrop drop_;
};

}  // namespace

BucketDrop bucket_drop(const Graph& graph, const ModuleTree& tree, const BucketingEligibility& eligibility,
                       const Buckets& buckets, const std::vector<std::string>& modules, std::size_t target) {
    return Dropping(graph, tree, eligibility, buckets, target).run(modules);
}

std::string drop_refusal(const Graph& graph, const ModuleTree& tree, const BucketingEligibility& eligibility,
                         const Buckets& buckets, const std::vector<std::string>& modules, std::size_t target) {
    const BucketDrop drop = bucket_drop(graph, tree, eligibility, buckets, modules, target);
    return drop.left_out.empty() ? std::string() : drop.left_out.front().reason;
}

}  // namespace overlap
