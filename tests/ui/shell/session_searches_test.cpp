#include <QComboBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QStandardItemModel>
#include <QToolButton>

#include "tests/ui/shell/session_fixture.h"
#include "tests/ui/ui_test_support.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/search/front_chart.h"
#include "ui/search/search_controls.h"
#include "ui/search/search_panel.h"
#include "ui/shell/session_controller.h"

namespace overlap::ui {

/// What is kept of searches, of those that end with the window too, and what comes back.
class SessionSearchesTest : public QObject {
    Q_OBJECT

    LoadedGraph graph_;

    /// A session of a window that ended while a search had found something.
    void cutASearchOff(const QString& folder) {
        SessionFixture fixture;
        fixture.session.open(folder);
        fixture.document.setGraph(graph_);
        QVERIFY(waitForEvaluation(fixture.document));
        SearchPanel& search = fixture.workspace.search();
        search.controls().limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::baseline));
        search.controls().effort()->setItemData(search.controls().effort()->currentIndex(), 1'000'000);
        search.findOrFinish();
        QVERIFY(search.busy());
        QVERIFY(search.kept().contains("running"));
        QTRY_VERIFY_WITH_TIMEOUT(search.kept()["running"].toObject().contains("best"), 60'000);
        QVERIFY(search.busy());
        QCOMPARE(fixture.session.store(), QString());
    }

  private slots:
    void initTestCase() { graph_ = loadGraph(smallGraphFile()); }

    void whatASearchFoundComesBackWithItsGraph() {
        QTemporaryDir folder;
        const auto search_in = [](SessionFixture& fixture) -> SearchPanel& { return fixture.workspace.search(); };
        QString result, caption;
        QStringList parts;
        const auto parts_in = [&](SessionFixture& fixture) {
            QStringList texts;
            const QStandardItemModel* model = search_in(fixture).elements();
            for (int row = 0; row < model->rowCount(); ++row)
                for (int column = 0; column < model->columnCount(); ++column)
                    texts.append(model->item(row, column)->text());
            return texts;
        };
        std::size_t points = 0;
        {
            SessionFixture fixture;
            fixture.session.open(folder.path());
            fixture.document.setGraph(graph_);
            QVERIFY(waitForEvaluation(fixture.document));
            SearchPanel& search = search_in(fixture);
            search.controls().effort()->setItemData(0, 100);
            search.controls().effort()->setCurrentIndex(0);
            search.findOrFinish();
            QTRY_VERIFY_WITH_TIMEOUT(!search.busy(), 60'000);
            QVERIFY(search.chart()->points().size() > 2);
            emit search.chart()->chosen(1);
            QTRY_VERIFY_WITH_TIMEOUT(!search.weighing(), 60'000);
            result = search.result();
            caption = search.caption();
            parts = parts_in(fixture);
            points = search.chart()->points().size();
            QVERIFY(!fixture.session.refusesClosing());
        }
        SessionFixture fixture;
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        SearchPanel& search = search_in(fixture);
        QCOMPARE(search.chart()->points().size(), points);
        QCOMPARE(search.result(), result);
        QCOMPARE(search.caption(), caption);
        QCOMPARE(parts_in(fixture), parts);
        QVERIFY(search.openButton()->isEnabled());
        // Another graph has none of it, and nothing is lost by looking at it.
        fixture.document.setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        QVERIFY(!search.openButton()->isEnabled());
        fixture.document.setGraph(graph_);
        QCOMPARE(search.result(), result);
        search.openButton()->click();
        QVERIFY(waitForEvaluation(fixture.document));
        QVERIFY(!fixture.document.evaluation()->refused);
    }

    /// A graph opens with its own times, and the kept ones are applied afterwards.
    void whatWasFoundWithLinksSharedComesBack() {
        QTemporaryDir folder;
        QString result;
        const auto is_shared = [](SessionFixture& fixture) {
            return QTest::qWaitFor([&] { return fixture.document.times() != nullptr; }, 30'000) &&
                   waitForEvaluation(fixture.document);
        };
        {
            SessionFixture fixture;
            fixture.session.open(folder.path());
            fixture.document.setGraph(graph_);
            JobModel shared = fixture.trace_times.model();
            shared.share_links = true;
            fixture.trace_times.useModel(shared);
            QVERIFY(is_shared(fixture));
            SearchPanel& search = fixture.workspace.search();
            search.controls().effort()->setItemData(search.controls().effort()->currentIndex(), 100);
            search.findOrFinish();
            QTRY_VERIFY_WITH_TIMEOUT(!search.busy(), 60'000);
            result = search.result();
            QVERIFY(search.openButton()->isEnabled());
            QCOMPARE(fixture.session.store(), QString());
        }
        SessionFixture fixture;
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        QVERIFY(is_shared(fixture));
        QCOMPARE(fixture.workspace.search().result(), result);
        QVERIFY(fixture.workspace.search().openButton()->isEnabled());
    }

    /// Its plan goes to no other graph, and is not lost with the notice.
    void aSearchThatWasCutOffIsOfItsGraph() {
        QTemporaryDir folder;
        cutASearchOff(folder.path());
        const LoadedGraph other =
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz"));
        SessionFixture fixture;
        NoticeBar& notice = fixture.workspace.notice();
        std::vector<NoticeAction> of_before;
        int told = 0;
        connect(&fixture.session, &SessionController::warnedAlso, &notice,
                [&](const QString& sentence, const QStringList& details, const std::vector<NoticeAction>& actions) {
                    of_before = actions;
                    ++told;
                    notice.addSentence(sentence, details, actions);
                });
        SearchPanel& search = fixture.workspace.search();
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        QCOMPARE(told, 1);
        QVERIFY(notice.button("Open its best plan"));
        notice.addSentence("What is of no graph");
        fixture.document.setGraph(other);
        QCOMPARE(notice.text(), "What is of no graph");
        notice.hide();
        QCOMPARE(told, 1);
        QVERIFY(waitForEvaluation(fixture.document));
        const int plans = fixture.document.variantCount();
        for (const NoticeAction& action : of_before) action.run();
        QCOMPARE(fixture.document.variantCount(), plans);
        QVERIFY(!search.busy());
        QVERIFY(!search.kept().contains("running"));
        // It is told with its graph again, until the user wants no more of it.
        fixture.document.setGraph(graph_);
        QCOMPARE(told, 2);
        notice.showNotice("One that takes its place");
        QVERIFY(search.kept().contains("running"));
        fixture.document.setGraph(other);
        fixture.document.setGraph(graph_);
        QCOMPARE(told, 3);
        notice.button("Forget the search")->click();
        QVERIFY(!search.kept().contains("running"));
    }

    /// Its buttons would act on another one, or do nothing.
    void onlyTheNewestSearchThatWasCutOffIsTold() {
        QTemporaryDir folder;
        cutASearchOff(folder.path());
        SessionFixture fixture;
        NoticeBar& notice = fixture.workspace.notice();
        connect(&fixture.session, &SessionController::warnedAlso, &notice, &NoticeBar::addSentence);
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        QVERIFY(notice.button("Open its best plan"));
        const QString first = notice.text();
        InterruptedSearch newer{5, 10};
        emit fixture.workspace.search().interrupted(newer);
        QVERIFY2(!notice.text().contains(first) && notice.text().contains(" after 5 of 10 plans"),
                 qPrintable(notice.text()));
        QVERIFY(!notice.button("Open its best plan"));
        notice.addSentence("What is of no search");
        fixture.workspace.search().dropCutOff();
        QCOMPARE(notice.text(), "What is of no search");
    }

    /// It is told until its plan was opened, with what it was asked for and what it had found.
    void aSearchThatWasCutOffIsToldAtTheNextStart() {
        QTemporaryDir folder;
        cutASearchOff(folder.path());
        for (const bool first : {true, false}) {
            SessionFixture fixture;
            std::vector<NoticeAction> actions;
            QStringList told;
            connect(&fixture.session, &SessionController::warnedAlso, &fixture.session,
                    [&](const QString& sentence, const QStringList&, const std::vector<NoticeAction>& offered) {
                        told.append(sentence);
                        actions = offered;
                    });
            fixture.session.open(folder.path());
            fixture.document.setGraph(graph_);
            SearchPanel& search = fixture.workspace.search();
            QCOMPARE(search.controls().limit()->currentIndex(), static_cast<int>(SearchControls::Limit::baseline));
            if (!first) {
                QVERIFY2(told.isEmpty(), qPrintable(told.join(u'|')));
                continue;
            }
            QCOMPARE(told.size(), 1);
            QVERIFY2(told.front().contains(" was under way ") && told.front().contains("the best with a step of "),
                     qPrintable(told.front()));
            QCOMPARE(actions.size(), 3u);
            const int plans = fixture.document.variantCount();
            actions[1].run();
            QCOMPARE(fixture.document.variantCount(), plans + 1);
            static const QRegularExpression figures(QStringLiteral("^Found so far [\\d.]+ ms at [\\d.]+ MiB$"));
            const QString title = fixture.document.current()->title();
            QVERIFY2(figures.match(title).hasMatch(), qPrintable(title));
            QCOMPARE(fixture.session.store(), QString());
            // As soon as the plan that is shown has been evaluated.
            actions[0].run();
            QTRY_VERIFY_WITH_TIMEOUT(search.busy(), 60'000);
            search.findOrFinish();
            QTRY_VERIFY_WITH_TIMEOUT(!search.busy(), 60'000);
            QVERIFY(!search.kept().contains("running"));
            QVERIFY(!fixture.document.evaluation()->refused);
        }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SessionSearchesTest)
#include "session_searches_test.moc"
