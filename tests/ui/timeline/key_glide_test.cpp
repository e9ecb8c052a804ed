#include "ui/timeline/key_glide.h"

#include <QSignalSpy>
#include <QtTest>

namespace overlap::ui {

class KeyGlideTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        glide_ = std::make_unique<KeyGlide>();
        motions_.clear();
        connect(glide_.get(), &KeyGlide::moved, this,
                [this](const HeldKeys::Motion& motion) { motions_.push_back(motion); });
    }

    void aPressIsAStep() {
        QVERIFY(glide_->press(key(Qt::Key_Left)));
        QCOMPARE(motions_.size(), std::size_t{1});
        QCOMPARE(motions_[0].pan, HeldKeys::stepOf(HeldKeys::PanLeft, false).pan);
        QCOMPARE(motions_[0].zoom, 1.0);
    }

    void altStepsFurther() {
        glide_->press(key(Qt::Key_Left, Qt::AltModifier));
        QCOMPARE(motions_[0].pan, HeldKeys::stepOf(HeldKeys::PanLeft, true).pan);
    }

    void otherKeysAreNotTaken() {
        QVERIFY(!glide_->press(key(Qt::Key_F)));
        QVERIFY(motions_.empty());
    }

    void repetitionsByTheSystemAreTakenButMoveNothing() {
        QVERIFY(glide_->press(key(Qt::Key_Left, Qt::NoModifier, true)));
        QVERIFY(motions_.empty());
    }

    void aHeldKeyMovesOn() {
        glide_->press(key(Qt::Key_Left));
        const auto panned = [this] {
            double pan = 0;
            for (const HeldKeys::Motion& motion : motions_) pan += motion.pan;
            return pan;
        };
        const double step = panned();
        QTRY_VERIFY(panned() < step);
    }

    void releasedOrStoppedItStays_data() {
        QTest::addColumn<bool>("released");
        QTest::newRow("released") << true;
        QTest::newRow("stopped") << false;
    }
    void releasedOrStoppedItStays() {
        QFETCH(bool, released);
        glide_->press(key(Qt::Key_Left));
        QTRY_VERIFY(motions_.size() > 2);
        released ? glide_->release(key(Qt::Key_Left)) : glide_->stop();
        const std::size_t before = motions_.size();
        // Another one that is held meanwhile goes on.
        KeyGlide other;
        QSignalSpy moved(&other, &KeyGlide::moved);
        other.press(key(Qt::Key_Right));
        QTRY_VERIFY(moved.count() > 3);
        QCOMPARE(motions_.size(), before);
    }

  private:
    static QKeyEvent key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier, bool repeated = false) {
        return QKeyEvent(QEvent::KeyPress, key, modifiers, QString(), repeated);
    }

    std::unique_ptr<KeyGlide> glide_;
    std::vector<HeldKeys::Motion> motions_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::KeyGlideTest)
#include "key_glide_test.moc"
