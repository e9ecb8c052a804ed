#include <QtTest>

#include "tests/ui/timeline/shown_timeline.h"
#include "tests/ui/ui_test_support.h"
#include "ui/actions/timeline_connection.h"
#include "ui/edits/bucket_commands.h"

namespace overlap::ui {

/// What of the time axis is shown stays where it is while plans are edited, undone and done again.
class KeptRangeTest : public QObject {
    Q_OBJECT

  private slots:
    void init() { view_ = shownTimeline(); }
    void cleanup() { view_.reset(); }

    /// An edit that makes the step shorter, undone and done again.
    void aRangeThatIsCutComesBackExactly() {
        const std::int64_t shorter_ns = test::synthetic_step(12)->range().end_ns;
        view_->setVisibleRange({shorter_ns - 1'000'003, shorter_ns + 777'777});
        const TimeRange before = view_->visibleRange();
        QVERIFY(before.end_ns > shorter_ns);
        for (int undone = 0; undone < 3; ++undone) {
            view_->setTimeline(test::synthetic_step(12));
            QVERIFY(view_->visibleRange() != before);
            view_->setTimeline(test::synthetic_step(16));
            QCOMPARE(view_->visibleRange(), before);
        }
        // Unless another was looked at meanwhile.
        view_->setTimeline(test::synthetic_step(12));
        view_->setVisibleRange({0, 1'000'000});
        view_->setTimeline(test::synthetic_step(16));
        QCOMPARE(view_->visibleRange(), (TimeRange{0, 1'000'000}));
        // Of another graph's step all is shown.
        view_->setTimeline(nullptr);
        view_->setTimeline(test::synthetic_step(12));
        QCOMPARE(view_->visibleRange(), view_->timeline()->range());
    }

    void aSelectionCanBeKeptWithoutScrolling() {
        const TimeRange whole = view_->timeline()->range();
        view_->setVisibleRange({whole.length_ns() / 10 * 7, whole.length_ns() / 10 * 9});
        const TimeRange before = view_->visibleRange();
        view_->selectReference(test::first_gather, TimelineView::Scrolling::none);
        QVERIFY(view_->selection().valid());
        QCOMPARE(view_->visibleRange(), before);
    }

    /// What is selected has another name and another number in each result.
    void undoAndRedoOfAPlanLeaveTheRange() {
        const auto document = openDocument();
        TimelineConnection connection(*document, *view_);
        const auto shown = [&] {
            return waitForEvaluation(*document) && QTest::qWaitFor([&] { return !connection.busy(); }, 30'000);
        };
        BucketCommands(*document).startFrom(BucketCommands::Template::block);
        QVERIFY(shown());
        const auto evaluation = document->evaluation();
        const NodeId last = evaluation->simulation.collectives.back().start;
        document->selection().selectNode(QString::fromStdString(std::string(evaluation->graph->name(last))));
        const std::int64_t step_ns = view_->timeline()->range().end_ns;
        view_->setVisibleRange({step_ns / 10, step_ns / 5});
        const TimeRange before = view_->visibleRange();
        for (int round = 0; round < 2; ++round) {
            document->undoGroup().undo();
            QVERIFY(shown());
            QCOMPARE(view_->visibleRange(), before);
            document->undoGroup().redo();
            QVERIFY(shown());
            QCOMPARE(view_->visibleRange(), before);
        }
        QVERIFY(view_->selection().valid());
        // A selection that is made then is scrolled to.
        document->selection().selectNode({});
        document->selection().selectNode(QString::fromStdString(std::string(evaluation->graph->name(last))));
        QVERIFY(view_->visibleRange() != before);
    }

  private:
    std::unique_ptr<TimelineView> view_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::KeptRangeTest)
#include "kept_range_test.moc"
