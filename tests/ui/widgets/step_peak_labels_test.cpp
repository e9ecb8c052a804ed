#include <QtTest>
#include <algorithm>

#include "ui/widgets/charts/name_places.h"
#include "ui/widgets/charts/step_peak_chart.h"

namespace overlap::ui {

/// Labels of a chart in little room.
class StepPeakLabelsTest : public QObject {
    Q_OBJECT

  private slots:
    /// One label makes no scale.
    void bothAxesHaveAtLeastTwoLabels() {
        for (const QSize size : {QSize(320, 100), QSize(280, 88), QSize(420, 130), QSize(200, 200)})
            for (const double longest_ms : {1550.0, 1590.0, 1640.0, 1905.0, 2010.0, 2600.0}) {
                StepPeakChart chart({});
                chart.add({0, {}, 1510, std::int64_t{24} << 30, 0});
                chart.add({1, {}, longest_ms, std::int64_t{31} << 30, 0});
                chart.resize(size);
                chart.show();
                int steps = 0, peaks = 0;
                std::vector<QRectF> places = chart.textPlaces();
                places.erase(places.begin());  // the line above
                for (const QRectF& place : places) ++(place.top() > size.height() - 24 ? peaks : steps);
                QVERIFY2(steps >= 2 && peaks >= 2, qPrintable(QStringLiteral("%1x%2, %3: %4 and %5")
                                                                  .arg(size.width())
                                                                  .arg(size.height())
                                                                  .arg(longest_ms)
                                                                  .arg(steps)
                                                                  .arg(peaks)));
            }
    }

    /// As wide as the panel of a window of 1280 pixels, with points in a crowd, where only far away a name has room.
    void noLineToANameIsLong() {
        int led = 0, numbered = 0;
        for (const bool all : {true, false}) {
            StepPeakChart chart({});
            chart.setAllNamed(all);
            for (int point = 0; point < 16; ++point)
                chart.add({point, QStringLiteral("Found %1 ms, with gathers kept").arg(1500 + point),
                           1500.0 + point % 4, (std::int64_t{40} << 30) + (std::int64_t{point / 4} << 27)});
            chart.add({16, "none", 2000, std::int64_t{90} << 30});
            chart.resize(1200, 170);
            chart.show();
            for (const StepPeakChart::Name& name : chart.names()) {
                numbered += name.text.front().isDigit();
                if (!name.place.leader) continue;
                ++led;
                QVERIFY2(name.place.leader->length() <= (all ? 91 : 49), qPrintable(name.text));
            }
        }
        QVERIFY(led > 0 && numbered > 0);
    }

    /// The current plan is one of those that it is compared with.
    void whatLiesAtOnePlaceAndIsCalledTheSameHasOneName() {
        StepPeakChart chart({});
        chart.add({0, "found", 1500, std::int64_t{40} << 30});
        chart.add({1, "torchtitan default", 2000, std::int64_t{50} << 30, 1, true});
        chart.setCurrent(StepPeakChart::Point{-1, "torchtitan default", 2000, std::int64_t{50} << 30});
        chart.resize(800, 300);
        chart.show();
        const auto times = [&](const std::vector<StepPeakChart::Name>& names) {
            return std::ranges::count(names, QStringLiteral("torchtitan default"), &StepPeakChart::Name::text);
        };
        QCOMPARE(times(chart.names()), 1);
        QTest::mouseMove(&chart, chart.place(chart.points()[1]).toPoint());
        QCOMPARE(times(chart.drawnNames()), 1);
        // With another name, or at another place, it is told for itself.
        chart.setCurrent(StepPeakChart::Point{-1, "Plan A", 2000, std::int64_t{50} << 30});
        QVERIFY(std::ranges::count(chart.names(), QStringLiteral("Plan A"), &StepPeakChart::Name::text) == 1);
        QCOMPARE(times(chart.names()), 1);
        chart.setCurrent(StepPeakChart::Point{-1, "torchtitan default", 1800, std::int64_t{50} << 30});
        QCOMPARE(times(chart.names()), 2);
        // The dot below is marked, and its name stands there already.
        chart.setCurrent(std::nullopt);
        chart.add({2, "torchtitan default", 2000, (std::int64_t{50} << 30) + 1024});
        QCOMPARE(times(chart.names()), 1);
        for (const int id : {1, 2}) {
            chart.setChosen(id);
            QCOMPARE(times(chart.drawnNames()), 1);
        }
    }

    /// Struck through, it would be read as the line's.
    void aNameAwayFromItsPointKeepsOffLines() {
        const QPointF point(200, 150);
        const QSizeF size(60, 14);
        const auto take = [&](const std::vector<QLineF>& lines) {
            NamePlaces free({0, 0, 400, 300}, {QRectF(196, 146, 8, 8)});
            for (const QPointF beside : {QPointF(230, 147), QPointF(164, 147), QPointF(197, 132), QPointF(197, 162)})
                free.cover({beside, QSizeF(6, 6)});
            for (const QLineF& line : lines) free.keepOff(line);
            return free.take(point, size, 8, {90});
        };
        const auto usual = take({});
        QVERIFY(usual && usual->leader);
        const double y = usual->text.center().y();
        const auto off = take({QLineF(0, y, 400, y)});
        QVERIFY(off && off->leader && (off->text.top() > y || off->text.bottom() < y));
        // Where lines are everywhere it stands on one all the same.
        std::vector<QLineF> many;
        for (double at = 0; at < 300; at += 5) many.emplace_back(0, at, 400, at);
        QVERIFY(take(many));
    }

    /// Rather than none at all.
    void aNameThatHasNoRoomStandsWithoutItsMiddle() {
        StepPeakChart chart({});
        const QString title = QStringLiteral("Found 930 ms at 23.5 GiB with gathers in a group of their own");
        chart.add({0, title, 1500, std::int64_t{40} << 30});
        chart.add({1, "knee", 1700, std::int64_t{30} << 30, 2});
        chart.show();
        chart.resize(1400, 300);
        const auto name = [&] {
            const auto found = std::ranges::find(chart.names(), 1, &StepPeakChart::Name::point);
            return found == chart.names().end() ? QString() : found->text;
        };
        QCOMPARE(name(), title);
        chart.resize(330, 130);
        QVERIFY2(name().startsWith("Foun") && name().contains(QChar(0x2026)) && name().endsWith("n"),
                 qPrintable(name()));
        QTest::mouseMove(&chart, chart.place(chart.points()[1]).toPoint());
        QTRY_VERIFY2(!chart.markedNames().empty() && chart.markedNames().front().text == title, "all of it");
        const std::vector<StepPeakChart::Name> drawn = chart.drawnNames();
        QCOMPARE(std::ranges::count(drawn, 1, &StepPeakChart::Name::point), 1);
        QCOMPARE(std::ranges::find(drawn, 1, &StepPeakChart::Name::point)->text, title);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::StepPeakLabelsTest)
#include "step_peak_labels_test.moc"
