#include <QComboBox>
#include <QFile>
#include <QTabBar>
#include <QToolButton>

#include "tests/ui/ui_test_support.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/measurement_connection.h"
#include "ui/measure/measurements.h"
#include "ui/panels/inspector_panel.h"
#include "ui/shell/figures_bar.h"
#include "ui/shell/main_window.h"
#include "ui/shell/notice_bar.h"
#include "ui/shell/variant_bar.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// Measurements in the whole window.
class MeasuredWindowTest : public QObject {
    Q_OBJECT

    const QString trace_ = QStringLiteral(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz");

    static bool waitUntilIdle(MainWindow& window) {
        return QTest::qWaitFor(
            [&] { return window.document().isOpen() && window.idle() && !window.document().current()->stale(); },
            60'000);
    }

    /// A collective of what the timeline shows.
    static EventLocation collectiveOf(const Timeline& timeline) {
        for (std::uint32_t lane = 0; lane < timeline.lanes().size(); ++lane)
            for (std::uint32_t event = 0; event < timeline.lanes()[lane].size(); ++event)
                if (timeline.event_name({lane, event}).starts_with("nccl")) return {lane, event};
        return {};
    }

  private slots:
    void aTraceOpensBesideThePlansAndGoesAgain() {
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        window.openFiles({smallGraphFile(), trace_});
        QVERIFY(waitUntilIdle(window));
        QTabBar* tabs = window.variants().tabs();
        QCOMPARE(tabs->count(), 3);
        QCOMPARE(tabs->tabText(2), "Measured");
        QCOMPARE(tabs->currentIndex(), 2);
        QCOMPARE(window.timeline().timeline(), window.measurements().current()->timeline);
        QCOMPARE(window.figures().figures().front().label, "measured step");

        const EventLocation collective = collectiveOf(*window.timeline().timeline());
        QVERIFY(collective.valid());
        window.timeline().selectEvent(collective);
        QVERIFY(waitUntilIdle(window));
        const QString inspected = plainText(window.inspector().content());
        QVERIFY2(inspected.contains("Process group"), qPrintable(inspected));
        QVERIFY2(inspected.contains("Arguments in the trace"), qPrintable(inspected));

        tabs->setCurrentIndex(1);
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.timeline().timeline() != window.measurements().at(0)->timeline);
        QCOMPARE(window.figures().figures().front().label, "step");
        QVERIFY(!plainText(window.inspector().content()).contains("Arguments in the trace"));

        window.actions().find("plan.next")->trigger();
        QCOMPARE(tabs->currentIndex(), 2);
        window.actions().find("plan.close")->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(tabs->count(), 2);
        QCOMPARE(window.document().variantCount(), 2);
        QVERIFY(window.timeline().timeline());
    }

    void aBadTraceLeavesTheWindowAsItWas() {
        QTemporaryDir folder;
        QFile file(folder.filePath("bad.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"traceEvents": [{"ph": "X", "ts": "never"}]})");
        file.close();
        MainWindow window;
        window.openFiles({smallGraphFile()});
        QVERIFY(waitUntilIdle(window));
        window.openFiles({file.fileName()});
        QVERIFY(waitUntilIdle(window));
        QVERIFY2(window.notice().text().contains("bad.json"), qPrintable(window.notice().text()));
        QCOMPARE(window.variants().tabs()->count(), 2);
        QCOMPARE(window.figures().figures().front().label, "step");
    }

    void measurementsComeBackWithTheSession() {
        QTemporaryDir folder;
        const QString kept = folder.filePath("kept.json.gz"), gone = folder.filePath("gone.json.gz");
        QVERIFY(QFile::copy(trace_, kept) && QFile::copy(trace_, gone));
        {
            MainWindow window(folder.filePath("session"));
            window.openFiles({smallGraphFile(), kept});
            window.openFiles({gone});
            QVERIFY(waitUntilIdle(window));
            QCOMPARE(window.measurements().count(), 2);
            window.close();
        }
        QVERIFY(QFile::remove(gone));
        MainWindow window(folder.filePath("session"));
        window.openSessionOrSample();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.measurements().count(), 1);
        QCOMPARE(window.measurements().at(0)->files, QStringList{kept});
        QCOMPARE(window.measurements().currentIndex(), -1);
        QVERIFY2(window.notice().text().contains(gone), qPrintable(window.notice().text()));
    }

    void comparedStepsShareTheTimeline() {
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        window.openFiles({smallGraphFile(), trace_});
        QVERIFY(waitUntilIdle(window));
        window.actions().find("view.go.compare")->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.compare().after()->currentText(), "Measured");
        window.compare().both()->setChecked(true);
        const auto shown = window.measurementConnection().shown();
        QVERIFY(shown && shown->parts.size() == 2);
        QCOMPARE(window.timeline().timeline(), shown->timeline);
        window.compare().both()->setChecked(false);
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.timeline().timeline(), window.measurements().at(0)->timeline);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MeasuredWindowTest)
#include "measured_window_test.moc"
