#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/modules/module_rules.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/pipeline/evaluation.h"
#include "core/views/bucket_figures.h"
#include "core/views/module_figures.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// The modules of a graph, and what follows from them for the graph without any pass. Immutable parts, shared.
struct ModuleFacts {
    std::shared_ptr<const ModuleTree> tree;
    std::shared_ptr<const ModuleFiguresTable> figures;
    std::shared_ptr<const std::vector<BucketableCollective>> bucketable;  ///< collectives that could be bucketed
};

/// The modules that views show: those of the graph, with those that the current plan's rules give. Applying rules takes
/// as long as reading the tree of the whole graph, so it runs in the background; until it is done, what was shown
/// stays.
class PlanModules : public QObject {
    Q_OBJECT

  public:
    explicit PlanModules(QObject* parent = nullptr);

    /// Of rules that may be older than those asked for.
    const ModuleFacts& shown() const { return shown_; }
    /// True while modules for newer rules or times are being made.
    bool busy() const { return task_.busy(); }

    /// Another graph: shows its own modules at once, without a signal.
    /// @param baseline the graph without any pass, whose times the figures are of.
    void setGraph(std::shared_ptr<const Graph> graph, std::shared_ptr<const BucketingEligibility> eligibility,
                  ModuleFacts own, std::shared_ptr<const Evaluation> baseline);
    /// Figures are of other times.
    /// @param own_figures of the graph's own modules.
    void setTimes(std::shared_ptr<const ModuleFiguresTable> own_figures, std::shared_ptr<const Evaluation> baseline);
    /// The rules of the plan that is current now.
    void setRules(const std::vector<ModuleRule>& rules);

  signals:
    /// Nodes have other modules; figures and bucketable collectives are theirs.
    void changed();
    /// The same modules have figures of other times.
    void figuresChanged();

  private:
    void update();
    void show(ModuleFacts facts, const std::vector<ModuleRule>& rules);

    std::shared_ptr<const Graph> graph_;
    std::shared_ptr<const BucketingEligibility> eligibility_;
    std::shared_ptr<const Evaluation> baseline_;
    ModuleFacts own_;
    ModuleFacts shown_;
    std::vector<ModuleRule> rules_;        ///< asked for
    std::vector<ModuleRule> shown_rules_;  ///< of what is shown
    LatestTask task_;
};

}  // namespace overlap::ui
