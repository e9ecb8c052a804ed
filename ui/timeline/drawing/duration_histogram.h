#pragma once

#include <QFrame>
#include <optional>
#include <vector>

#include "core/timeline/find_events.h"

namespace overlap::ui {

/// How long events last, as bars over durations that grow by the same factor. A click on a bar chooses its events,
/// another click clears the choice; Left and Right choose the next bar that has events, so that outliers are two keys
/// away.
class DurationHistogram : public QFrame {
    Q_OBJECT

  public:
    explicit DurationHistogram(QWidget* parent = nullptr);

    void setDurations(std::vector<DurationBin> bins, std::optional<std::size_t> chosen);
    const std::vector<DurationBin>& bins() const { return bins_; }
    /// Where a bar and the room above it are.
    QRect barArea(std::size_t bin) const;

    QSize sizeHint() const override;

  signals:
    void chosen(std::optional<std::size_t> bin);
    /// Escape.
    void left();

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QRect plot() const;
    std::optional<std::size_t> binAt(QPoint position) const;
    void choose(std::size_t bin);
    QString describe(const DurationBin& bin) const;

    std::vector<DurationBin> bins_;
    std::optional<std::size_t> chosen_;
};

}  // namespace overlap::ui
