#pragma once

#include <QSlider>
#include <cstdint>
#include <optional>
#include <vector>

namespace overlap::ui {

class FrontChart;

/// The limit of the peak, along the axis of a chart that it stands below. At its right end any peak will do. Page keys
/// lead from one plan of the front to the next. A limit that it shows stays, also beyond its ends, until the user moves
/// the knob: a press on it alone does not.
class LimitSlider : public QSlider {
    Q_OBJECT

  public:
    explicit LimitSlider(const FrontChart& chart, QWidget* parent = nullptr);

    /// The peaks of the front, at least two of them, in ascending order: limits lie between the first and the last.
    void setPeaks(std::vector<std::int64_t> peaks);
    /// Shows a limit and tells nobody.
    void showLimit(std::optional<std::int64_t> bytes);
    const std::optional<std::int64_t>& limit() const { return limit_; }
    /// The user drags the limit to a peak, which may lie beyond the front.
    void drag(std::int64_t bytes);
    /// Where the knob stands: at the limit, or where that is off the chart's axis at the end that it is beyond.
    double knobX() const;
    /// In words, such as `at most 31.2 GiB`.
    QString text() const;

  signals:
    /// The user chose another one.
    void limitChosen(std::optional<std::int64_t> bytes);

  protected:
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    double xOf(int value) const;
    void describe();
    /// The user has moved the knob to where it is.
    void takeValue();

    const FrontChart& chart_;
    std::vector<std::int64_t> peaks_;
    std::optional<std::int64_t> limit_;
    std::optional<double> pressed_at_;  ///< on the knob, which has not been moved since
};

}  // namespace overlap::ui
