#include "ui/frame/field_manners.h"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <QWindow>

namespace overlap::ui {

class FieldMannersTest : public QObject {
    Q_OBJECT

    /// A scrolled form with one field of each kind, and the window's undo.
    struct Form {
        FieldManners manners;
        QScrollArea area;
        QComboBox* choice = new QComboBox;
        QSpinBox* number = new QSpinBox;
        QSlider* slider = new QSlider(Qt::Horizontal);
        QLineEdit* text = new QLineEdit;
        int undone = 0;

        Form() {
            auto* content = new QWidget;
            auto* column = new QVBoxLayout(content);
            choice->addItems({"a", "b", "c"});
            choice->setCurrentIndex(1);
            number->setValue(5);
            slider->setValue(50);
            for (QWidget* field : std::initializer_list<QWidget*>{choice, number, slider, text})
                column->addWidget(field);
            content->setMinimumHeight(2000);
            area.setWidget(content);
            area.setWidgetResizable(true);
            area.resize(300, 200);
            auto* undo = new QAction(&area);
            undo->setShortcut(QKeySequence::Undo);
            connect(undo, &QAction::triggered, &area, [this] { ++undone; });
            area.addAction(undo);
            area.show();
            area.activateWindow();
        }
    };

    /// @returns whether the widget took it. Qt passes only the display's own events on to the parent.
    static bool wheel(QWidget* widget) {
        const QPointF place = widget->rect().center();
        QWheelEvent event(place, widget->mapToGlobal(place), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(widget, &event);
        return event.isAccepted();
    }

  private slots:
    void aFieldWithoutFocusLeavesTheWheelToWhatIsAround() {
        Form form;
        QVERIFY(QTest::qWaitForWindowActive(&form.area));
        form.text->setFocus();
        for (QWidget* field : std::initializer_list<QWidget*>{form.choice, form.number, form.slider}) {
            QVERIFY(!(field->focusPolicy() & (Qt::WheelFocus & ~Qt::StrongFocus)));
            QVERIFY2(!wheel(field), field->metaObject()->className());
        }
        QCOMPARE(form.choice->currentIndex(), 1);
        QCOMPARE(form.number->value(), 5);
        QCOMPARE(form.slider->value(), 50);
    }

    /// Its list may have been opened and folded away, which leaves the focus there.
    void aChoiceNeverTakesTheWheel() {
        Form form;
        QVERIFY(QTest::qWaitForWindowActive(&form.area));
        form.choice->setFocus();
        QVERIFY(!wheel(form.choice));
        QCOMPARE(form.choice->currentIndex(), 1);
    }

    void aNumberWithTheFocusTakesTheWheel() {
        Form form;
        QVERIFY(QTest::qWaitForWindowActive(&form.area));
        form.number->setFocus();
        QVERIFY(wheel(form.number));
        QCOMPARE(form.number->value(), 4);
    }

    void undoIsTheWindowsUnlessATextIsBeingTyped() {
        Form form;
        QVERIFY(QTest::qWaitForWindowActive(&form.area));
        for (QWidget* field : std::initializer_list<QWidget*>{form.number, form.text}) {
            form.undone = 0;
            field->setFocus();
            QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
            QCOMPARE(form.undone, 1);
            QTest::keyClick(field, Qt::Key_7);
            QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
            QCOMPARE(form.undone, 1);
            QTest::keyClick(field, Qt::Key_8);
            QTest::keyClick(field, Qt::Key_Return);
            QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
            QCOMPARE(form.undone, 2);
        }
        QCOMPARE(form.text->text(), QStringLiteral("8"));
    }

    void aListOfCompletionsIsPartOfTyping() {
        Form form;
        QVERIFY(QTest::qWaitForWindowActive(&form.area));
        auto* completer = new QCompleter({"layers.0", "layers.1"}, form.text);
        form.text->setCompleter(completer);
        form.text->setFocus();
        QTest::keyClicks(form.text, "lay");
        QTRY_VERIFY(completer->popup()->isVisible());
        QTest::keyClick(completer->popup(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(form.undone, 0);
        QVERIFY2(form.text->text().size() < 3, qPrintable(form.text->text()));
    }

    /// Qt tells a button nothing of the pointer while its menu is open, nor where it went.
    void aButtonWhoseMenuHasClosedLooksLikeTheOthers() {
        FieldManners manners;
        QWidget window;
        window.resize(400, 300);
        auto* button = new QToolButton(&window);
        button->setGeometry(10, 10, 100, 30);
        button->setAutoRaise(true);
        button->setPopupMode(QToolButton::InstantPopup);
        auto* menu = new QMenu(button);
        for (int number = 0; number < 5; ++number) menu->addAction(QString::number(number));
        button->setMenu(menu);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QTest::mouseMove(window.windowHandle(), button->geometry().center());
        QTRY_VERIFY(button->underMouse());
        bool chosen = false;
        connect(menu->actions()[4], &QAction::triggered, this, [&] { chosen = true; });
        QTimer::singleShot(100, menu, [&] {
            QWindow* const shown = menu->windowHandle();
            const QPoint at = menu->actionGeometry(menu->actions()[4]).center();
            QTest::mouseMove(shown, at);
            QTest::mouseClick(shown, Qt::LeftButton, {}, at);
        });
        QTest::mouseClick(window.windowHandle(), Qt::LeftButton, {}, button->geometry().center());
        QTRY_VERIFY(chosen);
        QTRY_VERIFY(!button->underMouse());
        QVERIFY(!button->isDown());
    }

    /// An open list of completions takes Enter itself, so the field's own filter never sees that the text was taken.
    void aTextThatWasTakenOverIsNoLongerTyped() {
        Form form;
        QVERIFY(QTest::qWaitForWindowActive(&form.area));
        form.text->setFocus();
        QTest::keyClicks(form.text, "abc");
        form.text->setText({});
        QTest::keyClick(form.text, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(form.undone, 1);
        QCOMPARE(form.text->text(), QString());
    }

    void aTypedTextThatWasLeftIsNoLongerTyped() {
        Form form;
        QVERIFY(QTest::qWaitForWindowActive(&form.area));
        form.text->setFocus();
        QTest::keyClicks(form.text, "abc");
        form.number->setFocus();
        form.text->setFocus();
        QTest::keyClick(form.text, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(form.undone, 1);
        QCOMPARE(form.text->text(), QStringLiteral("abc"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::FieldMannersTest)
#include "field_manners_test.moc"
