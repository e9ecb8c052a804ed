#include "ui/measure/measurements.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTreeView>

#include "tests/ui/docked_behind.h"
#include "tests/ui/ui_test_support.h"
#include "ui/files/file_kind.h"
#include "ui/measure/measured_event.h"
#include "ui/measure/statistics_model.h"
#include "ui/measure/statistics_panel.h"
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

    void aFileThatIsStillReadOpensOnce() {
        const QTemporaryDir folder;
        const QString a = write(folder, "a.json", rankTrace(0, 0)), b = write(folder, "b.json", rankTrace(0, 0));
        Measurements measurements;
        measurements.restore(QJsonArray{QJsonArray{a}, QJsonArray{b}});
        measurements.open({a});  // being read
        measurements.open({b});  // waiting
        QTRY_VERIFY(!measurements.busy());
        QCOMPARE(measurements.count(), 2);
        QCOMPARE(measurements.currentIndex(), 1);
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

    void statisticsTellEachRankAndStep() {
        QTemporaryDir folder;
        Measurements measurements;
        Document none;
        StatisticsPanel panel(none, measurements);
        panel.show();
        StatisticsModel& model = *panel.model();
        const QAbstractItemModelTester tester(&model);
        QCOMPARE(model.rowCount(), 0);
        measurements.open({write(folder, "a.json", rankTrace(0, 1'000)), write(folder, "b.json", rankTrace(1, 7'000))});
        QVERIFY(waitUntilRead(measurements));
        QTRY_COMPARE(model.rowCount(), 2);
        QCOMPARE(model.columnCount(), int(StatisticsModel::column_count));
        const auto cell = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(cell(1, StatisticsModel::name_column), "Rank 1, GPU 0");
        QCOMPARE(cell(1, StatisticsModel::compute_column), formatTime(0.01));
        QCOMPARE(cell(1, StatisticsModel::exposed_column), formatTime(0.01));
        QCOMPARE(cell(1, StatisticsModel::idle_column), formatTime(0.03));
        QCOMPARE(cell(1, StatisticsModel::clock_column), formatDifference(-6, Unit::Time));
        QCOMPARE(model.range(1), (TimeRange{0, 50'000}));

        // Of a real trace: steps below their GPU, the cut one apart, and no clocks.
        measurements.open({trace("hta_nccl_data.json.gz")});
        QVERIFY(waitUntilRead(measurements));
        QTRY_COMPARE(model.rowCount(), 4);
        QCOMPARE(model.columnCount(), int(StatisticsModel::clock_column));
        const std::vector<DeviceTimes> times = device_times(*measurements.current()->traces.front());
        QCOMPARE(cell(0, StatisticsModel::exposed_column), formatTime(double(times[0].total.exposed_ns) / 1e6));
        QCOMPARE(cell(2, StatisticsModel::name_column), "ProfilerStep#5");
        QCOMPARE(cell(2, StatisticsModel::overlap_column),
                 formatPercent(*times[0].steps[1].times.overlap_percent() / 100));
        QVERIFY(cell(3, StatisticsModel::name_column).endsWith("not counted"));
        QVERIFY(model.range(1).end_ns <= model.range(3).begin_ns);

        const QSignalSpy wanted(&panel, &StatisticsPanel::rangeWanted);
        measurements.setCurrentIndex(-1);
        emit panel.view()->activated(model.index(2, 0));
        QCOMPARE(measurements.currentIndex(), 1);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.front().front().toLongLong(), model.range(2).begin_ns);
    }

    void statisticsTellSimulatedPlansToo() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        Measurements measurements;
        StatisticsPanel panel(*document, measurements);
        panel.show();
        StatisticsModel& model = *panel.model();
        const QAbstractItemModelTester tester(&model);
        document->setCurrentIndex(1);
        QVERIFY(waitForEvaluation(*document));
        const Simulation& simulation = document->evaluation()->simulation;
        const int plan_rows = 1 + static_cast<int>(simulation.groups.size());
        QTRY_COMPARE(model.rowCount(), 2 * plan_rows);
        QCOMPARE(model.columnCount(), int(StatisticsModel::clock_column));
        const auto cell = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(cell(plan_rows, StatisticsModel::name_column),
                 QString::fromStdString(document->variant(1).plan().name) + ", simulated");
        QCOMPARE(cell(plan_rows, StatisticsModel::span_column), formatTime(simulation.step_ms));
        QCOMPARE(cell(plan_rows, StatisticsModel::compute_column), formatTime(simulation.compute_ms));
        QCOMPARE(cell(plan_rows, StatisticsModel::exposed_column), formatTime(simulation.exposed_ms));
        QCOMPARE(cell(plan_rows, StatisticsModel::copies_column), QString());
        QCOMPARE(cell(plan_rows + 1, StatisticsModel::name_column),
                 QStringLiteral("Gathers + scatters · ") + QString::fromStdString(simulation.groups[0].process_group));
        QCOMPARE(cell(plan_rows + 1, StatisticsModel::communication_column), formatTime(simulation.groups[0].comm_ms));
        // A row leads to its plan.
        const QSignalSpy wanted(&panel, &StatisticsPanel::rangeWanted);
        emit panel.view()->activated(model.index(0, 0));
        QCOMPARE(document->currentIndex(), 0);
        QCOMPARE(wanted.size(), 1);
    }

    void statisticsBehindAnotherDockAreNotMade() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        Measurements measurements;
        StatisticsPanel panel(*document, measurements);
        DockedBehind docked(panel);
        const QSignalSpy made(panel.model(), &QAbstractItemModel::modelReset);
        document->addNew(document->variant(1).plan());
        QVERIFY(waitForEvaluation(*document));
        QTemporaryDir folder;
        measurements.open({write(folder, "a.json", rankTrace(0, 1'000))});
        QVERIFY(waitUntilRead(measurements));
        QTest::qWait(50);
        QCOMPARE(made.count(), 0);
        docked.raise();
        QTRY_COMPARE(panel.model()->measurement(), measurements.current());
        QTRY_VERIFY(panel.model()->rowCount() > 1);
        const auto figures = made.count();
        document->addNew(document->variant(1).plan());
        QVERIFY(waitForEvaluation(*document));
        QTRY_VERIFY(made.count() > figures);  // seen, it follows
        // What is closed takes no memory for a panel that nobody sees.
        docked.lower();
        const std::weak_ptr<const Measurement> closed = measurements.current();
        measurements.close(0);
        QTRY_VERIFY(closed.expired());
        // Nor is it told of.
        const QString caption = panel.findChild<QLabel*>("statisticsCaption")->text();
        QCOMPARE(caption, QStringLiteral("Open a trace of a job to see how its GPUs used their time"));
        QVERIFY(panel.view()->isHidden());
    }

    /// What is seen goes from one measurement to what is shown in its place, with nothing between them.
    void statisticsThatAreSeenFollowOnceWhatIsClosed() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        Measurements measurements;
        StatisticsPanel panel(*document, measurements);
        panel.show();
        QTemporaryDir folder;
        measurements.open({write(folder, "a.json", rankTrace(0, 1'000))});
        QVERIFY(waitUntilRead(measurements));
        QTRY_COMPARE(panel.model()->measurement(), measurements.current());
        const QSignalSpy made(panel.model(), &QAbstractItemModel::modelReset);
        measurements.close(0);
        QCOMPARE(made.count(), 0);
        QTRY_VERIFY(!panel.model()->measurement());
        QCOMPARE(made.count(), 1);
        QVERIFY(panel.model()->rowCount() > 0 && !panel.view()->isHidden());
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

    void aCollectiveTellsWhatHidItAndWhomItWaitedFor() {
        QTemporaryDir folder;
        const auto trace = [](int rank, int late_us) {
            QByteArray made = rankTrace(rank, 0);
            // The collective begins `late_us` later and ends at the same moment; a kernel on another stream beside it.
            made.replace("\"ts\":40,\"dur\":10",
                         QStringLiteral("\"ts\":%1,\"dur\":%2").arg(40 + late_us).arg(10 - late_us).toUtf8());
            made.replace(
                "\"traceEvents\":[",
                R"("traceEvents":[{"ph":"X","cat":"kernel","name":"softmax","pid":0,"tid":8,"ts":46,"dur":9,"args":{"stream":8}},)");
            return made;
        };
        Measurements measurements;
        measurements.open({write(folder, "a.json", trace(0, 0)), write(folder, "b.json", trace(1, 4))});
        QVERIFY(waitUntilRead(measurements));
        const Measurement& ranks = *measurements.at(0);
        const auto inspected = [&](std::size_t rank) {
            const MeasuredTrace& of = *ranks.traces[rank];
            return plainText(describeEvent(ranks, {rank, of.activities()[of.collectives().front().activity].event}));
        };
        const QString early = inspected(0), late = inspected(1);
        for (const QString& part :
             {"Exposed\t" + formatTime(0.006), "Behind compute\t" + formatTime(0.004),
              "Beside it\tsoftmax " + formatTime(0.004), "Waited for\tRank 1, " + formatTime(0.004),
              "Starts at\t" + withUnbrokenUnits("40 µs")})
            QVERIFY2(early.contains(part), qPrintable(part + u'\n' + early));
        QVERIFY2(late.contains("Arrived last\tothers waited up to " + formatTime(0.004)), qPrintable(late));
    }

    void aBadRankLeavesTheOthers() {
        QTemporaryDir folder;
        Measurements measurements;
        const QSignalSpy failed(&measurements, &Measurements::failed);
        measurements.open({write(folder, "a.json", rankTrace(0, 0)),
                           write(folder, "cut.json", rankTrace(1, 0).first(200)),
                           write(folder, "b.json", rankTrace(2, 0))});
        QVERIFY(waitUntilRead(measurements));
        QCOMPARE(measurements.count(), 1);
        QCOMPARE(measurements.at(0)->traces.size(), std::size_t(2));
        QCOMPARE(measurements.at(0)->rankName(1), "Rank 2");
        QCOMPARE(failed.size(), 1);
        const QString told = failed.front().front().toString();
        QVERIFY2(told.contains("cut.json") && told.contains("the other 2 files are open"), qPrintable(told));
    }

    void gpusOfAllRanksStandAboveTheirHosts() {
        QTemporaryDir folder;
        const auto withHost = [](int rank) {
            QByteArray trace = rankTrace(rank, 0);
            trace.replace(
                "\"traceEvents\":[",
                R"("traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":1,"dur":5},)");
            return trace;
        };
        Measurements measurements;
        measurements.open({write(folder, "a.json", withHost(0)), write(folder, "b.json", withHost(1))});
        QVERIFY(waitUntilRead(measurements));
        const Measurement& ranks = *measurements.at(0);
        QCOMPARE(ranks.timeline->lanes().size(), std::size_t(4));
        QCOMPARE(ranks.timeline->lanes()[1].description.kind, LaneKind::compute);
        QVERIFY(ranks.timeline->lanes()[1].description.title.starts_with("Rank 1"));
        QVERIFY(ranks.timeline->lanes()[2].description.title.starts_with("Rank 0"));
        QVERIFY(ranks.timeline->lanes()[1].description.device != ranks.timeline->lanes()[0].description.device);
        const Measurement::Event operation = ranks.eventOf(ranks.timeline->lanes()[3].reference[0]);
        QCOMPARE(operation.rank, std::size_t(1));
        QCOMPARE(ranks.traces[1]->name(operation.event), std::string_view("aten::mm"));
    }

    void readingCanBeCancelled() {
        Measurements measurements;
        const QSignalSpy cancelled(&measurements, &Measurements::cancelled);
        measurements.open({trace("hta_nccl_data.json.gz")});
        measurements.open({trace("hta_sampled_rank0.json.gz")});
        measurements.cancel();
        QVERIFY(!measurements.busy());
        QCOMPARE(cancelled.size(), 1);
        // Neither is open when one that is wanted later has been read.
        measurements.open({trace("hta_no_distributed_info.json.gz")});
        QTRY_VERIFY_WITH_TIMEOUT(!measurements.busy(), 30'000);
        QCOMPARE(measurements.count(), 1);
        QCOMPARE(measurements.at(0)->files, QStringList{trace("hta_no_distributed_info.json.gz")});
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
