#include "ui/widgets/charts/axis_ticks.h"

#include <QtTest>

#include "ui/theme/numbers.h"

namespace overlap::ui {

class AxisTicksTest : public QObject {
    Q_OBJECT

    static QStringList labels(const std::vector<AxisTick>& ticks) {
        QStringList texts;
        for (const AxisTick& tick : ticks) texts.append(QString(tick.label).replace(thinSpace, u' '));
        return texts;
    }

  private slots:
    void valuesOfAxesAreRoundAndOfOneUnit() {
        QCOMPARE(labels(axisTicks(1480, 2050, Unit::Time, 4)), QStringList({"1600 ms", "1800 ms", "2000 ms"}));
        QCOMPARE(labels(axisTicks(0.0201, 0.0209, Unit::Time, 3)), QStringList({"20.5 µs"}));
        QCOMPARE(labels(axisTicks(0, 0.05, Unit::Time, 3)), QStringList({"0 ms", "20 µs", "40 µs"}));
        QCOMPARE(labels(axisTicks(9'500, 31'000, Unit::Time, 3)), QStringList({"10 s", "20 s", "30 s"}));
        constexpr double gib = 1 << 30;
        QCOMPARE(labels(axisTicks(0.9 * gib, 2.6 * gib, Unit::Bytes, 4)),
                 QStringList({"1.0 GiB", "1.5 GiB", "2.0 GiB", "2.5 GiB"}));
        QCOMPARE(labels(axisTicks(300 * 1048576.0, 900 * 1048576.0, Unit::Bytes, 3)),
                 QStringList({"400 MiB", "600 MiB", "800 MiB"}));
        QVERIFY(axisTicks(5, 5, Unit::Time, 4).empty());
        // Never more than there is room for, and at least two where there is room for three.
        for (double lowest = 1; lowest < 5000; lowest *= 1.37) {
            for (const double length : {0.01, 0.3, 1.9}) {
                const auto ticks = axisTicks(lowest, lowest * (1 + length), Unit::Time, 5);
                QVERIFY(ticks.size() >= 2 && ticks.size() <= 5);
                for (const AxisTick& tick : ticks)
                    QVERIFY(tick.value >= lowest * (1 - 1e-9) && tick.value <= lowest * (1 + length) * (1 + 1e-9));
            }
        }
    }
};

}  // namespace overlap::ui

QTEST_APPLESS_MAIN(overlap::ui::AxisTicksTest)
#include "axis_ticks_test.moc"
