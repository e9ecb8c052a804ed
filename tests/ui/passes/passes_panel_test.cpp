#include "ui/passes/passes_panel.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>

#include "core/passes/registry/registry.h"
#include "tests/ui/passes/pipeline_document.h"
#include "ui/edits/bucket_commands.h"
#include "ui/passes/pass_picker.h"
#include "ui/passes/passes_model.h"
#include "ui/passes/passes_view.h"
#include "ui/passes/step_changes_model.h"

namespace overlap::ui {

/// The steps of a pipeline, and what a user does with them.
class PassesPanelTest : public QObject {
    Q_OBJECT

    static QStringList passes(Document& document) {
        QStringList names;
        for (const PassStep& step : document.current()->plan().pipeline)
            names.append(QString::fromStdString(step.pass));
        return names;
    }

  private slots:
    void overlapsByHandLeaveStepsTheirRows() {
        const auto document = openWithPresets();
        startFromDefault(*document);
        Plan plan = document->current()->plan();
        for (const char* name : {"a", "b", "c", "d", "e"})
            plan.overlaps.list.push_back({.collective = name, .wait_after = "mm"});
        document->editPlan("overlaps", plan);
        PassesPanel panel(*document);
        panel.show();
        const auto* overlaps = panel.findChild<QWidget*>("overlaps");
        for (const int height : {130, 200, 400}) {
            panel.resize(1024, height);
            QTRY_VERIFY(overlaps->isVisible());
            QTRY_VERIFY2(panel.steps().viewport()->height() >= 2 * panel.steps().sizeHintForRow(0),
                         qPrintable(QString("%1 of %2").arg(panel.steps().viewport()->height()).arg(height)));
        }
    }

    void modelsStayConsistent() {
        const auto document = openWithPresets();
        PassesModel steps(*document);
        QAbstractItemModelTester steps_tester(&steps, QAbstractItemModelTester::FailureReportingMode::QtTest);
        PassesPanel panel(*document);
        QAbstractItemModelTester changes_tester(&panel.changes(),
                                                QAbstractItemModelTester::FailureReportingMode::QtTest);
        startFromDefault(*document);
        QVERIFY(waitForEvaluation(*document));
        for (int step = 0; step < steps.rowCount(); ++step) panel.selectStep(step);
        PipelineCommands(*document).move(0, 2);
        document->setCurrentIndex(0);
        QCOMPARE(steps.rowCount(), 0);
        document->setGraph(loadGraph(smallGraphFile()));
    }

    void everyEditIsUndoneAndRedone_data() {
        QTest::addColumn<int>("which");
        const char* names[] = {"switch", "move", "add", "remove", "set option", "reset options", "start from"};
        for (int i = 0; i < 7; ++i) QTest::newRow(names[i]) << i;
    }

    void everyEditIsUndoneAndRedone() {
        QFETCH(int, which);
        const auto document = openWithPresets();
        PipelineCommands commands(*document);
        startFromDefault(*document);
        commands.add("manual_overlap_bucketing", 4);
        const Plan before = document->current()->plan();
        const int count = document->current()->undoStack().count();
        switch (which) {
            case 0:
                commands.setEnabled(1, false);
                QVERIFY(!document->current()->plan().pipeline[1].enabled);
                break;
            case 1:
                commands.move(0, 2);
                QCOMPARE(passes(*document)[2], "eliminate_dead_code_pass");
                break;
            case 2:
                QCOMPARE(commands.add("reassign_collective_pgs_pass", 1), 1);
                QCOMPARE(passes(*document)[1], "reassign_collective_pgs_pass");
                break;
            case 3:
                commands.remove(1);
                QVERIFY(!passes(*document).contains("canonicalize_graph_pass"));
                break;
            case 4:
                QCOMPARE(commands.setOption(4, "bucket_mode", OptionValue("coalesced")), QString());
                QCOMPARE(optionsOf(*document, 4).at("bucket_mode"), Json("coalesced"));
                break;
            case 5:
                commands.resetOptions(4);
                QVERIFY(optionsOf(*document, 4).empty());
                break;
            case 6:
                commands.startFrom(pipeline_presets(*document->graph()).back());
                QVERIFY(passes(*document).contains("reassign_collective_pgs_pass"));
                break;
        }
        Variant& variant = *document->current();
        QCOMPARE(variant.undoStack().count(), count + 1);
        QVERIFY(!variant.undoStack().undoText().isEmpty());
        const Plan after = variant.plan();
        QVERIFY(!(after == before));
        variant.undoStack().undo();
        QVERIFY(variant.plan() == before);
        variant.undoStack().redo();
        QVERIFY(variant.plan() == after);
    }

    void whatIsNotAllowedChangesNothing() {
        const auto document = openWithPresets();
        PipelineCommands commands(*document);
        const Plan before = document->current()->plan();
        QVERIFY(commands.setOption(0, "bucket_mode", OptionValue("coalesce")).contains("coalesced"));
        QVERIFY(!commands.setOption(0, "no_such_option", OptionValue(std::int64_t{1})).isEmpty());
        QCOMPARE(commands.add("no_such_pass", 0), -1);
        commands.remove(7);
        commands.setEnabled(-1, false);
        QVERIFY(document->current()->plan() == before);
        document->setCurrentIndex(0);
        QCOMPARE(commands.add("eliminate_dead_code_pass", 0), -1);
        QVERIFY(document->current()->plan().pipeline.empty());
    }

    void presetsKeepAPersonsBuckets() {
        const auto document = openWithPresets();
        startFromDefault(*document);
        const Buckets of_preset = document->buckets();
        QVERIFY(of_preset.size() > 2);
        BucketCommands(*document).startFrom(BucketCommands::Template::empty);
        BucketCommands(*document).addText("layers.0");
        startFromDefault(*document);
        QCOMPARE(document->buckets().size(), std::size_t{1});
    }

    void keysSwitchMoveAndSelect() {
        const auto document = openWithPresets();
        PassesPanel panel(*document);
        startFromDefault(*document);
        panel.show();
        panel.selectStep(1);
        QTest::keyClick(&panel.steps(), Qt::Key_Space);
        QVERIFY(!document->current()->plan().pipeline[1].enabled);
        QTest::keyClick(&panel.steps(), Qt::Key_Space);
        QVERIFY(document->current()->plan().pipeline[1].enabled);
        const QStringList before = passes(*document);
        panel.moveCurrent(1);
        QCOMPARE(panel.currentStep(), 2);
        QCOMPARE(passes(*document)[2], before[1]);
        for (qsizetype more = 0; more < before.size(); ++more) panel.moveCurrent(1);  // the last one stays
        QCOMPARE(panel.currentStep(), static_cast<int>(before.size()) - 1);
        document->undoGroup().undo();
        QCOMPARE(passes(*document), before);  // moves in a row are one edit
        panel.selectStep(0);
        panel.removeCurrent();
        QCOMPARE(passes(*document), before.mid(1));
        QCOMPARE(panel.currentStep(), 0);
    }

    void aClickOnTheSwitchSwitches() {
        const auto document = openWithPresets();
        PassesPanel panel(*document);
        panel.resize(1200, 300);
        panel.show();
        const QRect row = panel.steps().visualRect(panel.model().index(0));
        QTest::mouseClick(panel.steps().viewport(), Qt::LeftButton, {}, PassDelegate::switchArea(row).center());
        QVERIFY(!document->current()->plan().pipeline[0].enabled);
        QTest::mouseClick(panel.steps().viewport(), Qt::LeftButton, {}, row.center());  // beside it selects only
        QVERIFY(!document->current()->plan().pipeline[0].enabled);
    }

    void droppedRowsMove() {
        const auto document = openWithPresets();
        PassesPanel panel(*document);
        startFromDefault(*document);
        const QStringList before = passes(*document);
        const std::unique_ptr<QMimeData> first(panel.model().mimeData({panel.model().index(0)}));
        panel.model().dropMimeData(first.get(), Qt::MoveAction, 3, 0, {});  // between the third and the fourth
        QCOMPARE(passes(*document), QStringList({before[1], before[2], before[0]}) + before.mid(3));
        QCOMPARE(panel.currentStep(), 2);
        const std::unique_ptr<QMimeData> last(panel.model().mimeData({panel.model().index(3)}));
        panel.model().dropMimeData(last.get(), Qt::MoveAction, 0, 0, {});
        QCOMPARE(passes(*document).front(), before[3]);
        const std::unique_ptr<QMimeData> again(panel.model().mimeData({panel.model().index(0)}));
        panel.model().dropMimeData(again.get(), Qt::MoveAction, -1, -1, {});  // behind all
        QCOMPARE(passes(*document).back(), before[3]);
    }

    void passesAreSearchedAndAdded() {
        const auto document = openWithPresets();
        PassesPanel panel(*document);
        panel.show();
        panel.chooseAndAdd();
        QCOMPARE(panel.picker().list()->count(), static_cast<int>(all_passes().size()));
        QTest::keyClicks(panel.picker().field(), "expert parallelism");
        QCOMPARE(panel.picker().list()->count(), 1);  // found by what it does
        QTest::keyClick(panel.picker().field(), Qt::Key_Return);
        QCOMPARE(passes(*document), QStringList({"manual_overlap_bucketing", "isolate_ep_process_group_pass"}));
        QCOMPARE(panel.currentStep(), 1);
    }

    void presetsAreOffered() {
        const auto document = openWithPresets();
        PassesPanel panel(*document);
        QSignalSpy told(&panel, &PassesPanel::told);
        emit panel.presetMenu().aboutToShow();
        const auto presets = pipeline_presets(*document->graph());
        QCOMPARE(panel.presetMenu().actions().size(), static_cast<qsizetype>(presets.size()));
        panel.presetMenu().actions().back()->trigger();
        QVERIFY(document->current()->plan().pipeline == presets.back().steps);
        QCOMPARE(told.size(), static_cast<qsizetype>(presets.back().notes.size()));  // nothing is left out silently
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PassesPanelTest)
#include "passes_panel_test.moc"
