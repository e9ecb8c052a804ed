#include <QAbstractItemModelTester>
#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeView>

#include "core/io/plan/process_groups_json.h"
#include "core/plan/group_passes.h"
#include "core/plan/presets.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/automatic_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/groups/group_settings_popup.h"
#include "ui/groups/process_groups_model.h"
#include "ui/groups/process_groups_panel.h"
#include "ui/inspector/inspector_content.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// On a deepseek_v3 graph whose all-to-alls share group 0 with gathers and reduce-scatters.
class ProcessGroupsTest : public QObject {
    Q_OBJECT

    static QString graphFile(const char* name) {
        return QStringLiteral(OVERLAP_TEST_DATA "/graphs/%1.graph.json.gz").arg(QString::fromLatin1(name));
    }
    static void open(Document& document, const char* name) {
        document.setGraph(loadGraph(graphFile(name)));
        QVERIFY(waitForEvaluation(document));
    }
    static constexpr const char* shared_group =
        "deepseek_v3_debugmodel_fsdp8_ep8_epo_graph_moe_batch.pipeline-08-ep_overlap_chunk_pass";
    static constexpr const char* own_group = "deepseek_v3_debugmodel_fsdp8_ep4.prebucket";

    static QStringList passes(Document& document) {
        QStringList names;
        for (const PassStep& step : document.current()->plan().pipeline)
            names.append(QString::fromStdString(step.pass));
        return names;
    }
    static QString collective(const Document& document, CollectiveKind kind) {
        const auto evaluation = document.evaluation();
        for (const CollectiveTiming& timing : evaluation->simulation.collectives)
            if (timing.kind == kind) {
                const std::string_view name = evaluation->graph->name(timing.start);
                return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
            }
        return {};
    }
    /// What the current plan asks of process groups; null where it says nothing.
    static QString settingsText(Document& document) {
        const std::vector<GroupSettings>& settings = document.current()->plan().process_groups;
        return settings.empty() ? QStringLiteral("null") : QString::fromStdString(process_groups_json(settings).dump());
    }
    static bool says(const InspectorContent& content, const QString& words) {
        return plainText(content).contains(words);
    }

  private slots:
    void rowsAreTheGroupsOfTheEvaluation() {
        Document document;
        ProcessGroupsModel model(document);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        open(document, own_group);
        QCOMPARE(model.rowCount(), 3);
        const int row = model.rowOf("69");
        QVERIFY(row >= 0);
        QCOMPARE(model.index(row, ProcessGroupsModel::group_column).data().toString(), "EP all-to-all");
        QCOMPARE(model.index(row, ProcessGroupsModel::ranks_column).data().toString(), "0-3");
        QCOMPARE(model.index(row, ProcessGroupsModel::collectives_column).data().toString(), "25 all-to-alls");
        QCOMPARE(model.index(row, ProcessGroupsModel::ranks_column).data(Qt::ToolTipRole).toString(),
                 "4 ranks: 0, 1, 2, 3");
    }

    void whatWaitsForWhatIsWholeInASmallPanel() {
        Document document;
        ProcessGroupsPanel panel(document);
        open(document, shared_group);
        panel.resize(600, 200);
        panel.show();
        const auto* view = panel.findChild<QTreeView*>();
        for (int row = 0; row < view->model()->rowCount(); ++row) {
            const QModelIndex cell = view->model()->index(row, ProcessGroupsModel::queue_column);
            QVERIFY(view->columnWidth(cell.column()) >= view->sizeHintForIndex(cell).width());
        }
    }

    void isolatingIsOneClickAndOneUndo() {
        Document document;
        ProcessGroupsPanel panel(document);
        open(document, shared_group);
        const double before_ms = document.evaluation()->simulation.step_ms;
        const std::size_t groups_before = document.evaluation()->simulation.groups.size();
        QVERIFY(panel.isolateAction()->isEnabled());
        QVERIFY(!panel.isolateAction()->isChecked());

        panel.isolateAction()->trigger();
        QVERIFY(waitForEvaluation(document));
        QVERIFY(panel.isolateAction()->isChecked());
        QCOMPARE(passes(document), QStringList({"isolate_ep_process_group_pass", "manual_overlap_bucketing"}));
        QCOMPARE(document.evaluation()->simulation.groups.size(), groups_before + 1);
        const int row = panel.groups()->rowOf("0#ep_extra");
        QCOMPARE(row, panel.groups()->rowOf("0") + 1);
        QVERIFY(panel.groups()->index(row, 0).data(ProcessGroupsModel::created_role).toBool());
        const QString queue = panel.groups()->index(row, ProcessGroupsModel::queue_column).data().toString();
        QVERIFY2(queue.startsWith("To be created by isolate_ep_process_group_pass from 0, with a stream of high "
                                  "priority, so that token exchange does not queue"),
                 qPrintable(queue));
        QVERIFY2(queue.contains("Same ranks as 0, own queue"), qPrintable(queue));

        document.undoGroup().undo();
        QVERIFY(waitForEvaluation(document));
        QVERIFY(!panel.isolateAction()->isChecked());
        QCOMPARE(panel.groups()->rowOf("0#ep_extra"), -1);
        QCOMPARE(document.evaluation()->simulation.step_ms, before_ms);

        document.undoGroup().redo();
        panel.isolateAction()->trigger();
        QCOMPARE(passes(document), QStringList({"manual_overlap_bucketing"}));
    }

    void isolatingGoesBeforeSeparating() {
        Document document;
        ProcessGroupsPanel panel(document);
        open(document, shared_group);
        panel.separateAction()->trigger();
        panel.isolateAction()->trigger();
        QCOMPARE(passes(document), QStringList({"isolate_ep_process_group_pass", "reassign_collective_pgs_pass",
                                                "manual_overlap_bucketing"}));
        QVERIFY(waitForEvaluation(document));
        QVERIFY(panel.groups()->rowOf("0#ep_extra") >= 0);
        QVERIFY(panel.groups()->rowOf("0#fsdp_extra") >= 0);
    }

    void aStepThatIsSwitchedOffIsSwitchedOn() {
        Document document;
        open(document, shared_group);
        Plan plan = document.current()->plan();
        PassStep step;
        step.pass = isolate_expert_group_pass;
        step.enabled = false;
        plan.pipeline.push_back(step);
        document.current()->edit("", plan);
        GroupCommands commands(document);
        QVERIFY(!commands.applied(GroupCommands::Move::isolate_experts));
        commands.apply(GroupCommands::Move::isolate_experts);
        QVERIFY(commands.applied(GroupCommands::Move::isolate_experts));
        // It stood too late.
        QCOMPARE(passes(document), QStringList({"isolate_ep_process_group_pass", "manual_overlap_bucketing"}));
    }

    void onAnAutomaticVariantIsolatingComesBeforeTheAutomaticPass() {
        Document document;
        open(document, shared_group);
        AutomaticCommands(document).addAutomatic();
        GroupCommands(document).apply(GroupCommands::Move::isolate_experts);
        QCOMPARE(passes(document).first(), "isolate_ep_process_group_pass");
        QCOMPARE(passes(document).last(), "schedule_overlap_bucketing");
    }

    void theFormerNameOfReassigningIsKnown() {
        Document document;
        open(document, shared_group);
        Plan plan = document.current()->plan();
        plan.pipeline.insert(plan.pipeline.begin(), PassStep{"overlap_fsdp_ag_rs_pass"});
        document.current()->edit("", plan);
        GroupCommands commands(document);
        QVERIFY(commands.applied(GroupCommands::Move::separate_gathers));
        commands.remove(GroupCommands::Move::separate_gathers);
        QCOMPARE(passes(document), QStringList({"manual_overlap_bucketing"}));
    }

    void thePanelTellsWhatTheGroupsChange() {
        Document document;
        ProcessGroupsPanel panel(document);
        open(document, shared_group);
        QTRY_VERIFY(!panel.busy());
        const auto* effect = panel.findChild<QLabel*>("groupEffect");
        QCOMPARE(effect->text(), QString());
        const double before_ms = document.evaluation()->simulation.step_ms;
        panel.isolateAction()->trigger();
        QVERIFY(waitForEvaluation(document));
        QTRY_VERIFY(!panel.busy());
        QVERIFY2(effect->text().contains(formatTime(before_ms)), qPrintable(effect->text()));
        QVERIFY2(effect->text().contains("of waiting in queues, as before"), qPrintable(effect->text()));
        document.undoGroup().undo();
        QVERIFY(waitForEvaluation(document));
        QCOMPARE(effect->text(), QString());
    }

    void whatTheGroupsChangeIsToldWithLinksShared() {
        Document document;
        ProcessGroupsPanel panel(document);
        open(document, "llama3_8b_fsdp64.prebucket");
        // torchtitan's performance preset gives gathers a group of their own.
        PipelineCommands(document).startFrom(pipeline_presets(*document.graph()).at(1));
        QVERIFY(GroupCommands(document).applied(GroupCommands::Move::separate_gathers));
        QVERIFY(waitForEvaluation(document));
        Plan without = document.current()->plan();
        std::erase_if(without.pipeline,
                      [](const PassStep& step) { return is_group_pass(step.pass, reassign_groups_pass); });
        const QString before = formatTime(evaluate(document.graph(), without)->simulation.step_ms);
        const auto& shared = document.evaluation()->on_shared_links;
        QVERIFY(shared);
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy(), 30'000);
        const QString text = panel.findChild<QLabel*>("groupEffect")->text();
        QVERIFY2(text.contains(QStringLiteral("with links shared it takes %1, without these groups %2")
                                   .arg(formatTime(shared->step_ms), before)),
                 qPrintable(text));
    }

    void oneCollectiveWaitsAndSeveralWait() {
        ProcessGroupFigures group;
        group.queueing = {{CollectiveKind::reduce_scatter, CollectiveKind::reduce_scatter, 1, 2.0},
                          {CollectiveKind::all_gather, CollectiveKind::all_gather, 3, 2.0}};
        const QString told = queueSentences(group).join(u'|');
        QVERIFY2(told.contains("1 reduce-scatter waits"), qPrintable(told));
        QVERIFY2(told.contains("behind another|"), qPrintable(told));
        QVERIFY2(told.contains("3 all-gathers wait "), qPrintable(told));
        QVERIFY2(told.contains("behind one another"), qPrintable(told));
    }

    void whatCannotApplySaysWhy() {
        Document document;
        ProcessGroupsPanel panel(document);
        QCOMPARE(panel.isolateAction()->toolTip(), "No graph is open");
        open(document, own_group);
        QVERIFY(!panel.isolateAction()->isEnabled());
        QVERIFY(panel.isolateAction()->toolTip().contains("process group \"69\" (mesh_ep) is theirs alone"));
        QVERIFY(panel.separateAction()->isEnabled());
        document.setGraph(loadGraph(smallGraphFile()));
        QVERIFY(panel.isolateAction()->toolTip().startsWith("The graph has no all-to-all"));
        document.setCurrentIndex(0);
        QVERIFY(!panel.separateAction()->isEnabled());
        QVERIFY(panel.separateAction()->toolTip().startsWith("The baseline is the graph as it is"));
        const auto buttons = panel.findChildren<QToolButton*>(Qt::FindDirectChildrenOnly);
        QCOMPARE(buttons.size(), 3);
        for (const QToolButton* button : buttons) QVERIFY(!button->accessibleName().isEmpty());
    }

    void aSelectedRowIsTheSelectedGroup() {
        Document document;
        ProcessGroupsPanel panel(document);
        open(document, own_group);
        panel.view()->setCurrentIndex(panel.groups()->index(panel.groups()->rowOf("65"), 0));
        QCOMPARE(document.selection().kind(), Selection::Kind::group);
        QCOMPARE(document.selection().group(), "65");
        const InspectorContent content = inspect(document);
        QCOMPARE(content.title, "group 65");
        QVERIFY(says(content, "0, 4"));
        QVERIFY(says(content, "EFSDP"));
        document.selection().clear();
        QVERIFY(!panel.view()->selectionModel()->hasSelection());
    }

    void aSelectedCollectiveMarksItsGroup() {
        Document document;
        ProcessGroupsPanel panel(document);
        open(document, own_group);
        const QString exchange = collective(document, CollectiveKind::all_to_all);
        document.selection().selectNode(exchange);
        QCOMPARE(panel.view()->currentIndex().row(), panel.groups()->rowOf("69"));
        QCOMPARE(document.selection().node(), exchange);
        // The inspector leads to the group.
        followInspectorLink(document, "group:69");
        QCOMPARE(document.selection().group(), "69");
    }

    void settingsOfTheSelectedGroupAreEditsOfThePlan() {
        Document document;
        ProcessGroupsPanel panel(document);
        GroupSettingsPopup& popup = panel.settings();
        open(document, own_group);
        QVERIFY(!panel.setUpAction()->isEnabled());
        document.selection().selectGroup("69");
        QVERIFY(panel.setUpAction()->isEnabled());
        panel.setUpAction()->trigger();
        QVERIFY(popup.isVisible());
        QVERIFY(popup.highPriority().isEnabled());
        QVERIFY(!popup.highPriority().isChecked());
        QCOMPARE(popup.field("max_ctas").text(), "default");
        QVERIFY(!popup.reset().isEnabled());

        popup.highPriority().click();
        popup.field("max_ctas").setValue(8);
        popup.field("min_ctas").setValue(16);  // the other bound follows
        popup.field("cga_cluster_size").setValue(0);
        QCOMPARE(popup.field("max_ctas").value(), 16);
        const Json wanted = {
            {"name", "69"}, {"high_priority", true}, {"min_ctas", 16}, {"max_ctas", 16}, {"cga_cluster_size", 0}};
        QCOMPARE(settingsText(document), QString::fromStdString(Json::array({wanted}).dump()));
        QVERIFY(popup.reset().isEnabled());
        document.selection().selectGroup("65");
        QCOMPARE(popup.field("max_ctas").text(), "default");
        popup.field("max_ctas").setValue(4);
        QVERIFY(settingsText(document).contains(R"({"name":"65","max_ctas":4})"));

        document.selection().selectGroup("69");
        for (int edit = 0; edit < 2; ++edit) document.undoGroup().undo();
        QCOMPARE(popup.field("cga_cluster_size").text(), "default");
        QCOMPARE(popup.field("min_ctas").value(), 16);
        popup.reset().click();
        QCOMPARE(settingsText(document), "null");
        QVERIFY(!popup.highPriority().isChecked());
        QCOMPARE(popup.field("min_ctas").text(), "default");
        document.undoGroup().undo();
        QVERIFY(popup.highPriority().isChecked());
        QCOMPARE(popup.field("min_ctas").value(), 16);

        document.setCurrentIndex(0);
        QVERIFY(!popup.highPriority().isEnabled());
    }

    void settingsShowWhatAPassAsksFor() {
        Document document;
        ProcessGroupsPanel panel(document);
        GroupSettingsPopup& popup = panel.settings();
        open(document, shared_group);
        panel.isolateAction()->trigger();
        QVERIFY(waitForEvaluation(document));
        document.selection().selectGroup("0#ep_extra");
        QVERIFY(popup.highPriority().isChecked());
        QVERIFY(!popup.reset().isEnabled());
        popup.field("max_ctas").setValue(8);  // does not take the priority away
        const Json wanted = {{"name", "0#ep_extra"}, {"max_ctas", 8}};
        QCOMPARE(settingsText(document), QString::fromStdString(Json::array({wanted}).dump()));
        popup.highPriority().click();
        QVERIFY(!popup.highPriority().isChecked());
        QVERIFY(says(inspect(document), "default priority, max_ctas 8"));
        popup.reset().click();
        QVERIFY(popup.highPriority().isChecked());
    }

    void settingsThatCannotBeReadAreLeftAlone() {
        Document document;
        ProcessGroupsPanel panel(document);
        open(document, own_group);
        Plan plan = document.current()->plan();
        plan.unread_process_groups = UnreadField{R"([{"name":"69","min_ctas":100}])", "process_groups[0].min_ctas",
                                                 "found 100, expected a whole number from 1 to 64"};
        document.current()->edit("", plan);
        document.selection().selectGroup("69");
        QVERIFY(!panel.settings().field("max_ctas").isEnabled());
        const auto labels = panel.settings().findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
            return label->text().contains("process_groups[0].min_ctas: found 100");
        }));
    }

    void theInspectorSaysWhyACollectiveIsNotBucketed() {
        Document document;
        open(document, own_group);
        document.selection().selectNode(collective(document, CollectiveKind::all_to_all));
        QVERIFY(says(inspect(document), "It cannot be bucketed: only plain all-gathers"));
        document.selection().selectNode(collective(document, CollectiveKind::all_gather));
        QVERIFY(says(inspect(document), "no entry of the plan has its module") ||
                says(inspect(document), "It can be bucketed"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ProcessGroupsTest)
#include "process_groups_test.moc"
