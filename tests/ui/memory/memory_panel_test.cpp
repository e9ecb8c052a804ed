#include "ui/memory/memory_panel.h"

#include <QAbstractItemModelTester>
#include <QDropEvent>
#include <QHeaderView>
#include <QMimeData>
#include <QSpinBox>

#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/memory_edits.h"
#include "tests/ui/memory/document_before_memory.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/memory_commands.h"
#include "ui/memory/kind_bar.h"
#include "ui/memory/memory_effects.h"
#include "ui/memory/memory_rules_model.h"
#include "ui/memory/memory_rules_view.h"
#include "ui/memory/policy_box.h"
#include "ui/memory/policy_chart.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

class MemoryPanelTest : public QObject {
    Q_OBJECT

    static std::string rules(Document& document) { return memory_rules_text(MemoryCommands(document).section().rules); }
    static void drop(MemoryRulesView& view, int row, const QStringList& modules) {
        const std::unique_ptr<QMimeData> data(moduleMimeData(modules));
        const QPoint at = view.visualRect(view.model()->index(row, 0)).center();
        QDragEnterEvent enter(at, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view.viewport(), &enter);
        QDragMoveEvent move(at, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view.viewport(), &move);
        QDropEvent dropped(at, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view.viewport(), &dropped);
    }

  private slots:
    void rulesKeepTheirRowsInALowPanel() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        panel.show();
        for (const int height : {100, 130, 280}) {
            panel.resize(800, height);
            QTRY_VERIFY2(panel.view()->viewport()->height() >= 2 * panel.view()->sizeHintForRow(0),
                         qPrintable(QString::number(height)));
        }
        QVERIFY(panel.findChild<QWidget*>("memoryKinds")->isVisible());
    }

    /// In windows of 1600x1000, 1280x800 and 1024x640.
    void allActionsAreSeenAtUsualSizes() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        panel.show();
        for (const QSize& size : {QSize(1600, 221), QSize(1280, 171), QSize(1024, 151)}) {
            panel.resize(size);
            const QModelIndex last = panel.model()->index(panel.model()->rowCount() - 1, 0);
            QCOMPARE(last.data().toString(), QStringLiteral("Gather again"));
            QTRY_VERIFY2(panel.view()->viewport()->rect().contains(panel.view()->visualRect(last)),
                         qPrintable(QString::number(size.width())));
            QVERIFY(panel.kinds()->isVisible());
        }
    }

    /// As do all actions, in windows of 1600x1000 and 1280x800; in lower ones the line of figures says it.
    void theRowsTellWhatTheirChangesAreFor() {
        ThemeManager::instance().apply();
        const auto document = documentBefore();
        QVERIFY(waitForEvaluation(*document));
        MemoryPanel panel(*document);
        panel.show();
        const auto heading = [&] { return panel.model()->headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(); };
        QCOMPARE(heading(), QStringLiteral("Rules"));
        const QStringList modules{"layers.0", "layers.1", "layers.2", "layers.3"};
        document->selection().selectModules(modules);
        for (const QSize& size : {QSize(1600, 221), QSize(1280, 171)}) {
            panel.resize(size);
            QTRY_VERIFY2(panel.view()->hasHeading(),
                         qPrintable(QStringLiteral("%1 pixels for a heading of %2 and five rows of %3")
                                        .arg(panel.view()->height())
                                        .arg(panel.view()->header()->sizeHint().height())
                                        .arg(panel.view()->sizeHintForRow(0))));
            QVERIFY(!panel.view()->isHeaderHidden() && panel.view()->header()->height() > 10);
            QTRY_COMPARE(heading(), QStringLiteral("For layers.[0-3]"));
            QVERIFY(!panel.caption().contains(QStringLiteral("layers")));
        }
        QCOMPARE(panel.model()->headerData(0, Qt::Horizontal, Qt::ToolTipRole).toString(),
                 modules.join(QStringLiteral(", ")));
        panel.resize(1024, 100);
        QTRY_VERIFY(!panel.view()->hasHeading());
        QTRY_VERIFY2(panel.caption().contains(QStringLiteral("rows: for layers.[0-3]")), qPrintable(panel.caption()));
        document->selection().clear();
        QTRY_COMPARE(heading(), QStringLiteral("Rules"));
    }

    /// In the sizes of a panel in low windows: what is held at the peak comes where the chart has its own height.
    void theChartsKeyIsNotCovered() {
        ThemeManager::instance().apply();
        const auto document = documentBefore();
        QWidget window;  // which may be lower than the panel wants to be
        MemoryPanel panel(*document, &window);
        window.show();
        bool with = false, without = false;
        for (int height = 100; height < 200; height += 3) {
            panel.resize(800, height);
            runAllDue();
            const QWidget& kinds = *panel.kinds();
            kinds.isVisible() ? with = true : without = true;
            if (!kinds.isVisible()) continue;
            const auto said = QStringLiteral("%1: %2 of %3")
                                  .arg(height)
                                  .arg(panel.chart()->height())
                                  .arg(panel.chart()->minimumHeight());
            QVERIFY2(panel.chart()->height() >= panel.chart()->minimumHeight(), qPrintable(said));
            QVERIFY2(!panel.chart()->geometry().intersects(kinds.geometry()), qPrintable(said));
            QVERIFY2(kinds.mapTo(&panel, QPoint(0, kinds.height())).y() <= height, qPrintable(said));
        }
        QVERIFY(with && without);
    }

    /// A number that is typed brings no policy that nobody has chosen.
    void partsOfAPolicyWaitForOne() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        auto fields = panel.findChildren<QSpinBox*>();
        fields.removeIf(
            [](const QSpinBox* field) { return field->prefix() != "prefetch " && field->prefix() != "defer "; });
        QCOMPARE(fields.size(), 2);
        MemoryCommands(*document).clear();
        QTRY_COMPARE(panel.findChild<PolicyBox*>()->currentIndex(), 0);
        for (const QSpinBox* field : fields) {
            QVERIFY(!field->isEnabled());
            QCOMPARE(field->toolTip(), "Choose a policy first: this is a part of it");
        }
        MemoryCommands(*document).setPolicy("full");
        for (const QSpinBox* field : fields) {
            QTRY_VERIFY(field->isEnabled());
            QVERIFY(field->toolTip() != "Choose a policy first: this is a part of it");
        }
    }

    void modulesAreDroppedOntoAnAction() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        QAbstractItemModelTester tester(panel.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        panel.resize(900, 300);
        panel.show();
        drop(*panel.view(), panel.model()->rowOf(MemoryAction::keep), {"layers.0", "layers.1"});
        QCOMPARE(rules(*document), std::string("keep layers.0 + layers.1"));
        QCOMPARE(document->undoGroup().undoText(), QStringLiteral("Keep gathered: layers.0 + layers.1"));
        const int row = panel.model()->rowOfRule(0);
        QCOMPARE(panel.model()->index(row, 0).data().toString().trimmed(), QStringLiteral("layers.0 + layers.1"));
        QCOMPARE(panel.model()->action(row), MemoryAction::keep);
        drop(*panel.view(), row, {"layers.2"});  // a card is as good as its action
        QCOMPARE(rules(*document), std::string("keep layers.0 + layers.1 + layers.2"));
        document->undoGroup().undo();
        document->undoGroup().undo();
        QVERIFY(!document->current()->plan().memory);
    }

    void aDropDoesWhatIsShownAndRowsStayWhereTheyAre() {
        const auto document = documentBefore();
        QVERIFY(waitForEvaluation(*document));
        MemoryPanel panel(*document);
        panel.resize(700, 300);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        MemoryRulesView& view = *panel.view();
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.0", "layers.1", "layers.2", "layers.3"}));
        const int row = panel.model()->rowOf(MemoryAction::keep);
        const QPoint at = view.visualRect(panel.model()->index(row, 0)).center();
        const QPoint before = view.viewport()->mapToGlobal(at);
        QDragEnterEvent enter(at, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view.viewport(), &enter);
        QDragMoveEvent move(at, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view.viewport(), &move);
        QTRY_VERIFY_WITH_TIMEOUT(panel.caption().contains(QStringLiteral("for Keep gathered layers.[0-3]")), 15'000);
        QCOMPARE(view.viewport()->mapToGlobal(view.visualRect(panel.model()->index(row, 0)).center()), before);
        // Whatever has moved below the pointer since, what is shown is done.
        QDropEvent dropped(at - QPoint(0, view.visualRect(panel.model()->index(row, 0)).height()), Qt::CopyAction,
                           data.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view.viewport(), &dropped);
        QCOMPARE(rules(*document), std::string("keep layers.0 + layers.1 + layers.2 + layers.3"));
    }

    void keysAndEffectsAreOfAllThatIsSelectedTogether() {
        const auto document = documentBefore();
        QVERIFY(waitForEvaluation(*document));
        MemoryPanel panel(*document);
        panel.show();
        document->selection().selectModules({"layers.0", "layers.1"});
        QTRY_VERIFY(panel.effects()->target());
        QCOMPARE(panel.effects()->target()->modules, (QStringList{"layers.0", "layers.1"}));
        QTest::keyClick(panel.view(), Qt::Key_K);
        QCOMPARE(rules(*document), std::string("keep layers.0 + layers.1"));
        // Of a module that is selected elsewhere they are not.
        document->selection().selectModule(QStringLiteral("layers.3"));
        QTest::keyClick(panel.view(), Qt::Key_R);
        QCOMPARE(rules(*document), std::string("keep layers.0 + layers.1 | recompute layers.3"));
    }

    void keysPutTheSelectedModule() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        QSignalSpy refused(&panel, &MemoryPanel::refused);
        panel.show();
        panel.view()->setFocus();
        QTest::keyClick(panel.view(), Qt::Key_R);
        QCOMPARE(refused.count(), 1);
        document->selection().selectModule(QStringLiteral("layers.1"));
        QTest::keyClick(panel.view(), Qt::Key_R);
        QTest::keyClick(panel.view(), Qt::Key_K);
        QCOMPARE(rules(*document), std::string("recompute layers.1 | keep layers.1"));
        panel.view()->setCurrentIndex(panel.model()->index(panel.model()->rowOfRule(0), 0));
        QTest::keyClick(panel.view(), Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(rules(*document), std::string("keep layers.1 | recompute layers.1"));
        QTest::keyClick(panel.view(), Qt::Key_Delete);
        QCOMPARE(rules(*document), std::string("keep layers.1"));
    }

    void aPointOfTheChartIsTaken() {
        const auto document = documentBefore();
        QVERIFY(waitForEvaluation(*document));
        MemoryPanel panel(*document);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy() && panel.chart()->points().size() > 6, 30'000);
        QCOMPARE(panel.chart()->stepsText(), QString());  // this graph has one process group
        const StepPeakChart::Point least = panel.chart()->points().front();
        QTest::keyClick(panel.chart(), Qt::Key_Right);
        QCOMPARE(panel.chart()->focused(), 0);
        QTest::keyClick(panel.chart(), Qt::Key_Return);
        QCOMPARE(document->current()->plan().memory->policy, panel.chart()->choiceOf(least).section.policy);
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->evaluation()->corrected_memory.peak_bytes, least.peak_bytes);
        QCOMPARE(document->evaluation()->simulation.step_ms, least.step_ms);
        // The points are those of the plan without its section, which has not changed.
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy(), 30'000);
        QVERIFY(panel.chart()->points().size() > 6);
        QCOMPARE(panel.chart()->focused(), 0);  // points that were made anew would not have the keys
        const StepPeakChart::Point last = panel.chart()->points().back();
        const MemoryChoice wanted = panel.chart()->choiceOf(last);
        QTest::mouseClick(panel.chart(), Qt::LeftButton, {}, panel.chart()->place(last).toPoint());
        QCOMPARE(MemoryCommands(*document).section().rules, wanted.section.rules);
    }

    void stepsAreWithLinksShared() {
        const auto document = documentBefore(QStringLiteral("llama3_8b_fsdp64"), 1);
        QVERIFY(waitForEvaluation(*document));
        const auto before = document->evaluation();
        QVERIFY(before->on_shared_links);
        const double shared_ms = before->on_shared_links->step_ms;
        QVERIFY(shared_ms > before->simulation.step_ms);
        MemoryPanel panel(*document);
        panel.show();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.chart()->points().empty(), 30'000);
        QVERIFY(panel.chart()->stepsText().contains(linksSharedLabel()));
        QCOMPARE(panel.chart()->current()->step_ms, shared_ms);
        QVERIFY2(panel.caption().contains(linksSharedLabel() + u' ' + formatTime(shared_ms)),
                 qPrintable(panel.caption()));
        QVERIFY2(!panel.caption().contains("rows: "), "no row has a difference");
        const StepPeakChart::Point least = panel.chart()->points().front();
        document->selection().selectModule(QStringLiteral("layers.31"));
        MemoryEffects& effects = *panel.effects();
        QTRY_VERIFY_WITH_TIMEOUT(!effects.text(MemoryAction::recompute).isEmpty(), 15'000);
        const QString text = effects.text(MemoryAction::recompute);
        QVERIFY2(text.contains(linksSharedLabel()), qPrintable(text));
        // Rows would cut it: the caption says it of all of them, their tool tips of each.
        const QModelIndex row =
            panel.model()->index(panel.model()->rowOf(MemoryAction::recompute), MemoryRulesModel::remark_column);
        const QString remark = row.data().toString();
        QVERIFY2(!remark.isEmpty() && text.startsWith(remark) && !remark.contains(linksSharedLabel()),
                 qPrintable(remark));
        QVERIFY2(row.data(Qt::ToolTipRole).toString().contains(linksSharedLabel()), "all of it");
        QVERIFY2(panel.caption().endsWith("rows: differences " + linksSharedLabel()), qPrintable(panel.caption()));
        MemoryCommands(*document).choose(panel.chart()->choiceOf(least));
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(step_with_links_shared(*document->evaluation()), least.step_ms);
    }

    /// A policy may need links that the plan as it is does not.
    void aPolicyAloneMayHaveLinksShared() {
        Document document(nullptr,
                          [](const auto& graph, const Plan& plan, const std::stop_token& stop, const auto& source,
                             const auto& cache) -> std::shared_ptr<const Evaluation> {
                              const auto made = evaluate(graph, plan, stop, source, cache);
                              if (!made) return nullptr;
                              auto without = std::make_shared<Evaluation>(*made);
                              without->on_shared_links.reset();
                              return without;
                          });
        document.setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.graph.json.gz")));
        PipelineCommands(document).startFrom(pipeline_presets(*document.graph()).at(1));
        QVERIFY(waitForEvaluation(document));
        MemoryPanel panel(document);
        panel.show();
        document.selection().selectModule(QStringLiteral("layers.31"));
        QTRY_VERIFY_WITH_TIMEOUT(!panel.effects()->text(MemoryAction::recompute).isEmpty(), 15'000);
        const QString text = panel.effects()->text(MemoryAction::recompute);
        QVERIFY2(text.contains(linksSharedLabel()), qPrintable(text));
        QVERIFY2(panel.caption().endsWith("rows: differences " + linksSharedLabel()), qPrintable(panel.caption()));
    }

    /// Views that do not work while they are behind others are told all the same.
    void effectsTellOfOtherModulesSelectedTogether() {
        const auto document = documentBefore();
        QVERIFY(waitForEvaluation(*document));
        MemoryEffects effects(*document);
        document->selection().selectModule(QStringLiteral("layers.0"));
        effects.find();
        QVERIFY(effects.target());
        QCOMPARE(effects.target()->modules, QStringList("layers.0"));
        const QStringList both{QStringLiteral("layers.0"), QStringLiteral("layers.1")};
        document->selection().selectModules(both);
        effects.find();
        QCOMPARE(effects.target()->modules, both);
        QCOMPARE(effects.target()->title(), QStringLiteral("layers.0 + layers.1"));
        document->selection().selectModules({"layers.0", "layers.1", "layers.2", "layers.3", "norm"});
        effects.find();
        QCOMPARE(effects.target()->title(), QStringLiteral("layers.[0-3] + norm"));
    }

    /// It would bring a plan without a policy one, whose effects are not its own.
    void aNameThatMatchesNothingHasNoEffects() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        panel.show();
        BucketCommands(*document).addText(QStringLiteral("layers.99"));
        QVERIFY(waitForEvaluation(*document));
        const int bucket = static_cast<int>(document->buckets().size()) - 1;
        document->selection().selectBucket(bucket);
        QTRY_VERIFY(panel.effects()->target());
        QCOMPARE(panel.effects()->target()->modules, QStringList("layers.99"));
        QTRY_VERIFY_WITH_TIMEOUT(!panel.effects()->busy(), 30'000);
        for (const MemoryAction action : memory_actions) {
            QCOMPARE(panel.effects()->text(action), QStringLiteral("matches nothing"));
            QVERIFY(!panel.effects()->isWorthAClick(action));
        }
        document->selection().selectModule(QStringLiteral("layers.0"));
        QTRY_VERIFY(panel.effects()->target() && panel.effects()->busy());
        QTRY_VERIFY_WITH_TIMEOUT(!panel.effects()->busy(), 30'000);
        QVERIFY(panel.effects()->text(MemoryAction::recompute) != QStringLiteral("matches nothing"));
    }

    void theBaselineCannotBeEdited() {
        const auto document = documentBefore();
        document->setCurrentIndex(0);
        MemoryPanel panel(*document);
        QSignalSpy refused(&panel, &MemoryPanel::refused);
        panel.show();
        document->selection().selectModule(QStringLiteral("layers.1"));
        QTest::keyClick(panel.view(), Qt::Key_S);
        QCOMPARE(refused.count(), 1);
        QVERIFY2(panel.caption().startsWith("The baseline"), qPrintable(panel.caption()));
        QVERIFY(!panel.policy()->isEnabled());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MemoryPanelTest)
#include "memory_panel_test.moc"
