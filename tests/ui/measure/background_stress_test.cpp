// Edits at random moments while plans are evaluated and graphs and traces are read in the background, and while that is
// cancelled. Two seconds of it in the tests; OVERLAP_STRESS_SECONDS says how many, for the thread sanitizer.

#include <QSignalSpy>
#include <random>

#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/measure/measurements.h"

namespace overlap::ui {

class BackgroundStressTest : public QObject {
    Q_OBJECT

    static constexpr int most_variants = 5, most_measurements = 3;

    /// One thing that a person may do next.
    void act() {
        BucketCommands commands(*document_);
        const QString layer = QStringLiteral("layers.%1").arg(below(6));
        const int buckets = document_->current() ? static_cast<int>(document_->buckets().size()) : 0;
        switch (below(16)) {
            case 0:
            case 1:
                commands.addText(layer);
                break;
            case 2:
                commands.startFrom(BucketCommands::Template::blocks, 1 + below(3));
                break;
            case 3:
                if (buckets > 0) commands.remove({below(buckets)});
                break;
            case 4:
                if (buckets > 1) commands.move(below(buckets), below(buckets));
                break;
            case 5:
                commands.putIntoNew({layer});
                break;
            case 6:
            case 7:
                if (document_->editable()) document_->current()->undoStack().undo();
                break;
            case 8:
                if (document_->editable()) document_->current()->undoStack().redo();
                break;
            case 9:
                document_->setCurrentIndex(below(document_->variantCount()));
                break;
            case 10:
                if (document_->variantCount() < most_variants) document_->addCopyOfCurrent();
                break;
            case 11:
                if (document_->variantCount() > 2) document_->closeVariant(1);
                break;
            case 12:
                document_->openGraph(smallGraphFile());
                break;
            case 13:
                document_->loader().cancel();
                break;
            case 14:
                measurements_->cancel();
                break;
            default:
                if (measurements_->count() == most_measurements) measurements_->close(0);
                measurements_->open({QStringLiteral(OVERLAP_TEST_DATA "/traces/hta_no_distributed_info.json.gz")});
        }
    }

    int below(int count) { return std::uniform_int_distribution(0, count - 1)(random_); }

    std::mt19937 random_{1};
    std::unique_ptr<Document> document_;
    std::unique_ptr<Measurements> measurements_;

  private slots:
    void editsWhileTheBackgroundWorks() {
        const int seconds = qEnvironmentVariableIntValue("OVERLAP_STRESS_SECONDS");
        document_ = openDocument();
        measurements_ = std::make_unique<Measurements>();
        QSignalSpy evaluated(document_.get(), &Document::evaluationChanged);
        QSignalSpy failed(document_.get(), &Document::failed);
        int acts = 0;
        QElapsedTimer clock;
        for (clock.start(); clock.elapsed() < 1000 * (seconds > 0 ? seconds : 2); ++acts) {
            act();
            QTest::qWait(below(30));  // the moment at which the next act comes is what is random
        }
        document_->loader().cancel();
        document_->setCurrentIndex(document_->variantCount() - 1);
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(QTest::qWaitFor([&] { return !measurements_->busy(); }, 60'000));

        QVERIFY(acts > 0 && evaluated.count() > 0);
        QCOMPARE(failed.count(), 0);
        // Whatever overtook what: the figures shown are those of the plan shown.
        const auto afresh = evaluate(document_->graph(), document_->current()->plan());
        QCOMPARE(document_->evaluation()->simulation.step_ms, afresh->simulation.step_ms);
        QCOMPARE(document_->evaluation()->memory.peak_bytes, afresh->memory.peak_bytes);
        qInfo("%d acts, %d evaluations", acts, static_cast<int>(evaluated.count()));
    }

    /// The worker threads are asked to stop and waited for, in whatever state they are.
    void documentsGoWhileTheBackgroundWorks() {
        for (int round = 0; round < 10; ++round) {
            document_ = openDocument();
            measurements_ = std::make_unique<Measurements>();
            for (int left = below(6); left > 0; --left) act();
            QTest::qWait(below(20));  // the moment is what is random
            measurements_.reset();
            document_.reset();
        }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::BackgroundStressTest)
#include "background_stress_test.moc"
