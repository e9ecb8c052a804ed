#include "ui/panels/graph_chooser.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeWidget>

#include "core/base/error.h"
#include "tests/ui/ui_test_support.h"
#include "ui/panels/problems_model.h"
#include "ui/session/session.h"

namespace overlap::ui {

/// On the logs of three ranks of one job, of which rank 1 issues fewer collectives.
class GraphChooserTest : public QObject {
    Q_OBJECT

    static QString log(int rank) {
        return QStringLiteral(OVERLAP_TEST_DATA "/structured_logs/schedule_rank_%1.log").arg(rank);
    }
    static GraphChoice choice() { return listGraphs({log(0), log(1), log(2)}); }
    static int visibleRows(GraphChooser& chooser) {
        int rows = 0;
        for (int row = 0; row < chooser.list().topLevelItemCount(); ++row)
            rows += chooser.list().topLevelItem(row)->isHidden() ? 0 : 1;
        return rows;
    }

  private slots:
    void theMostUsefulGraphIsChosenBeforehand() {
        GraphChooser chooser(choice());
        QCOMPARE(visibleRows(chooser), 15);
        QCOMPARE(chooser.source().key(), log(0) + "#5");
        QVERIFY(chooser.notes().startsWith("collective schedule of 0/0: differs between ranks: 0, 2 | 1"));
        QVERIFY(chooser.notes().contains("its records say rank 0 and its name says rank 1"));
        QVERIFY(chooser.groups().isEnabled());
        QVERIFY(!chooser.symbols().isEnabled());
    }

    void searchKeepsAVisibleGraphChosen() {
        GraphChooser chooser(choice());
        chooser.search().setText("rank_1 post_grad");
        QCOMPARE(visibleRows(chooser), 1);
        QCOMPARE(chooser.source().key(), log(1) + "#5");
        chooser.search().setText("nothing is called so");
        QCOMPARE(visibleRows(chooser), 0);
        QVERIFY(!chooser.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open)->isEnabled());
        QSignalSpy chosen(&chooser, &GraphChooser::chosen);
        chooser.accept();
        QCOMPARE(chosen.count(), 0);
    }

    void anErrorMovesNoField() {
        GraphChooser chooser(choice());
        chooser.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chooser));
        const auto place = [&] { return chooser.groups().mapTo(&chooser, QPoint()); };
        const QPoint before = place();
        chooser.showProblem(QStringLiteral("World size: expected a number"));
        QCoreApplication::processEvents();
        QCOMPARE(place(), before);
        QCOMPARE(chooser.list().mapTo(&chooser, QPoint()).y() < before.y(), true);
    }

    void aLogOfSeveralGraphsAsksAndOpensWhatWasTold() {
        Document document;
        QSignalSpy listed(&document.loader(), &GraphLoader::listed);
        QSignalSpy loaded(&document.loader(), &GraphLoader::loaded);
        QSignalSpy failed(&document.loader(), &GraphLoader::failed);
        document.openGraph(log(1));
        QVERIFY(listed.wait(30'000));
        GraphChooser chooser(listed.first().first().value<GraphChoice>());
        chooser.groups().setText("9=0,1");
        document.openGraph(chooser.source());
        QVERIFY(failed.wait(30'000));
        QVERIFY(failed.first().last().toString().contains("no collective of the graph is of process group \"9\""));
        QVERIFY(!document.isOpen());
        chooser.groups().setText("0=0,1");
        document.openGraph(chooser.source());
        QVERIFY(loaded.wait(30'000));
        QCOMPARE(document.loaded().path, log(1) + "#5");
        QCOMPARE(document.graph()->header().process_group("0")->rank, 1);
        QCOMPARE(document.name(), QString("after_post_grad_graph 0/0"));
    }

    /// A text of one graph opens at once; what it leaves out can be told then, as on the command line.
    void whatATextLeavesOutIsToldAndHowItStandsIsSaid() {
        const QString text = QStringLiteral(OVERLAP_TEST_DATA "/fx_text/step.untyped.py");
        Document document;
        document.setGraph(loadGraph(GraphSource(text)));
        ProblemsModel problems(document);
        QSignalSpy telling(&problems, &ProblemsModel::tellingWanted);
        const auto unknown = [&] {
            const auto& all = problems.problems();
            return std::ranges::find_if(all, [](const Problem& problem) {
                return problem.message.find("the ranks of process group \"0\" are not known") != std::string::npos;
            });
        };
        QVERIFY(unknown() != problems.problems().end());
        QVERIFY(!unknown()->fix.empty());
        QVERIFY(problems.applyFix(static_cast<std::size_t>(unknown() - problems.problems().begin())));
        QCOMPARE(telling.count(), 1);

        GraphChooser chooser(listGraphs({text}));
        QVERIFY(chooser.standing().isEmpty());  // it is another graph until it is said which is open
        chooser.startFrom(document.loaded());
        QVERIFY2(chooser.standing().contains("group 0: ranks not known"), qPrintable(chooser.standing()));
        QVERIFY2(chooser.standing().contains("rank not told"), qPrintable(chooser.standing()));
        chooser.groups().setText("0=4-7");
        chooser.rank().setText("6");
        document.setGraph(loadGraph(chooser.source()));
        QCOMPARE(document.graph()->header().process_group("0")->rank, 2);
        QCOMPARE(document.graph()->header().rank, std::optional<std::int64_t>(6));
        QVERIFY(unknown() == problems.problems().end());

        GraphChooser again(listGraphs({text}));
        again.startFrom(document.loaded());
        QCOMPARE(again.source(), chooser.source());
        QVERIFY2(again.standing().contains("group 0: 4-7"), qPrintable(again.standing()));
        QVERIFY2(again.standing().contains("rank 6"), qPrintable(again.standing()));
        QCOMPARE(GraphSource::fromJson(again.source().toJson()), again.source());
        again.rank().setText("first");
        QVERIFY_THROWS_EXCEPTION(InputError, again.source().options());
    }

    /// What is told need not be all that is lacking.
    void nothingIsMissingOnlyWhereNothingIs() {
        const QString text = QStringLiteral(OVERLAP_TEST_DATA "/fx_text/step.untyped.py");
        const auto standing = [&](const GraphSource& source) {
            GraphChooser chooser(listGraphs({text}));
            chooser.startFrom(loadGraph(source));
            return chooser.standing();
        };
        GraphSource source(text);
        source.groups = "0=0-3";
        source.rank = "1";
        source.world_size = "4";
        QVERIFY2(standing(source).contains("inputs without a tensor"), qPrintable(standing(source)));
        QTemporaryDir folder;
        source.tensors = folder.filePath("some.json");
        QFile some(source.tensors);
        QVERIFY(some.open(QIODevice::WriteOnly));
        some.write(R"({"weight_1": "f32[16, 32][32, 1]cuda:0"})");
        some.close();
        QVERIFY2(standing(source).contains("inputs without a tensor"), qPrintable(standing(source)));
        QVERIFY2(!standing(source).contains("nothing is missing"), qPrintable(standing(source)));
        source.tensors = QStringLiteral(OVERLAP_TEST_DATA "/fx_text/step.tensors.json");
        QVERIFY2(standing(source).endsWith("nothing is missing"), qPrintable(standing(source)));
    }

    void aWorldSizeWithoutARankIsSaidToBeOfNoUse() {
        GraphChooser chooser(listGraphs({QStringLiteral(OVERLAP_TEST_DATA "/fx_text/step.untyped.py")}));
        const auto* alone = chooser.findChild<QLabel*>("worldSizeAlone");
        QLineEdit* world_size = nullptr;
        for (QLineEdit* field : chooser.findChildren<QLineEdit*>())
            if (field->accessibleName() == "World size") world_size = field;
        QVERIFY(alone && world_size);
        QVERIFY(alone->isHidden());
        world_size->setText("4");
        QVERIFY(!alone->isHidden());
        QCOMPARE(world_size->accessibleDescription(), alone->text());
        chooser.rank().setText("1");
        QVERIFY(alone->isHidden());
        chooser.rank().clear();
        QVERIFY(!alone->isHidden());
        world_size->clear();
        QVERIFY(alone->isHidden());
        // A log knows its rank.
        GraphChooser of_log(choice());
        for (QLineEdit* field : of_log.findChildren<QLineEdit*>())
            if (field->accessibleName() == "World size") field->setText("3");
        QVERIFY(of_log.findChild<QLabel*>("worldSizeAlone")->isHidden());
    }

    void whatWasToldOfTheOpenGraphIsNotSaidOfAnother() {
        GraphSource source(log(1));
        source.number = 5;
        source.groups = "0=0,1";
        source.rank = "1";
        source.world_size = "2";
        const LoadedGraph open = loadGraph(source);
        GraphChooser chooser(choice());
        chooser.startFrom(open);
        QCOMPARE(chooser.source(), source);
        QTreeWidgetItem* row = chooser.list().currentItem();
        chooser.list().setCurrentItem(chooser.list().topLevelItem(4));  // the same kind of graph of rank 0
        QCOMPARE(chooser.source().key(), log(0) + "#5");
        QCOMPARE(chooser.source().groups, QString());
        QCOMPARE(chooser.source().rank, QString());
        QCOMPARE(chooser.source().world_size, QString());
        chooser.groups().setText("0=0-2");  // what the user typed goes with him
        chooser.list().setCurrentItem(row);
        QCOMPARE(chooser.source().groups, QString("0=0-2"));
        QCOMPARE(chooser.source().rank, source.rank);
        QCOMPARE(chooser.source().world_size, source.world_size);
    }

    void aRankWithinTheTextOfAWorldSizeAsOfOlderSessionsIsRead() {
        const GraphSource told = GraphSource::fromJson({{"file", "log"}, {"world_size", "3/8"}});
        QCOMPARE(told.rank, QString("3"));
        QCOMPARE(told.world_size, QString("8"));
        QCOMPARE(GraphSource::fromJson({{"file", "log"}, {"world_size", "3/"}}).rank, QString("3"));
        QCOMPARE(GraphSource::fromJson({{"file", "log"}, {"world_size", "8"}}).world_size, QString("8"));
    }

    void keysStayInTheListWhereTheOpenGraphIsNoneOfIt() {
        GraphChooser chooser(choice());
        chooser.startFrom(loadGraph(GraphSource(smallGraphFile())));
        QCOMPARE(chooser.focusWidget(), &chooser.list());
        GraphSource source(log(1));
        source.number = 5;
        chooser.startFrom(loadGraph(source));
        QCOMPARE(chooser.focusWidget(), &chooser.groups());
    }

    void notesOfTheImportAreProblemsAsLongAsTheGraphIsOpen() {
        Document document;
        GraphSource source(log(1));
        source.number = 5;
        document.setGraph(loadGraph(source));
        ProblemsModel problems(document);
        QVERIFY(waitForEvaluation(document));
        QStringList messages;
        for (const Problem& problem : problems.problems())
            if (problem.kind == ProblemKind::import_note) messages.append(QString::fromStdString(problem.message));
        QVERIFY(!messages.filter("its records say rank 0 and its name says rank 1").isEmpty());
        QVERIFY(!messages.filter("the ranks of process group \"0\" are not known").isEmpty());
    }

    void whatCanBeToldSaysSo() {
        QTemporaryDir folder;
        QFile file(folder.filePath("notes.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "def forward(self, a: \"f32[s0][1]cpu\", b: \"things that are not known\"):\n"
            "    c = torch.ops.aten.neg.default(a);  a = None\n"
            "    return (c, b)\n");
        file.close();
        Document document;
        document.setGraph(loadGraph(GraphSource(file.fileName())));
        ProblemsModel problems(document);
        const auto fixOf = [&](std::string_view begin) {
            for (const Problem& problem : problems.problems())
                if (problem.message.starts_with(begin)) return QString::fromStdString(problem.fix);
            return QStringLiteral("there is none");
        };
        QCOMPARE(fixOf("the symbol \"s0\" has no value"), QStringLiteral("tell it…"));
        QCOMPARE(fixOf("the tensors of "), QStringLiteral("tell it…"));
        QCOMPARE(fixOf("the type \"things that are not known\" is none"), QString());
    }

    void theSessionRemembersTheChoice() {
        QTemporaryDir folder;
        GraphSource source(log(2));
        source.number = 5;
        source.groups = "0=0,1,2";
        Document document;
        document.setGraph(loadGraph(source));
        SessionState state;
        state.open = document.loaded().path;
        state.put(sessionDocument(document));
        QCOMPARE(Session(folder.path()).save(state), QString());
        SessionState restored = Session(folder.path()).load().state;
        QCOMPARE(restored.source(restored.open), source);
        QCOMPARE(fileOfGraph(restored.open), log(2));
        QCOMPARE(restored.source("/tmp/other.graph.json"), GraphSource("/tmp/other.graph.json"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphChooserTest)
#include "graph_chooser_test.moc"
