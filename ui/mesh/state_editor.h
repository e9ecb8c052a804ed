#pragma once

#include <QWidget>

#include "core/mesh/sharding_state.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace overlap::ui {

class ShardingBoard;

/// A sharding state as text, in either notation, and by hand.
class StateEditor : public QWidget {
    Q_OBJECT

  public:
    /// @param title such as "Source".
    explicit StateEditor(const QString& title, QWidget* parent = nullptr);

    /// @param text as it was typed. @param state what it means, or nullptr where it cannot be read. @param problem the
    /// reason, a sentence. @param fits the state can be made to fit mesh and tensor.
    void show(const QString& text, const DeviceMesh* mesh, const MeshTensor* tensor, const ShardingState* state,
              const QString& problem, bool fits);

    ShardingBoard& board() { return *board_; }
    QLineEdit& field() { return *field_; }
    /// Why the state cannot be read; hidden while it can. Whoever shows the editor puts it where nothing is below it,
    /// so that nothing moves while the user types.
    QLabel& problem() { return *problem_; }

  signals:
    /// The user typed.
    void typed(const QString& text);
    /// The user asks for the state to be adapted.
    void fitWanted();

  private:
    QString title_;
    QLineEdit* field_;
    QLabel *other_, *problem_;
    QToolButton* fit_;
    ShardingBoard* board_;
};

}  // namespace overlap::ui
