// What each thing costs a job, as the window shows it.

#include <QHeaderView>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>
#include <algorithm>

#include "ui/files/resources.h"
#include "ui/job/job_view.h"
#include "ui/job/open/job_source.h"
#include "ui/job/tables/what_if_model.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

class WhatIfTest : public QObject {
    Q_OBJECT

    static bool idle(OpenJob& job) {
        return QTest::qWaitFor([&] { return !job.busy(); }, 60'000);
    }

  private slots:
    void initTestCase() { loadResources(); }

    void whatEachThingCostsFollowsTheJob() {
        OpenJob job;
        JobView view(job);
        view.resize(1200, 600);
        view.show();
        QSignalSpy opened(&job, &OpenJob::opened);
        job.open(sampleJob());
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !job.busy(); }, 60'000));
        const QAbstractItemModel& table = *view.whatIfs().model();
        const auto slow = [](const job::WhatIf& row) { return row.without.starts_with("slow"); };
        QVERIFY(table.rowCount() > 0 && std::ranges::none_of(job.comparison().what_ifs, slow));
        job::JobChanges changes;
        changes.slow = job::SlowRanks{8, 8, 1.2};
        job.change("Slow host 1", changes);
        QVERIFY(idle(job));
        const std::vector<job::WhatIf>& rows = job.comparison().what_ifs;
        QCOMPARE(static_cast<std::size_t>(table.rowCount()), rows.size());
        const auto found = std::ranges::find_if(rows, slow);
        QVERIFY(found != rows.end() && found->saved_share > 0);
        const int row = static_cast<int>(found - rows.begin());
        const auto shown = [&](int column) { return table.index(row, column).data().toString(); };
        QCOMPARE(shown(WhatIfModel::without_column), QString::fromStdString(found->without));
        QCOMPARE(shown(WhatIfModel::step_column), formatTime(found->step_ms));
        QCOMPARE(shown(WhatIfModel::saves_column), formatTime(job.figures()->step_ms - found->step_ms));
        job.undoStack().undo();
        QVERIFY(idle(job));
        QVERIFY(std::ranges::none_of(job.comparison().what_ifs, slow));
        view.showPage(JobView::what_if_page);
        QVERIFY(view.whatIfs().isVisible());
    }

    /// Names of stages may be long: they give way, and are in the tool tip.
    void figuresAreSeenInANarrowView() {
        OpenJob job;
        JobView view(job);
        view.resize(390, 300);
        view.show();
        view.showPage(JobView::what_if_page);
        QSignalSpy opened(&job, &OpenJob::opened);
        job.open(sampleJob());
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !job.busy(); }, 60'000));
        const QTreeView& table = view.whatIfs();
        const QHeaderView& header = *table.header();
        QVERIFY(table.model()->rowCount() > 0);
        QTRY_COMPARE(header.length(), table.viewport()->width());
        for (int column = WhatIfModel::step_column; column < table.model()->columnCount(); ++column)
            QVERIFY(header.sectionSize(column) >= header.sectionSizeHint(column));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::WhatIfTest)
#include "what_if_test.moc"
