// A collective taken by the pointer in the timeline and put somewhere else, in the whole window.
#include <QCheckBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>

#include "tests/ui/ui_test_support.h"
#include "ui/actions/overlap_connection.h"
#include "ui/edits/overlap_commands.h"
#include "ui/frame/actions.h"
#include "ui/modules/module_tree_model.h"
#include "ui/modules/modules_panel.h"
#include "ui/panels/problems_model.h"
#include "ui/passes/overlaps_model.h"
#include "ui/passes/overlaps_view.h"
#include "ui/passes/passes_panel.h"
#include "ui/plan/dragged_overlap.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

class OverlapByHandTest : public QObject {
    Q_OBJECT

    std::unique_ptr<MainWindow> window_;

    Document& document() { return window_->document(); }
    TimelineView& view() { return window_->workspace().timeline(); }
    const Evaluation& evaluation() { return *document().evaluation(); }
    const std::vector<OverlapDirective>& directives() { return document().current()->plan().overlaps.list; }

    bool settled() {
        return QTest::qWaitFor(
            [this] { return document().isOpen() && window_->idle() && !document().current()->stale(); }, 60'000);
    }

    /// The longest exposed collective that starts in the second half of the step and is wide enough to take.
    NodeId takenCollective() {
        const Simulation& simulation = evaluation().simulation;
        NodeId longest = no_node;
        double length = 0;
        for (const CollectiveTiming& timing : simulation.collectives) {
            if (timing.kind != CollectiveKind::all_gather || timing.start_ms < simulation.step_ms / 8) continue;
            if (timing.start_ms > simulation.step_ms / 2 || timing.end_ms - timing.start_ms <= length) continue;
            length = timing.end_ms - timing.start_ms;
            longest = timing.start;
        }
        return longest;
    }

    EventLocation locationOf(NodeId node, LaneKind kind) {
        for (const Timeline::Occurrence& each : view().timeline()->find(node))
            if (view().timeline()->lanes()[each.location.lane].description.kind == kind) return each.location;
        return {};
    }

    /// Drags from `from` to `to` with steps between; without `drop` the button stays down.
    void drag(QPointF from, QPointF to, bool drop = true) {
        QWidget* area = view().viewport();
        QTest::mousePress(area, Qt::LeftButton, {}, from.toPoint());
        for (const double share : {0.3, 0.7, 1.0}) QTest::mouseMove(area, (from + (to - from) * share).toPoint());
        if (drop) QTest::mouseRelease(area, Qt::LeftButton, {}, to.toPoint());
    }

    /// Shows the collective and some time before it.
    QRectF show(NodeId start) {
        const EventLocation location = locationOf(start, LaneKind::process_group);
        const TimeRange time = view().timeline()->event(location);
        const std::int64_t before = 6 * time.length_ns();
        view().setVisibleRange({time.begin_ns - before, time.end_ns + time.length_ns()});
        return view().eventRect(location);
    }

  private slots:
    void init() {
        window_ = std::make_unique<MainWindow>();
        window_->resize(1600, 1000);
        window_->show();
        document().setGraph(loadGraph(smallGraphFile()));
        QVERIFY(settled());
        QVERIFY(document().editable());
    }
    void cleanup() { window_.reset(); }

    void draggingACollectiveEarlierIsAnEditThatCanBeUndone() {
        const NodeId start = takenCollective();
        QVERIFY(start != no_node);
        const QString name = QString::fromStdString(std::string(evaluation().graph->name(start)));
        const QRectF rect = show(start);
        const double before = evaluation().simulation.exposed_ms;
        drag(rect.center(), rect.center() - QPointF(3 * rect.width(), 0));
        QCOMPARE(directives().size(), 1u);
        QCOMPARE(QString::fromStdString(directives()[0].collective), name);
        QVERIFY(!directives()[0].start_before.empty());
        QVERIFY(settled());
        QVERIFY(evaluation().overlaps.directives[0].holds());
        QVERIFY(evaluation().simulation.exposed_ms < before);
        window_->actions().find("edit.undo")->trigger();
        QCOMPARE(directives().size(), 0u);
    }

    /// Gathers of the first half of the step, in order.
    std::vector<NodeId> gathers(std::size_t count) {
        std::vector<NodeId> starts;
        const Simulation& simulation = evaluation().simulation;
        for (const CollectiveTiming& timing : simulation.collectives)
            if (timing.kind == CollectiveKind::all_gather && timing.start_ms > simulation.step_ms / 8)
                starts.push_back(timing.start);
        starts.resize(std::min(starts.size(), count));
        return starts;
    }

    void severalChosenCollectivesAreDraggedTogether() {
        const std::vector<NodeId> starts = gathers(2);
        QCOMPARE(starts.size(), 2u);
        const EventLocation first = locationOf(starts[0], LaneKind::process_group);
        const EventLocation second = locationOf(starts[1], LaneKind::process_group);
        const std::int64_t begin = view().timeline()->event(first).begin_ns;
        const std::int64_t end = view().timeline()->event(second).end_ns;
        view().setVisibleRange({begin - 4 * (end - begin), end + (end - begin)});
        QWidget* area = view().viewport();
        const QRectF rect = view().eventRect(first), other = view().eventRect(second);
        QTest::mouseClick(area, Qt::LeftButton, {}, rect.center().toPoint());
        QTest::mouseClick(area, Qt::LeftButton, Qt::ShiftModifier, other.center().toPoint());
        QCOMPARE(view().chosenReferences(), (std::vector<quint32>{starts[0], starts[1]}));
        QVERIFY(view().accessibleDescription().contains(QStringLiteral("2 collectives chosen")));
        const std::string names[] = {std::string(evaluation().graph->name(starts[0])),
                                     std::string(evaluation().graph->name(starts[1]))};
        const double before = evaluation().simulation.step_ms;
        drag(rect.center(), rect.center() - QPointF(2 * rect.width(), 0), /*drop=*/false);
        const QString told = view().accessibleDescription();
        QVERIFY2(told.startsWith(QStringLiteral("2 collectives start")) && told.contains("step "), qPrintable(told));
        QTest::mouseRelease(area, Qt::LeftButton, {}, (rect.center() - QPointF(2 * rect.width(), 0)).toPoint());
        QCOMPARE(directives().size(), 2u);
        QCOMPARE(directives()[0].collective, names[0]);
        QCOMPARE(directives()[1].collective, names[1]);
        QVERIFY(settled());
        for (const DirectiveOutcome& outcome : evaluation().overlaps.directives) QVERIFY(outcome.holds());
        QVERIFY(evaluation().simulation.step_ms != before);
        // They stay chosen in the new order, by name, and the menu's command is for both.
        QTRY_COMPARE(view().chosenReferences().size(), 2u);
        QCOMPARE(std::string(evaluation().graph->name(view().chosenReferences()[1])), names[1]);
        window_->actions().find("edit.undo")->trigger();
        QCOMPARE(directives().size(), 0u);
        window_->actions().find("edit.redo")->trigger();
        QVERIFY(settled());
        QTRY_COMPARE(view().chosenReferences().size(), 2u);
        document().selection().selectNode(QString::fromStdString(names[0]));
        window_->actions().find("overlap.remove")->trigger();
        QCOMPARE(directives().size(), 0u);
    }

    /// What cannot move does not count as moved, at the pointer nor in the history.
    void ofSeveralThoseThatMoveAreCounted() {
        const NodeId start = takenCollective();
        QVERIFY(start != no_node);
        const std::vector<CollectiveTiming>& collectives = evaluation().simulation.collectives;
        const auto reduction = std::ranges::find_if(collectives, [](const CollectiveTiming& timing) {
            return timing.kind == CollectiveKind::reduce_scatter && timing.producer != no_node;
        });
        QVERIFY(reduction != collectives.end());
        DraggedOverlap held(document(), document().evaluation(), {start, reduction->start});
        // The gather can come before compute that runs earlier now, and that the reduction needs.
        const OverlapPreview of_reduction(document().evaluation(), document().current()->plan(), reduction->start);
        NodeId compute = start - 1;
        while (compute > 0 && (held.isForbidden(compute) || !of_reduction.is_needed(compute))) --compute;
        QVERIFY(compute > 0);
        OverlapDirective directive;
        directive.start_before = evaluation().graph->name(compute);
        const DraggedOverlap::Wish wish = held.of(directive);
        for (int asked = 0; asked < 2; ++asked) {  // the second time it is known
            const DraggedOverlap::Answer& answer = held.answer(wish);
            QVERIFY2(answer.left.startsWith("1 of them stays where it is: "),
                     qPrintable(answer.refusal + answer.left + answer.wish));
            QVERIFY2(answer.wish.startsWith("1 of 2 collectives are issued before "), qPrintable(answer.wish));
        }
        QCOMPARE(held.apply(wish), QString());
        QCOMPARE(directives().size(), 1u);
        const QString undo = window_->actions().find("edit.undo")->text();
        QVERIFY2(undo.contains("1 of 2 collectives are issued before "), qPrintable(undo));
    }

    void aBandChoosesCollectivesAndADialogMovesThem() {
        const std::vector<NodeId> starts = gathers(3);
        QCOMPARE(starts.size(), 3u);
        const QRectF first = show(starts[0]);
        const TimeRange shown = view().visibleRange();
        view().setVisibleRange({shown.begin_ns, view().timeline()->range().end_ns});
        const QRectF band = view().eventRect(locationOf(starts[0], LaneKind::process_group)) |
                            view().eventRect(locationOf(starts[2], LaneKind::process_group));
        QVERIFY(first.isValid());
        QWidget* area = view().viewport();
        QTest::mousePress(area, Qt::LeftButton, Qt::ShiftModifier, band.topLeft().toPoint());
        QTest::mouseMove(area, band.center().toPoint());
        QTest::mouseMove(area, band.bottomRight().toPoint());
        QTest::mouseRelease(area, Qt::LeftButton, Qt::ShiftModifier, band.bottomRight().toPoint());
        const std::size_t chosen = view().chosenReferences().size();
        QVERIFY2(chosen >= 3, qPrintable(QString::number(chosen)));
        document().selection().selectNode(QString::fromStdString(std::string(evaluation().graph->name(starts[0]))));
        window_->actions().find("overlap.behind")->trigger();
        OverlapDialog* dialog = window_->workspace().overlaps().dialog();
        QVERIFY(dialog);
        QCOMPARE(dialog->windowTitle(), QStringLiteral("Overlap of %1 collectives").arg(chosen));
        dialog->field(OverlapDialog::Field::hide_behind).setText(QStringLiteral("layers.0"));
        QVERIFY2(dialog->effectText().startsWith(QStringLiteral("step ")), qPrintable(dialog->effectText()));
        dialog->accept();
        QVERIFY(!directives().empty() && directives().size() <= chosen);
        // One thing after the other is let go.
        QVERIFY(settled());
        QTest::keyClick(&view(), Qt::Key_Escape);
        QVERIFY(view().chosenReferences().empty());
    }

    void droppingOnAModuleOfTheTreeHidesBehindIt() {
        ModuleTreeView& tree = *window_->findChild<ModuleTreeView*>();
        auto& model = *static_cast<ModuleTreeModel*>(tree.model());
        const QModelIndex row = model.indexOfModule(QStringLiteral("layers.0"));
        QVERIFY(row.isValid());
        tree.scrollTo(row);
        const QRectF rect = show(takenCollective());
        const QPoint target = tree.viewport()->mapToGlobal(tree.visualRect(row).center());
        QCOMPARE(tree.markDropTarget(target), QStringLiteral("layers.0"));
        tree.clearDropTarget();
        const QPointF to = view().viewport()->mapFromGlobal(target);
        drag(rect.center(), to, /*drop=*/false);
        // The effect is told beside the pointer as anywhere else.
        const QString told = view().accessibleDescription();
        QVERIFY2(told.contains("layers.0") && told.contains("step "), qPrintable(told));
        QTest::mouseRelease(view().viewport(), Qt::LeftButton, {}, to.toPoint());
        QCOMPARE(directives().size(), 1u);
        QCOMPARE(QString::fromStdString(directives()[0].hide_behind), QStringLiteral("layers.0"));
    }

    void aCollapsedModuleOpensWhereTheDraggedRests() {
        ModuleTreeView& tree = *window_->findChild<ModuleTreeView*>();
        auto& model = *static_cast<ModuleTreeModel*>(tree.model());
        const QModelIndex row = model.indexOfModule(QStringLiteral("layers.0"));
        tree.scrollTo(row);
        tree.collapse(row);
        tree.markDropTarget(tree.viewport()->mapToGlobal(tree.visualRect(row).center()));
        QTRY_VERIFY(tree.isExpanded(row));
        // Beside the rows there is nothing to drop on.
        QCOMPARE(tree.markDropTarget(window_->mapToGlobal(QPoint(1, 1))), QString());
    }

    void escapeGivesTheDragUp() {
        const QRectF rect = show(takenCollective());
        const auto before = view().highlightedReferences();
        drag(rect.center(), rect.center() - QPointF(2 * rect.width(), 0), /*drop=*/false);
        QVERIFY(view().highlightedReferences() != before);  // where it cannot go is dimmed
        QTest::keyClick(&view(), Qt::Key_Escape);
        QVERIFY(view().highlightedReferences() == before);
        QTest::mouseRelease(view().viewport(), Qt::LeftButton, {}, rect.center().toPoint());
        QVERIFY(directives().empty());
    }

    /// Dragged to the right, but not beyond its own wait: what it would ask for holds already.
    void aDragThatWouldMoveNothingIsNoEdit() {
        const Simulation& simulation = evaluation().simulation;
        const auto taken = std::ranges::find_if(simulation.collectives, [&](const CollectiveTiming& timing) {
            return timing.start_ms > simulation.step_ms / 8 &&
                   timing.exposed_ms > 0.5 * (timing.end_ms - timing.start_ms);
        });
        QVERIFY(taken != simulation.collectives.end());
        const QString name = QString::fromStdString(std::string(evaluation().graph->name(taken->start)));
        const QRectF rect = show(taken->start);
        const QPointF to = rect.center() + QPointF(0.2 * rect.width(), 0);
        drag(rect.center(), to, /*drop=*/false);
        const QString told = view().accessibleDescription();
        QVERIFY2(told.contains("changes nothing: it is issued after ") && told.contains(" already"), qPrintable(told));
        QTest::mouseRelease(view().viewport(), Qt::LeftButton, {}, to.toPoint());
        QVERIFY(directives().empty());
        document().selection().selectNode(name);
        window_->actions().find("overlap.before")->trigger();
        OverlapDialog* dialog = window_->workspace().overlaps().dialog();
        QVERIFY(dialog);
        dialog->field(OverlapDialog::Field::start_after)
            .setText(QString::fromStdString(std::string(evaluation().graph->name(taken->start - 1))));
        QVERIFY2(dialog->effectText().startsWith("changes nothing: it is issued after "),
                 qPrintable(dialog->effectText()));
        QVERIFY(!dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled());
        dialog->reject();
    }

    void aBaselineIsPannedInstead() {
        document().setCurrentIndex(0);
        QVERIFY(settled());
        const NodeId start = takenCollective();
        const QRectF rect = show(start);
        const TimeRange before = view().visibleRange();
        drag(rect.center(), rect.center() + QPointF(60, 0));
        QVERIFY(view().visibleRange() != before);
    }

    void theListShowsWhatBecameOfEach() {
        const NodeId start = takenCollective();
        const std::string name(evaluation().graph->name(start));
        Plan plan = document().current()->plan();
        plan.overlaps.list = {{.collective = name, .start_before = name}, {.collective = "gone", .wait_after = "mm"}};
        document().editPlan(QStringLiteral("test"), plan);
        QVERIFY(settled());
        auto* overlaps = window_->findChild<OverlapsView*>();
        QVERIFY(overlaps && !overlaps->isHidden());
        QCOMPARE(overlaps->model().rowCount(), 2);
        const QModelIndex first = overlaps->model().index(0);
        QVERIFY(first.data(OverlapsModel::refused_role).toBool());
        QCOMPARE(first.data(OverlapsModel::state_role).toString(),
                 QStringLiteral("left out: a collective cannot be placed by itself"));
        // A problem with a fix for each.
        ProblemsModel problems(document());
        int fixed = 0;
        for (std::size_t place = problems.problems().size(); place-- > 0;)
            if (problems.problems()[place].kind == ProblemKind::overlap_refused && fixed++ == 0)
                QVERIFY(problems.applyFix(place));
        QCOMPARE(fixed, 2);
        QCOMPARE(directives().size(), 1u);
        overlaps->list().setCurrentIndex(overlaps->model().index(0));
        QTest::keyClick(&overlaps->list(), Qt::Key_Delete);
        QVERIFY(directives().empty());
        QVERIFY(overlaps->isHidden());
    }

    /// The pointer, the status bar, History and the list call it as the timeline does.
    void aMergedCollectiveHasOneNameInTheList() {
        document().editBuckets("bucket", {{{"layers.0"}, false, {}}});
        QVERIFY(settled());
        const auto& collectives = evaluation().simulation.collectives;
        const auto merged = std::ranges::find_if(collectives, [&](const CollectiveTiming& timing) {
            return timing.kind == CollectiveKind::reduce_scatter && evaluation().bucket_of_node[timing.start] >= 0;
        });
        QVERIFY(merged != collectives.end());
        const QString name = QString::fromStdString(std::string(evaluation().graph->name(merged->start)));
        DraggedOverlap held(document(), document().evaluation(), {merged->start});
        const DraggedOverlap::Wish wish = held.waitedForAt(evaluation().simulation.step_ms);
        QVERIFY2(wish.words.startsWith(name + " is waited for after "), qPrintable(wish.words));
        QCOMPARE(held.apply(wish), QString());
        const QString member = QString::fromStdString(directives().back().collective);
        QVERIFY(member != name);
        auto* overlaps = window_->findChild<OverlapsView*>();
        const QModelIndex row = overlaps->model().index(0);
        const auto shown = [&] {
            return row.data().toString() == wish.words &&
                   row.data(Qt::ToolTipRole).toString().endsWith("The plan names it by its member " + member);
        };
        QVERIFY2(shown(), qPrintable(row.data(Qt::ToolTipRole).toString()));  // while its figures are worked out
        QVERIFY(settled());
        QVERIFY2(shown(), qPrintable(row.data(Qt::ToolTipRole).toString()));
        QCOMPARE(overlaps->model().collective(0), name);
        overlaps->list().setCurrentIndex(row);
        QTest::keyClick(&overlaps->list(), Qt::Key_Delete);
        QCOMPARE(document().undoGroup().undoText(), "Remove the overlap of " + name);
    }

    void theDialogTellsTheEffectAndRefusals() {
        const NodeId start = takenCollective();
        const QString name = QString::fromStdString(std::string(evaluation().graph->name(start)));
        document().selection().selectNode(name);
        window_->actions().find("overlap.before")->trigger();
        OverlapDialog* dialog = window_->workspace().overlaps().dialog();
        QVERIFY(dialog);
        using Field = OverlapDialog::Field;
        auto* ok = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
        QVERIFY(!ok->isEnabled());
        // Names are in order, so that each letter finds what begins with it by bisection.
        for (const Field field : {Field::start_before, Field::hide_behind}) {
            const QCompleter* completer = dialog->field(field).completer();
            QCOMPARE(completer->modelSorting(), QCompleter::CaseInsensitivelySortedModel);
            const QAbstractItemModel* names = completer->model();
            QTRY_VERIFY(names->rowCount() > 10);
            const auto at = [names](int row) { return names->index(row, 0).data(Qt::EditRole).toString(); };
            for (int row = 1; row < names->rowCount(); ++row)
                QVERIFY(at(row - 1).compare(at(row), Qt::CaseInsensitive) <= 0);
        }
        dialog->field(Field::start_before).setText(name);
        QCOMPARE(dialog->effectText(), QStringLiteral("a collective cannot be placed by itself"));
        dialog->field(Field::start_before).clear();
        dialog->field(Field::hide_behind).setText(QStringLiteral("layers.0"));
        QVERIFY2(ok->isEnabled(), qPrintable(dialog->effectText()));
        QVERIFY(dialog->effectText().startsWith(QStringLiteral("step ")));
        dialog->accept();
        QCOMPARE(directives().size(), 1u);
        QCOMPARE(QString::fromStdString(directives()[0].hide_behind), QStringLiteral("layers.0"));
        QVERIFY(settled());
        document().selection().selectNode(name);
        window_->actions().find("overlap.remove")->trigger();
        QVERIFY(directives().empty());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::OverlapByHandTest)
#include "overlap_by_hand_test.moc"
