#include "ui/passes/passes_panel.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QToolButton>

#include "core/io/option_json.h"
#include "core/passes/registry/registry.h"
#include "core/plan/presets.h"
#include "core/views/step_remark.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/memory_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/passes/option_editor.h"
#include "ui/passes/pass_options_form.h"
#include "ui/passes/pass_picker.h"
#include "ui/passes/passes_model.h"
#include "ui/passes/passes_view.h"
#include "ui/passes/step_changes_model.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

class PassesPanelTest : public QObject {
    Q_OBJECT

    static QStringList passes(const Document& document) {
        QStringList names;
        for (const PassStep& step : const_cast<Document&>(document).current()->plan().pipeline)
            names.append(QString::fromStdString(step.pass));
        return names;
    }

    /// A document with a graph on which the default preset has seven steps, the last one bucketing.
    static std::unique_ptr<Document> openDocument() {
        auto document = std::make_unique<Document>();
        document->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz")));
        return document;
    }

    static void startFromDefault(Document& document) {
        PipelineCommands(document).startFrom(pipeline_presets(*document.graph()).front());
    }

    static Json options(Document& document, std::size_t step) {
        return options_json(document.current()->plan().pipeline[step].options);
    }

    template <typename Control>
    static Control* control(PassesPanel& panel, const char* option) {
        OptionEditor* editor = panel.options().editor(QString::fromLatin1(option));
        return editor ? qobject_cast<Control*>(editor->focusProxy()) : nullptr;
    }

    static QModelIndex heading(const StepChangesModel& model, const QString& title) {
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, 0).data().toString().startsWith(title)) return model.index(row, 0);
        return {};
    }

  private slots:
    void optionsOfTheMemorySectionAreThoseOfTheMemoryPanel() {
        const auto document = openDocument();
        MemoryCommands(*document).setPolicy("eager");
        const auto& pipeline = document->current()->plan().pipeline;
        const auto step =
            static_cast<int>(std::ranges::find(pipeline, memory_tag_pass, &PassStep::pass) - pipeline.begin());
        PassOptionsForm form(*document);
        form.showStep(step);
        const auto* policy = form.editor("memory_policy")->findChild<QComboBox*>();
        QVERIFY(policy);
        QCOMPARE(policy->currentText(), "eager");
        QVERIFY(form.resetButton("memory_policy")->isVisibleTo(&form));
        // An edit here is one there, and a step that says it itself shows there too.
        QVERIFY(PipelineCommands(*document).setOption(step, "memory_policy", OptionValue("full")).isEmpty());
        QCOMPARE(document->current()->plan().memory->policy, "full");
        QCOMPARE(MemoryCommands(*document).section().policy, "full");
        QCOMPARE(policy->currentText(), "full");
        QVERIFY(PipelineCommands(*document).setOption(step, "memory_policy", std::nullopt).isEmpty());
        QCOMPARE(MemoryCommands(*document).section().policy, "default");
        Plan plan = document->current()->plan();
        plan.memory.reset();
        plan.pipeline[static_cast<std::size_t>(step)].options["memory_policy"] = "eager";
        document->editPlan("own", plan);
        QCOMPARE(policy->currentText(), "eager");
        QCOMPARE(MemoryCommands(*document).section().policy, "eager");
    }

    void overlapsByHandLeaveStepsTheirRows() {
        const auto document = openDocument();
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

    void aStepThatChangesNothingSaysSo() {
        const auto document = openDocument();
        PassesPanel panel(*document);
        panel.show();
        QVERIFY(waitForEvaluation(*document));
        const auto* changes = panel.findChild<QTreeView*>("stepChanges");
        QCOMPARE(panel.changes().rowCount(), 0);
        QTRY_COMPARE(changes->accessibleDescription(), QStringLiteral("The step changed nothing."));
        QVERIFY(changes->isHeaderHidden());
        panel.switchCurrent();
        QVERIFY(waitForEvaluation(*document));
        QTRY_COMPARE(changes->accessibleDescription(), QStringLiteral("The step is switched off."));
        startFromDefault(*document);
        QVERIFY(waitForEvaluation(*document));
        panel.selectStep(1);
        QVERIFY(panel.changes().rowCount() > 0);
        QCOMPARE(changes->accessibleDescription(), QString());
        QVERIFY(!changes->isHeaderHidden());
    }

    void modelsStayConsistent() {
        const auto document = openDocument();
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
        const auto document = openDocument();
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
                QCOMPARE(options(*document, 4).at("bucket_mode"), Json("coalesced"));
                break;
            case 5:
                commands.resetOptions(4);
                QVERIFY(options(*document, 4).empty());
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
        const auto document = openDocument();
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
        const auto document = openDocument();
        startFromDefault(*document);
        const Buckets of_preset = document->buckets();
        QVERIFY(of_preset.size() > 2);
        BucketCommands(*document).startFrom(BucketCommands::Template::empty);
        BucketCommands(*document).addText("layers.0");
        startFromDefault(*document);
        QCOMPARE(document->buckets().size(), std::size_t{1});
    }

    void keysSwitchMoveAndSelect() {
        const auto document = openDocument();
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
        const auto document = openDocument();
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
        const auto document = openDocument();
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
        const auto document = openDocument();
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
        const auto document = openDocument();
        PassesPanel panel(*document);
        QSignalSpy told(&panel, &PassesPanel::told);
        emit panel.presetMenu().aboutToShow();
        const auto presets = pipeline_presets(*document->graph());
        QCOMPARE(panel.presetMenu().actions().size(), static_cast<qsizetype>(presets.size()));
        panel.presetMenu().actions().back()->trigger();
        QVERIFY(document->current()->plan().pipeline == presets.back().steps);
        QCOMPARE(told.size(), static_cast<qsizetype>(presets.back().notes.size()));  // nothing is left out silently
    }

    void everyOptionHasAControl() {
        // Nothing is evaluated: all passes one behind the other make no sense.
        const auto nothing = [](const auto&, const Plan&, std::stop_token, const auto&, const auto&) {
            return std::shared_ptr<const Evaluation>();
        };
        const auto document = ui::openDocument(nothing);
        PassesPanel panel(*document);
        for (const Pass* pass : all_passes()) {
            const int step =
                PipelineCommands(*document).add(QString::fromUtf8(pass->name()), PipelineCommands(*document).count());
            panel.selectStep(step);
            for (const PassOption& option : pass->options()) {
                const OptionEditor* editor = panel.options().editor(QString::fromStdString(option.name));
                QVERIFY2(editor && editor->focusProxy(), option.name.c_str());
                QVERIFY(editor->toolTip().startsWith(QString::fromStdString(option.help)));
                QVERIFY(!editor->focusProxy()->accessibleName().isEmpty());
            }
        }
    }

    void optionsAreSetMarkedAndReset() {
        const auto document = openDocument();
        PassesPanel panel(*document);
        panel.show();
        auto* deps = control<QCheckBox>(panel, "insert_overlap_deps");
        auto* mode = control<QComboBox>(panel, "bucket_mode");
        QVERIFY(deps && mode);
        QVERIFY(!deps->isChecked());
        QVERIFY(panel.options().resetButton("insert_overlap_deps")->isHidden());
        deps->click();
        QCOMPARE(options(*document, 0).at("insert_overlap_deps"), Json(true));
        QVERIFY(!panel.options().resetButton("insert_overlap_deps")->isHidden());
        panel.options().resetButton("insert_overlap_deps")->click();
        QVERIFY(!options(*document, 0).contains("insert_overlap_deps"));
        QVERIFY(!deps->isChecked());
        QCOMPARE(mode->count(), 5);  // unset and the four modes
        mode->setCurrentIndex(mode->findText("coalesced"));
        emit mode->activated(mode->currentIndex());
        QCOMPARE(options(*document, 0).at("bucket_mode"), Json("coalesced"));
        document->undoGroup().undo();
        QCOMPARE(mode->currentText(), "unset");
    }

    void bucketsOfAStepAreTyped() {
        const auto document = openDocument();
        BucketCommands(*document).addText("norm");
        PassesPanel panel(*document);
        panel.show();
        auto* field = control<QPlainTextEdit>(panel, "module_bucket_plans");
        QVERIFY(field && field->toPlainText().isEmpty());  // those of the plan
        field->setPlainText("layers.[0-1]\nnorm+lm_head");
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(options(*document, 0).at("module_bucket_plans").dump(),
                 std::string(R"(["layers.0","layers.1",["norm","lm_head"]])"));
        QCOMPARE(field->toPlainText(), "layers.0\nlayers.1\nnorm + lm_head");
        const Plan before = document->current()->plan();
        field->setPlainText("layers.[2-0]");
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(panel.options().refusal("module_bucket_plans").contains("[0-2]"));
        QVERIFY(document->current()->plan() == before);
        field->clear();
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(!options(*document, 0).contains("module_bucket_plans"));
    }

    void wrongTextIsToldAndNotTaken() {
        const auto document = openDocument();
        PassesPanel panel(*document);
        panel.show();
        panel.selectStep(PipelineCommands(*document).add("schedule_fsdp_comms_to_dense_regions_pass", 1));
        auto* layers = control<QLineEdit>(panel, "moe_layer_ids");
        QVERIFY(layers);
        layers->setText("1, 2");
        emit layers->editingFinished();
        QCOMPARE(options(*document, 1).at("moe_layer_ids"), Json({1, 2}));
        layers->setText("1, x");
        emit layers->editingFinished();
        QVERIFY(panel.options().refusal("moe_layer_ids").contains("no list"));
        layers->setText("1, 2.5");
        emit layers->editingFinished();
        QVERIFY(panel.options().refusal("moe_layer_ids").contains("expected a whole number"));
        QCOMPARE(options(*document, 1).at("moe_layer_ids"), Json({1, 2}));
        QVERIFY(panel.options().resetButton("moe_layer_ids")->isHidden());  // it has no default to return to
    }

    void stepsThatChangeNoNodeTellWhatTheyDid() {
        Document document;
        document.setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz")));
        PipelineCommands(document).startFrom(pipeline_presets(*document.graph()).front());
        PassesPanel panel(document);
        QVERIFY(waitForEvaluation(document));
        int tagging = 0;
        for (int row = 0; row < panel.model().rowCount(); ++row) {
            const QString outcome = panel.model().index(row).data(PassesModel::outcome_role).toString();
            if (panel.model().step(row).pass != "tag_with_memory_policy_pass") continue;
            ++tagging;
            QVERIFY2(outcome.contains("are to be saved"), qPrintable(outcome));
        }
        QCOMPARE(tagging, 1);
    }

    void stepsTellWhatTheyDid() {
        const auto document = openDocument();
        startFromDefault(*document);
        PassesPanel panel(*document);
        QVERIFY(waitForEvaluation(*document));
        const auto evaluation = document->evaluation();
        for (int step = 0; step < panel.model().rowCount(); ++step) {
            const StepOutcome& outcome = evaluation->steps[static_cast<std::size_t>(step)];
            const QString told = panel.model().index(step).data(PassesModel::outcome_role).toString();
            const std::string remark = step_remark(*evaluation, outcome);
            if (outcome.difference->empty() && !remark.empty())
                QCOMPARE(told, QString::fromStdString(remark));
            else
                QCOMPARE(told, differenceText(*outcome.difference));
            QVERIFY(!panel.model().index(step).data(PassesModel::time_role).toString().isEmpty());
        }
        panel.selectStep(6);
        const GraphDifference& bucketing = *evaluation->steps[6].difference;
        const QModelIndex changed = heading(panel.changes(), "Changed");
        QCOMPARE(panel.changes().rowCount(changed), static_cast<int>(bucketing.changed.size()));
        const QModelIndex first = panel.changes().index(0, 0, changed);
        QCOMPARE(first.data(StepChangesModel::node_role).toString().toStdString(), bucketing.changed[0].name);
        QCOMPARE(first.siblingAtColumn(StepChangesModel::place_column).data().toString(),
                 QStringLiteral("%1 → %2").arg(formatCount(bucketing.changed[0].before),
                                               formatCount(bucketing.changed[0].after)));
        auto* view = panel.findChild<QAbstractItemView*>("stepChanges");
        view->setCurrentIndex(first);
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(document->selection().node().toStdString(), bucketing.changed[0].name);
    }

    /// Until the plan has been evaluated again, its problems are listed.
    void problemsOfAStepThatIsSwitchedOffAreReadable() {
        const auto document = openDocument();
        document->editBuckets("unknown", {{{"no.such.module"}, false, {}}});
        PassesPanel panel(*document);
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(panel.changes().rowCount() > 0);
        panel.switchCurrent();
        QVERIFY(panel.changes().rowCount() > 0);
        const auto* changes = panel.findChild<QTreeView*>("stepChanges");
        QCOMPARE(changes->accessibleDescription(), QString());
        QVERIFY(!changes->isHeaderHidden());
    }

    void aRefusalIsShownAtItsStep() {
        const auto document = openDocument();
        startFromDefault(*document);
        document->editBuckets("overlap", {{{"layers.0"}, false, {}}, {{"layers.0.attention"}, false, {}}});
        PassesPanel panel(*document);
        QVERIFY(waitForEvaluation(*document));
        PipelineCommands(*document).add("eliminate_dead_code_pass", 7);
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(document->evaluation()->refused);
        const auto outcome = [&](int step) {
            return panel.model().index(step).data(PassesModel::outcome_role).toString();
        };
        QCOMPARE(outcome(6).toStdString(), document->evaluation()->steps[6].refusal);
        QCOMPARE(panel.model().index(6).data(PassesModel::severity_role).toInt(), static_cast<int>(Severity::error));
        QVERIFY(outcome(7).contains("not run: a step before it"));
        QCOMPARE(panel.model().index(7).data(PassesModel::time_role).toString(), QString());
        PipelineCommands(*document).setEnabled(3, false);
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(outcome(3), "switched off");
        QVERIFY(!outcome(4).contains("not run"));
    }

    void problemsStandAtTheStepThatReportsThem() {
        const auto document = openDocument();
        document->setGraph(loadGraph(
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/deepseek_v3_debugmodel_fsdp8_ep4.prebucket.graph.json.gz")));
        PipelineCommands(*document).startFrom(pipeline_presets(*document->graph()).back());
        PassesPanel panel(*document);
        QVERIFY(waitForEvaluation(*document));
        const auto evaluation = document->evaluation();
        int told = 0;
        for (int step = 0; step < panel.model().rowCount(); ++step) {
            const auto& of_step = evaluation->steps[static_cast<std::size_t>(step)].problems;
            told += static_cast<int>(of_step.size());
            QCOMPARE(panel.model().problems(step).size(), of_step.size());
            QCOMPARE(panel.model().index(step).data(PassesModel::severity_role).toInt() >= 0, !of_step.empty());
            panel.selectStep(step);
            const QModelIndex problems = heading(panel.changes(), "Problems");
            QCOMPARE(problems.isValid(), !of_step.empty());
            if (problems.isValid()) QCOMPARE(panel.changes().rowCount(problems), static_cast<int>(of_step.size()));
        }
        QVERIFY(told > 0);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PassesPanelTest)
#include "passes_panel_test.moc"
