#include "ui/modules/module_repair_dialog.h"

#include <QDialogButtonBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeView>
#include <QUndoStack>
#include <nlohmann/json.hpp>

#include "core/io/graph_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/modules/module_rules_model.h"
#include "ui/modules/module_tree_model.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

/// A document whose graph has lost its modules, opened from a file as a user opens one.
std::unique_ptr<Document> openStripped(const QTemporaryDir& folder) {
    const auto graph = loadGraph(smallGraphFile()).graph;
    auto json = nlohmann::ordered_json::parse(write_graph_text(*graph));
    for (auto& node : json["nodes"])
        if (node.contains("custom")) node["custom"].erase("module_fqn");
    const QString path = folder.filePath("stripped.graph.json");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return nullptr;
    file.write(QByteArray::fromStdString(json.dump()));
    file.close();
    auto document = std::make_unique<Document>();
    document->setGraph(loadGraph(path));
    return document;
}

/// A dialog whose proposals have come and whose preview is that of its rules.
bool waitForPreview(ModuleRepairDialog& dialog) {
    return QTest::qWaitFor(
        [&] {
            const auto& model = dialog.model();
            return !model.rules().empty() && model.repaired() &&
                   model.repaired()->outcomes.size() == model.rules().size();
        },
        30'000);
}

}  // namespace

class ModuleRepairDialogTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        document_ = openStripped(folder_);
        QVERIFY(document_);
        QVERIFY(!document_->modules().exists());
    }

    void proposedRulesAreAppliedAsOneEdit() {
        auto* dialog = new ModuleRepairDialog(*document_);
        QVERIFY(waitForPreview(*dialog));
        QVERIFY2(dialog->summary().contains("calls without a module"), qPrintable(dialog->summary()));
        QSignalSpy modules(document_.get(), &Document::modulesChanged);
        dialog->accept();
        QVERIFY(modules.wait());
        QCOMPARE(modules.count(), 1);
        QVERIFY(document_->modules().find("layers.0") != ModuleTree::no_module);
        QCOMPARE(document_->current()->undoStack().count(), 1);
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(document_->evaluation()->repaired != nullptr);
        document_->current()->undoStack().undo();
        QVERIFY(!document_->modules().exists());
    }

    void bucketsOfRepairedModulesGather() {
        Plan plan = document_->current()->plan();
        plan.module_rules = recommended_rules(propose_module_rules(document_->graph()));
        plan.buckets = {BucketEntry{.modules = {"layers.0"}}};
        document_->editPlan("Repair", std::move(plan));
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(document_->evaluation()->graph->node_count() != document_->graph()->node_count());
    }

    void aPatternIsEditedWithALivePreview() {
        ModuleRepairDialog dialog(*document_);
        QVERIFY(waitForPreview(dialog));
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        ModuleRule rule;
        rule.pattern = "layers.{n}.attention.*";
        rule.module = "blocks.{n}";
        dialog.model().setRules({rule});
        QVERIFY(waitForPreview(dialog));
        const auto first = dialog.model().repaired()->outcomes[0].nodes;
        QVERIFY(first > 0);
        dialog.table().setCurrentIndex(dialog.model().index(0, 0));
        auto* examples = dialog.findChild<QListWidget*>("moduleExamples");
        QVERIFY(examples->count() > 0);
        QVERIFY2(examples->item(0)->text().contains("blocks.0"), qPrintable(examples->item(0)->text()));

        auto* pattern = dialog.findChildren<QLineEdit*>().first();
        pattern->setFocus();
        pattern->selectAll();
        QTest::keyClicks(pattern, "layers.{n}.feed_forward.*");
        QVERIFY(waitForPreview(dialog));
        QTRY_VERIFY(dialog.model().repaired() && dialog.model().repaired()->outcomes[0].nodes > 0 &&
                    dialog.model().repaired()->outcomes[0].nodes != first);
    }

    void aWrongRuleIsToldAndCannotBeApplied() {
        ModuleRepairDialog dialog(*document_);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        QVERIFY(waitForPreview(dialog));
        ModuleRule rule;
        rule.pattern = "layers.{n";
        rule.module = "blocks";
        dialog.model().setRules({rule});
        QVERIFY2(dialog.summary().contains("not closed"), qPrintable(dialog.summary()));
        QVERIFY(!dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled());
    }

    /// As in all other dialogs.
    void theButtonThatAppliesStandsBeforeCancel() {
        ModuleRepairDialog dialog(*document_);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        dialog.show();
        const auto* buttons = dialog.findChild<QDialogButtonBox*>();
        const QPushButton* apply = nullptr;
        for (const QAbstractButton* button : buttons->buttons())
            if (button->text().remove(u'&') == "Apply") apply = qobject_cast<const QPushButton*>(button);
        QVERIFY(apply && apply->isDefault());
        QTRY_VERIFY(apply->x() < buttons->button(QDialogButtonBox::Cancel)->x());
    }

    void rulesMoveAndGo() {
        ModuleRepairDialog dialog(*document_);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        QVERIFY(waitForPreview(dialog));
        const std::vector<ModuleRule> rules = dialog.model().rules();
        QVERIFY(rules.size() > 2);
        QVERIFY(dialog.model().move(1, -1));
        QCOMPARE(dialog.model().rules()[0], rules[1]);
        QVERIFY(!dialog.model().move(0, -1));
        dialog.model().remove(0);
        QCOMPARE(dialog.model().rules().size(), rules.size() - 1);
    }

    void selectedNodesAreGivenAModuleByHand() {
        ModuleRepairDialog dialog(*document_);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        QVERIFY(waitForPreview(dialog));
        dialog.giveByHand({"embedding"});
        QCOMPARE(dialog.model().rules()[0].nodes, std::vector<std::string>{"embedding"});
        QVERIFY(!dialog.model().error().isEmpty());  // its module is still to be typed
        dialog.model().setData(dialog.model().index(0, ModuleRulesModel::module_column), "tok");
        QVERIFY(dialog.model().error().isEmpty());
    }

    void nodesWithoutAModuleAreCountedInOneRow() {
        ModuleTreeModel model(*document_);
        const QString title = model.index(0, 0).data().toString();
        QVERIFY2(title.contains(formatCount(static_cast<qint64>(document_->modules().nodes_without_module().size()))),
                 qPrintable(title));
    }

    void anotherPlanHasItsOwnModules() {
        Plan plan = document_->current()->plan();
        plan.module_rules = recommended_rules(propose_module_rules(document_->graph()));
        document_->editPlan("Repair", std::move(plan));
        QVERIFY(document_->repairing());
        QTRY_VERIFY(document_->modules().exists());
        document_->setCurrentIndex(0);
        QVERIFY(!document_->modules().exists());
        document_->setCurrentIndex(1);
        QTRY_VERIFY(document_->modules().exists());
    }

  private:
    QTemporaryDir folder_;
    std::unique_ptr<Document> document_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ModuleRepairDialogTest)
#include "module_repair_dialog_test.moc"
