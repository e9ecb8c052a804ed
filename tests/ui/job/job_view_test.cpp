// The views of a job: what keys and clicks do, and what is said.

#include "ui/job/job_view.h"

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <cmath>

#include "core/job/view/job_timeline.h"
#include "tests/ui/job/job_view_fixture.h"
#include "ui/files/resources.h"
#include "ui/job/job_controls.h"
#include "ui/job/step/job_words.h"
#include "ui/job/step/waiting_map.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/number_field.h"

namespace overlap::ui {

class JobViewWidgetsTest : public QObject {
    Q_OBJECT

    using Fixture = JobViewFixture;

    /// Whether the current tab is where it can be seen.
    static bool isReached(const QTabBar& tabs, int tab) {
        const auto* list = tabs.findChild<QToolButton*>("allTabs");
        const int end = list->isHidden() ? tabs.width() : list->x();
        const QRect place = tabs.tabRect(tab);
        return place.left() < end && place.right() > 0 && place.height() > 8 &&
               (!list->isHidden() || place.right() <= end);
    }

  private slots:
    void initTestCase() { loadResources(); }

    void withoutAJobThereIsAWayToOne() {
        Fixture fixture{QString()};
        QSignalSpy sample(&fixture.view, &JobView::sampleWanted);
        const auto buttons = fixture.view.findChildren<QPushButton*>();
        const auto found = std::ranges::find(buttons, QStringLiteral("Open sample job"), &QPushButton::text);
        QVERIFY(found != buttons.end() && (*found)->isVisible());
        (*found)->click();
        QCOMPARE(sample.count(), 1);
    }

    void theKeyGoesFromABubbleToWhatItWaitsFor() {
        Fixture fixture;
        const quint32 bubble = fixture.bubble();
        fixture.view.step().select(bubble);
        const auto awaited = awaitedBy(fixture.picture(), bubble);
        QVERIFY(awaited);
        QVERIFY(fixture.view.step().details().contains("bubble before"));
        QTest::keyClick(&fixture.timeline(), Qt::Key_J);
        QCOMPARE(fixture.view.step().selected(), *awaited);
        const EventLocation selected = fixture.timeline().selection();
        QVERIFY(selected.valid());
        QCOMPARE(fixture.picture().timeline->reference(selected), *awaited);
        // What brackets follow are the same messages.
        QVERIFY(!fixture.timeline().arrows().empty());
    }

    void whereNothingWasWaitedForTheKeySaysSo() {
        Fixture fixture;
        quint32 free = no_reference;
        for (const Lane& lane : fixture.picture().timeline->lanes())
            for (const std::uint32_t reference : lane.reference)
                if (free == no_reference && reference != no_reference && !awaitedBy(fixture.picture(), reference))
                    free = reference;
        QVERIFY(free != no_reference);
        fixture.view.step().select(free);
        QSignalSpy refused(&fixture.view, &JobView::refused);
        QTest::keyClick(&fixture.timeline(), Qt::Key_J);
        QCOMPARE(refused.count(), 1);
        QVERIFY(refused.first().first().toString().contains("waited for nothing"));
        QCOMPARE(fixture.view.step().selected(), free);
    }

    void whatComesAfterTheLastActionIsSaidAsThat() {
        QTemporaryDir folder;
        QFile written(folder.filePath("three.job.json"));
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(R"({"format": "overlap-job", "version": 1,
            "stages": [{"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}],
            "schedule": {"name": "GPipe", "microbatches": 1}})");
        written.close();
        Fixture fixture(written.fileName());
        const job::JobPicture& picture = fixture.picture();
        const std::vector<job::StandstillSpan>& spans = picture.standstills[1];
        QCOMPARE(spans.size(), 3u);
        const QString before = describedReference(picture, picture.reference_of(spans[1]));
        QVERIFY2(before.contains("bubble before") && before.contains(" until ") && !before.contains("nothing left"),
                 qPrintable(before));
        const QString after = describedReference(picture, picture.reference_of(spans[2]));
        QVERIFY2(after.contains("nothing left to do") && !after.contains("bubble before"), qPrintable(after));
        QVERIFY(awaitedBy(picture, picture.reference_of(spans[1])));
        QVERIFY(!awaitedBy(picture, picture.reference_of(spans[2])));
        // The map tells them apart as well.
        fixture.view.showPage(JobView::waiting_page);
        WaitingMap& map = fixture.view.waiting();
        const double middle = (spans[2].begin_ms + spans[2].end_ms) / 2;
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.pointOf(1, middle).toPoint());
        QCOMPARE(fixture.view.step().selected(), picture.reference_of(spans[2]));
    }

    /// The bubble's parts add up to it: what is in no other is what the lanes have as the time after the last action.
    void theLineOfSharesSaysWhatHasNothingLeftToDo() {
        Fixture fixture;
        const JobFigures figures = *fixture.job.figures();
        double after_ms = 0;
        for (const std::vector<job::StandstillSpan>& row : fixture.picture().standstills)
            for (const job::StandstillSpan& span : row)
                if (span.kind == job::StandstillSpan::Kind::after) after_ms += span.length_ms();
        const double share = after_ms / (figures.step_ms * static_cast<double>(fixture.picture().rows.size()));
        QVERIFY(share > 0.01);
        QVERIFY(std::abs(figures.done_share - share) < 1e-6);
        QVERIFY(std::abs(figures.waiting_share + figures.transfer_share + figures.done_share - figures.idle_share) <
                1e-9);
        const QString said = QStringLiteral("nothing left to do %1").arg(formatPercent(share));
        QVERIFY2(fixture.view.summary().contains(said), qPrintable(fixture.view.summary()));
    }

    void theLinkAndTheMenuGoThereToo() {
        Fixture fixture;
        const quint32 bubble = fixture.bubble();
        const quint32 awaited = *awaitedBy(fixture.picture(), bubble);
        fixture.view.step().select(bubble);
        auto* details = fixture.view.findChild<QLabel*>("jobDetails");
        QVERIFY(details->text().contains(QStringLiteral("node:%1").arg(awaited)));
        emit details->linkActivated(QStringLiteral("node:%1").arg(awaited));
        QCOMPARE(fixture.view.step().selected(), awaited);
        QMenu menu;
        emit fixture.timeline().eventMenuAboutToShow(&menu, bubble);
        QVERIFY(!menu.actions().isEmpty() && menu.actions().front()->text().startsWith("Go to what it waits for"));
        menu.actions().front()->trigger();
        QCOMPARE(fixture.view.step().selected(), awaited);
    }

    void withNothingSelectedTheKeyFindsTheLongestBubble() {
        Fixture fixture;
        QTest::keyClick(&fixture.timeline(), Qt::Key_J);
        QVERIFY(fixture.timeline().selection().valid());
    }

    void aSelectionIsFoundAgainInTheNextEvaluation() {
        Fixture fixture;
        const quint32 bubble = fixture.bubble();
        fixture.view.step().select(bubble);
        const std::string op = fixture.picture().evaluation->names.op(fixture.picture().node_of(bubble));
        job::JobChanges changes;
        changes.slow = job::SlowRanks{0, 8, 1.05};
        fixture.job.change("slow", changes);
        QVERIFY(fixture.idle());
        const quint32 now = fixture.view.step().selected();
        QVERIFY(now != no_reference && fixture.picture().is_standstill(now));
        QCOMPARE(QString::fromStdString(fixture.picture().evaluation->names.op(fixture.picture().node_of(now))),
                 QString::fromStdString(op));
    }

    void whatIsAfterTheLastActionStaysThat() {
        Fixture fixture;
        quint32 after = no_reference;
        for (const std::vector<job::StandstillSpan>& row : fixture.picture().standstills)
            for (const job::StandstillSpan& span : row)
                if (const quint32 reference = fixture.picture().reference_of(span);
                    fixture.picture().is_after(reference))
                    after = reference;
        QVERIFY(after != no_reference);
        const auto rank = fixture.picture().evaluation->names.rank(fixture.picture().node_of(after));
        fixture.view.step().select(after);
        job::JobChanges changes;
        for (const char* schedule : {"", "GPipe"}) {  // another last action, too
            changes.schedule = schedule;
            changes.microbatches = changes.microbatches.value_or(16) + 8;
            fixture.job.change("other", changes);
            QVERIFY(fixture.idle());
            const quint32 now = fixture.view.step().selected();
            QVERIFY(now != no_reference);
            QVERIFY(fixture.picture().is_after(now));
            QCOMPARE(fixture.picture().evaluation->names.rank(fixture.picture().node_of(now)), rank);
        }
    }

    void keysOfTheTimelineWorkInTheWholePage() {
        Fixture fixture;
        fixture.view.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&fixture.view));
        const auto press = [](QWidget& widget, Qt::Key key) {
            widget.setFocus();
            QTest::keyClick(&widget, key);
        };
        press(fixture.view.stages(), Qt::Key_E);
        QVERIFY(fixture.timeline().selection().valid());
        const quint32 bubble = fixture.bubble();
        fixture.view.step().select(bubble);
        QSignalSpy wanted(&fixture.view, &JobView::stageWanted);
        press(fixture.view.stages(), Qt::Key_O);
        QCOMPARE(wanted.count(), 1);
        press(fixture.view.controls().schedule(), Qt::Key_W);
        QVERIFY(fixture.timeline().visibleRange().length_ns() < fixture.picture().timeline->range().length_ns());
        // What it leads to is in the step.
        fixture.view.showPage(JobView::schedules_page);
        press(fixture.view.schedules(), Qt::Key_J);
        QCOMPARE(fixture.view.page(), JobView::step_page);
        QCOMPARE(fixture.view.step().selected(), *awaitedBy(fixture.picture(), bubble));
        // Waiting shows the range that these keys move.
        fixture.view.showPage(JobView::waiting_page);
        press(fixture.view.waiting(), Qt::Key_S);
        QCOMPARE(fixture.view.page(), JobView::waiting_page);
        // A number is typed.
        const quint32 selected = fixture.view.step().selected();
        press(fixture.view.controls().microbatches(), Qt::Key_E);
        QCOMPARE(fixture.view.step().selected(), selected);
    }

    void aColumnStaysAsWideAsTheUserHasIt() {
        QJsonObject state;
        {
            Fixture fixture;
            auto* columns = fixture.view.findChild<QSplitter*>();
            QTest::mousePress(columns->handle(1), Qt::LeftButton);
            QTest::mouseMove(columns->handle(1), QPoint(-90, 5));
            QTest::mouseRelease(columns->handle(1), Qt::LeftButton, {}, QPoint(-90, 5));
            state = fixture.view.state();
            QCOMPARE(state["column"].toInt(), columns->sizes().front());
            QVERIFY(columns->sizes().front() < 380);
        }
        OpenJob job;
        JobView view(job);
        view.restore(state);
        QSignalSpy opened(&job, &OpenJob::opened);
        job.open(sampleJob());
        view.resize(1500, 700);
        view.show();
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !job.busy(); }, 60'000));
        QCOMPARE(view.findChild<QSplitter*>()->sizes().front(), state["column"].toInt());
    }

    /// A low view has one line for what is said of a selection.
    void nothingMovesAsideForASelection() {
        Fixture fixture;
        fixture.view.resize(1024, 290);
        QTest::qWait(1);
        const QList<int> before = fixture.view.findChild<QSplitter*>()->sizes();
        fixture.view.step().select(fixture.bubble());
        QTest::qWait(1);
        const auto* details = fixture.view.findChild<QLabel*>("jobDetails");
        QVERIFY(!details->wordWrap() && details->isVisible());
        QVERIFY(details->sizeHint().width() > details->width());
        QCOMPARE(fixture.view.findChild<QSplitter*>()->sizes(), before);
        QCOMPARE(fixture.view.width(), 1024);
    }

    void theMapShowsWhereRanksStandStill() {
        Fixture fixture;
        fixture.view.showPage(JobView::waiting_page);
        WaitingMap& map = fixture.view.waiting();
        const job::JobPicture& picture = fixture.picture();
        QCOMPARE(map.rowCount(), picture.rows.size());
        const TimeRange whole = picture.timeline->range();
        const auto& figures = picture.evaluation->result.classes[3];
        QVERIFY(std::abs(map.shareStandingStill(3, whole) * static_cast<double>(whole.length_ns()) / 1e6 -
                         figures.waiting_for_peers_ms - figures.transfer_exposed_ms) < 1e-3);
        // A click says why, in the timeline too.
        const job::StandstillSpan& span = picture.standstills[3].front();
        const double middle = (span.begin_ms + span.end_ms) / 2;
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.pointOf(3, middle).toPoint());
        QCOMPARE(fixture.view.step().selected(), picture.standstill_reference(span.node));
        QTest::keyClick(&map, Qt::Key_Return);
        QCOMPARE(fixture.view.page(), JobView::step_page);
    }

    void theMapMovesByKeys() {
        Fixture fixture;
        fixture.view.showPage(JobView::waiting_page);
        WaitingMap& map = fixture.view.waiting();
        QSignalSpy selected(&map, &WaitingMap::selected);
        for (const Qt::Key key : {Qt::Key_Home, Qt::Key_Down, Qt::Key_Right}) QTest::keyClick(&map, key);
        QCOMPARE(selected.count(), 3);
        QVERIFY(map.accessibleDescription().startsWith("Stage 1, "));
    }

    void aStageIsWantedByClickAndKey() {
        Fixture fixture;
        QSignalSpy wanted(&fixture.view, &JobView::stageWanted);
        QTreeView& stages = fixture.view.stages();
        QCOMPARE(stages.model()->rowCount(), 8);
        emit stages.clicked(stages.model()->index(3, 0));
        QCOMPARE(wanted.back()[0].toInt(), 3);
        fixture.view.step().select(fixture.bubble());
        QTest::keyClick(&fixture.timeline(), Qt::Key_O);
        QCOMPARE(wanted.count(), 2);
    }

    void aNarrowViewHasTheControlsAsATab() {
        Fixture fixture;
        auto* tabs = fixture.view.findChild<QTabBar*>("jobTabs");
        QVERIFY(!tabs->isTabVisible(JobView::controls_page));
        QVERIFY(fixture.view.controls().isVisible());
        for (const QSize size : {QSize(400, 200), QSize(1200, 600), QSize(300, 240)}) {
            fixture.view.resize(size);
            QTRY_COMPARE(tabs->isTabVisible(JobView::controls_page), size.width() < 760);
            fixture.view.showPage(JobView::controls_page);
            QTRY_VERIFY(fixture.view.controls().isVisible());
            fixture.view.showPage(JobView::step_page);
            QVERIFY(fixture.timeline().isVisible());
            QVERIFY(fixture.timeline().width() <= size.width());
        }
    }

    /// In the window of 800x500 that a screen of 1600x1000 has at scale 2, and in one of 1024x640.
    void allViewsCanBeReachedWhereTheirTabsDoNotFit() {
        Fixture fixture;
        auto* tabs = fixture.view.findChild<QTabBar*>("jobTabs");
        auto* list = tabs->findChild<QToolButton*>("allTabs");
        QVERIFY(list);
        for (const QSize size :
             {QSize(240, 146), QSize(270, 240), QSize(330, 180), QSize(450, 300), QSize(1200, 600)}) {
            fixture.view.resize(size);
            for (int tab = 0; tab < tabs->count(); ++tab) {
                if (!tabs->isTabVisible(tab)) continue;
                tabs->setCurrentIndex(tab);
                // Tabs move closer together, or get their list, later.
                QTRY_VERIFY2(isReached(*tabs, tab),
                             qPrintable(QStringLiteral("%1 at width %2").arg(tabs->tabText(tab)).arg(size.width())));
            }
            QVERIFY2(tabs->height() >= tabs->sizeHint().height(), qPrintable(QString::number(tabs->height())));
            QVERIFY(tabs->visibleRegion().boundingRect() == tabs->rect());
        }
        QVERIFY(list->isHidden());  // all fit
    }

    /// As at a start: the window gets its place before the job has been read, or after.
    void allViewsCanBeReachedWhereAJobComesLater() {
        for (const bool shown_before : {true, false}) {
            for (const QSize size : {QSize(240, 146), QSize(640, 290), QSize(740, 600), QSize(960, 600)}) {
                OpenJob job;
                JobView view(job);
                view.restore({{"page", JobView::schedules_page}});
                if (shown_before) {
                    view.resize(size);
                    view.show();
                    QCoreApplication::processEvents();
                }
                QSignalSpy opened(&job, &OpenJob::opened);
                job.open(sampleJob());
                QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !job.busy(); }, 60'000));
                view.resize(size);
                view.show();
                QCOMPARE(view.page(), JobView::schedules_page);
                auto* tabs = view.findChild<QTabBar*>("jobTabs");
                const auto has_place = [&](int tab) {
                    return tabs->tabRect(tab).width() > tabs->fontMetrics().height();
                };
                for (int tab = 0; tab < tabs->count(); ++tab)
                    QTRY_VERIFY2(
                        has_place(tab) == tabs->isTabVisible(tab),
                        qPrintable(QStringLiteral("%1 at width %2").arg(tabs->tabText(tab)).arg(size.width())));
                QTRY_VERIFY(isReached(*tabs, JobView::schedules_page));
            }
        }
    }

    void programsHaveRanksAndNothingToTry() {
        QTemporaryDir folder;
        QFile written(folder.filePath("programs.job.json"));
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(R"({"format": "overlap-job", "version": 1, "groups": {"g": [0, 1]}, "programs": [
            {"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 3}, {"id": "x", "kind": "collective", "group": "g", "ms": 1}]},
            {"rank": 1, "ops": [{"id": "x", "kind": "collective", "group": "g", "ms": 1}]}]})");
        written.close();
        Fixture fixture(written.fileName());
        auto* tabs = fixture.view.findChild<QTabBar*>("jobTabs");
        QVERIFY(!tabs->isTabVisible(JobView::schedules_page) && !tabs->isTabVisible(JobView::controls_page));
        QVERIFY(!fixture.view.controls().isVisible());
        QCOMPARE(fixture.job.figures()->step_ms, 4);
        const quint32 bubble = fixture.picture().standstill_reference(fixture.picture().standstills[1].front().node);
        fixture.view.step().select(bubble);
        QTest::keyClick(&fixture.timeline(), Qt::Key_J);
        QCOMPARE(fixture.picture().evaluation->names.rank(fixture.view.step().selected()), 0);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::JobViewWidgetsTest)
#include "job_view_test.moc"
