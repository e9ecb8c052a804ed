#include <QLineEdit>
#include <QSignalSpy>
#include <cmath>

#include "core/graph/editing/graph_editor.h"
#include "core/memory/device_memory.h"
#include "tests/ui/memory/document_before_memory.h"
#include "tests/ui/ui_test_support.h"
#include "ui/memory/memory_panel.h"
#include "ui/memory/policy_box.h"
#include "ui/memory/policy_chart.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/limit_field.h"

namespace overlap::ui {

/// The limit of the peak in the dock Memory.
class MemoryLimitTest : public QObject {
    Q_OBJECT

  private slots:
    void aLimitOfThePeakCanBeTyped() {
        const auto document = documentBefore();
        QVERIFY(waitForEvaluation(*document));
        MemoryPanel panel(*document);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy() && panel.chart()->points().size() > 6, 30'000);
        const double gib = static_cast<double>(panel.chart()->points()[2].peak_bytes) / (1 << 30) + 0.005;
        panel.limit()->setFocus();
        panel.limit()->selectAll();
        QTest::keyClicks(panel.limit(), QString::number(gib, 'f', 2));
        QTest::keyClick(panel.limit(), Qt::Key_Return);
        QVERIFY2(panel.chart()->headline().startsWith("fastest within "), qPrintable(panel.chart()->headline()));
        const int fastest = panel.chart()->fastestWithin(panel.limit()->value() * (1 << 30));
        QVERIFY(fastest >= 0);
        QVERIFY2(panel.chart()->headline().contains(panel.chart()->points()[static_cast<std::size_t>(fastest)].title),
                 qPrintable(panel.chart()->headline()));
        QSignalSpy changed(&panel, &MemoryPanel::limitChanged), refused(&panel, &MemoryPanel::refused);
        panel.limit()->selectAll();
        QTest::keyClicks(panel.limit(), QStringLiteral("baseline + 6 GiB"));
        QTest::keyClick(panel.limit(), Qt::Key_Return);
        const std::int64_t expected = document->baseline().corrected_memory.peak_bytes + (6ll << 30);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed[0][0].toLongLong(), expected);
        QVERIFY(refused.isEmpty());
        // Typed in the timeline, it stands here as it does there.
        panel.takeLimit(QStringLiteral("baseline+10%"));
        QCOMPARE(panel.limit()->typed(), "baseline+10%");
        QVERIFY2(panel.limit()->text().contains("baseline+10%"), qPrintable(panel.limit()->text()));
        QCOMPARE(changed.count(), 2);
        panel.takeLimit({});
        QCOMPARE(changed.count(), 3);
        QCOMPARE(changed[2][0].toLongLong(), 0);
        changed.takeLast();
        changed.takeLast();
        panel.limit()->selectAll();
        QTest::keyClicks(panel.limit(), QStringLiteral("a lot"));
        QTest::keyClick(panel.limit(), Qt::Key_Return);
        QCOMPARE(changed.count(), 1);
        QVERIFY(!refused.isEmpty());
    }

    /// The timeline draws it of the baseline, too, whose policy nothing can change.
    void theBaselineHasALimitAndNothingElseToEdit() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        QVERIFY(panel.policy()->isEnabled() && panel.limit()->isEnabled());
        document->setCurrentIndex(0);
        QVERIFY(!panel.policy()->isEnabled());
        QVERIFY(panel.limit()->isEnabled());
        Document none;
        MemoryPanel empty(none);
        QVERIFY(!empty.policy()->isEnabled() && !empty.limit()->isEnabled());
    }

    void theLimitIsOfOneGraph() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        panel.limit()->setValue(31.2);
        QCOMPARE(panel.limit()->text(), QStringLiteral("≤ 31.2 GiB"));
        const LoadedGraph first = document->loaded();
        document->setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.graph.json.gz")));
        QCOMPARE(panel.limit()->value(), 0.0);
        document->setGraph(first);
        QCOMPARE(panel.limit()->value(), 31.2);
        panel.limit()->restore(QStringLiteral("512 MiB"), 0.5);
        document->setGraph(loadGraph(smallGraphFile()));
        document->setGraph(first);
        QCOMPARE(panel.limit()->text(), QStringLiteral("≤ 512 MiB"));
    }

    /// Where nothing says what the device holds, an empty field is no limit.
    void anEmptyFieldSaysWhatItMeans() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        const auto* line = panel.limit()->findChild<QLineEdit*>();
        QCOMPARE(device_memory_bytes(*document->graph()), 0);
        QCOMPARE(line->placeholderText(), QStringLiteral("no limit"));
        QVERIFY2(
            panel.limit()->toolTip().contains("empty is no limit") && !panel.limit()->toolTip().contains("device -"),
            qPrintable(panel.limit()->toolTip()));
        LoadedGraph on_device = document->loaded();
        GraphHeader header = on_device.graph->header();
        header.cost->memory_bytes = 80ll << 30;
        GraphEditor editor(on_device.graph);
        editor.set_header(std::move(header));
        std::vector<NodeId> origin;
        on_device.graph = editor.finish(origin);
        document->setCostModel(on_device);
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(line->placeholderText(), QStringLiteral("≤ device"));
        QVERIFY(panel.limit()->toolTip().contains("empty is what the device holds"));
    }

    /// Also while it is typed, and what it comes to at once, with the focus still there.
    void aSumHasRoomWhileItIsTyped() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        panel.resize(900, 300);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const auto* line = panel.limit()->findChild<QLineEdit*>();
        const auto fits = [&] {
            const int margins = 2 * 2;  // of the line, beside its text
            return line->width() >= line->fontMetrics().horizontalAdvance(line->text()) + margins;
        };
        panel.limit()->setFocus();
        panel.limit()->selectAll();
        QTest::keyClicks(panel.limit(), QStringLiteral("baseline + 6 GiB - 800 MiB"));
        QTRY_VERIFY2(fits(), qPrintable(line->text()));
        QTest::keyClick(panel.limit(), Qt::Key_Return);
        QCOMPARE(line->text(), QStringLiteral("≤ baseline + 6 GiB - 800 MiB"));
        QTRY_VERIFY2(fits(), qPrintable(line->text()));
    }

    void aTypedLimitHasRoom() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        panel.show();
        const auto* line = panel.limit()->findChild<QLineEdit*>();
        for (const double gib : {120.5, 0.0}) {
            panel.limit()->setValue(gib);
            QCoreApplication::sendPostedEvents();
            panel.resize(panel.minimumSizeHint().width(), 300);
            const QString shown = gib > 0 ? panel.limit()->text() : line->placeholderText();
            QVERIFY(!shown.isEmpty());
            QTRY_VERIFY(line->width() >= line->fontMetrics().horizontalAdvance(shown));
        }
    }

    /// A peak of 31.204 GiB is shown as 31.2 GiB, and is within the limit that says so.
    void aPolicyIsWithinTheFigureThatIsShownOfIt() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);  // is not shown, and looks for no policies of its own
        for (const double gib : {1.2344, 31.204, 120.34, 310.0}) {
            PolicyPoint point;
            point.choice.title = "policy " + std::to_string(std::lround(gib));
            point.step_ms = 1000 - gib;
            point.peak_bytes = std::llround(gib * (1 << 30));
            panel.chart()->addPolicy(point);
            const QString shown = formatBytes(static_cast<double>(point.peak_bytes));
            QVERIFY(shown.endsWith("GiB"));
            panel.limit()->setValue(shown.chopped(4).toDouble());
            const QString said = "fastest within " + shown + ": " + QString::fromStdString(point.choice.title);
            QVERIFY2(panel.chart()->headline().startsWith(said), qPrintable(panel.chart()->headline()));
        }
        panel.limit()->setValue(31.19);
        QVERIFY2(panel.chart()->headline().contains("policy 1"), qPrintable(panel.chart()->headline()));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MemoryLimitTest)
#include "memory_limit_test.moc"
