#include "ui/measure/measurements.h"

#include <QFile>
#include <QSignalSpy>

#include "tests/ui/ui_test_support.h"
#include "ui/document/file_kind.h"
#include "ui/measure/measured_event.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

class MeasurementsTest : public QObject {
    Q_OBJECT

    static QString trace(const char* name) { return QStringLiteral(OVERLAP_TEST_DATA "/traces/") + name; }

    static QString write(const QTemporaryDir& folder, const QString& name, const QByteArray& content) {
        QFile file(folder.filePath(name));
        if (file.open(QIODevice::WriteOnly)) file.write(content);
        return file.fileName();
    }

    /// A rank whose clock is `clock_us` ahead: a kernel, and a collective that ends at the same moment on all ranks.
    static QByteArray rankTrace(int rank, int clock_us) {
        const auto event = [&](const char* name, int start_us, const char* args) {
            return QStringLiteral(
                       R"({"ph":"X","cat":"kernel","name":"%1","pid":0,"tid":7,"ts":%2,"dur":10,"args":{"stream":7%3}})")
                .arg(QString::fromLatin1(name))
                .arg(clock_us + start_us)
                .arg(QString::fromLatin1(args));
        };
        return QStringLiteral(R"({"distributedInfo":{"rank":%1,"world_size":2},"traceEvents":[%2,%3]})")
            .arg(rank)
            .arg(event("gemm", 0, ""),
                 event("ncclDevKernel_AllGather", 40,
                       R"(,"Collective name":"all_gather","In msg nelems":8,"Out msg nelems":16,"Group size":2,)"
                       R"("dtype":"Float","Process Group Name":"0","Process Group Ranks":"[0, 1]","Seq":1)"))
            .toUtf8();
    }

    static bool waitUntilRead(Measurements& measurements) {
        return QTest::qWaitFor([&] { return !measurements.busy(); }, 60'000);
    }

  private slots:
    void tracesAreToldByContent() {
        QTemporaryDir folder;
        QCOMPARE(fileKind(trace("hta_sampled_rank0.json.gz")), FileKind::trace);
        QCOMPARE(fileKind(trace("hta_nccl_data.json.gz")), FileKind::trace);
        QCOMPARE(fileKind(write(folder, "plain", rankTrace(0, 0))), FileKind::trace);
        QCOMPARE(fileKind(write(folder, "list", "[{\"ph\":\"X\"")), FileKind::trace);
        QCOMPARE(fileKind(smallGraphFile()), FileKind::graph);
        QString reason;
        QCOMPARE(fileKind(write(folder, "other.json", "{\"a\": 1}"), &reason), FileKind::unknown);
        QVERIFY(reason.contains("other.json"));
    }

    void aRealTraceIsReadWithProgress() {
        Measurements measurements;
        const QSignalSpy progressed(&measurements, &Measurements::progressed);
        measurements.open({trace("hta_nccl_data.json.gz")});
        QVERIFY(measurements.busy());
        QVERIFY(waitUntilRead(measurements));
        QCOMPARE(measurements.count(), 1);
        QCOMPARE(measurements.currentIndex(), 0);
        QVERIFY(!progressed.isEmpty());
        const auto measurement = measurements.current();
        QCOMPARE(measurement->title, "Measured");
        QVERIFY(measurement->timeline->event_count() > 1000);
        const MeasuredFigures figures = measuredFigures(*measurement);
        QVERIFY(figures.has_gpu);
        QVERIFY(figures.step_ms > figures.communication_ms);
        QVERIFY(figures.communication_ms >= figures.exposed_ms);
        QVERIFY(figures.exposed_ms > 0);
        // The same files again are the measurement that is open.
        measurements.setCurrentIndex(-1);
        measurements.open({trace("hta_nccl_data.json.gz")});
        QVERIFY(!measurements.busy());
        QCOMPARE(measurements.count(), 1);
        QCOMPARE(measurements.currentIndex(), 0);
    }

    void ranksOfAJobAreOneMeasurementOnOneClock() {
        QTemporaryDir folder;
        Measurements measurements;
        measurements.open({write(folder, "a.json", rankTrace(0, 1'000)), write(folder, "b.json", rankTrace(1, 7'000))});
        QVERIFY(waitUntilRead(measurements));
        QCOMPARE(measurements.count(), 1);
        const Measurement& ranks = *measurements.at(0);
        QCOMPARE(ranks.timeline->lanes().size(), std::size_t(2));
        QCOMPARE(ranks.timeline->lanes()[0].description.title.rfind("Rank 0 · ", 0), std::size_t(0));
        QCOMPARE(ranks.timeline->lanes()[1].description.title.rfind("Rank 1 · ", 0), std::size_t(0));
        QCOMPARE(ranks.timeline->range(), (TimeRange{0, 50'000}));
        // Each event is found again in its rank's trace.
        const Measurement::Event event = ranks.eventOf(ranks.timeline->lanes()[1].reference[1]);
        QCOMPARE(event.rank, std::size_t(1));
        const InspectorContent content = describeEvent(ranks, event);
        QCOMPARE(content.title, "ncclDevKernel_AllGather");
        const QString text = plainText(content);
        const QString bytes = formatBytes(32) + QStringLiteral(", ") + formatBytes(64);
        for (const QString& part :
             {QStringLiteral("Rank 1"), QStringLiteral("all-gather"), QStringLiteral("ranks 0 1"), bytes})
            QVERIFY2(text.contains(part), qPrintable(text));
    }

    void filesOfTheSameRankAreMeasurementsOfTheirOwn() {
        QTemporaryDir folder;
        Measurements measurements;
        measurements.open({write(folder, "a.json", rankTrace(0, 0)), write(folder, "b.json", rankTrace(0, 0))});
        QVERIFY(waitUntilRead(measurements));
        QCOMPARE(measurements.count(), 2);
        QCOMPARE(measurements.at(1)->title, "Measured 2");
        measurements.close(0);
        QCOMPARE(measurements.currentIndex(), 0);
        measurements.close(0);
        QCOMPARE(measurements.currentIndex(), -1);
    }

    void aBadTraceIsOneSentenceAndTheNextOneIsRead() {
        QTemporaryDir folder;
        Measurements measurements;
        const QSignalSpy failed(&measurements, &Measurements::failed);
        measurements.open({write(folder, "cut.json", rankTrace(0, 0).first(200))});
        measurements.open({write(folder, "whole.json", rankTrace(0, 0))});
        QVERIFY(QTest::qWaitFor([&] { return measurements.count() == 1 && !measurements.busy(); }, 60'000));
        QCOMPARE(failed.size(), 1);
        QVERIFY(failed.front().front().toString().contains("cut.json"));
        QVERIFY(measurements.at(0)->files.front().endsWith("whole.json"));
    }

    void readingCanBeCancelled() {
        Measurements measurements;
        const QSignalSpy cancelled(&measurements, &Measurements::cancelled);
        measurements.open({trace("hta_nccl_data.json.gz")});
        measurements.open({trace("hta_sampled_rank0.json.gz")});
        measurements.cancel();
        QVERIFY(!measurements.busy());
        QCOMPARE(cancelled.size(), 1);
        QTest::qWait(100);
        QCOMPARE(measurements.count(), 0);
    }

    void theStateComesBackWithoutFilesThatAreGone() {
        QTemporaryDir folder;
        const QString a = write(folder, "a.json", rankTrace(0, 0)), b = write(folder, "b.json", rankTrace(0, 0));
        QJsonArray state;
        {
            Measurements measurements;
            measurements.open({a});
            measurements.open({b});
            state = measurements.state();  // what is still being read is open, too
            QCOMPARE(state.size(), 2);
        }
        QVERIFY(QFile::remove(a));
        Measurements measurements;
        const QSignalSpy failed(&measurements, &Measurements::failed);
        measurements.restore(state);
        QVERIFY(waitUntilRead(measurements));
        QCOMPARE(measurements.count(), 1);
        QCOMPARE(measurements.at(0)->files, QStringList{b});
        QCOMPARE(measurements.currentIndex(), -1);
        QCOMPARE(failed.size(), 1);
        QVERIFY(failed.front().front().toString().contains(a));
    }

    void argumentsAreShownAsTheFileHasThem() {
        InspectorContent content;
        addArguments(content, R"({"ph":"X","args":{"b":18446744073709551615,"a":"text","c":[1,2]}})");
        QCOMPARE(content.rows.size(), std::size_t(4));
        QCOMPARE(content.rows[1].label, "b");
        QCOMPARE(content.rows[1].pieces.front().text, "18446744073709551615");
        QCOMPARE(content.rows[2].pieces.front().text, "text");
        QCOMPARE(content.rows[3].pieces.front().text, "[1,2]");
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MeasurementsTest)
#include "measurements_test.moc"
