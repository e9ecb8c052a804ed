#include "ui/frame/plan_tab_title.h"

#include <QFontMetricsF>
#include <QtTest>

namespace overlap::ui {

/// No two tabs with different titles look alike.
class PlanTabTitleTest : public QObject {
    Q_OBJECT

    static QStringList drawn(const QStringList& titles, const QString& widest) {
        const QFontMetricsF metrics{QFont()};
        QStringList drawn;
        for (qsizetype index = 0; index < titles.size(); ++index) {
            QStringList others = titles;
            others.removeAt(index);
            drawn.append(drawnTabTitle(titles[index], others, metrics, metrics.horizontalAdvance(widest)));
        }
        return drawn;
    }

  private slots:
    void whatFitsIsWhole() {
        QCOMPARE(drawn({"Plan A", "Found 1589 ms at 21.3 GiB"}, "Found 1589 ms at 21.3 GiB"),
                 QStringList({"Plan A", "Found 1589 ms at 21.3 GiB"}));
    }

    void figuresTellMoreThanTheWordBeforeThem() {
        QCOMPARE(drawn({"Found 1589 ms at 21.3 GiB", "Edited 1592 ms at 20.1 GiB"}, "1589 ms at 21.3 GiB"),
                 QStringList({"1589 ms at 21.3 GiB", "1592 ms at 20.1 GiB"}));
    }

    /// But for where they are the same.
    void wordsAreSeenWhereFiguresAreTheSame() {
        const QStringList both = drawn({"Found 1589 ms at 21.3 GiB", "Edited 1589 ms at 22.3 GiB"}, "Edited 1589 ");
        QVERIFY2(both[0].startsWith("Found 15") && both[1].startsWith("Edited 1"), qPrintable(both.join('|')));
        const QStringList peaks = drawn({"Edited 1589 ms at 21.3 GiB", "Edited 1589 ms at 22.3 GiB"}, "Edited 1589 ");
        QCOMPARE(peaks, QStringList({"at 21.3 GiB", "at 22.3 GiB"}));
        const QStringList three = drawn(
            {"Found 1589 ms at 21.3 GiB", "Edited 1589 ms at 21.3 GiB", "Found 1589 ms at 22.3 GiB"}, "Edited 1589 ");
        QCOMPARE(QSet<QString>(three.begin(), three.end()).size(), 3);
    }

    /// In the middle it would be cut out of both what it is of and the words behind that.
    void ofAnotherGraphTheBeginningIsSeen() {
        const QString other = titleOfOtherGraph("Measured");
        QCOMPARE(other, "Measured (other graph)");
        const QString drawn_alone = drawn({other, "Plan A"}, "Measured (ot").front();
        QVERIFY2(drawn_alone.startsWith("Measured"), qPrintable(drawn_alone));
        // But for where a measurement of this graph looks the same.
        const QString drawn_beside = drawn({other, "Measured"}, "Measured…").front();
        QVERIFY2(drawn_beside.startsWith("(other"), qPrintable(drawn_beside));
    }

    void otherTitlesAreElidedWhereTheyAreAlike() {
        const auto distinct = [](const QStringList& texts) { return QSet<QString>(texts.begin(), texts.end()).size(); };
        QCOMPARE(drawn({"per-block bucketing", "Plan A"}, "per-block b"), QStringList({"per-…ting", "Plan A"}));
        const QStringList ends = drawn(
            {"llama3 with one bucket a block", "llama3 with six bucket a block", "llama3 with one bucket a layer"},
            "llama3 with");
        QVERIFY2(distinct(ends) == 3, qPrintable(ends.join('|')));
        // Neither end differs.
        const QStringList middles =
            drawn({"per-block bucketing (1) with some of the links", "per-block bucketing (2) with some of the links"},
                  "per-block bu");
        QVERIFY2(middles[0].startsWith("…(1) ") && middles[1].startsWith("…(2) "), qPrintable(middles.join('|')));
        // Plans with one name stay what they are.
        QCOMPARE(drawn({"per-block bucketing", "per-block bucketing"}, "per-block"),
                 QStringList(2, drawn({"per-block bucketing", "Plan A"}, "per-block").front()));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PlanTabTitleTest)
#include "plan_tab_title_test.moc"
