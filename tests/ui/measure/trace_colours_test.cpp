#include <QFile>
#include <QTemporaryDir>

#include "tests/measure/simulated_trace.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/measure/measurement_connection.h"
#include "ui/measure/measurements.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// A trace in the timeline has the colours of the plan's buckets, and what the user does there goes on when they come.
class TraceColoursTest : public QObject {
    Q_OBJECT

    /// A plan of buckets, and in the timeline a trace of what it does.
    struct Shown {
        std::unique_ptr<Document> document = openDocument();
        Measurements measurements;
        TimelineView timeline;
        InspectorPanel inspector{*document};
        MeasurementConnection connection{*document, measurements, timeline, inspector};
        QTemporaryDir folder;

        Shown() {
            BucketCommands(*document).startFrom(BucketCommands::Template::block);
            if (!waitForEvaluation(*document)) qFatal("the plan is not evaluated");
            QFile file(folder.filePath("bucketed.json"));
            if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(file.fileName()));
            file.write(QByteArray::fromStdString(test::SimulatedTrace(*document->evaluation()).json()));
            file.close();
            timeline.resize(1000, 600);
            timeline.show();
            measurements.open({file.fileName()});
            if (!QTest::qWaitFor([&] { return measurements.current() && isColoured(); }, 60'000))
                qFatal("the trace has no colours");
        }
        bool isColoured() const {
            for (std::uint32_t bucket = 0; bucket < bucket_hue_count; ++bucket)
                if (timeline.timeline()->has_role(bucket_role(bucket))) return true;
            return false;
        }
        /// The plan is evaluated, and its colours are there or wait.
        bool settle() const {
            return waitForEvaluation(*document) && QTest::qWaitFor([&] { return !connection.colouring(); }, 60'000);
        }
        const std::shared_ptr<const Timeline>& plain() const { return measurements.at(0)->timeline; }
    };

    /// Chooses an event of the timeline, which another timeline would lose.
    static void chooseAnEvent(TimelineView& timeline) {
        for (std::uint32_t lane = 0; lane < timeline.timeline()->lanes().size(); ++lane) {
            if (timeline.timeline()->lanes()[lane].size() == 0) continue;
            timeline.chooseReferences({timeline.timeline()->lanes()[lane].reference[0]});
            if (!timeline.chosenReferences().empty()) return;
        }
    }

  private slots:
    void aTraceHasTheColoursOfThePlansBuckets() {
        Shown shown;
        const TimeRange range = shown.timeline.visibleRange();
        // What a plan without buckets does is another job's.
        shown.document->current()->undoStack().undo();
        QTRY_VERIFY(!shown.isColoured());
        QCOMPARE(shown.timeline.timeline(), shown.plain());
        QCOMPARE(shown.timeline.visibleRange(), range);
    }

    void coloursThatAreShownAlreadyAreLeftAlone() {
        Shown shown;
        const auto timeline = shown.timeline.timeline();
        chooseAnEvent(shown.timeline);
        const auto chosen = shown.timeline.chosenReferences();
        QVERIFY(!chosen.empty());
        // The same evaluation, told of again.
        emit shown.document->evaluationChanged();
        QVERIFY(shown.settle());
        QCOMPARE(shown.timeline.chosenReferences(), chosen);
        // Another one, with the same buckets.
        const auto before = shown.document->evaluation();
        auto times = std::make_shared<MeasuredTimes>();
        times->baseline = shown.document->loaded().baseline;
        times->module_figures = shown.document->loaded().module_figures;
        shown.document->setTimes(times);
        QVERIFY(shown.settle());
        QVERIFY(shown.document->evaluation() != before);
        QCOMPARE(shown.timeline.timeline(), timeline);
        QCOMPARE(shown.timeline.chosenReferences(), chosen);
    }

    void coloursWaitForADragToEnd() {
        Shown shown;
        QWidget* viewport = shown.timeline.viewport();
        const QPoint middle = viewport->rect().center();
        QTest::mousePress(viewport, Qt::LeftButton, {}, middle);
        QVERIFY(shown.timeline.dragging());
        shown.document->current()->undoStack().undo();
        QVERIFY(shown.settle());
        QVERIFY(shown.timeline.dragging() && shown.isColoured());
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, middle);
        QVERIFY(!shown.timeline.dragging());
        QTRY_COMPARE(shown.timeline.timeline(), shown.plain());
    }

    /// Its buckets are not those of the plan before.
    void aRefusedPlanGivesNoColours() {
        Shown shown;
        shown.document->editBuckets("overlap", {{{"layers.0"}, false, {}}, {{"layers.0.attention"}, false, {}}});
        QVERIFY(shown.settle());
        QVERIFY(shown.document->evaluation()->refused);
        QCOMPARE(shown.timeline.timeline(), shown.plain());
        shown.document->current()->undoStack().undo();
        QTRY_VERIFY(shown.isColoured());
    }

    void aClosedTraceLeavesNothing() {
        Shown shown;
        const std::weak_ptr<const Timeline> coloured = shown.timeline.timeline();
        const std::weak_ptr<const Measurement> measurement = shown.measurements.current();
        shown.measurements.close(0);
        shown.timeline.setTimeline(nullptr);  // as the plan's comes again
        QTRY_VERIFY(coloured.expired());
        QTRY_VERIFY(measurement.expired());
    }

    /// Nor does the trace, which stays open, keep anything of another graph.
    void anotherGraphTakesItsColoursAlong() {
        Shown shown;
        const std::weak_ptr<const Timeline> coloured = shown.timeline.timeline();
        const std::weak_ptr<const Evaluation> evaluation = shown.document->evaluation();
        shown.document->setGraph(loadGraph(smallGraphFile()));
        QVERIFY(shown.settle());
        QTRY_VERIFY(coloured.expired());
        QTRY_VERIFY(evaluation.expired());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TraceColoursTest)
#include "trace_colours_test.moc"
