#include "ui/timeline/paced_repaint.h"

#include <QPaintEvent>
#include <QWidget>
#include <QtTest>

namespace overlap::ui {

/// A widget that notes what it was asked to paint.
class PacedWidget : public QWidget {
  public:
    PacedRepaint repaint_{*this};
    std::vector<QRegion> frames_;
    QElapsedTimer sinceFrame_;

  protected:
    void paintEvent(QPaintEvent* event) override {
        repaint_.frameBegins();
        sinceFrame_.start();
        frames_.push_back(event->region());
        repaint_.frameEnds(0);
    }
};

class PacedRepaintTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        widget_ = std::make_unique<PacedWidget>();
        widget_->resize(200, 100);
        widget_->show();
        QVERIFY(QTest::qWaitForWindowExposed(widget_.get()));
        QTRY_VERIFY(!widget_->frames_.empty());
        widget_->frames_.clear();
    }

    void manyChangesCostOneFrame() {
        for (int x = 0; x < 50; ++x) widget_->repaint_.request(QRect(x, 0, 1, 10));
        QTRY_COMPARE(widget_->frames_.size(), std::size_t{1});
        QCOMPARE(widget_->frames_[0], QRegion(0, 0, 50, 10));
    }

    void withoutARegionAllIsPainted() {
        widget_->repaint_.request();
        QTRY_COMPARE(widget_->frames_.size(), std::size_t{1});
        QCOMPARE(widget_->frames_[0], QRegion(widget_->rect()));
    }

    void whatWasPaintedIsNotPaintedAgain() {
        widget_->repaint_.request(QRect(0, 0, 10, 10));
        QTRY_COMPARE(widget_->frames_.size(), std::size_t{1});
        widget_->repaint_.request(QRect(50, 0, 10, 10));
        QTRY_COMPARE(widget_->frames_.size(), std::size_t{2});
        QCOMPARE(widget_->frames_[1], QRegion(50, 0, 10, 10));
    }

    void aFrameWaitsUntilTheLastOneIsSixteenMillisecondsOld() {
        widget_->repaint_.request();
        QTRY_COMPARE(widget_->frames_.size(), std::size_t{1});
        const QElapsedTimer sinceFirst = widget_->sinceFrame_;
        widget_->repaint_.request();
        QTRY_COMPARE_WITH_TIMEOUT(widget_->frames_.size(), std::size_t{2}, 5000);
        QVERIFY(sinceFirst.msecsTo(widget_->sinceFrame_) >= 15);
    }

  private:
    std::unique_ptr<PacedWidget> widget_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PacedRepaintTest)
#include "paced_repaint_test.moc"
