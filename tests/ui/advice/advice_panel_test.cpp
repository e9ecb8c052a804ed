#include "ui/advice/advice_panel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QToolButton>
#include <QToolTip>
#include <QTreeView>

#include "tests/ui/ui_test_support.h"
#include "ui/advice/advice_model.h"
#include "ui/edits/bucket_commands.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

class AdvicePanelTest : public QObject {
    Q_OBJECT

    /// A document with an empty plan, whose evaluations have been changed by `change` since.
    static std::unique_ptr<Document> openChanged(void (*change)(Evaluation&)) {
        auto document =
            openDocument([change](const auto& graph, const Plan& plan, std::stop_token stop, auto source, auto cache) {
                const auto evaluated = evaluate(graph, plan, std::move(stop), std::move(source), std::move(cache));
                if (!evaluated) return evaluated;  // stopped
                auto changed = std::make_shared<Evaluation>(*evaluated);
                change(*changed);
                return std::shared_ptr<const Evaluation>(std::move(changed));
            });
        document->addNew(document->loaded().empty_plan);
        return document;
    }

    static AdviceRow row(double step_ms, bool worthwhile, const char* refusal = "") {
        AdviceRow row;
        row.advice.text = "a change";
        row.effect.step_ms = step_ms;
        row.effect.refusal = refusal;
        row.worthwhile = worthwhile;
        return row;
    }

  private slots:
    void rowsAreInOrderOfTheirGain() {
        AdviceModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (const AdviceRow& added : {row(0.2, false), row(0, false, "no"), row(-9.8, true), row(-372, true)})
            model.add(added);
        QCOMPARE(model.rows().front().effect.step_ms, -372.0);
        QCOMPARE(model.rows()[1].effect.step_ms, -9.8);
        QCOMPARE(model.rows()[2].effect.step_ms, 0.2);
        const auto verdict = [&](int at) { return model.index(at, AdviceModel::verdict_column).data().toString(); };
        QCOMPARE(verdict(0), QStringLiteral("make it ↵"));
        QCOMPARE(verdict(2), QStringLiteral("not worth it"));
        QCOMPARE(verdict(3), QStringLiteral("refused: no"));
        QCOMPARE(model.index(3, AdviceModel::step_column).data().toString(), QStringLiteral("–"));
        QCOMPARE(model.index(3, AdviceModel::verdict_column).data(Qt::ToolTipRole).toString(), QStringLiteral("no"));
    }

    /// Which of the changes help is asked within the limit of the peak.
    void whatLeadsBeyondTheLimitSaysSoAndStandsBehind() {
        AdviceModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        AdviceRow greedy = row(-372, true), frugal = row(-9.8, true), refused = row(0, false, "no");
        greedy.effect.peak_bytes = 3ll << 30;
        frugal.effect.peak_bytes = -1ll << 30;
        for (const AdviceRow& added : {greedy, frugal, refused}) model.add(added);
        const auto steps = [&] {
            QList<double> all;
            for (const AdviceRow& each : model.rows()) all.append(each.effect.step_ms);
            return all;
        };
        const auto verdict = [&](int at) { return model.index(at, AdviceModel::verdict_column).data().toString(); };
        QCOMPARE(steps(), (QList<double>{-372, -9.8, 0}));
        model.setLimit(12ll << 30, 10ll << 30);
        QCOMPARE(steps(), (QList<double>{-9.8, -372, 0}));
        QCOMPARE(verdict(0), QStringLiteral("make it ↵"));
        QCOMPARE(verdict(1), QStringLiteral("make it ↵ · %1 over the limit").arg(formatBytes(double(1ll << 30))));
        model.setLimit(13ll << 30, 10ll << 30);
        QCOMPARE(verdict(0), QStringLiteral("make it ↵"));
        QCOMPARE(steps().first(), -372.0);
        model.setLimit(5ll << 30, 10ll << 30);
        QVERIFY2(!verdict(0).contains("limit"), "what frees memory leads towards the limit");
        QCOMPARE(steps().first(), -9.8);
        model.setLimit(0, 10ll << 30);
        QCOMPARE(steps().first(), -372.0);
    }

    /// A fix may change no figure; what is refused cannot be clicked, and says why.
    void eachRowDoesSomethingOrSaysWhyNot() {
        const auto document = openDocument();
        BucketCommands commands(*document);
        commands.addText("layers.0");
        Plan misspelt = document->current()->plan();
        misspelt.buckets.front().modules.push_back("layers.0x");
        document->editPlan("misspell", misspelt);
        QVERIFY(waitForEvaluation(*document));
        AdvicePanel panel(*document);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy() && panel.model()->rowCount() > 0, 30'000);
        panel.model()->add(row(0, false, "there is a cycle"));
        const auto& rows = panel.model()->rows();
        int fix = -1;
        for (std::size_t at = 0; at < rows.size(); ++at) {
            const QModelIndex index = panel.model()->index(static_cast<int>(at), AdviceModel::verdict_column);
            const bool refused = !rows[at].effect.refusal.empty();
            QCOMPARE(index.flags().testFlag(Qt::ItemIsEnabled), !refused);
            if (refused) QVERIFY2(index.data().toString().startsWith("refused: "), qPrintable(index.data().toString()));
            if (rows[at].advice.problem) fix = static_cast<int>(at);
        }
        QVERIFY(fix >= 0);
        QVERIFY(!rows[static_cast<std::size_t>(fix)].worthwhile);
        // Its place, then the fix itself.
        emit panel.view()->clicked(panel.model()->index(fix, AdviceModel::change_column));
        QCOMPARE(document->selection().kind(), Selection::Kind::bucket);
        QCOMPARE(document->selection().bucket(), 0);
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy(), 30'000);
        const Plan mended = panel.model()->rows()[static_cast<std::size_t>(fix)].advice.plan;
        emit panel.view()->clicked(panel.model()->index(fix, AdviceModel::verdict_column));
        QCOMPARE(document->current()->plan(), mended);
    }

    /// The reason has the room of the figures, and a tool tip, though its row cannot be chosen.
    void theReasonOfARefusalCanBeRead() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        AdvicePanel panel(*document);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy(), 30'000);
        const auto pictureOf = [&](const char* refusal) {
            panel.model()->clear();
            panel.model()->add(row(0, false, refusal));
            const QRect figures = panel.view()->visualRect(panel.model()->index(0, AdviceModel::step_column));
            return panel.view()->viewport()->grab(figures).toImage();
        };
        const char* reason = "all_gather_into_tensor_4 needs mm_7, which needs wait_tensor_3, which is of it";
        QVERIFY(pictureOf(reason) != pictureOf("no"));
        QCOMPARE(pictureOf(reason), pictureOf(reason));
        const QModelIndex change = panel.model()->index(0, AdviceModel::change_column);
        const QString tip = QStringLiteral("a change\nrefused: %1").arg(QString::fromLatin1(reason));
        QCOMPARE(change.data(Qt::ToolTipRole).toString(), tip);
        const QPoint at = panel.view()->visualRect(change).center();
        QHelpEvent help(QEvent::ToolTip, at, panel.view()->viewport()->mapToGlobal(at));
        QApplication::sendEvent(panel.view()->viewport(), &help);
        QCOMPARE(QToolTip::text(), tip);
        QToolTip::hideText();
    }

    /// What was looked for stands where rows would be.
    void thatNothingWasFoundIsSaidWithWhatWasLookedFor() {
        const auto document = openChanged([](Evaluation& hidden) {
            for (CollectiveTiming& collective : hidden.simulation.collectives) collective.exposed_ms = 0;
            hidden.problems.clear();
        });
        QVERIFY(waitForEvaluation(*document));
        AdvicePanel panel(*document);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy(), 30'000);
        QCOMPARE(panel.model()->rowCount(), 0);
        QVERIFY2(panel.nothingFound().startsWith("No collective is exposed"), qPrintable(panel.nothingFound()));
        QVERIFY2(panel.caption().endsWith("nothing was found"), qPrintable(panel.caption()));
    }

    void oneChangeIsOne() {
        const auto document = openChanged([](Evaluation& one) {
            for (CollectiveTiming& collective : one.simulation.collectives) collective.exposed_ms = 0;
            std::erase_if(one.problems,
                          [](const Problem& problem) { return problem.kind != ProblemKind::unknown_module; });
        });
        BucketCommands(*document).addText("layers.0x");
        QVERIFY(waitForEvaluation(*document));
        AdvicePanel panel(*document);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy(), 30'000);
        QVERIFY2(panel.caption().endsWith(" · 1 change tried"), qPrintable(panel.caption()));
    }

    /// As many as there are, and not as many as are looked at at most.
    void theCollectivesThatAreExposedAreCounted() {
        const auto keep = [](Evaluation& changed, std::size_t most) {
            std::size_t exposed = 0;
            for (CollectiveTiming& collective : changed.simulation.collectives)
                collective.exposed_ms = collective.exposed_ms > 0 && exposed++ < most ? collective.exposed_ms : 0;
        };
        static std::size_t most = 0;
        static const auto kept = keep;
        const std::vector<std::pair<std::size_t, QString>> told = {
            {0, "For problems; no collective is exposed"},
            {1, "For the one collective that is exposed, and for problems"},
            {4, "For the 4 collectives that are exposed, and for problems"},
            {100, "For the 8 collectives that are exposed longest, and for problems"}};
        for (const auto& [exposed, caption] : told) {
            most = exposed;
            const auto document = openChanged([](Evaluation& changed) { kept(changed, most); });
            QVERIFY(waitForEvaluation(*document));
            AdvicePanel panel(*document);
            panel.show();
            QTRY_VERIFY2_WITH_TIMEOUT(panel.caption().startsWith(caption), qPrintable(panel.caption()), 30'000);
        }
    }

    /// Of a refused plan nothing is looked for but fixes of its problems.
    void nothingIsSaidToBeLookedForInARefusedPlan() {
        const auto document = openChanged([](Evaluation& refused) {
            refused.refused = true;
            refused.problems.clear();
        });
        QVERIFY(waitForEvaluation(*document));
        AdvicePanel panel(*document);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy(), 30'000);
        QVERIFY2(panel.nothingFound().startsWith("The plan is refused"), qPrintable(panel.nothingFound()));
        panel.selectedOnly()->setChecked(true);
        QVERIFY2(panel.caption().startsWith("Select a collective"), qPrintable(panel.caption()));
    }

    void newProblemsAreNamed() {
        AdviceModel model;
        AdviceRow causes = row(-9.8, true);
        for (const char* title : {"Read before fill", "Gathered for both", "Read before fill"}) {
            Problem& problem = causes.effect.new_problems.emplace_back();
            problem.title = title;
            problem.message = std::string("what ") + title + " means";
        }
        model.add(causes);
        const QModelIndex verdict = model.index(0, AdviceModel::verdict_column);
        QCOMPARE(verdict.data().toString(), QStringLiteral("make it ↵ · new: Read before fill, Gathered for both"));
        QVERIFY(verdict.data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("Gathered for both: what Gathered for both means")));
    }

    void stepsWithLinksSharedDecide() {
        AdviceModel model;
        AdviceRow seems = row(-372, false), helps = row(-9.8, true);
        model.add(helps);
        QVERIFY(!model.hasSharedSteps());
        seems.effect.shared_step_ms = 3;
        model.add(seems);
        QVERIFY(model.hasSharedSteps());
        QCOMPARE(model.rows().front().effect.step_ms, -9.8);
        QCOMPARE(model.index(1, AdviceModel::shared_column).data().toString(), formatDifference(3, Unit::Time));
        QCOMPARE(model.headerData(AdviceModel::shared_column, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("with links shared"));
        // The step of a job of the other is that beside it, not one that nobody knows.
        QCOMPARE(model.index(0, AdviceModel::shared_column).data().toString(),
                 model.index(0, AdviceModel::step_column).data().toString());
    }

    /// The column of steps with links shared comes with the first of them: it is as wide as its heading at once.
    void theHeadingOfStepsWithLinksSharedIsWhole() {
        const auto document = openDocument();
        AdvicePanel panel(*document);
        panel.resize(900, 300);
        panel.show();
        AdviceRow seems = row(-372, false);
        seems.effect.shared_step_ms = 3;
        const QTreeView& view = *panel.view();
        QVERIFY(view.isColumnHidden(AdviceModel::shared_column));
        panel.model()->add(seems);
        QVERIFY(!view.isColumnHidden(AdviceModel::shared_column));
        for (const int column : {AdviceModel::shared_column, AdviceModel::exposed_column}) {
            const int heading = view.header()->sectionSizeHint(column);
            QVERIFY2(heading > 0 && view.columnWidth(column) >= heading,
                     qPrintable(QString::number(view.columnWidth(column))));
        }
    }

    void aChangeIsMadeAndTakenBack() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        QVERIFY(waitForEvaluation(*document));
        AdvicePanel panel(*document);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy() && panel.model()->rowCount() > 0, 30'000);
        const AdviceRow best = panel.model()->rows().front();
        QVERIFY(best.worthwhile);
        const Plan before = document->current()->plan();
        const double step_ms = document->evaluation()->simulation.step_ms;
        panel.view()->setCurrentIndex(panel.model()->index(0, 0));
        emit panel.view()->activated(panel.model()->index(0, 0));
        QCOMPARE(document->current()->plan(), best.advice.plan);
        QCOMPARE(panel.model()->rowCount(), 0);  // they were changes of the plan before
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->evaluation()->simulation.step_ms, step_ms + best.effect.step_ms);
        QCOMPARE(document->undoGroup().undoText(), QString::fromStdString(best.advice.text));
        document->undoGroup().undo();
        QCOMPARE(document->current()->plan(), before);
    }

    void theSelectedCollectiveAlone() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        AdvicePanel panel(*document);
        panel.show();
        panel.adviseSelected();
        QVERIFY2(panel.caption().startsWith("Select a collective"), qPrintable(panel.caption()));
        const Evaluation& evaluation = *document->evaluation();
        const NodeId start = evaluation.simulation.collectives[most_exposed(evaluation, 1).front()].start;
        const QString name = QString::fromStdString(std::string(evaluation.graph->name(start)));
        document->selection().selectNode(name);
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy() && panel.model()->rowCount() > 0, 30'000);
        for (const AdviceRow& row : panel.model()->rows()) QCOMPARE(row.advice.collective, name.toStdString());
        QVERIFY2(panel.caption().contains(name), qPrintable(panel.caption()));
    }

    void theBaselineIsNotAdvised() {
        const auto document = openDocument();
        AdvicePanel panel(*document);
        panel.show();
        document->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*document));
        QTRY_VERIFY(!panel.busy());
        QCOMPARE(panel.model()->rowCount(), 0);
        QVERIFY2(panel.caption().startsWith("The baseline"), qPrintable(panel.caption()));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::AdvicePanelTest)
#include "advice_panel_test.moc"
