#include "ui/passes/expert_overlap_menu.h"

#include <QToolButton>
#include <algorithm>

#include "core/advice/advice.h"
#include "core/plan/presets.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/passes/passes_panel.h"

namespace overlap::ui {

/// Expert overlap of a graph that was traced for it.
class ExpertOverlapMenuTest : public QObject {
    Q_OBJECT

    static QString graphFile(const char* name) {
        return QStringLiteral(OVERLAP_TEST_DATA "/graphs/%1.graph.json.gz").arg(QString::fromLatin1(name));
    }

    bool waitForFigures() {
        return QTest::qWaitFor([&] { return !menu().busy(); }, 60'000);
    }
    void openMenu() {
        menu().popup(panel_->mapToGlobal(QPoint(0, 0)));
        QVERIFY(menu().isVisible());
        QVERIFY(waitForFigures());
    }
    ExpertOverlapMenu& menu() { return panel_->expertOverlap(); }
    QString title(int choice) { return menu().actions()[choice]->text().section(u'\t', 0, 0); }
    QString figures(int choice) { return menu().actions()[choice]->text().section(u'\t', 1); }
    const Plan& plan() { return document_->current()->plan(); }

  private slots:
    void init() {
        document_ = std::make_unique<Document>();
        document_->setGraph(loadGraph(graphFile("deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket")));
        panel_ = std::make_unique<PassesPanel>(*document_);
        panel_->resize(1000, 400);
        panel_->show();
        PipelineCommands(*document_).startFrom(pipeline_presets(*document_->graph()).front());
        QVERIFY(waitForEvaluation(*document_));
    }
    void cleanup() {
        panel_.reset();
        document_.reset();
    }

    void eachChoiceHasItsFiguresBeforeItIsChosen() {
        openMenu();
        QCOMPARE(menu().actions().size(), 4);
        QCOMPARE(title(0), "None");
        QCOMPARE(title(1), "Whole blocks (layers.*), halves of the batch");
        QCOMPARE(title(3), "Experts alone (layers.*.moe), halves of each sequence");
        QVERIFY(menu().actions()[1]->isChecked());
        QCOMPARE(figures(1), "as it is");
        Advice advice;
        advice.plan = edits::without_expert_overlap(plan());
        const auto effect = effect_of(*document_->evaluation(), advice);
        QCOMPARE(figures(0), ExpertOverlapMenu::text(*effect));
        QVERIFY(job_step_ms(*effect) > 0);  // without it the step is longer
        for (const int choice : {0, 2, 3}) QVERIFY2(figures(choice).startsWith("step "), qPrintable(figures(choice)));
    }

    void aChoiceIsOneEditOfAllItsPasses() {
        const Plan before = plan();
        const int edits = document_->current()->undoStack().count();
        openMenu();
        menu().actions()[0]->trigger();
        menu().hide();
        QVERIFY(!expert_overlap_of(plan()));
        QCOMPARE(document_->current()->undoStack().count(), edits + 1);
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!document_->evaluation()->refused);
        openMenu();
        QVERIFY(menu().actions()[0]->isChecked());
        menu().actions()[2]->trigger();
        menu().hide();
        QCOMPARE(*expert_overlap_of(plan()), (ExpertOverlap{HalvedBy::pass, "layers.*.moe", "batch"}));
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!document_->evaluation()->refused);
        document_->current()->undoStack().undo();
        document_->current()->undoStack().undo();
        QCOMPARE(plan().pipeline, before.pipeline);
    }

    void aRefusedPlanIsMendedByChoosingAgain() {
        const auto chunk = std::ranges::find(plan().pipeline, "ep_overlap_chunk_pass", &PassStep::pass);
        const Plan whole = plan();
        PipelineCommands(*document_).setEnabled(static_cast<int>(chunk - plan().pipeline.begin()), false);
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(document_->evaluation()->refused);
        openMenu();
        QVERIFY(!menu().actions()[1]->isChecked());
        QCOMPARE(figures(1), "no longer refused");
        menu().actions()[1]->trigger();
        menu().hide();
        QCOMPARE(plan().pipeline, whole.pipeline);
    }

    void graphsWithoutAChoiceSayWhy() {
        auto* button = panel_->findChild<QToolButton*>("expertOverlapButton");
        QVERIFY(button->isEnabled());
        document_->setCurrentIndex(0);
        QVERIFY(!button->isEnabled());
        document_->setGraph(loadGraph(smallGraphFile()));
        QVERIFY(!button->isEnabled());
        QVERIFY2(button->toolTip().contains("no tokens"), qPrintable(button->toolTip()));
    }

  private:
    std::unique_ptr<Document> document_;
    std::unique_ptr<PassesPanel> panel_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ExpertOverlapMenuTest)
#include "expert_overlap_menu_test.moc"
