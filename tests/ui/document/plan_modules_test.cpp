#include "ui/document/plan_modules.h"

#include <QSignalSpy>

#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"

namespace overlap::ui {
namespace {

/// Gives one node another module than it has in the graph.
ModuleRule ruleOf(const std::string& node, const std::string& module) {
    ModuleRule rule;
    rule.kind = ModuleRule::Kind::nodes;
    rule.nodes = {node};
    rule.module = module;
    rule.override_own = true;
    return rule;
}

}  // namespace

class PlanModulesTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        document_ = openDocument();
        const LoadedGraph& loaded = document_->loaded();
        own_ = {loaded.modules, loaded.module_figures, loaded.bucketable};
        node_ = std::string(loaded.graph->name(loaded.bucketable->front().start));
        modules_ = std::make_unique<PlanModules>();
        modules_->setGraph(loaded.graph, loaded.eligibility, own_, loaded.baseline);
    }

    void aGraphShowsItsOwnModulesAtOnce() {
        QCOMPARE(modules_->shown().tree, own_.tree);
        QVERIFY(!modules_->busy());
    }

    void whatWasShownStaysUntilRulesAreApplied() {
        QSignalSpy changed(modules_.get(), &PlanModules::changed);
        modules_->setRules({ruleOf(node_, "by.hand")});
        QVERIFY(modules_->busy());
        QCOMPARE(modules_->shown().tree, own_.tree);
        QVERIFY(changed.wait());
        QVERIFY(modules_->shown().tree->find("by.hand") != ModuleTree::no_module);
        QCOMPARE(modules_->shown().figures->modules.size(), modules_->shown().tree->module_count());
        QCOMPARE(changed.count(), 1);
    }

    void withoutRulesTheOwnModulesAreBackAtOnce() {
        QSignalSpy changed(modules_.get(), &PlanModules::changed);
        modules_->setRules({ruleOf(node_, "by.hand")});
        QVERIFY(changed.wait());
        modules_->setRules({});
        QCOMPARE(modules_->shown().tree, own_.tree);
        QCOMPARE(changed.count(), 2);
    }

    void ofRulesThatFollowOneAnotherTheLastCount() {
        QSignalSpy changed(modules_.get(), &PlanModules::changed);
        modules_->setRules({ruleOf(node_, "first")});
        modules_->setRules({ruleOf(node_, "second")});
        QVERIFY(changed.wait());
        QTRY_VERIFY(!modules_->busy());
        QVERIFY(modules_->shown().tree->find("second") != ModuleTree::no_module);
        QCOMPARE(changed.count(), 1);
    }

    void otherTimesKeepTheTree() {
        QSignalSpy changed(modules_.get(), &PlanModules::changed);
        QSignalSpy figures(modules_.get(), &PlanModules::figuresChanged);
        modules_->setRules({ruleOf(node_, "by.hand")});
        QVERIFY(changed.wait());
        const auto tree = modules_->shown().tree;
        auto doubled = std::make_shared<Evaluation>(*document_->loaded().baseline);
        for (double& time : doubled->times_ms) time *= 2;
        const double before = modules_->shown().figures->modules[tree->find("by.hand")].communication_ms;
        modules_->setTimes(own_.figures, doubled);
        QVERIFY(figures.wait());
        QCOMPARE(modules_->shown().tree, tree);
        QCOMPARE(modules_->shown().figures->modules[tree->find("by.hand")].communication_ms, 2 * before);
        QCOMPARE(changed.count(), 1);
    }

  private:
    std::unique_ptr<Document> document_;
    std::unique_ptr<PlanModules> modules_;
    ModuleFacts own_;
    std::string node_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PlanModulesTest)
#include "plan_modules_test.moc"
