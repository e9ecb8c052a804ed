#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>

#include "ui/mesh/answers/path_comparison.h"
#include "ui/mesh/ranks/state_picture.h"

class QGridLayout;
class QLabel;
class QToolButton;

namespace overlap::ui {

class BarSentence;
class RankCanvas;

/// The picture of a path with its controls: previous step, next step, play, which dimensions and ranks are drawn, and
/// the sentence on the step and on the rank under the pointer.
class RankStage : public QWidget {
    Q_OBJECT

  public:
    explicit RankStage(QWidget* parent = nullptr);

    /// Shows a step of a path, or its source beside its target for a `step` below 0. @param moving plays the step.
    void show(std::shared_ptr<const PathComparison> comparison, std::size_t path, int step, bool moving);
    void clear();

    RankCanvas& canvas() { return *canvas_; }
    void play();
    void stop();
    bool playing() const { return playing_; }
    /// Asks for the step `by` further on.
    void stepBy(int by);

    bool animated() const;
    void setAnimated(bool animated);

  signals:
    /// The user, or playing, goes to a step; -1 is the path as a whole.
    void stepWanted(int step);
    void animatedChanged();

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QWidget* makeBar();
    void goOn();
    void updateBar();
    void fillAxesMenu();
    QString stepSentence() const;

    RankCanvas* canvas_;
    QToolButton *back_, *play_, *on_, *axes_, *block_back_, *block_on_, *animate_;
    void arrangeBar();

    QGridLayout* bar_ = nullptr;
    QWidget *steps_ = nullptr, *choices_ = nullptr;  ///< controls of steps; of what is drawn
    BarSentence* sentence_;
    QLabel *problem_, *rank_;
    QTimer pause_;  ///< between two steps that are played
    std::shared_ptr<const PathComparison> comparison_;
    std::size_t path_ = 0;
    int step_ = -1;
    bool playing_ = false;
};

}  // namespace overlap::ui
