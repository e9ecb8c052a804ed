#pragma once

#include <QWidget>
#include <optional>

#include "ui/mesh/sharding_edit.h"

namespace overlap::ui {

/// A state by hand: a row for each tensor dimension with the mesh dimensions that cut it, outermost first, one for
/// those that replicate and one for those that hold terms of a reduction. Mesh dimensions are chips that are dragged,
/// or moved by Ctrl and the arrow keys.
class ShardingBoard : public QWidget {
    Q_OBJECT

  public:
    explicit ShardingBoard(QWidget* parent = nullptr);

    /// Shows a state; what is being dragged ends. `tensor` gives the sizes that rows show.
    void show(const DeviceMesh& mesh, const MeshTensor& tensor, const ShardingState& state);
    /// Shows nothing, where no state can be read.
    void clear();
    const std::optional<ShardingState>& state() const { return state_; }

    /// What a drop here would cost, shown beside the pointer while a chip is dragged.
    void setVerdict(const QString& verdict, bool better);
    bool dragging() const { return dragged_ >= 0; }

    int selected() const { return selected_; }
    void select(int mesh_dim);
    /// Where the chip of a mesh dimension is, for tests and pictures.
    QRect chipArea(int mesh_dim) const;
    /// Where a row's chips lie.
    QRect rowArea(std::size_t row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  signals:
    /// A drop here would make it so; the state itself is as it was.
    void previewed(const overlap::ShardingState& state);
    /// The drag was given up: what was previewed is no longer meant.
    void previewEnded();
    /// The user made this edit. `text` names it.
    void edited(const overlap::ShardingState& state, const QString& text);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Place {
        std::size_t row = 0, place = 0;
    };

    const ShardingState& shown() const { return preview_ ? *preview_ : *state_; }
    std::vector<ShardingRow> rows() const;
    Place placeOf(int mesh_dim) const;
    Place placeAt(const QPoint& position) const;
    int chipAt(const QPoint& position) const;
    int chipWidth(int mesh_dim) const;
    QString rowText(const ShardingRow& row) const;
    QString chipText(int mesh_dim) const;
    void moveSelected(int rows, int places);
    void moveTo(int mesh_dim, const Place& place);
    void openMenu(const QPoint& position);
    void endDrag();
    void paintChip(QPainter& painter, const QRect& area, int mesh_dim, bool lifted) const;

    DeviceMesh mesh_;
    MeshTensor tensor_;
    std::optional<ShardingState> state_;
    std::optional<ShardingState> preview_;  ///< while a chip is dragged
    ReduceOp reduce_op_ = ReduceOp::sum;    ///< of what is dropped among the partial ones
    int selected_ = -1;                     ///< mesh dimension
    int pressed_ = -1;
    int dragged_ = -1;
    QPoint press_, pointer_;
    QString verdict_;
    bool verdict_better_ = false;
};

}  // namespace overlap::ui
