#pragma once

#include <QVariantAnimation>
#include <QWidget>
#include <memory>

#include "ui/mesh/answers/path_comparison.h"
#include "ui/mesh/ranks/state_picture.h"

namespace overlap::ui {

/// Two states of a path side by side, each as a grid of ranks with what they hold, and the way from the one to the
/// other as a movement. The rank under the pointer, or the one that arrow keys chose, is described in words.
class RankCanvas : public QWidget {
    Q_OBJECT

  public:
    explicit RankCanvas(QWidget* parent = nullptr);

    /// Shows states `from` and `to` of a plan; equal ones are shown once. `step` is the one between them, or nullptr
    /// where several lie between.
    void show(std::shared_ptr<const PathComparison> comparison, const RedistributionPlan* plan, std::size_t from,
              std::size_t to);
    void clear();
    /// Moves from the first state to the second one in `duration_ms`, then emits finished(). No movement where it is 0.
    void animate(int duration_ms);
    bool animating() const { return animation_.state() == QAbstractAnimation::Running; }

    /// Which block of ranks is drawn, where they are more than a picture has room for.
    void setBlock(std::int64_t block);
    std::int64_t blocks() const { return block_.count; }
    std::int64_t block() const { return block_.index; }
    void setAxes(const PictureAxes& axes);
    const PictureAxes& axes() const { return axes_; }

    /// What the rank under the pointer or the chosen one holds before and after; empty where there is none.
    QString rankText() const;
    /// Which ranks are drawn and what the others hold; empty where all are.
    QString blockSentence() const;
    void selectRank(std::int64_t rank);

    QSize sizeHint() const override { return {640, 220}; }
    QSize minimumSizeHint() const override { return {280, 120}; }

  signals:
    void finished();
    void rankChanged();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    struct Side {
        std::size_t state = 0;
        QRect area;
        RankGrid grid;
        std::vector<RankSlice> slices;
    };

    void rebuild();
    void layOut();
    int rankAt(const QPoint& position) const;
    /// Place in the block of the rank that is described, or -1.
    int told() const { return hovered_ >= 0 ? hovered_ : chosen_; }
    bool inGroup(int first, int second) const;
    void paintSide(QPainter& painter, const Side& side, const std::vector<RankSlice>& from, double progress) const;
    void paintArrow(QPainter& painter) const;
    QString caption(const Side& side) const;

    std::shared_ptr<const PathComparison> comparison_;
    const RedistributionPlan* plan_ = nullptr;  ///< in comparison_
    RankBlock block_;
    std::int64_t wanted_block_ = 0;
    PictureAxes axes_;
    Side before_, after_;
    int hovered_ = -1, chosen_ = -1;
    QVariantAnimation animation_;
};

}  // namespace overlap::ui
