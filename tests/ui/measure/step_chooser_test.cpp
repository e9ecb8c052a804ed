#include "ui/measure/step_chooser.h"

#include "tests/ui/ui_test_support.h"
#include "ui/measure/measurements.h"

namespace overlap::ui {

/// Which step of a measurement is compared.
class StepChooserTest : public QObject {
    Q_OBJECT

  private slots:
    /// They have the same name but for their numbers.
    void stepsAreToldApartInANarrowBox() {
        Measurements measurements;
        measurements.open({QStringLiteral(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz")});
        QVERIFY(QTest::qWaitFor([&] { return measurements.count() == 1; }, 60'000));
        StepChooser chooser;
        chooser.setMeasurement(measurements.at(0));
        ElidedBox& steps = *chooser.steps();
        QVERIFY(steps.count() > 1);
        chooser.resize(90, chooser.sizeHint().height());
        chooser.show();
        QVERIFY(steps.width() <= 90);
        QStringList shown;
        for (int step = 0; step < steps.count(); ++step) {
            steps.setCurrentIndex(step);
            QVERIFY2(steps.shownText().contains(u'…'), qPrintable(steps.shownText()));
            shown.append(steps.shownText());
        }
        QCOMPARE(shown.removeDuplicates(), 0);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::StepChooserTest)
#include "step_chooser_test.moc"
