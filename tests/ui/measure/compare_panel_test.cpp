#include "ui/measure/compare_panel.h"

#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

#include "tests/measure/simulated_trace.h"
#include "tests/ui/docked_behind.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/measure/compared_sides.h"
#include "ui/measure/comparison_model.h"
#include "ui/measure/measurements.h"
#include "ui/measure/step_chooser.h"

namespace overlap::ui {

class ComparePanelTest : public QObject {
    Q_OBJECT

    static bool waitUntilCompared(ComparePanel& panel) {
        return QTest::qWaitFor([&] { return !panel.busy(); }, 60'000);
    }

    static int rowsThatAre(const ComparePanel& panel, const QString& change) {
        int count = 0;
        const QAbstractItemModel& rows = *const_cast<ComparePanel&>(panel).view()->model();
        for (int row = 0; row < rows.rowCount(); ++row)
            if (rows.index(row, ComparisonModel::change_column).data().toString() == change) ++count;
        return count;
    }

    static QString write(const QTemporaryDir& folder, const QString& name, const std::string& text) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(file.fileName()));
        file.write(QByteArray::fromStdString(text));
        return file.fileName();
    }

  private slots:
    void plansAreComparedCollectiveByCollective() {
        const auto document = openDocument();
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.resize(1000, 300);
        panel.show();
        QCOMPARE(panel.sides().before()->currentText(), "Baseline");
        QCOMPARE(panel.sides().after()->currentText(), "Plan A");
        QVERIFY(waitForEvaluation(*document) && waitUntilCompared(panel));
        QCOMPARE(panel.view()->model()->rowCount(), 0);  // an empty plan changes nothing
        QVERIFY2(panel.sums().contains("no collective differs"), qPrintable(panel.sums()));
        const auto* note = panel.view()->findChild<QLabel*>("emptyNote");
        QVERIFY(note && note->isVisible());
        QVERIFY2(note->text().startsWith("No collective differs"), qPrintable(note->text()));
        panel.filter()->setText("nothing of the kind");
        QTRY_VERIFY2(note->text().contains("matches the filter"), qPrintable(note->text()));
        QVERIFY2(note->text().contains("that differs"), qPrintable(note->text()));
        const auto buttons = panel.findChildren<QToolButton*>();
        const auto unchanged = std::ranges::find(buttons, "Unchanged", &QToolButton::text);
        QVERIFY(unchanged != buttons.end());
        (*unchanged)->click();
        QTRY_VERIFY2(!note->text().contains("that differs"), qPrintable(note->text()));
        (*unchanged)->click();
        panel.filter()->clear();

        QCOMPARE(BucketCommands(*document).addText("layers.0\nlayers.1"), QString());
        QVERIFY(waitForEvaluation(*document) && waitUntilCompared(panel));
        QVERIFY(rowsThatAre(panel, "appeared") + rowsThatAre(panel, "changed") >= 2);
        QVERIFY(rowsThatAre(panel, "merged") > 2);
        QVERIFY(!note->isVisible());
        QVERIFY2(panel.sums().contains("merged"), qPrintable(panel.sums()));

        // Process groups are called as the timeline and other views call them.
        for (int row = 0; row < panel.view()->model()->rowCount(); ++row) {
            const QString group = panel.view()->model()->index(row, ComparisonModel::group_column).data().toString();
            QVERIFY2(group.contains(" · "), qPrintable(group));
        }

        const int differing = panel.view()->model()->rowCount();
        panel.filter()->setText("merged");
        QCOMPARE(panel.view()->model()->rowCount(), rowsThatAre(panel, "merged"));
        QVERIFY(panel.view()->model()->rowCount() < differing);
        panel.view()->setFocus();
        QTest::keyClick(panel.view(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text().trimmed().count('\n'), panel.view()->model()->rowCount() + 1);

        panel.filter()->clear();
        panel.view()->sortByColumn(ComparisonModel::bytes_column, Qt::DescendingOrder);
        const auto bytes = [&](int row) {
            return panel.view()
                ->model()
                ->index(row, ComparisonModel::bytes_column)
                .data(ComparisonModel::sort_role)
                .toLongLong();
        };
        for (int row = 1; row < differing; ++row) QVERIFY(bytes(row - 1) >= bytes(row));
    }

    void sumsOfALowPanelTakeTwoLines() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.show();
        QVERIFY(waitUntilCompared(panel));
        auto* sums = panel.findChild<QLabel*>("comparisonSums");
        sums->setText(panel.sums().repeated(9));
        const int line = sums->fontMetrics().height();
        const int all = sums->fontMetrics().horizontalAdvance(sums->text());
        panel.resize(all * 2 / 3, 160);
        QVERIFY(sums->wordWrap());
        QTRY_VERIFY2(sums->height() >= 2 * line, qPrintable(QString::number(sums->height())));
        // More lines would hide the rows.
        panel.resize(all / 3, 160);
        QVERIFY(!sums->wordWrap());
        panel.resize(all / 3, 400);
        QVERIFY(sums->wordWrap());
    }

    void itOpensWithThePlanThatIsShownAndKeepsAChoice() {
        const auto document = openDocument();
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        const auto sides = [&] {
            return panel.sides().before()->currentText() + " > " + panel.sides().after()->currentText();
        };
        QCOMPARE(BucketCommands(*document).addText("layers.0"), QString());
        QCOMPARE(sides(), "Baseline > Plan A");
        document->addCopyOfCurrent();
        QCOMPARE(sides(), "Plan A > Plan B");  // what was shown before, and what is shown
        document->addNew(document->loaded().empty_plan);
        const QString empty = document->current()->title();
        QCOMPARE(sides(), "Plan B > " + empty);
        document->setCurrentIndex(2);
        QCOMPARE(sides(), "Baseline > Plan B");  // the one before does nothing
        document->setCurrentIndex(0);
        QCOMPARE(sides(), "Baseline > Plan B");  // and not the other way round
        document->setCurrentIndex(1);
        QCOMPARE(sides(), "Baseline > Plan A");

        panel.sides().before()->setCurrentIndex(2);
        document->setCurrentIndex(3);
        QCOMPARE(BucketCommands(*document).addText("layers.1"), QString());
        QCOMPARE(sides(), "Plan B > Plan A");
        document->closeVariant(2);  // what was chosen is gone
        QCOMPARE(sides(), "Plan A > " + empty);
        panel.sides().choosePlans(0, 1);
        document->addCopyOfCurrent();
        QCOMPARE(sides(), "Baseline > Plan A");
        document->setGraph(loadGraph(smallGraphFile()));
        QCOMPARE(sides(), "Baseline > Plan A");
        document->addCopyOfCurrent();
        QVERIFY(panel.sides().after()->currentText() != "Plan A");
    }

    void aChoiceWaitsForItsMeasurement() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        QTemporaryDir folder;
        const QString file = write(folder, "rank0.json", test::SimulatedTrace(*document->evaluation()).json());
        QJsonObject choice;
        {
            Measurements measurements;
            ComparePanel panel(*document, measurements);
            QVERIFY(panel.sides().choice().isEmpty());
            measurements.open({file});
            QVERIFY(QTest::qWaitFor([&] { return measurements.count() == 1; }, 60'000));
            QVERIFY2(panel.sides().choice().isEmpty(), "the panel has chosen, and not the user");
            panel.sides().before()->setCurrentIndex(0);
            choice = panel.sides().choice();
        }
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.sides().restoreChoice(choice);
        QCOMPARE(panel.sides().choice(), choice);
        measurements.open({file}, false);
        QVERIFY(QTest::qWaitFor([&] { return measurements.count() == 1; }, 60'000));
        QCOMPARE(panel.sides().before()->currentText(), "Baseline");
        QCOMPARE(panel.sides().after()->currentText(), "Measured");
        QCOMPARE(panel.sides().choice(), choice);
        document->setCurrentIndex(0);
        document->setCurrentIndex(1);
        QCOMPARE(panel.sides().before()->currentText(), "Baseline");
    }

    void aMeasurementThatComesBackLeavesTheChoice() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        QTemporaryDir folder;
        const QString file = write(folder, "rank0.json", test::SimulatedTrace(*document->evaluation()).json());
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.sides().choosePlans(0, 1);
        measurements.open({file}, false);
        QVERIFY(QTest::qWaitFor([&] { return measurements.count() == 1; }, 60'000));
        QCOMPARE(panel.sides().after()->currentText(), "Plan A");
        // Opened by hand, it is what is asked for.
        measurements.close(0);
        measurements.open({file});
        QVERIFY(QTest::qWaitFor([&] { return measurements.count() == 1; }, 60'000));
        QCOMPARE(panel.sides().after()->currentText(), "Measured");
    }

    void bothStepsAreShownOnOneAxis() {
        const auto document = openDocument();
        QCOMPARE(BucketCommands(*document).addText("layers.0"), QString());
        QVERIFY(waitForEvaluation(*document));
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.show();
        QVERIFY(waitUntilCompared(panel));
        std::shared_ptr<const ShownTimeline> shown;
        connect(&panel, &ComparePanel::shownChanged, this, [&](const auto& timeline) { shown = timeline; });
        panel.both()->setChecked(true);
        QVERIFY(shown);
        const std::string first = shown->timeline->lanes().front().description.title;
        QCOMPARE(first.rfind("Baseline · ", 0), std::size_t(0));
        const std::string last = shown->timeline->lanes().back().description.title;
        QCOMPARE(last.rfind("Plan A · ", 0), std::size_t(0));
        // Every row leads to its collective on either side.
        const auto& steps = panel.model()->steps();
        for (const ComparisonRow& row : steps->comparison.rows) {
            const auto name = [&](std::uint32_t reference) {
                return std::string(shown->timeline->event_name(shown->timeline->find(reference).front().location));
            };
            if (row.before && row.before->time_ms > 0) QCOMPARE(name(steps->referenceBefore(row)), row.before->name);
            if (row.after && row.after->time_ms > 0) QCOMPARE(name(steps->referenceAfter(row)), row.after->name);
        }
        // Another plan is another view of the timeline.
        document->setCurrentIndex(0);
        QVERIFY(!panel.both()->isChecked());
        QVERIFY(!shown);
    }

    void longNamesOfStepsLeaveLanesTheirs() {
        const auto document = openDocument();
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.show();
        std::shared_ptr<const ShownTimeline> shown;
        connect(&panel, &ComparePanel::shownChanged, this, [&](const auto& timeline) { shown = timeline; });
        /// In front of the lanes of both.
        const auto prefixes = [&](const QString& above, const QString& below) {
            while (document->variantCount() < 3) document->addCopyOfCurrent();
            for (const auto& [index, name] : {std::pair(1, above), std::pair(2, below)}) {
                document->setCurrentIndex(index);
                document->renameCurrent(name);
            }
            panel.sides().choosePlans(1, 2);
            if (!waitForEvaluation(*document) || !waitUntilCompared(panel)) return QStringList();
            panel.both()->setChecked(true);
            if (!shown || shown->caption != above + " above, " + below + " below") return QStringList();
            QStringList names;
            for (const Lane& lane : shown->timeline->lanes()) {
                const QString title = QString::fromStdString(lane.description.title);
                names.append(title.left(title.indexOf(" · ")));
            }
            names.removeDuplicates();
            return names;
        };
        QCOMPARE(prefixes("Plan A", "As torchtitan plans it"), QStringList({"Plan A", "As torch…"}));
        QCOMPARE(prefixes("all layers by two", "all layers by four"), QStringList({"all … two", "all …four"}));
        QCOMPARE(prefixes("all layers in two", "all parts in two"), QStringList({"all laye…", "all part…"}));
        QCOMPARE(prefixes("all layers, by two", "all the rest by two"), QStringList({"all laye…", "all the…"}));
        QCOMPARE(prefixes("all layers, 1 by two", "all layers, 2 by two"),
                 QStringList({"all layers, 1 by two", "all layers, 2 by two"}));
    }

    void aPlanIsComparedWithWhatTheJobDid() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        test::SimulatedTrace job(*document->evaluation());
        const std::size_t longer = job.collectives.size() / 2;
        job.lengthen(longer, 3'000'000);
        QTemporaryDir folder;
        const QString file = write(folder, "rank0.json", job.json());

        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.resize(1000, 300);
        panel.show();
        measurements.open({file});
        QVERIFY(QTest::qWaitFor([&] { return measurements.count() == 1; }, 60'000));
        QCOMPARE(panel.sides().after()->currentText(), "Measured");
        panel.sides().before()->setCurrentIndex(1);
        QVERIFY(waitUntilCompared(panel));
        const auto& steps = panel.model()->steps();
        QVERIFY2(steps && steps->measured, qPrintable(panel.sums()));
        QCOMPARE(steps->measured->matching.pairs, std::uint32_t(job.collectives.size()));
        // The greatest effect is on top, with its cause.
        const QModelIndex cause = panel.view()->model()->index(0, ComparisonModel::remark_column);
        QVERIFY2(cause.data().toString().contains("longer kernel"), qPrintable(cause.data().toString()));
        QVERIFY2(panel.sums().contains("predictions off by"), qPrintable(panel.sums()));
        const auto event = steps->shown->timeline->find(steps->referenceAfter(steps->comparison.rows.front()));
        QCOMPARE(event.size(), std::size_t(1));
        QVERIFY(steps->shown->timeline->event(event.front().location).length_ns() > 3'000'000);
    }

    void anyRankOfAMeasurementIsCompared() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        test::SimulatedTrace first(*document->evaluation()), second = first;
        const std::size_t longer = second.collectives.size() / 2;
        second.lengthen(longer, 3'000'000);
        QTemporaryDir folder;
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.resize(1000, 300);
        panel.show();
        QVERIFY(panel.step()->ranks()->isHidden());
        measurements.open({write(folder, "0.json", first.json(0)), write(folder, "1.json", second.json(1))});
        QVERIFY(QTest::qWaitFor([&] { return measurements.count() == 1; }, 60'000));
        panel.sides().before()->setCurrentIndex(1);
        QVERIFY(waitUntilCompared(panel));
        // A choice is offered only where there is one.
        QVERIFY(!panel.step()->ranks()->isHidden());
        QVERIFY(panel.step()->devices()->isHidden() && panel.step()->steps()->isHidden());
        QCOMPARE(panel.step()->ranks()->currentText(), "Rank 0");
        QCOMPARE(panel.model()->steps()->rank, std::size_t(0));

        panel.step()->ranks()->setFocus();
        QTest::keyClick(panel.step()->ranks(), Qt::Key_Down);
        QCOMPARE(panel.step()->ranks()->currentText(), "Rank 1");
        QVERIFY(waitUntilCompared(panel));
        const auto& steps = panel.model()->steps();
        QCOMPARE(steps->rank, std::size_t(1));
        QVERIFY2(steps->shown->caption.contains("Rank 1"), qPrintable(steps->shown->caption));
        const ShownPart& part = steps->shown->parts.back();
        for (const ComparisonRow& row : steps->comparison.rows) {
            if (!row.after) continue;
            const quint32 reference = steps->referenceAfter(row);
            QCOMPARE(steps->shown->timeline->find(reference).size(), std::size_t(1));
            QCOMPARE(part.measurement->eventOf(reference - part.first_reference).rank, std::size_t(1));
        }
        // The longer one is longer on this rank alone.
        const auto event = steps->shown->timeline->find(steps->referenceAfter(steps->comparison.rows.front()));
        QVERIFY(steps->shown->timeline->event(event.front().location).length_ns() > 3'000'000);
    }

    void nothingIsComparedBehindAnotherDock() {
        const auto document = openDocument();
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        DockedBehind docked(panel);
        const QSignalSpy compared(panel.model(), &QAbstractItemModel::modelReset);
        QCOMPARE(BucketCommands(*document).addText("layers.0\nlayers.1"), QString());
        QVERIFY(waitForEvaluation(*document));
        QTest::qWait(50);
        QVERIFY(!panel.busy());
        QCOMPARE(compared.count(), 0);
        docked.raise();
        QTRY_VERIFY(compared.count() > 0);
        QVERIFY(waitUntilCompared(panel));
        QVERIFY(rowsThatAre(panel, "merged") > 2);
    }

    void whatCannotBeComparedIsASentence() {
        const auto document = openDocument();
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.show();
        panel.sides().after()->setCurrentIndex(0);
        QVERIFY(waitUntilCompared(panel));
        QVERIFY(!panel.sums().isEmpty());
        QCOMPARE(panel.model()->rowCount(), 0);
        QVERIFY(!panel.both()->isEnabled());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ComparePanelTest)
#include "compare_panel_test.moc"
