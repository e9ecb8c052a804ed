#include "ui/timeline/alive/alive_at_moment.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTreeView>
#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"
#include "ui/timeline/alive/alive_model.h"
#include "ui/timeline/alive/alive_panel.h"

namespace overlap::ui {

/// What is alive in a known step, and the table of it.
class AliveAtMomentTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        show(test::synthetic_step(16));
        alive_ = std::make_unique<AliveAtMoment>(scene_);
        points_.clear();
        alive_->setProvider([this](std::size_t point) {
            points_.push_back(point);
            return tensors();
        });
    }
    void cleanup() { alive_.reset(); }

    void thePointThatHoldsAtTheMomentIsAskedFor() {
        const std::vector<std::int64_t>& times_ns = scene_.timeline->memory().time_ns;
        alive_->show(times_ns[7]);
        QCOMPARE(points_.back(), std::size_t{7});
        alive_->show(times_ns[7] - 1);
        QVERIFY(times_ns[points_.back()] < times_ns[7]);
        alive_->show(0);  // before the first point, that one
        QCOMPARE(points_.back(), std::size_t{0});
        QCOMPARE(alive_->time_ns(), std::optional<std::int64_t>(0));
    }

    void withoutProviderOrMemoryNothingIsListed() {
        QSignalSpy listed(alive_.get(), &AliveAtMoment::listed);
        show(test::synthetic_trace(100, 2));
        QVERIFY(!alive_->canShow());
        alive_->show(1000);
        QVERIFY(points_.empty() && listed.empty() && !alive_->time_ns());
        show(test::synthetic_step(16));
        QVERIFY(alive_->canShow());
        alive_->setProvider({});
        QVERIFY(!alive_->canShow());
    }

    void theMomentGoesOnce() {
        alive_->show(1'000'000);
        QSignalSpy forgotten(alive_.get(), &AliveAtMoment::forgotten);
        alive_->forget();
        QVERIFY(!alive_->time_ns());
        alive_->forget();
        QCOMPARE(forgotten.count(), 1);
    }

    /// An edit makes another timeline of the same compute.
    void theMomentStaysWithTheComputeThatRanThen() {
        const auto timeline = [](std::int64_t shift_ns, const char* second) {
            TimelineBuilder builder;
            const auto lane = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
            builder.add(lane, {{0, 1000}, builder.intern("mm")});
            builder.add(lane, {{1000 + shift_ns, 2000 + shift_ns}, builder.intern(second)});
            builder.set_memory({{0, 500, 1500 + shift_ns, 1900 + shift_ns}, {1, 2, 9, 3}, {}});
            return builder.finish();
        };
        QSignalSpy listed(alive_.get(), &AliveAtMoment::listed), again(alive_.get(), &AliveAtMoment::listedAgain);
        const auto after = [&](std::int64_t moment_ns, std::int64_t shift_ns, const char* second) {
            show(timeline(0, "add"));
            alive_->show(moment_ns);
            show(timeline(shift_ns, second));
            alive_->follow();
            return alive_->time_ns();
        };
        QCOMPARE(after(1250, 700, "add"), std::optional<std::int64_t>(1950));  // a quarter of add is over
        QCOMPARE(points_.back(), std::size_t{1});
        QCOMPARE(after(1600, 700, "cat"), std::optional<std::int64_t>(2200));   // the peak, although add is gone
        QCOMPARE(after(1950, 2000, "cat"), std::optional<std::int64_t>(3900));  // of 2000 ns 1950, so of 4000
        QCOMPARE(listed.count(), 3);
        QCOMPARE(again.count(), 3);
        show(test::synthetic_trace(100, 2));  // measured: nothing is known of memory
        alive_->follow();
        QVERIFY(!alive_->time_ns());
    }

    /// Which may hold for no time: what is allocated and released at one moment leaves several points there.
    void thePeakIsListedWhateverComesAfterItAtOnce() {
        const auto timeline = [](std::int64_t peak_ns) {
            TimelineBuilder builder;
            const auto lane = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
            builder.add(lane, {{0, 4000}, builder.intern("mm")});
            builder.set_memory({{0, peak_ns, peak_ns, peak_ns, 3000}, {1, 7, 9, 2, 3}, {}});
            return builder.finish();
        };
        QSignalSpy listed(alive_.get(), &AliveAtMoment::listed);
        show(timeline(1000));
        alive_->show(1000);
        QCOMPARE(points_.back(), std::size_t{3});  // what holds from then on
        QVERIFY(!listed.back()[1].toString().contains(QStringLiteral("peak")));
        alive_->showPeak();
        QCOMPARE(points_.back(), std::size_t{2});
        QCOMPARE(alive_->time_ns(), std::optional<std::int64_t>(1000));
        QVERIFY(listed.back()[1].toString().contains(QStringLiteral("peak")));
        show(timeline(2000));
        alive_->follow();
        QCOMPARE(points_.back(), std::size_t{2});
        QCOMPARE(alive_->time_ns(), std::optional<std::int64_t>(2000));
    }

    void whatIsNotSeenIsNotWorkedOut() {
        QSignalSpy again(alive_.get(), &AliveAtMoment::listedAgain);
        alive_->showPeak();
        alive_->setSeen(false);
        points_.clear();
        for (const int layers : {17, 18}) {
            show(test::synthetic_step(layers));
            alive_->follow();
        }
        QVERIFY(points_.empty() && again.empty());
        QCOMPARE(alive_->time_ns(),
                 std::optional(scene_.timeline->memory().time_ns[scene_.timeline->memory_peak()]));  // its mark is
        alive_->setSeen(true);
        QCOMPARE(points_, std::vector<std::size_t>{scene_.timeline->memory_peak()});
        QCOMPARE(again.count(), 1);
        alive_->setSeen(false);
        alive_->setSeen(true);  // nothing has changed
        QCOMPARE(again.count(), 1);
    }

    void theTableSaysOfWhichPlanItIs() {
        AlivePanel panel;
        AliveTensors of_plan = tensors();
        of_plan.plan = QStringLiteral("Plan B");
        panel.showTensors(of_plan, QStringLiteral("3 ms"));
        QVERIFY2(panel.caption().contains(QStringLiteral("at 3 ms · Plan B · estimate")), qPrintable(panel.caption()));
    }

    void allColumnsAreInSight() {
        AliveTensors of_long_names = tensors();
        for (AliveTensor& tensor : of_long_names.largest) {
            tensor.name =
                QStringLiteral("all_gather_into_tensor_of_a_bucket_with_a_long_name_%1").arg(tensor.reference);
            tensor.module = QStringLiteral("model.layers.0.feed_forward.experts.and_more_of_them.w1");
            tensor.until = QStringLiteral("mm_17");
        }
        AlivePanel panel;
        panel.resize(1000, 200);
        panel.show();
        panel.showTensors(of_long_names, QStringLiteral("3 ms"));
        const QHeaderView& header = *panel.view().header();
        for (const int width : {1000, 480, 700}) {
            panel.resize(width, 200);
            const int last = header.sectionViewportPosition(AliveModel::until_column);
            QVERIFY2(last + header.sectionSizeHint(AliveModel::until_column) <= panel.view().viewport()->width(),
                     qPrintable(QString::number(width)));
            for (int column = 0; column < AliveModel::column_count; ++column)
                QVERIFY(header.sectionSize(column) >= header.sectionSizeHint(column));
        }
        // Another moment leaves the widths that the user made.
        panel.view().setColumnWidth(AliveModel::tensor_column, 123);
        panel.showTensors(of_long_names, QStringLiteral("4 ms"));
        panel.resize(900, 200);
        QCOMPARE(header.sectionSize(AliveModel::tensor_column), 123);
    }

    void aChosenTensorStaysChosen() {
        AlivePanel panel;
        panel.showTensors(tensors(), QStringLiteral("3 ms"));
        panel.view().setCurrentIndex(panel.view().model()->index(1, 0));
        AliveTensors fewer = tensors();
        fewer.largest.erase(fewer.largest.begin());
        panel.view().setColumnWidth(0, 321);  // as the user drags it
        panel.showAgain(fewer, QStringLiteral("4 ms"));
        QCOMPARE(panel.view().columnWidth(0), 321);
        QVERIFY(panel.caption().contains(QStringLiteral("4 ms")));
        QCOMPARE(panel.view().currentIndex().siblingAtColumn(AliveModel::tensor_column).data().toString(),
                 QStringLiteral("add"));
    }

    void theTableIsSortedBySizeAndByName() {
        AlivePanel panel;
        panel.showTensors(tensors(), QStringLiteral("3 ms"));
        QVERIFY(panel.caption().contains(QStringLiteral("3 ms")));
        QVERIFY(panel.caption().contains(QStringLiteral("the largest 3 are listed")));
        QCOMPARE(names(panel), (QStringList{"mm", "add", "cat"}));
        panel.view().sortByColumn(AliveModel::tensor_column, Qt::AscendingOrder);
        QCOMPARE(names(panel), (QStringList{"add", "cat", "mm"}));
    }

    void theFilterWantsAllWordsAndSumsWhatIsShown() {
        AlivePanel panel;
        panel.showTensors(tensors(), QStringLiteral("3 ms"));
        panel.filter().setText(QStringLiteral("LAYERS.0 a"));
        QCOMPARE(names(panel), (QStringList{"mm", "add"}));
        QVERIFY2(panel.caption().simplified().replace(QChar::Nbsp, u' ').contains("shown: 3 MiB in 2"),
                 qPrintable(panel.caption()));
        panel.filter().setText(QStringLiteral("layers.0 nothing"));
        QCOMPARE(names(panel), QStringList());
    }

    void aTensorIsChosenWhereItStands() {
        AlivePanel panel;
        panel.showTensors(tensors(), QStringLiteral("3 ms"));
        panel.view().sortByColumn(AliveModel::tensor_column, Qt::AscendingOrder);
        panel.view().setCurrentIndex(panel.view().model()->index(1, 0));
        QSignalSpy chosen(&panel, &AlivePanel::chosen);
        QTest::keyClick(&panel.view(), Qt::Key_Return);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen[0][0].value<quint32>(), 6u);
    }

    void nothingIsLeftOfAnotherTimeline() {
        AlivePanel panel;
        panel.showTensors(tensors(), QStringLiteral("3 ms"));
        panel.forget();
        QCOMPARE(panel.text().count(u'\n'), 1);
        QVERIFY(panel.caption().contains(QStringLiteral("memory curve")));
    }

  private:
    static AliveTensors tensors() {
        const QString layer = QStringLiteral("layers.0");
        return {4 << 20,
                9,
                {},
                QStringLiteral("estimate"),
                {{4, QStringLiteral("mm"), layer, 2 << 20, QStringLiteral("add")},
                 {5, QStringLiteral("add"), layer, 1 << 20, {}},
                 {6, QStringLiteral("cat"), {}, 1 << 19, {}}}};
    }
    static QStringList names(AlivePanel& panel) {
        QStringList names;
        for (int row = 0; row < panel.view().model()->rowCount(); ++row)
            names.append(panel.view().model()->index(row, AliveModel::tensor_column).data().toString());
        return names;
    }
    void show(std::shared_ptr<const Timeline> timeline) {
        scene_.timeline = std::move(timeline);
        scene_.geometry =
            TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline), QSize(1400, 600), 120, 0);
        scene_.range = scene_.timeline->range();
    }

    TimelineScene scene_;
    std::unique_ptr<AliveAtMoment> alive_;
    std::vector<std::size_t> points_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::AliveAtMomentTest)
#include "alive_at_moment_test.moc"
