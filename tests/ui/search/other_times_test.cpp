#include "tests/ui/search/other_times.h"

#include <QJsonArray>
#include <QRegularExpression>

#include "tests/ui/search/searched_panel.h"
#include "ui/search/earlier_searches.h"
#include "ui/search/found_plans_json.h"
#include "ui/search/found_with_other_times.h"
#include "ui/search/front_chart.h"

namespace overlap::ui {

/// What was found is kept with the times that it is of.
class OtherTimesTest : public QObject, SearchedPanel {
    Q_OBJECT

    /// Of two searches that find the same, how many plans they evaluated tells them apart.
    QString told() const { return panel_->caption() + panel_->result(); }

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    void whatWasFoundComesBackWithItsTimes() {
        find(150);
        find(30);  // which has not all of that
        QVERIFY(!panel_->earlier()->isEmpty());
        const QString own = told(), before = panel_->earlier()->text();
        shareLinks(*document_);
        QVERIFY(!panel_->openButton()->isEnabled());
        QVERIFY(panel_->chart()->points().empty());
        QVERIFY(panel_->earlier()->isEmpty());
        QVERIFY2(panel_->caption().startsWith("What was found is of other times than those used now; it is kept"),
                 qPrintable(panel_->caption()));
        QVERIFY(waitForEvaluation(*document_));
        find(60);
        const QString shared = told();
        QVERIFY(shared != own);
        document_->setTimes(nullptr);
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(told(), own);
        QCOMPARE(panel_->earlier()->text(), before);
        shareLinks(*document_);
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(told(), shared);
        QVERIFY(panel_->earlier()->isEmpty());
    }

    /// Each start reads a session, and most have none.
    void aSessionWithoutFoundPlansSaysNothing() {
        QTest::failOnWarning(QRegularExpression(".*"));
        FoundWithOtherTimes entries;
        entries.restore({}, [](int) { return quint64(0); });
        QVERIFY(!foundPlansFromJson({{"packed", "no such thing"}}));
    }

    /// The graph's cost model has no factors of contention.
    void timesThatChangeNothingKeepWhatWasFoundAndWhatRuns() {
        find();
        const QString found = told();
        useTimes(*document_, modelled_source(true, std::nullopt));
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(told(), found);
        QVERIFY(panel_->openButton()->isEnabled());
        panel_->controls().effort()->setItemData(0, 5'000'000);
        panel_->findButton()->click();
        QVERIFY(panel_->busy());
        document_->setTimes(nullptr);
        QVERIFY(panel_->busy());
        panel_->findButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->busy(), 60'000);
    }

    /// A session opens the graph with its own times and applies those that were used afterwards.
    void aSessionBringsBackWhatWasFoundWithAnyTimes() {
        find(60);
        const QString own = told();
        shareLinks(*document_);
        QVERIFY(waitForEvaluation(*document_));
        find(30);
        const QString shared = told();
        const QJsonObject kept = panel_->kept();
        document_->setTimes(nullptr);
        QVERIFY(waitForEvaluation(*document_));
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->restore(kept);
        QCOMPARE(told(), own);
        shareLinks(*document_);
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(told(), shared);
        // Nor is it lost where the session ends before they are applied, or another search begins.
        document_->setTimes(nullptr);
        QVERIFY(waitForEvaluation(*document_));
        find(30);
        const QJsonObject again = panel_->kept();
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->restore(again);
        shareLinks(*document_);
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(told(), shared);
    }

    /// One that does not say its times.
    void whatAnOlderVersionKeptIsToldByTheStepOfTheGraph() {
        find();
        const QString found = told();
        QJsonObject kept = panel_->kept();
        kept.remove("times");
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->restore(kept);
        QCOMPARE(told(), found);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::OtherTimesTest)
#include "other_times_test.moc"
