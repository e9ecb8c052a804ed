#include "ui/timeline/timeline_words.h"

#include <QTranslator>
#include <QtTest>

#include "core/timeline/timeline_builder.h"
#include "tests/timeline/synthetic_timeline.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/drawing/lane_label_lines.h"
#include "ui/timeline/drawing/ruler.h"
#include "ui/timeline/range_measurement.h"

namespace overlap::ui {

class TimelineWordsTest : public QObject {
    Q_OBJECT

  private slots:
    void labelsOfLanesBreakWhereTheyDoNotFit() {
        const QFontMetrics metrics{QFont()};
        const auto lines = [&](const char* title, const char* subtitle, const char* as_wide_as, bool has_line = true) {
            const LaneLabelLines made =
                laneLabelLines(QString::fromUtf8(title), QString::fromUtf8(subtitle),
                               metrics.horizontalAdvance(QString::fromUtf8(as_wide_as)), metrics, metrics, has_line);
            return QStringList(made.title) + made.below;
        };
        QCOMPARE(lines("default_pg", "GPU 0, stream 1, 101 collectives", "GPU 0, stream 1, 1"),
                 QStringList({"default_pg", "GPU 0, stream 1", "101 collectives"}));
        QCOMPARE(lines("Gathers", "group 0#ep_extra, 32 ranks", "group 0#ep_extra, 32"),
                 QStringList({"Gathers", "group 0#ep_extra", "32 ranks"}));
        QCOMPARE(lines("Gathers", "group 0, 32 ranks", "group 0, 32 ranks"),
                 QStringList({"Gathers", "group 0, 32 ranks"}));
        // Which lane it is comes first, then of which step.
        const char* title = "torchtit… · Gathers + scatters";
        QCOMPARE(lines(title, "group 0", "Gathers + scatters"),
                 QStringList({"Gathers + scatters", "torchtit…", "group 0"}));
        QCOMPARE(lines(title, "group 0", title), QStringList({title, "group 0"}));
        QVERIFY2(lines(title, "group 0", "Gathers + scatters", false).front() == title, "a low row has one line");
    }

    void aToolTipNamesTheEventItsTimesAndItsLane() {
        const QString text = eventToolTip(*timeline_, {1, 3}, {});
        QVERIFY(text.startsWith(QStringLiteral("<b>all_gather layers.3</b><br>")));
        QVERIFY(text.contains(QStringLiteral("11.1")));  // ms that it lasts
        QVERIFY(text.contains(QStringLiteral("from")));
        QVERIFY(text.endsWith(QStringLiteral("<br>FSDP gathers")));
    }

    void onlyWhatIsExposedSaysSo() {
        const EventLocation first{1, 0};  // nothing to compute before it
        QVERIFY(timeline_->lanes()[1].exposed_ns[0] > 0);
        QVERIFY(eventToolTip(*timeline_, first, {}).contains(QStringLiteral("exposed")));
        QVERIFY(!eventToolTip(*timeline_, {2, 0}, {}).contains(QStringLiteral("exposed")));
    }

    void whatNeverEndsSaysSinceWhenAndNoLength() {
        TimelineBuilder builder;
        const std::uint32_t lane = builder.add_lane({"Rank 0", "", LaneKind::compute, EventRole::compute});
        builder.add(lane, {{0, 3'000'000}, builder.intern("k"), EventRole::compute, 1, 0});
        builder.add(lane,
                    {{3'000'000, 4'000'000}, builder.intern("waits for ever"), EventRole::idle, 2, 1'000'000, true});
        const auto made = builder.finish();
        const EventLocation last{0, 1};
        QCOMPARE(durationText(*made, {0, 0}), formatTime(3));
        QCOMPARE(durationText(*made, last), "since " + formatTime(3));
        const QString since = durationText(*made, last), tip = eventToolTip(*made, last, {});
        QCOMPARE(QString(tip).replace(QChar(QChar::Nbsp), thinSpace),
                 "<b>waits for ever</b><br>" + since + "<br>Rank 0");
        QVERIFY(timelineDescription(*made, last).startsWith("Selected: waits for ever, " + since + ", in Rank 0."));
        QVERIFY2(eventTable(*made, last).endsWith("\t3.000000\t\t\n"), qPrintable(eventTable(*made, last)));
    }

    void theOwnersLineComesLast() {
        QVERIFY(eventToolTip(*timeline_, {1, 3}, QStringLiteral("64 MiB")).endsWith(QStringLiteral("<br>64 MiB")));
    }

    void namesFromFilesAreNoMarkup() {
        TimelineBuilder builder;
        const std::uint32_t lane = builder.add_lane({"<i>lane", "", LaneKind::other, EventRole::compute});
        builder.add(lane, {{0, 10}, builder.intern("<img src=x>"), EventRole::compute, 1, 0});
        const QString text = eventToolTip(*builder.finish(), {0, 0}, {});
        QVERIFY(text.contains(QStringLiteral("&lt;img")) && !text.contains(QStringLiteral("<img")));
        QVERIFY(!text.contains(QStringLiteral("<i>")));
    }

    void theDescriptionBeginsWithTheSelection() {
        const QString all = timelineDescription(*timeline_, {});
        QVERIFY(all.contains(QStringLiteral(", lanes: 3, over ")));
        const QString selected = timelineDescription(*timeline_, {1, 3});
        QVERIFY(selected.startsWith(QStringLiteral("Selected: all_gather layers.3, ")));
        QVERIFY(selected.endsWith(all));
    }

    /// A translation gets whole phrases, never the end of one.
    void nothingIsGluedTogether() {
        struct Recorder : QTranslator {
            QString translate(const char* context, const char* source, const char*, int) const override {
                if (QLatin1String(context) == QLatin1String("TimelineView")) asked.append(QString::fromUtf8(source));
                return {};
            }
            bool isEmpty() const override { return false; }
            mutable QStringList asked;
        } recorder;
        QVERIFY(QCoreApplication::installTranslator(&recorder));
        eventToolTip(*timeline_, {1, 3}, {});
        timelineDescription(*timeline_, {1, 3}, {});
        QCoreApplication::removeTranslator(&recorder);
        QVERIFY(recorder.asked.size() >= 3);
        for (const QString& phrase : recorder.asked) {
            QVERIFY2(phrase.contains(u'%'), qPrintable(phrase));
            QVERIFY2(!phrase.startsWith(u' ') && !phrase.startsWith(u',') && !phrase.endsWith(u' '),
                     qPrintable(phrase));
        }
    }

    void aTimelineWithoutTimesHasNoAxis() {
        TimelineBuilder builder;
        const std::uint32_t lane = builder.add_lane({"Gathers", "", LaneKind::process_group, EventRole::unbucketed});
        builder.add(lane, {{0, 0}, builder.intern("all_gather"), EventRole::unbucketed, 1, 0});
        const auto untimed = builder.finish();
        const TimeAxis axis{{0, 100}, 1000};
        QVERIFY(withoutTimesText(*untimed).startsWith(QStringLiteral("No times")));
        QVERIFY(gridColumns(*untimed, axis, 1).empty());
        QVERIFY(timelineDescription(*untimed, {}).contains(QStringLiteral("without times")));
        QVERIFY(withoutTimesText(*timeline_).isEmpty());
        QVERIFY(!gridColumns(*timeline_, axis, 1).empty());
    }

  private:
    const std::shared_ptr<const Timeline> timeline_ = test::synthetic_step(16);
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TimelineWordsTest)
#include "timeline_words_test.moc"
