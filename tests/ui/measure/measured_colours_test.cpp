#include "ui/measure/measured_colours.h"

#include <QComboBox>
#include <QFile>
#include <set>

#include "tests/measure/simulated_trace.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/compared_sides.h"
#include "ui/measure/comparison_model.h"
#include "ui/measure/measurements.h"

namespace overlap::ui {

/// What the plan has in a bucket looks alike in a trace, and what is measured alone stays grey.
class MeasuredColoursTest : public QObject {
    Q_OBJECT

  private slots:
    void measuredCollectivesHaveTheColoursOfTheirBuckets() {
        const auto document = openDocument();
        BucketCommands(*document).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForEvaluation(*document));
        QTemporaryDir folder;
        QFile file(folder.filePath("rank0.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(test::SimulatedTrace(*document->evaluation()).json()));
        file.close();
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.show();
        measurements.open({file.fileName()});
        QVERIFY(QTest::qWaitFor([&] { return measurements.count() == 1; }, 60'000));
        panel.sides().before()->setCurrentIndex(1);
        QVERIFY(QTest::qWaitFor([&] { return !panel.busy(); }, 60'000));
        const auto& steps = panel.model()->steps();
        QVERIFY2(steps && steps->measured, qPrintable(panel.sums()));
        const Timeline& shown = *steps->shown->timeline;
        std::set<EventRole> roles;
        const auto role = [&](std::uint32_t reference) {
            for (const Timeline::Occurrence& found : shown.find(reference)) {
                const Lane& lane = shown.lanes()[found.location.lane];
                if (lane.role[found.location.event] != EventRole::exposed) return lane.role[found.location.event];
            }
            return EventRole::idle;
        };
        for (const ComparisonRow& row : steps->comparison.rows) {
            if (!row.before || !row.after || row.before->time_ms <= 0) continue;
            QCOMPARE(role(steps->referenceAfter(row)), role(steps->referenceBefore(row)));
            roles.insert(role(steps->referenceAfter(row)));
        }
        QVERIFY(roles.size() > 2 && roles.contains(EventRole::unbucketed));

        // In its own tab, too, unless the plan is another one.
        const auto coloured = colouredTimeline(*measurements.at(0), document->evaluation(), {});
        QVERIFY(coloured);
        for (const EventRole of : roles) QVERIFY(coloured->has_role(of));
        QVERIFY(!colouredTimeline(*measurements.at(0), loadGraph(smallGraphFile()).baseline, {}));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MeasuredColoursTest)
#include "measured_colours_test.moc"
