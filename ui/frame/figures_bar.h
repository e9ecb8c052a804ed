#pragma once

#include <QColor>
#include <QList>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "ui/frame/step_gap.h"

namespace overlap::ui {

class Document;

/// A figure of the toolbar: its label, its value, and the difference to the baseline.
struct Figure {
    QString label;
    QString value;
    QString difference;  ///< empty where there is none, as on the baseline
    int change = 0;      ///< of what `difference` shows: 1 better, -1 worse, 0 the same or neither
    QString help;
    bool beyond = false;       ///< `value` is more than the device has
    QString short_label = {};  ///< where there is little space; empty: `label` up to its first dot
};

/// Step, exposed, peak and number of collectives of the current variant; dashes for a plan that is refused.
std::vector<Figure> figuresOf(const Document& document);

/// The figures in the toolbar. While they are those of an older plan they are dimmed. Where there is little space,
/// details of labels are left out first, then differences, then the last figures; the tool tip has them all. A figure
/// always has its label. When the document is gone, there are none.
class FiguresBar : public QWidget {
    Q_OBJECT

  public:
    explicit FiguresBar(Document& document, QWidget* parent = nullptr);

    const std::vector<Figure>& figures() const { return figures_; }
    /// How far the step is above the best there can be, which is found later than the other figures.
    const StepGap& gap() const { return gap_; }
    /// Shows these until called with nothing: figures of what the timeline shows in place of the current variant.
    void showInstead(std::optional<std::vector<Figure>> figures);
    /// Widths that show all, less and the least detail of all figures, the widest first; never empty.
    QList<int> wantedWidths() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// As they are shown at the present width.
    QStringList labels() const;
    /// The tool tip at a horizontal position; empty outside the figures.
    QString helpAt(int position) const;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    /// What fits: all, the short labels, or no differences either.
    enum class Detail { all, short_labels, no_differences };
    static constexpr std::array details = {Detail::all, Detail::short_labels, Detail::no_differences};
    struct Layout {
        Detail detail = Detail::all;
        std::size_t count = 0;  ///< of figures that are shown, from the first
        int width = 0;
    };

    void update();
    /// How far the step is above the bound, or what it is where process groups share links; nothing while not known.
    std::optional<Figure> besideStep() const;
    Layout layOut() const;
    int widthOf(Detail detail) const;
    /// With the gap behind it.
    static int cellWidth(const Figure& figure, Detail detail);
    static QString labelOf(const Figure& figure, Detail detail);
    static int gapOf(Detail detail);
    static bool hasDifferences(Detail detail);

    QPointer<Document> document_;
    StepGap gap_;
    std::vector<Figure> figures_;
    std::optional<std::vector<Figure>> instead_;
    bool stale_ = false;
};

}  // namespace overlap::ui
