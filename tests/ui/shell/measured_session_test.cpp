#include <QFile>
#include <QTabBar>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/frame/variant_bar.h"
#include "ui/measure/measurements.h"
#include "ui/shell/main_window.h"
#include "ui/shell/session_controller.h"
#include "ui/shell/times_controller.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// Measurements that the session kept.
class MeasuredSessionTest : public QObject {
    Q_OBJECT

    const QString trace_ = QStringLiteral(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz");

  private slots:
    void measurementsComeBackWithTheSession() {
        QTemporaryDir folder;
        const QString kept = folder.filePath("kept.json.gz"), gone = folder.filePath("gone.json.gz");
        QVERIFY(QFile::copy(trace_, kept) && QFile::copy(trace_, gone));
        {
            MainWindow window(folder.filePath("session"));
            window.openFiles({smallGraphFile(), kept});
            window.openFiles({gone});
            QVERIFY(waitUntilIdle(window));
            QCOMPARE(window.times().measurements().count(), 2);
            window.close();
        }
        QVERIFY(QFile::remove(gone));
        MainWindow window(folder.filePath("session"));
        window.openSessionOrSample();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.times().measurements().count(), 1);
        QCOMPARE(window.times().measurements().at(0)->files, QStringList{kept});
        QCOMPARE(window.times().measurements().currentIndex(), -1);
        QVERIFY2(window.workspace().notice().text().contains(gone), qPrintable(window.workspace().notice().text()));
    }

    /// Its tab is marked, since no plan has one.
    void withoutAGraphATraceThatComesBackIsShown() {
        QTemporaryDir folder;
        const QString session = folder.filePath("session");
        {
            MainWindow window(session);
            window.openFiles({trace_});
            QTRY_COMPARE_WITH_TIMEOUT(window.times().measurements().count(), 1, 30'000);
            QCOMPARE(window.session().store(), QString());
        }
        QFile job(folder.filePath("times.job.json"));
        QVERIFY(job.open(QIODevice::WriteOnly));
        job.write(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
            "schedule": {"name": "GPipe", "microbatches": 1}})");
        job.close();
        MainWindow window(session);
        window.show();
        window.openFiles({job.fileName()});
        const Measurements& measurements = window.times().measurements();
        QTRY_COMPARE_WITH_TIMEOUT(measurements.count(), 1, 30'000);
        QCOMPARE(window.workspace().variants().tabs()->currentIndex(), 0);
        QCOMPARE(measurements.currentIndex(), 0);
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace().timeline().timeline()->event_count() > 0, 30'000);
        // It was not chosen: a graph that is opened then shows its plan.
        window.openFiles({smallGraphFile()});
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(measurements.currentIndex(), -1);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MeasuredSessionTest)
#include "measured_session_test.moc"
