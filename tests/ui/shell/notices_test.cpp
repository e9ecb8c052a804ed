#include "ui/shell/notices/notices.h"

#include <QLabel>
#include <QStatusBar>
#include <QStatusTipEvent>
#include <QToolButton>
#include <QtTest>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/measure/measurements.h"
#include "ui/measure/trace_times.h"
#include "ui/panels/log.h"
#include "ui/shell/notices/notice_source.h"
#include "ui/shell/notices/status_line.h"

namespace overlap::ui {

/// Where each kind of message is shown.
class NoticesTest : public QObject {
    Q_OBJECT

    struct Fixture {
        Document document;
        Measurements measurements;
        TraceTimes times{document};
        QStatusBar status_bar;
        StatusLine status{status_bar, document, measurements, times};
        NoticeBar bar;
        Log log;
        NoticeSource source;
        Notices notices{log, bar, status};

        Fixture() { notices.listenTo(source); }

        bool statusBarShows(const QString& sentence) const {
            const auto labels = status_bar.findChildren<QLabel*>();
            return std::ranges::any_of(labels, [&](const QLabel* label) { return label->text() == sentence; });
        }
        QModelIndex line(int row) const { return log.index(row, 0); }
        bool isFailure(int row) const { return line(row).data(Log::level_role).toInt() == int(Log::Level::failure); }
    };

  private slots:
    void whatIsToldIsInTheStatusBarAndTheLog() {
        Fixture fixture;
        emit fixture.source.told("Saved a.plan.json", "/home/a.plan.json");
        QVERIFY(fixture.statusBarShows("Saved a.plan.json"));
        QCOMPARE(fixture.log.rowCount(), 1);
        QVERIFY(fixture.line(0).data().toString().endsWith("Saved a.plan.json (/home/a.plan.json)"));
        QVERIFY(!fixture.isFailure(0));
        QVERIFY(fixture.bar.text().isEmpty());
        // What is taken back is no line of the log.
        emit fixture.source.told({});
        QVERIFY(!fixture.statusBarShows("Saved a.plan.json"));
        QCOMPARE(fixture.log.rowCount(), 1);
    }

    void sentencesInLinesAreInOneLineOfTheStatusBar() {
        Fixture fixture;
        emit fixture.source.told("Nobody knows layers.99\nlayers.1 is in a bucket already");
        QVERIFY(fixture.statusBarShows("Nobody knows layers.99; layers.1 is in a bucket already"));
    }

    void aSentenceIsWholeInANarrowWindow() {
        Fixture fixture;
        const QString sentence =
            QStringLiteral("layers.3 into layers.2: step 2,162 ms (−4.3 ms), exposed −4.1 ms, peak ±0 GiB");
        fixture.status_bar.show();
        for (const int width : {1600, 800}) {
            fixture.status_bar.resize(width, 24);
            emit fixture.source.told(sentence, {});
            const auto labels = fixture.status_bar.findChildren<QLabel*>();
            const auto shown =
                std::ranges::find_if(labels, [&](const QLabel* label) { return label->text() == sentence; });
            QVERIFY(shown != labels.end());
            QTRY_VERIFY((*shown)->width() >= (*shown)->fontMetrics().horizontalAdvance(sentence));
        }
    }

    void aShortSentenceLeavesTheRestToTheGraph() {
        Fixture fixture;
        fixture.status_bar.setStyleSheet("QLabel { font-size: 30px; padding-left: 40px; }");
        fixture.status_bar.resize(1400, 48);
        fixture.status_bar.show();
        const auto labels = fixture.status_bar.findChildren<QLabel*>();
        const auto labelOf = [&](const QString& text) {
            const auto shown = std::ranges::find(labels, text, &QLabel::text);
            return shown == labels.end() ? nullptr : *shown;
        };
        QLabel* graph = labels.front();  // what is always there
        graph->setText("llama3_8b_fsdp64 · 7999 nodes");
        emit fixture.source.told("Saved", {});
        const QLabel* message = labelOf("Saved");
        QVERIFY(message);
        QTRY_VERIFY(message->isVisible() &&
                    message->contentsRect().width() >= message->fontMetrics().horizontalAdvance("Saved"));
        QTRY_VERIFY2(graph->width() > 1000, qPrintable(QString::number(graph->width())));
    }

    /// Also where a message comes, is over, or the window changes while the pointer is at a control.
    void nothingIsDrawnOverATip() {
        Fixture fixture;
        fixture.status_bar.resize(800, 24);
        fixture.status_bar.show();
        const auto shown = [&] {
            QStringList texts;
            const auto labels = fixture.status_bar.findChildren<QLabel*>();
            for (const QLabel* label : labels) {
                if (!label->isVisible() || label->text().isEmpty()) continue;
                texts.append(label->text());
                for (const QLabel* other : labels)
                    if (other != label && other->isVisible() && other->geometry().intersects(label->geometry()))
                        texts.append(label->text() + " over " + other->text());
            }
            // Qt's own message would be drawn below all of them.
            if (const QString drawn = fixture.status_bar.currentMessage(); !drawn.isEmpty()) texts.append(drawn);
            return texts;
        };
        const auto point = [&](const QString& tip) {
            QStatusTipEvent event(tip);
            QCoreApplication::sendEvent(&fixture.status_bar, &event);
        };
        const QString open = "No graph is open", tip = "Check the plan with 4 ranks", message = "The check has passed";
        fixture.status.update();
        QTRY_COMPARE(shown(), QStringList(open));
        point(tip);
        QTRY_COMPARE(shown(), QStringList(tip));
        fixture.status.update();
        fixture.status_bar.resize(900, 24);
        QTRY_COMPARE(shown(), QStringList(tip));
        emit fixture.source.told(message, {});
        QTRY_COMPARE(shown(), QStringList({open, message}));
        point(tip);
        fixture.status_bar.resize(800, 24);
        QTRY_COMPARE(shown(), QStringList(tip));
        point({});
        QTRY_COMPARE(shown(), QStringList({open, message}));
    }

    void whatIsWarnedOfIsInTheNoticeBarAndTheLog() {
        Fixture fixture;
        bool is_replaced = false;
        emit fixture.source.warned("It exists", {{"Replace", [&] { is_replaced = true; }}});
        QCOMPARE(fixture.bar.text(), "It exists");
        QVERIFY(fixture.isFailure(0));
        QVERIFY(!fixture.statusBarShows("It exists"));
        fixture.bar.button("Replace")->click();
        QVERIFY(is_replaced);
    }

    void aFurtherWarningHidesNone() {
        Fixture fixture;
        emit fixture.source.warned("The first", {{"Replace", [] {}}});
        emit fixture.source.warnedAlso("the second");
        QVERIFY(fixture.bar.text().contains("The first") && fixture.bar.text().contains("the second"));
        QVERIFY(fixture.bar.button("Replace"));
        QCOMPARE(fixture.log.rowCount(), 2);
    }

    void noticesAndLinesOfTheLogAreInOnePlaceAlone() {
        Fixture fixture;
        emit fixture.source.noticed("Exported");
        QCOMPARE(fixture.bar.text(), "Exported");
        QCOMPARE(fixture.log.rowCount(), 0);
        emit fixture.source.logged("a note");
        QCOMPARE(fixture.log.rowCount(), 1);
        QCOMPARE(fixture.bar.text(), "Exported");
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::NoticesTest)
#include "notices_test.moc"
