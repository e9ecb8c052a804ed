#include "ui/widgets/charts/step_peak_chart.h"

#include <QHelpEvent>
#include <QToolTip>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

class StepPeakChartTest : public QObject {
    Q_OBJECT

    /// Nine policies, several of them nearly the same, as in the panel Memory.
    static std::vector<StepPeakChart::Point> policies() {
        constexpr std::int64_t gib = std::int64_t{1} << 30;
        return {{0, "default", 1674.1, 41 * gib},
                {1, "default, gathers kept in the last quarter", 1671.2, 42 * gib},
                {2, "default, gathers kept", 1660.0, 55 * gib},
                {3, "default, largest offloaded", 1674.2, 41 * gib},
                {4, "eager", 1674.1, 41 * gib},
                {5, "full", 2034.0, 17 * gib},
                {6, "full, gathers kept in the last quarter", 2030.1, 18 * gib},
                {7, "full, gathers kept", 2020.0, 31 * gib},
                {8, "none", 1500.0, 89 * gib}};
    }

    /// Or stands so close to another one in its line that both are read as one.
    static bool coversOther(const std::vector<StepPeakChart::Name>& names, std::size_t index) {
        constexpr double gap = 5;
        for (std::size_t other = 0; other < names.size(); ++other) {
            if (other == index) continue;
            if (names[other].place.text.adjusted(-gap, 0, gap, 0).intersects(names[index].place.text)) return true;
        }
        return false;
    }

    static double distance(const QRectF& text, QPointF point) {
        return std::hypot(point.x() - std::clamp(point.x(), text.left(), text.right()),
                          point.y() - std::clamp(point.y(), text.top(), text.bottom()));
    }

    /// Beside it, or at the other end of a line that is not long.
    static bool isNearItsPoint(const StepPeakChart& chart, const StepPeakChart::Name& name) {
        const auto& point = name.point < 0 ? *chart.current() : chart.points().at(static_cast<std::size_t>(name.point));
        return distance(name.place.text, chart.place(point)) < (name.place.leader ? 91 : 11);
    }

    static void whatHasNoNameHasItUnderThePointer(StepPeakChart& chart) {
        for (const StepPeakChart::Point& point : chart.points()) {
            QTest::mouseMove(&chart, chart.place(point).toPoint());
            // Of points in one place one is told.
            const auto told = [&] {
                return std::ranges::find(chart.points(), chart.headline(),
                                         [&](const StepPeakChart::Point& each) { return chart.text(each); });
            };
            QTRY_VERIFY(told() != chart.points().end());
            QVERIFY(QLineF(chart.place(*told()), chart.place(point)).length() < 10);
            std::vector<StepPeakChart::Name> all = chart.names();
            const std::vector<StepPeakChart::Name> marked = chart.markedNames();
            all.insert(all.end(), marked.begin(), marked.end());
            QVERIFY2(std::ranges::count(all, told()->title, &StepPeakChart::Name::text) == 1,
                     qPrintable(told()->title));
        }
    }

  private slots:
    void everyPointHasANameThatCoversNoOther() {
        StepPeakChart chart({});
        chart.setAllNamed(true);
        for (const StepPeakChart::Point& point : policies()) chart.add(point);
        chart.setCurrent(StepPeakChart::Point{-1, "Plan A", 1674.1, std::int64_t{41} << 30});
        struct Room {
            QSize size;
            std::size_t fewest_names;
        };
        for (const auto& [size, fewest_names] : {Room{{160, 88}, 0}, Room{{240, 120}, 4}, Room{{300, 140}, 7},
                                                 Room{{400, 220}, 10}, Room{{900, 400}, 10}}) {
            chart.resize(size);
            chart.show();
            const auto& names = chart.names();
            QVERIFY2(names.size() >= fewest_names, qPrintable(QString::number(names.size())));
            for (std::size_t index = 0; index < names.size(); ++index) {
                QVERIFY(QRectF(chart.rect()).contains(names[index].place.text));
                QVERIFY2(!coversOther(names, index), qPrintable(names[index].text));
                for (const StepPeakChart::Point& point : chart.points())
                    QVERIFY(!names[index].place.text.contains(chart.place(point)));
            }
            // In full, or by a number that the legend below the axis tells; where that has no room, not at all.
            for (int point = -1; point < 9; ++point) {
                const QString title =
                    point < 0 ? QString("Plan A") : chart.points()[static_cast<std::size_t>(point)].title;
                const auto name = std::ranges::find(names, point, &StepPeakChart::Name::point);
                const QString legend = QString(chart.legend()).replace(QChar::Nbsp, u' ');
                if (name != names.end() && name->text != title) {
                    QVERIFY2(legend.contains(name->text + u' ' + title), qPrintable(legend));
                }
            }
            // What the legend explains stands in the chart.
            const auto numbers = std::ranges::count_if(
                names, [](const StepPeakChart::Name& name) { return name.text.front().isDigit(); });
            const QString legend = chart.legend();
            QCOMPARE(legend.isEmpty() ? 0 : legend.count(QStringLiteral(" · ")) + 1, numbers);
            whatHasNoNameHasItUnderThePointer(chart);
            if (size.width() == 900) QVERIFY2(chart.legend().isEmpty(), qPrintable(chart.legend()));
            const double below = std::ranges::max(chart.textPlaces(), {}, &QRectF::bottom).bottom();
            QVERIFY(chart.legend().isEmpty() || below > chart.height() - 4);
            QVERIFY(std::ranges::all_of(names, [&](const auto& name) { return isNearItsPoint(chart, name); }));
            // Nor is a name that a line leads to nearer to another point than to be read as that one's.
            for (const StepPeakChart::Name& name : names)
                for (const StepPeakChart::Point& other : chart.points())
                    if (name.place.leader && QLineF(chart.place(other), name.place.leader->p1()).length() > 3)
                        QVERIFY2(distance(name.place.text, chart.place(other)) > 8, qPrintable(name.text));
            QVERIFY(!chart.grab().isNull());
        }
    }

    /// Two points so near that a name could be read as that of the other.
    void aNameIsNearerToItsOwnPointThanToOthers() {
        constexpr std::int64_t gib = std::int64_t{1} << 30;
        int beside = 0;
        for (int right = -24; right <= 24; right += 4) {
            for (int up = -24; up <= 24; up += 4) {
                StepPeakChart chart({});
                chart.setAllNamed(true);
                chart.add({0, "least", 2000, 10 * gib});
                chart.add({1, "most", 1000, 50 * gib});
                chart.add({2, "one", 1500, 30 * gib});
                chart.add({3, "another", 1500 + up * 4.0, 30 * gib + right * (gib / 12)});
                chart.resize(600, 320);
                chart.show();
                for (const StepPeakChart::Name& name : chart.names()) {
                    const QPointF own = chart.place(chart.points()[static_cast<std::size_t>(name.point)]);
                    for (const StepPeakChart::Point& other : chart.points()) {
                        const QPointF at = chart.place(other);
                        if (QLineF(own, at).length() < 3) continue;
                        if (name.place.leader) {
                            QVERIFY2(distance(name.place.text, at) > 8, qPrintable(name.text));
                            continue;
                        }
                        ++beside;
                        QVERIFY2(distance(name.place.text, own) + 3 < distance(name.place.text, at),
                                 qPrintable(QStringLiteral("%1 at %2, %3").arg(name.text).arg(right).arg(up)));
                    }
                }
            }
        }
        QVERIFY(beside > 500);
    }

    /// A tool tip there would cover the next points.
    void figuresOfAPointStandAboveTheAxes() {
        StepPeakChart chart("help");
        chart.setStepsText("steps with links shared");
        for (const StepPeakChart::Point& point : policies()) chart.add(point);
        chart.resize(600, 300);
        chart.show();
        const QString axes = chart.headline();
        QVERIFY2(axes.contains("peak memory") && axes.contains("links shared"), qPrintable(axes));
        const StepPeakChart::Point& least = chart.points().front();
        QTest::mouseMove(&chart, chart.place(least).toPoint());
        QTRY_COMPARE(chart.headline(), chart.text(least));
        QVERIFY2(chart.headline().contains(formatBytes(17.0 * (1 << 30))), qPrintable(chart.headline()));
        for (const QPoint away : {QPoint(), QPoint(80, 40)}) {  // beside it, too
            const QPoint at = chart.place(least).toPoint() + away;
            QHelpEvent help(QEvent::ToolTip, at, chart.mapToGlobal(at));
            QCoreApplication::sendEvent(&chart, &help);
            QVERIFY(!QToolTip::isVisible());
        }
        const QPoint below(300, chart.height() - 4);
        QHelpEvent help(QEvent::ToolTip, below, chart.mapToGlobal(below));
        QCoreApplication::sendEvent(&chart, &help);
        QTRY_COMPARE(QToolTip::text(), QStringLiteral("help"));
        QToolTip::hideText();
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(&chart, &leave);
        QCOMPARE(chart.headline(), axes);
        // By keys, too, and in the narrowest chart without the name, which stands beside the point.
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Right);
        QTRY_COMPARE(chart.headline(), chart.text(least));
    }

    void theFastestThatTheDeviceHoldsHasAStar() {
        constexpr std::int64_t gib = std::int64_t{1} << 30;
        StepPeakChart chart({});
        chart.setAllNamed(true);
        for (const StepPeakChart::Point& point : policies()) chart.add(point);
        chart.resize(900, 400);
        chart.show();
        const auto stars = [&] {
            QStringList names;
            for (const StepPeakChart::Name& name : chart.names())
                if (name.text.startsWith(QString::fromUtf8("★ "))) names.append(name.text.mid(2));
            return names;
        };
        chart.setFastestShown(true);
        QCOMPARE(stars(), QStringList());  // what the device holds is not known
        chart.setDeviceMemory(50 * gib);
        QCOMPARE(stars(), QStringList("default, gathers kept in the last quarter"));
        QVERIFY2(chart.shapesText().contains("fastest within " + formatBytes(50.0 * gib)),
                 qPrintable(chart.shapesText()));
        chart.setDeviceMemory(100 * gib);
        QCOMPARE(stars(), QStringList("none"));
        chart.setDeviceMemory(10 * gib);
        QCOMPARE(stars(), QStringList());
        // And within any peak that the pointer is at.
        const double middle = (chart.place(chart.points()[1]).x() + chart.place(chart.points()[2]).x()) / 2;
        QTest::mouseMove(&chart, QPoint(static_cast<int>(middle), 60));
        QTRY_VERIFY2(chart.headline().contains(": full, gathers kept in the last quarter: "),
                     qPrintable(chart.headline()));
        QVERIFY2(chart.headline().startsWith("fastest within "), qPrintable(chart.headline()));
        QVERIFY(!chart.grab().isNull());
    }

    void aLimitThatIsTypedCountsInsteadOfTheDevice() {
        constexpr std::int64_t gib = std::int64_t{1} << 30;
        StepPeakChart chart({});
        for (const StepPeakChart::Point& point : policies()) chart.add(point);
        chart.resize(900, 400);
        chart.show();
        chart.setFastestShown(true);
        chart.setDeviceMemory(100 * gib);
        const QString axes = chart.headline();
        const QImage before = chart.grab().toImage();
        chart.setLimit(35 * gib);
        QVERIFY2(chart.headline().startsWith("fastest within " + formatBytes(35.0 * gib) + ": full, gathers kept: "),
                 qPrintable(chart.headline()));
        QVERIFY2(chart.shapesText().contains("fastest within " + formatBytes(35.0 * gib)),
                 qPrintable(chart.shapesText()));
        QVERIFY(chart.grab().toImage() != before);
        chart.setLimit(10 * gib);
        QVERIFY2(chart.headline().startsWith("none of these stays within "), qPrintable(chart.headline()));
        chart.setLimit(0);
        QCOMPARE(chart.headline(), axes);
        QVERIFY(chart.shapesText().contains("fastest within " + formatBytes(100.0 * gib)));
    }

    /// Steps of a search differ by what is left of rounding.
    void digitsTellPointsApartAndNoMore() {
        constexpr std::int64_t gib = std::int64_t{1} << 30;
        StepPeakChart chart({});
        chart.add({0, "one", 1586.36102, 40 * gib});
        chart.add({1, "the same", 1586.36097, 41 * gib});
        chart.add({2, "another", 1600, 42 * gib});
        QCOMPARE(chart.text(chart.points()[0]), "one: " + formatTime(1586.4) + ", " + formatBytes(40.0 * gib));
        chart.add({3, "near", 1586.42, 43 * gib});
        QVERIFY2(chart.text(chart.points()[0]).contains("1586.36"), qPrintable(chart.text(chart.points()[0])));
        QVERIFY2(!chart.text(chart.points()[0]).contains("1586.361"), qPrintable(chart.text(chart.points()[0])));
        QVERIFY2(chart.text(chart.points()[3]).contains("1586.42"), qPrintable(chart.text(chart.points()[3])));
    }

    /// As on the front of a search, whose points have their names in the tool tip.
    void aNameThatThePointerShowsCoversNoOther() {
        StepPeakChart chart({});
        std::size_t led = 0;
        for (const StepPeakChart::Point& point : policies()) {
            StepPeakChart::Point quiet = point;
            quiet.name_rank = point.id % 2;
            chart.add(quiet);
        }
        chart.setCurrent(StepPeakChart::Point{-1, "Plan A", 1674.1, std::int64_t{41} << 30});
        chart.resize(900, 400);
        chart.show();
        chart.setChosen(3);
        for (const StepPeakChart::Point& point : chart.points()) {
            QTest::mouseMove(&chart, chart.place(point).toPoint());
            QCoreApplication::processEvents();
            std::vector<StepPeakChart::Name> all = chart.names();
            const std::vector<StepPeakChart::Name> marked = chart.markedNames();
            all.insert(all.end(), marked.begin(), marked.end());
            for (std::size_t index = 0; index < all.size(); ++index) {
                QVERIFY2(!coversOther(all, index), qPrintable(all[index].text));
                led += all[index].place.leader.has_value();
                for (const StepPeakChart::Point& other : chart.points())
                    QVERIFY(!all[index].place.text.contains(chart.place(other)));
            }
            QVERIFY(!chart.grab().isNull());
        }
        QVERIFY(led > 0);
    }

    /// In the panel of a window of 800x500, which a screen has at scale 2, as in a large one.
    void noTextStandsOnAnother() {
        constexpr std::int64_t gib = std::int64_t{1} << 30;
        StepPeakChart chart({});
        chart.setAllNamed(true);  // those without a place have numbers, whose names stand below
        for (const StepPeakChart::Point& point : policies()) chart.add(point);
        chart.setBound({{17 * gib, 1990}, {31 * gib, 1640}, {60 * gib, 1498}});
        chart.setCurrent(StepPeakChart::Point{-1, "Plan A", 1674.1, 41 * gib});
        chart.show();
        for (const std::int64_t device : {std::int64_t{0}, 50 * gib, 80 * gib, 100 * gib}) {
            chart.setDeviceMemory(device);
            for (int width = 160; width <= 1000; width += 35)
                for (int height = 88; height <= 400; height += 24) {
                    chart.resize(width, height);
                    const std::vector<QRectF> places = chart.textPlaces();
                    for (std::size_t index = 0; index < places.size(); ++index) {
                        const QString where = QStringLiteral("%1x%2, text %3 at %4,%5")
                                                  .arg(width)
                                                  .arg(height)
                                                  .arg(index)
                                                  .arg(places[index].x())
                                                  .arg(places[index].y());
                        QVERIFY2(QRectF(chart.rect()).contains(places[index]), qPrintable(where));
                        for (std::size_t other = 0; other < index; ++other)
                            QVERIFY2(!places[other].intersects(places[index]), qPrintable(where));
                    }
                }
        }
        const std::size_t texts = chart.textPlaces().size();
        chart.setBound({});
        QVERIFY2(chart.textPlaces().size() < texts, "the bound has its name");
        QVERIFY(!chart.grab().isNull());
    }

    /// In a window of 640x400, which a screen has at scale 2.
    void whereThereIsNoRoomForAxesTheChartSaysSo() {
        StepPeakChart chart({});
        chart.add({0, "found", 1500, std::int64_t{40} << 30});
        chart.setMinimumSize(1, 1);
        chart.show();
        // The line above the axes gives way to a sentence in the middle.
        const auto hasLineAbove = [&](int height) {
            chart.resize(400, height);
            const QImage picture = chart.grab(QRect(0, 0, 400, 10)).toImage();
            std::set<QRgb> colours;
            for (int x = 0; x < picture.width(); ++x)
                for (int y = 0; y < picture.height(); ++y) colours.insert(picture.pixel(x, y));
            return colours.size() > 1;
        };
        QVERIFY(hasLineAbove(90));
        QVERIFY(!hasLineAbove(40));
    }

    void whatIsComparedHasAShapeOfItsOwn() {
        StepPeakChart chart({});
        chart.setShapesText("found", "compared with");
        chart.add({0, "found", 1500, std::int64_t{40} << 30});
        chart.resize(600, 300);
        chart.show();
        QCOMPARE(chart.shapesText(), QString());
        chart.add({1, "Default", 1700, std::int64_t{60} << 30, 1, true});
        QCOMPARE(chart.shapesText(), QString::fromUtf8("● found · ◇ compared with"));
        const QImage picture = chart.grab().toImage();
        const auto colourAt = [&](int point) {
            const QPointF place = chart.place(chart.points()[static_cast<std::size_t>(point)]);
            return picture.pixelColor((place * picture.devicePixelRatio()).toPoint());
        };
        QCOMPARE(colourAt(0), currentTheme().memory);
        QCOMPARE(colourAt(1), currentTheme().background);
    }

    void namesOfOtherChartsStandNearTheirPoints() {
        StepPeakChart chart({});
        for (const StepPeakChart::Point& point : policies()) chart.add(point);
        chart.resize(300, 140);
        chart.show();
        QVERIFY(chart.names().size() >= 5 && chart.names().size() < 9);
        QVERIFY(chart.legend().isEmpty());
        for (const StepPeakChart::Name& name : chart.names()) QVERIFY(isNearItsPoint(chart, name));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::StepPeakChartTest)
#include "step_peak_chart_test.moc"
