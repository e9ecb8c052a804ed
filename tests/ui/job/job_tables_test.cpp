// Tables of the job: what has room in them.

#include <QHeaderView>
#include <QSplitter>
#include <QTest>
#include <QTreeView>

#include "tests/ui/job/job_view_fixture.h"
#include "ui/files/resources.h"
#include "ui/job/stages_model.h"

namespace overlap::ui {

class JobTablesTest : public QObject {
    Q_OBJECT

    static bool isWhole(const QTreeView& table, int column) {
        const QAbstractItemView& view = table;
        return table.columnWidth(column) >= view.sizeHintForColumn(column);
    }

    static bool fills(const QTreeView& table) { return table.header()->length() == table.viewport()->width(); }

  private slots:
    void initTestCase() { loadResources(); }

    void namesOfStagesAreWholeInALargeView() {
        JobViewFixture fixture;
        fixture.view.resize(1590, 800);
        const QTreeView& stages = fixture.view.stages();
        QTRY_VERIFY(fills(stages));
        QVERIFY2(isWhole(stages, StagesModel::name_column),
                 qPrintable(QString::number(stages.columnWidth(StagesModel::name_column))));
        QVERIFY(isWhole(stages, StagesModel::plan_column));
    }

    /// What the plans' names need, and no more: they are all "none" here.
    void namesOfStagesHaveTheRoomThatPlansDoNotNeed() {
        JobViewFixture fixture;
        fixture.view.resize(1000, 600);
        const QTreeView& stages = fixture.view.stages();
        QTRY_VERIFY(fills(stages));
        const int plan = stages.columnWidth(StagesModel::plan_column);
        QVERIFY2(isWhole(stages, StagesModel::plan_column) && plan < 70, qPrintable(QString::number(plan)));
        // A plan with a long name has half of the room that figures leave.
        const int room = plan + stages.columnWidth(StagesModel::name_column);
        Plan named;
        named.name = "A plan with a name that is longer than any column of this table can be";
        fixture.job.setPlan(3, std::make_shared<const Plan>(named));
        QTRY_COMPARE(stages.columnWidth(StagesModel::plan_column), room / 2);
        QVERIFY(fills(stages));
        QVERIFY(fixture.idle());
    }

    void theColumnHasAPartOfALargeView() {
        JobViewFixture fixture;
        const QSplitter& columns = *fixture.view.findChild<QSplitter*>();
        for (const QPoint& widths : {QPoint(1000, 380), QPoint(1590, 477), QPoint(2400, 520)}) {
            fixture.view.resize(widths.x(), 700);
            QTRY_COMPARE(columns.sizes().front(), widths.y());
        }
        QVERIFY(!fixture.view.state().contains("column"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::JobTablesTest)
#include "job_tables_test.moc"
