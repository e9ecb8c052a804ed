#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/job/view/job_timeline.h"

namespace overlap::ui {

/// When which ranks stand still: a row for each class of ranks, time to the right, the stronger the more of a moment is
/// spent waiting. A row's share of the step stands at its end. A click selects what a moment is spent on, as the
/// timeline does; arrows, Home and End move, Enter goes there.
class WaitingMap : public QWidget {
    Q_OBJECT

  public:
    explicit WaitingMap(QWidget* parent = nullptr);

    void show(std::shared_ptr<const job::JobPicture> picture);
    /// The part of the step that is shown; what the timeline shows.
    void setRange(TimeRange range);
    /// What of a stretch of time a row stands still, 0 to 1, without what is left after its last action.
    double shareStandingStill(std::size_t row, TimeRange range) const;
    /// The same of the whole step, as it stands beside a row; a dash where the job has no step.
    QString shareOfStep(std::size_t row) const;
    /// The reference of what a row stands still for at a moment; no_reference where it computes.
    quint32 referenceAt(std::size_t row, double time_ms) const;
    /// Where the cell of a row and moment is drawn.
    QPointF pointOf(std::size_t row, double time_ms) const;
    std::size_t rowCount() const { return picture_ ? picture_->rows.size() : 0; }

    QSize sizeHint() const override { return {400, 200}; }
    QSize minimumSizeHint() const override { return {120, 48}; }

  signals:
    /// The user selected what a moment is spent on.
    void selected(quint32 reference);
    /// The user wants to see it in the timeline.
    void activated(quint32 reference);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Place {
        std::size_t row = 0;
        double time_ms = 0;
    };
    QRect area() const;
    int rowHeight() const;
    int titleWidth() const;
    std::optional<Place> placeAt(QPointF position) const;
    QString textAt(const Place& place) const;
    void move(const Place& place);
    void scrollTo(std::size_t row);
    void paintRow(QPainter& painter, std::size_t row, const QRect& cells);
    void paintAxis(QPainter& painter, const QRect& cells);

    std::shared_ptr<const job::JobPicture> picture_;
    TimeRange range_{0, 1};
    std::optional<Place> current_;
    int first_row_ = 0;
};

}  // namespace overlap::ui
