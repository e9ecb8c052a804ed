#include "ui/timeline/drawing/ruler.h"

#include <QFontMetricsF>
#include <QtTest>

#include "core/timeline/timeline_builder.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/drawing/note_marks.h"
#include "ui/timeline/drawing/timeline_overlay.h"

namespace overlap::ui {

/// The ruler's labels at every zoom, as they are placed and as they are painted.
class RulerTest : public QObject {
    Q_OBJECT

    static constexpr std::int64_t step_ns = 2'767'123'457;
    static constexpr int left = 140, top = 10, height = 24, margin = 12;

    /// From the whole step to the shortest view, at places that ticks begin anywhere.
    static std::vector<TimeRange> ranges() {
        std::vector<TimeRange> all;
        for (double length = static_cast<double>(step_ns); length >= shortest_view_ns; length /= 1.7)
            for (const double share : {0.0, 0.013, 0.5, 0.777, 1.0}) {
                const auto begin = static_cast<std::int64_t>(share * (static_cast<double>(step_ns) - length));
                all.push_back({begin, begin + std::max<std::int64_t>(shortest_view_ns, std::llround(length))});
            }
        all.push_back({-1'500'000'000, 12'000'000'000});  // a trace that begins before its step
        return all;
    }

    static QString described(int width, TimeRange range) {
        return QStringLiteral("%1 px, %2 to %3 ns").arg(width).arg(range.begin_ns).arg(range.end_ns);
    }

  private slots:
    void labelsAreWholeAndTouchNoOther() {
        const QFontMetricsF metrics(numberFont(smallTextPx));
        for (const int width : {120, 200, 333, 640, 1000, 1497})
            for (const TimeRange range : ranges()) {
                const QString where = described(width, range);
                const auto labels = rulerLabels({left, top, width, height}, range);
                QVERIFY2(!labels.empty() || width < 200, qPrintable(where));
                if (labels.empty()) continue;
                double end = left - 1;
                for (const RulerLabel& label : labels) {
                    QVERIFY2(label.place.left() > end, qPrintable(where + ": " + label.text));
                    QVERIFY2(label.place.width() >= metrics.horizontalAdvance(label.text), qPrintable(where));
                    end = label.place.right();
                }
                QVERIFY2(labels.front().place.left() >= left, qPrintable(where));
                QVERIFY2(end <= left + width + margin, qPrintable(where));
            }
    }

    /// A label says the time of the tick that it stands at; those at the ends may be moved inwards.
    void labelsStandAtTheirTicks() {
        for (const TimeRange range : ranges()) {
            const TimeAxis axis{range, 1000};
            const auto labels = rulerLabels({left, top, 1000, height}, range);
            for (std::size_t index = 1; index + 1 < labels.size(); ++index) {
                const double middle = labels[index].place.center().x() - left;
                const double number = labels[index].text.section(u' ', 0, 0).replace(QChar(0x2212), u'-').toDouble();
                const QString unit = labels[index].text.section(u' ', 1);
                const double scale = unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == QStringLiteral("µs") ? 1e3 : 1;
                const double expected = (number * scale - static_cast<double>(range.begin_ns)) / axis.ns_per_px();
                QVERIFY2(std::abs(middle - expected) <= 1.5, qPrintable(described(1000, range)));
            }
        }
    }

    /// A note ends before the next figure, where some of its letters have room there.
    void aNoteCoversNoFigure() {
        const TimeRange range{0, step_ns};
        TimelineGeometry geometry;
        geometry.overview = geometry.lanes = geometry.ruler = QRect(left, top, 1000, height);
        const auto labels = rulerLabels(geometry.ruler, range);
        QVERIFY(labels.size() > 3);
        const QRectF figure = labels[2].place;
        const auto begin = static_cast<std::int64_t>((labels[1].place.right() + 4 - left) / 1000 * step_ns);
        const TimelineNote note{{}, {begin, begin}, QStringLiteral("much too late, and nobody knows why it is")};
        const auto painted = [&](const std::vector<TimelineNote>& notes) {
            QImage image(left + 1060, top + height + 10, QImage::Format_RGB32);
            image.fill(darkTheme().panel);
            QPainter painter(&image);
            painter.setFont(numberFont(smallTextPx));
            painter.setPen(darkTheme().dim);
            for (const RulerLabel& label : labels) painter.drawText(label.place, Qt::AlignLeft, label.text);
            paintNotes(painter, geometry, notes, std::vector<PlacedNote>(notes.size(), {note.time, {}}), range, range,
                       darkTheme());
            painter.end();
            return image;
        };
        const QImage without = painted({}), with = painted({note});
        QVERIFY(with != without);
        QCOMPARE(with.copy(figure.toAlignedRect()), without.copy(figure.toAlignedRect()));
    }

    /// The time of the pointer, and figures of a measurement.
    void aLabelGivesWayAsAWholeToWhatStandsThere() {
        TimelineBuilder builder;
        const auto lane = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
        builder.add(lane, {{0, step_ns}, builder.intern("mm")});
        const auto timeline = builder.finish();
        TimelineGeometry geometry;
        geometry.overview = geometry.ruler = QRect(left, top, 1000, height);
        geometry.lanes = QRect(left, top + height, 1000, 100);
        const TimeRange range{0, step_ns};
        const auto labels = rulerLabels(geometry.ruler, range);
        const QRectF label = labels.at(2).place;
        const std::vector<TimelineArrow> arrows;
        const std::vector<quint32> chosen;
        OverlayScene scene{.timeline = *timeline,
                           .geometry = geometry,
                           .theme = darkTheme(),
                           .range = range,
                           .selection = {},
                           .hovered = {},
                           .pointer = QPointF(label.right() + 20, top + height + 20),
                           .measured = {},
                           .measurement = {},
                           .marquee = {},
                           .arrows = arrows,
                           .chosen = chosen,
                           .band = {}};
        const std::vector<QRectF> plates = platesOnRuler(scene);
        QCOMPARE(plates.size(), std::size_t(1));
        QVERIFY(plates[0].intersects(label) && !plates[0].contains(label));
        const auto painted = [&](std::span<const QRectF> taken) {
            QImage image(left + 1060, top + height + 10, QImage::Format_RGB32);
            image.fill(darkTheme().panel);
            QPainter painter(&image);
            paintRuler(painter, geometry.ruler, *timeline, range, darkTheme(), taken);
            painter.end();
            return image;
        };
        const auto inked = [&](const QImage& image, const QRectF& of) {
            const QRect place = of.toAlignedRect().intersected(QRect(0, 0, image.width(), geometry.ruler.bottom() - 4));
            for (int y = place.top(); y <= place.bottom(); ++y)
                for (int x = place.left(); x <= place.right(); ++x)
                    if (image.pixel(x, y) != darkTheme().panel.rgb()) return true;
            return false;
        };
        const QImage before = painted({}), after = painted(plates);
        QVERIFY(inked(before, label) && !inked(after, label));
        QVERIFY(inked(after, labels.at(1).place) && inked(after, labels.at(4).place));
        // What is repainted around the pointer has all of the label.
        QVERIFY(pointerRegion(geometry, scene.pointer).contains(label.toAlignedRect().adjusted(0, 0, 0, -4)));
        scene.measured = TimeRange{step_ns / 4, step_ns / 2};
        scene.measurement = "a quarter";
        QCOMPARE(platesOnRuler(scene).size(), std::size_t(1));  // which stands in the place of the pointer's
    }

    void whatIsPaintedIsWhatWasPlaced() {
        TimelineBuilder builder;
        const auto lane = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
        builder.add(lane, {{0, step_ns}, builder.intern("mm")});
        const auto timeline = builder.finish();
        for (const int width : {333, 1000})
            for (const TimeRange range : ranges()) {
                const QRect place(left, top, width, height);
                QImage image(left + width + 60, top + height + 10, QImage::Format_RGB32);
                image.fill(darkTheme().panel);
                QPainter painter(&image);
                paintRuler(painter, place, *timeline, range, darkTheme());
                painter.end();
                const QRgb ground = darkTheme().panel.rgb();
                const auto hasInk = [&](double from, double to) {
                    for (int x = static_cast<int>(std::floor(from)); x <= static_cast<int>(std::ceil(to)); ++x)
                        for (int y = 0; y < place.bottom() - 4; ++y)
                            if (image.pixel(x, y) != ground) return true;
                    return false;
                };
                double gap = 0;
                for (const RulerLabel& label : rulerLabels(place, range)) {
                    QVERIFY2(!hasInk(gap, label.place.left() - 2), qPrintable(described(width, range)));
                    QVERIFY2(hasInk(label.place.left(), label.place.left() + 6), qPrintable(described(width, range)));
                    QVERIFY2(hasInk(label.place.right() - 7, label.place.right()), qPrintable(described(width, range)));
                    gap = label.place.right() + 2;
                }
                QVERIFY2(!hasInk(gap, image.width() - 1), qPrintable(described(width, range)));
            }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::RulerTest)
#include "ruler_test.moc"
