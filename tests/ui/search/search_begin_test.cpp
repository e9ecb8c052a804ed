#include <QLabel>
#include <QSignalSpy>

#include "tests/ui/search/other_times.h"
#include "tests/ui/search/searched_panel.h"
#include "ui/search/interrupted_search.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// Where a search does not begin, or is cut off, the panel says so.
class SearchBeginTest : public QObject, SearchedPanel {
    Q_OBJECT

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    /// The button that has the focus ends a search that runs.
    void whileASearchRunsItIsNotSaidThatEnterBeginsOne() {
        const auto* result = panel_->findChild<QLabel*>(QStringLiteral("searchResult"));
        QVERIFY(result);
        const auto says = [&](const char* words) {
            return panel_->result().contains(QLatin1String(words)) && result->text().contains(QLatin1String(words));
        };
        QVERIFY2(says("Enter begins a search"), qPrintable(panel_->result()));
        for (const bool again : {false, true}) {
            QTest::keyClick(panel_->findButton(), Qt::Key_Return);
            QVERIFY(panel_->busy());
            QVERIFY2(!panel_->result().contains("Enter"), qPrintable(panel_->result()));
            QVERIFY2(!result->text().contains("Enter"), qPrintable(result->text()));
            QVERIFY2(says("A search evaluates plans with the exact passes"), qPrintable(panel_->result()));
            if (again) break;
            // Cut off by other times, nothing runs: Enter begins one again.
            shareLinks(*document_);
            QVERIFY(!panel_->busy());
            QVERIFY2(says("Enter begins a search"), qPrintable(panel_->result()));
        }
    }

    /// In a low panel the first sentences are all that can be read.
    void whatWasFoundStandsAboveHowTheSearchEnded() {
        const auto* progress = panel_->findChild<QLabel*>(QStringLiteral("searchCaption"));
        const auto* result = panel_->findChild<QLabel*>(QStringLiteral("searchResult"));
        const auto* end = panel_->findChild<QLabel*>(QStringLiteral("searchEnd"));
        QVERIFY(progress && result && end);
        panel_->findButton()->click();
        QVERIFY(progress->isVisible() && !end->isVisible());
        panel_->findButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->busy(), 30'000);
        find();
        QVERIFY(!progress->isVisible() && end->isVisible());
        QCOMPARE(end->text(), panel_->caption());
        QTRY_VERIFY(end->y() >= result->y() + result->height());
    }

    /// Asked for again, it says at once why it cannot begin, and does not begin unasked when it could.
    void saysAtOnceWhyItCannotBeginAndDoesNotBeginLater() {
        find();
        QVERIFY(panel_->openButton()->isEnabled());
        setLimit(SearchControls::Limit::device);
        panel_->beginSoon();
        QVERIFY(!panel_->busy());
        QCOMPARE(panel_->caption(),
                 "The search cannot begin: The graph's cost model does not say what the device holds");
        setLimit(SearchControls::Limit::none);
        runAllDue();
        QVERIFY(!panel_->busy());
        QVERIFY2(!panel_->caption().isEmpty() && !panel_->caption().contains("cannot begin"),
                 qPrintable(panel_->caption()));
        QVERIFY(panel_->openButton()->isEnabled());
    }

    void saysThatItWillBegin() {
        document_->setGraph(loadGraph(smallGraphFile()));
        QVERIFY(!document_->evaluation());
        panel_->beginSoon();
        QVERIFY(!panel_->busy());
        QCOMPARE(panel_->caption(), "The search begins as soon as the plan that is shown has been evaluated");
        QTRY_VERIFY_WITH_TIMEOUT(panel_->busy(), 30'000);
        QVERIFY2(!panel_->caption().contains("begins as soon"), qPrintable(panel_->caption()));
    }

    /// What it waited for shows an obstacle that stays.
    void saysWhyWhatWasPromisedIsNotKept() {
        document_->setGraph(loadGraph(smallGraphFile()));
        setLimit(SearchControls::Limit::device);
        panel_->beginSoon();
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY2(panel_->caption().startsWith("The search cannot begin: "), qPrintable(panel_->caption()));
        setLimit(SearchControls::Limit::none);
        runAllDue();
        QVERIFY(!panel_->busy());
    }

    /// With the evaluation that it waits for it is known whether any plan can stay within the limit.
    void doesNotBeginWhereNoPlanCanStayWithinTheLimit() {
        panel_->controls().setLimit(1000);
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->controls().impossibility().isEmpty(), 30'000);
        document_->addCopyOfCurrent();
        document_->editBuckets("edit", {{{"layers.0"}, false, {}}});
        QVERIFY(document_->current()->stale());
        panel_->beginSoon();
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!panel_->busy());
        const QString begin = QStringLiteral("The search cannot begin: No plan can stay within ");
        QVERIFY2(panel_->caption().startsWith(begin), qPrintable(panel_->caption()));
        panel_->controls().setLimit(std::nullopt);
        QVERIFY2(!panel_->caption().contains("cannot begin"), qPrintable(panel_->caption()));
    }

    /// While one is read, it is not known whether it can be opened.
    void nothingIsPromisedWhereNoGraphIsOpen() {
        Document document;
        SearchPanel panel(document);
        document.openGraph(smallGraphFile());
        QVERIFY(document.loading() && !document.isOpen());
        panel.beginSoon();
        QVERIFY2(panel.caption().startsWith("The search cannot begin: "), qPrintable(panel.caption()));
        QTRY_VERIFY_WITH_TIMEOUT(document.isOpen(), 30'000);
        QVERIFY(waitForEvaluation(document));
        QVERIFY2(!panel.caption().contains("begin"), qPrintable(panel.caption()));
        QVERIFY(!panel.busy());
    }

    /// What the least peak was asked of is not kept alive by it.
    void aGraphThatIsOpenNoMoreIsFreed() {
        panel_->controls().setLimit(1000);
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->controls().impossibility().isEmpty(), 30'000);
        panel_->controls().setLimit(std::nullopt);
        const std::weak_ptr<const Graph> graph = document_->graph();
        document_->setGraph(loadGraph(smallGraphFile()));
        QVERIFY(waitForEvaluation(*document_));
        QTRY_VERIFY(graph.expired());
    }

    /// The promise is of the graph that was open.
    void isNotPromisedForAnotherGraph() {
        document_->setGraph(loadGraph(smallGraphFile()));
        panel_->beginSoon();
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!panel_->busy());
    }

    void anotherGraphCutsASearchOffWithAWord() {
        panel_->controls().effort()->setItemData(0, 5'000'000);
        panel_->controls().effort()->setCurrentIndex(0);
        panel_->findButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(panel_->caption().contains(QStringLiteral("best ")), 30'000);
        QSignalSpy told(panel_.get(), &SearchPanel::leftBehind);
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        QCOMPARE(told.size(), 1);
        const QString sentence = told.front().front().toString();
        QVERIFY2(sentence.contains(" of 5000000 plans, the best with a step of "), qPrintable(sentence));
        QVERIFY2(sentence.startsWith("The search of the former graph ended after "), qPrintable(sentence));
        QVERIFY2(sentence.endsWith("; open that graph again to see it"), qPrintable(sentence));
        QVERIFY(waitForEvaluation(*document_));
        document_->setGraph(loadGraph(smallGraphFile()));
        QCOMPARE(told.size(), 1);
    }

    void otherTimesCutASearchOffWithAWordAndKeepItsBestPlan() {
        panel_->controls().effort()->setItemData(0, 5'000'000);
        panel_->controls().effort()->setCurrentIndex(0);
        panel_->findButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(panel_->caption().contains(QStringLiteral("best ")), 30'000);
        QString told;
        connect(panel_.get(), &SearchPanel::interrupted, panel_.get(),
                [&](const InterruptedSearch& search) { told = search.reached(); });
        shareLinks(*document_);
        QVERIFY(!panel_->busy());
        QVERIFY2(told.contains(" of 5000000 plans, the best with a step of "), qPrintable(told));
        QVERIFY2(told.endsWith(", because other times are used now"), qPrintable(told));
        QVERIFY2(panel_->caption().startsWith("The search was cut off " + told), qPrintable(panel_->caption()));
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(panel_->caption(), "The search was cut off " + told);
        QVERIFY(panel_->kept().contains("running"));
        // One that had found nothing yet does not take its place, and it is not told once more.
        told.clear();
        panel_->findButton()->click();
        QVERIFY(panel_->busy());
        document_->setTimes(nullptr);
        QVERIFY(!panel_->busy());
        QVERIFY(panel_->caption().startsWith("The search was cut off after 0 of "));
        QVERIFY2(told.isEmpty(), qPrintable(told));
        QVERIFY(waitForEvaluation(*document_));
        QSignalSpy dropped(panel_.get(), &SearchPanel::cutOffDropped);
        const int plans = document_->variantCount();
        panel_->openBest();
        QCOMPARE(document_->variantCount(), plans + 1);
        QCOMPARE(dropped.size(), 1);
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!document_->evaluation()->refused);
    }

    /// Its figures are not those that the plan has now, and nobody is to read them on its tab.
    void theBestPlanOfASearchWithOtherTimesIsNotCalledByItsFigures() {
        QString told;
        connect(panel_.get(), &SearchPanel::interrupted, panel_.get(),
                [&](const InterruptedSearch& search) { told = search.reached(); });
        InterruptedSearch cut_off{5, 10, 12.5};
        cut_off.best = document_->current()->plan();
        cut_off.best->buckets.push_back({{"layers.0"}, false, {}});
        cut_off.best_peak_bytes = 1 << 30;
        const auto restored = [&](double baseline_ms) {
            cut_off.baseline_ms = baseline_ms;
            panel_->restore({{"running", cut_off.toJson()}});
        };
        restored(document_->baseline().simulation.step_ms);
        QCOMPARE(told, "after 5 of 10 plans, the best with a step of " + formatTime(12.5));
        restored(0);
        QVERIFY2(!told.contains("times"), "of an older version, which did not say");
        restored(2 * document_->baseline().simulation.step_ms);
        QVERIFY2(told.endsWith(", with other times than those used now"), qPrintable(told));
        panel_->openBest();
        QCOMPARE(document_->current()->title(), "Found so far");
        QCOMPARE(QString::fromStdString(document_->current()->plan().notes),
                 "Found by a search of 5 plans before it was cut off, with other times.");
    }

  private:
    void setLimit(SearchControls::Limit limit) { panel_->controls().limit()->setCurrentIndex(static_cast<int>(limit)); }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SearchBeginTest)
#include "search_begin_test.moc"
