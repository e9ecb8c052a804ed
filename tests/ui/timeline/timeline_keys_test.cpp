#include "ui/timeline/timeline_keys.h"

#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QVBoxLayout>
#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/own_letters.h"

namespace overlap::ui {

/// Takes W for itself, as a view with keys of its own does.
class ViewWithKeys : public QWidget {
  public:
    ViewWithKeys() { setFocusPolicy(Qt::StrongFocus); }
    int zooms = 0;
    int own = Qt::Key_W;  ///< another key that it takes

  protected:
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() != Qt::Key_W && event->key() != own) return QWidget::keyPressEvent(event);
        ++zooms;
        event->accept();
    }
};

/// A window with a timeline and, beside it, what else takes keys.
class TimelineKeysTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        window_ = std::make_unique<QMainWindow>();
        timeline_ = new TimelineView;
        timeline_->setTimeline(test::synthetic_step(16));
        window_->setCentralWidget(timeline_);
        auto* beside = new QWidget;
        auto* column = new QVBoxLayout(beside);
        for (QWidget* widget : std::initializer_list<QWidget*>{list_ = new QListWidget, choice_ = new QComboBox,
                               field_ = new QLineEdit, view_ = new ViewWithKeys})
            column->addWidget(widget);
        list_->addItems({QStringLiteral("attention"), QStringLiteral("embedding"), QStringLiteral("world")});
        choice_->addItems({QStringLiteral("automatic"), QStringLiteral("exact")});
        dock_ = new QDockWidget;
        dock_->setWidget(beside);
        window_->addDockWidget(Qt::RightDockWidgetArea, dock_);
        new TimelineKeys(*timeline_);
        window_->resize(1200, 600);
        window_->show();
        window_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    }
    void cleanup() { window_.reset(); }

    void listsAndChoicesGiveLettersToTheTimeline() {
        list_->setCurrentRow(0);
        press(*list_, Qt::Key_E);
        QVERIFY(timeline_->selection().valid());
        QCOMPARE(list_->currentRow(), 0);
        press(*choice_, Qt::Key_W);
        QVERIFY(timeline_->visibleRange().length_ns() < timeline_->timeline()->range().length_ns());
        press(*choice_, Qt::Key_E);
        QCOMPARE(choice_->currentIndex(), 0);
    }

    void aListKeepsLettersThatAreItsOwn() {
        setOwnLetters(*list_, QStringLiteral("W"));
        list_->setCurrentRow(0);
        press(*list_, Qt::Key_W);
        QCOMPARE(list_->currentRow(), 2);
        QCOMPARE(timeline_->visibleRange(), timeline_->timeline()->range());
        press(*list_, Qt::Key_E);
        QVERIFY(timeline_->selection().valid());
    }

    void otherKeysStay() {
        list_->setCurrentRow(0);
        press(*list_, Qt::Key_Down);
        QCOMPARE(list_->currentRow(), 1);
        press(*list_, Qt::Key_Right);
        press(*list_, Qt::Key_Home);
        QVERIFY(!timeline_->selection().valid());
        QCOMPARE(timeline_->visibleRange(), timeline_->timeline()->range());
    }

    void whatIsTypedIsTyped() {
        field_->setFocus();
        QTest::keyClicks(field_, QStringLiteral("wade[0-3]"));
        QCOMPARE(field_->text(), QStringLiteral("wade[0-3]"));
        choice_->setEditable(true);
        choice_->clearEditText();
        choice_->setFocus();
        QTest::keyClicks(choice_, QStringLiteral("me"));
        QVERIFY(choice_->currentText().startsWith(QStringLiteral("me")));
        QVERIFY(!timeline_->selection().valid());
        QCOMPARE(timeline_->visibleRange(), timeline_->timeline()->range());
    }

    void aViewKeepsItsOwnKeys() {
        press(*view_, Qt::Key_W);
        QCOMPARE(view_->zooms, 1);
        QCOMPARE(timeline_->visibleRange(), timeline_->timeline()->range());
        press(*view_, Qt::Key_E);
        QVERIFY(timeline_->selection().valid());
    }

    /// What E selected from there.
    void escapeLetsGoFromElsewhere() {
        for (QWidget* widget : std::initializer_list<QWidget*>{list_, choice_, view_}) {
            press(*widget, Qt::Key_E);
            QVERIFY(timeline_->selection().valid());
            press(*widget, Qt::Key_Escape);
            QVERIFY(!timeline_->selection().valid());
        }
        press(*list_, Qt::Key_E);
        press(*field_, Qt::Key_Escape);
        QVERIFY(timeline_->selection().valid());
        view_->own = Qt::Key_Escape;
        press(*view_, Qt::Key_Escape);
        QCOMPARE(view_->zooms, 1);
        QVERIFY(timeline_->selection().valid());
        QDialog dialog(window_.get());
        auto* list = new QListWidget(&dialog);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        press(*list, Qt::Key_Escape);
        QVERIFY(timeline_->selection().valid());
    }

    void keysAreHeldAndReleasedFromElsewhere() {
        list_->setFocus();
        QTest::keyPress(list_, Qt::Key_W);
        QTRY_VERIFY(timeline_->visibleRange().length_ns() < timeline_->timeline()->range().length_ns() / 2);
        QTest::keyRelease(list_, Qt::Key_W);
        QTRY_VERIFY(timeline_->atRest());
    }

    void aFloatingDockBelongsToTheWindow() {
        dock_->setFloating(true);
        dock_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(dock_));
        press(*list_, Qt::Key_E);
        QVERIFY(timeline_->selection().valid());
    }

    void dialogsKeepTheirKeys() {
        QDialog dialog(window_.get());
        auto* list = new QListWidget(&dialog);
        list->addItems({QStringLiteral("automatic"), QStringLiteral("exact")});
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        press(*list, Qt::Key_E);
        QCOMPARE(list->currentRow(), 1);
        QVERIFY(!timeline_->selection().valid());
    }

  private:
    static void press(QWidget& widget, Qt::Key key) {
        widget.window()->activateWindow();
        widget.setFocus();
        QTest::keyClick(&widget, key);
    }

    std::unique_ptr<QMainWindow> window_;
    TimelineView* timeline_;
    QDockWidget* dock_;
    QListWidget* list_;
    QComboBox* choice_;
    QLineEdit* field_;
    ViewWithKeys* view_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TimelineKeysTest)
#include "timeline_keys_test.moc"
