#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "ui/mesh/answers/path_comparison.h"

class QLabel;
class QScrollArea;
class QSplitter;
class QToolButton;

namespace overlap::ui {

class PathBoard;
class RankStage;

/// What the Mesh view answers: by which costs, the paths beside one another, below them who holds what on the way; or
/// why there is no path.
class AnswerColumn : public QWidget {
    Q_OBJECT

  public:
    explicit AnswerColumn(QWidget* parent = nullptr);

    PathBoard& paths() { return *paths_; }
    RankStage& stage() { return *stage_; }

    /// What is shown, or nullptr while there is a failure.
    std::shared_ptr<const PathComparison> comparison() const { return comparison_; }
    /// @param reference costs of the paths before an edit that is tried; empty where none is.
    void show(std::shared_ptr<const PathComparison> comparison, std::vector<double> reference);
    /// There is no path; says why.
    void fail(const QString& reason);
    /// Says above the paths that their costs are not those of the open graph; nothing is said where they are, or where
    /// there is no graph.
    /// @param offered whether the graph's costs can be chosen here.
    void setCostNote(const QString& note, bool offered);

    /// How paths and ranks share the height, for the session.
    QByteArray saveState() const;
    void restoreState(const QByteArray& state);

  signals:
    /// The border between paths and ranks was moved, or moves are now animated, or no more.
    void arranged();
    /// The user wants the costs of the open graph.
    void graphCostsWanted();

  private:
    QWidget* makeCostNote();
    void connectParts();
    void showChosenPath();

    std::shared_ptr<const PathComparison> comparison_;
    PathBoard* paths_;
    RankStage* stage_;
    QScrollArea* paths_area_;
    QSplitter* answers_;
    QLabel *note_, *failure_;
    QToolButton* use_graphs_;
    QWidget* note_row_;
};

}  // namespace overlap::ui
