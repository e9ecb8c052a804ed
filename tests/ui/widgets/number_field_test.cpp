#include "ui/widgets/number_field.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QtTest>

namespace overlap::ui {

/// What is typed is taken as it is, or refused with the reason.
class NumberFieldTest : public QObject {
    Q_OBJECT

    /// Types a text and Enter. @returns the reason of a refusal.
    static QString typed(NumberField& field, const QString& text) {
        QSignalSpy refused(&field, &NumberField::refused);
        field.findChild<QLineEdit*>()->setText(text);
        QTest::keyClick(&field, Qt::Key_Return);
        return refused.isEmpty() ? QString() : refused.back()[0].toString();
    }

  private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void noDecimalIsRoundedAway() {
        NumberField field(6);
        field.setRange(0, 50);
        QCOMPARE(typed(field, "2.123456"), QString());
        QCOMPARE(field.value(), 2.123456);
        QCOMPARE(typed(field, "2.12345678"),
                 "2.12345678 is not taken: expected a number of at most 6 decimals from 0 to 50");
        QCOMPARE(field.value(), 2.123456);
        QCOMPARE(typed(field, "0.1000000000"), QString());
        QCOMPARE(field.value(), 0.1);
        QCOMPARE(typed(field, "60"), "60 is not taken: expected a number from 0 to 50");
    }

    void wholeNumbersStayWhole() {
        NumberField field;
        field.setRange(1, 16);
        QCOMPARE(typed(field, "2.5"), "2.5 is not taken: expected a whole number from 1 to 16");
        QCOMPARE(typed(field, "12"), QString());
        QCOMPARE(field.value(), 12.0);
    }

    void anEmptyFieldIsNamed() {
        NumberField field;
        field.setRange(1, 16);
        QCOMPARE(typed(field, ""), "An empty field is not taken: expected a whole number from 1 to 16");
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::NumberFieldTest)
#include "number_field_test.moc"
