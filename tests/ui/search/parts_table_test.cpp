#include "ui/search/parts_table.h"

#include <QHeaderView>
#include <QJsonDocument>
#include <QtTest>

#include "ui/search/found_plans_json.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// What the table of parts says of each.
class PartsTableTest : public QObject {
    Q_OBJECT

  private slots:
    void hasStepAndPeakOfEachPart() {
        PartsTable table;
        table.showWorth("knee", parts());
        QCOMPARE(table.parts()->horizontalHeaderItem(1)->text(), "Step without");
        QCOMPARE(table.parts()->horizontalHeaderItem(2)->text(), "Peak without");
        QCOMPARE(row(table, 0),
                 QStringList({"memory section, policy full, with its passes", formatDifference(-3.5, Unit::Time),
                              formatDifference(24.0 * (1LL << 30), Unit::Bytes)}));
        QCOMPARE(row(table, 1), QStringList({"bucket layers.0", QStringLiteral("+") + formatTime(12.25),
                                             formatDifference(-(1 << 20), Unit::Bytes)}));
    }

    /// Not `+0.000001 ns`, which is what sums in another order leave.
    void aPartThatIsWorthNothingSaysSo() {
        PartsTable table;
        table.showWorth("knee",
                        {{"pass a", 1.25, 0}, {"pass b", 4.5e-13, 0}, {"pass c", 0, 0}, {"pass d", -4.5e-13, 0}});
        const QString nothing = QChar(0x00b1) + formatTime(0);
        for (int index = 1; index < 4; ++index) QCOMPARE(row(table, index)[1], nothing);
    }

    void partsThatAreWorthNearlyTheSameHaveNoFurtherDigits() {
        PartsTable table;
        table.showWorth("knee", {{"bucket a", 42.433914, 0}, {"bucket b", 42.433911, 0}, {"bucket c", 42.67, 0}});
        for (int index = 0; index < 2; ++index) QCOMPARE(row(table, index)[1], QStringLiteral("+") + formatTime(42.43));
    }

    void saysWhatAPlanCannotDoWithout() {
        PartsTable table;
        table.showWorth("knee", parts());
        QCOMPARE(row(table, 2), QStringList({"pass b", "not usable", QString()}));
        QVERIFY2(table.parts()->item(2, 1)->toolTip().contains("it moves mm_3"),
                 qPrintable(table.parts()->item(2, 1)->toolTip()));
    }

    /// Also as a session brings it back.
    void isKept() {
        FoundPlans found;
        found.choices.resize(1);
        found.choices[0].parts = parts();
        const std::optional<KeptFoundPlans> kept = foundPlansFromJson(toJson(found, 0));
        QVERIFY(kept && kept->found.choices[0].parts);
        PartsTable table, other;
        table.showWorth("knee", parts());
        other.showWorth("knee", *kept->found.choices[0].parts);
        for (int index = 0; index < 3; ++index) QCOMPARE(row(other, index), row(table, index));
    }

    /// It lacked parts that its effort had not reached: else nobody would see that they are missing.
    void whatAnOlderVersionKeptIsWeighedAgain() {
        FoundPlans found;
        found.choices.resize(1);
        found.choices[0].parts = parts();
        QJsonObject json = toJson(found, 0);
        const QByteArray packed = QByteArray::fromBase64(json["packed"].toString().toLatin1());
        QByteArray content = qUncompress(packed);
        QVERIFY(content.contains("\"all_parts\""));
        content.replace("\"all_parts\"", "\"parts\"");
        json["packed"] = QString::fromLatin1(qCompress(content).toBase64());
        const std::optional<KeptFoundPlans> kept = foundPlansFromJson(json);
        QVERIFY(kept);
        QVERIFY(!kept->found.choices[0].parts);
    }

  private:
    static std::vector<PlanElement> parts() {
        return {{"memory section, policy full, with its passes", -3.5, 24LL << 30},
                {"bucket layers.0", 12.25, -(1 << 20)},
                {"pass b", 0, 0, "it moves mm_3"}};
    }

    static QStringList row(PartsTable& table, int index) {
        QStringList texts;
        for (int column = 0; column < table.parts()->columnCount(); ++column)
            texts.append(table.parts()->item(index, column)->text());
        return texts;
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PartsTableTest)
#include "parts_table_test.moc"
