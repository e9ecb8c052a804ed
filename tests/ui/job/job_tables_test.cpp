// Tables of the job: what has room in them.

#include <QHeaderView>
#include <QSplitter>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "tests/ui/job/job_view_fixture.h"
#include "ui/files/resources.h"
#include "ui/job/job_controls.h"
#include "ui/job/tables/schedules_model.h"
#include "ui/job/tables/stages_model.h"
#include "ui/widgets/number_field.h"

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

    /// In a view of a usual width they need more than the part that the column has at first.
    void namesOfStagesAreWholeInAUsualView() {
        JobViewFixture fixture;
        fixture.view.resize(1250, 700);
        const QTreeView& stages = fixture.view.stages();
        QTRY_VERIFY2(isWhole(stages, StagesModel::name_column) && fills(stages),
                     qPrintable(QString::number(stages.columnWidth(StagesModel::name_column))));
        QVERIFY(fixture.view.findChild<QSplitter*>()->sizes().front() <= 1250 * 38 / 100);
        QVERIFY(!fixture.view.state().contains("column"));
    }

    void aColumnOfTheStagesKeepsTheWidthOfTheUser() {
        QJsonObject state;
        int whole = 0;
        const auto drag = [](QTreeView& table, int column, int by) {
            QHeaderView& header = *table.header();
            const QPoint end(header.sectionViewportPosition(column) + header.sectionSize(column) - 1,
                             header.height() / 2);
            QTest::mousePress(header.viewport(), Qt::LeftButton, {}, end);
            QTest::mouseMove(header.viewport(), end + QPoint(by, 0));
            QTest::mouseRelease(header.viewport(), Qt::LeftButton, {}, end + QPoint(by, 0));
        };
        {
            JobViewFixture fixture;
            auto& stages = const_cast<QTreeView&>(fixture.view.stages());
            QTRY_VERIFY(fills(stages));
            QVERIFY(!fixture.view.state().contains("stage columns"));
            whole = stages.columnWidth(StagesModel::forward_column);
            QSignalSpy changed(&fixture.view, &JobView::stateChanged);
            drag(stages, StagesModel::name_column, 60);
            const int wide = stages.columnWidth(StagesModel::name_column);
            QVERIFY(!changed.isEmpty());
            drag(stages, StagesModel::forward_column, 20);
            // Figures of another length, and another width of the table, leave them.
            fixture.view.controls().microbatches().setValue(24);
            QVERIFY(fixture.idle());
            fixture.view.resize(1400, 600);
            QTest::qWait(1);
            QCOMPARE(stages.columnWidth(StagesModel::name_column), wide);
            QCOMPARE(stages.columnWidth(StagesModel::forward_column), whole + 20);
            state = fixture.view.state();
        }
        JobViewFixture fixture;
        fixture.view.restore(state);
        auto& stages = const_cast<QTreeView&>(fixture.view.stages());
        QTRY_COMPARE(stages.columnWidth(StagesModel::forward_column), whole + 20);
        QCOMPARE(stages.columnWidth(StagesModel::name_column),
                 state["stage columns"][StagesModel::name_column].toInt());
        // A double click gives the width of the texts back.
        QHeaderView& header = *stages.header();
        const QPoint end(header.sectionViewportPosition(StagesModel::forward_column) + whole + 19, header.height() / 2);
        QTest::mouseDClick(header.viewport(), Qt::LeftButton, {}, end);
        QTRY_COMPARE(stages.columnWidth(StagesModel::forward_column), whole);
        QCOMPARE(fixture.view.state()["stage columns"][StagesModel::forward_column].toInt(), 0);
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

    void aScheduleThatIsRefusedSaysWhyInItsRow() {
        QTemporaryDir folder;
        QFile written(folder.filePath("mesh.job.json"));
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(R"({"format": "overlap-job", "version": 1, "mesh": {"dims": [["pp", 4]]},
            "stages": [{"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}},
                       {"ms": {"F": 1, "B": 2}}],
            "schedule": {"name": "1F1B", "microbatches": 8}})");
        written.close();
        JobViewFixture fixture(written.fileName());
        fixture.view.showPage(JobView::schedules_page);
        const QTreeView& schedules = fixture.view.schedules();
        const auto& rows = static_cast<const SchedulesModel&>(*schedules.model()).rows();
        int refused = 0;
        for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
            const job::ScheduleRow& schedule = rows[static_cast<std::size_t>(row)];
            QCOMPARE(schedules.isFirstColumnSpanned(row, {}), !schedule.step_ms);
            if (schedule.step_ms) continue;
            ++refused;
            const QString text = schedules.model()->index(row, SchedulesModel::name_column).data().toString();
            QVERIFY(!schedule.refusal.empty());
            QCOMPARE(text, QStringLiteral("%1 · refused: %2")
                               .arg(QString::fromStdString(schedule.name), QString::fromStdString(schedule.refusal)));
        }
        QVERIFY(refused > 0 && refused < static_cast<int>(rows.size()));
        // The names' column is as wide as names are.
        QVERIFY(schedules.columnWidth(SchedulesModel::name_column) < 300);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::JobTablesTest)
#include "job_tables_test.moc"
