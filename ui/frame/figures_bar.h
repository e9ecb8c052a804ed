#pragma once

#include <QHash>
#include <QList>
#include <QPointer>
#include <QStringList>
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "ui/frame/plan_figures.h"

namespace overlap::ui {

class Document;

/// The figures in the toolbar. While they are those of an older plan they are dimmed. Where there is little space,
/// details of labels are left out first, then differences but the step's, then figures: the number of collectives and
/// the exposed time before the bound and the peak with the limit that it is beyond. The tool tip has them all. A figure
/// always has its label, all of it where there is room beside differences. When the document is gone, there are none.
///
/// The bar wants as much room as any figures of the open graph have needed so far, and room for differences and for the
/// bound before there are any: tabs beside it must not move from under the pointer because a plan has become faster.
/// Where it gets that room, each figure stays in its place, too, whatever its digits become.
class FiguresBar : public QWidget {
    Q_OBJECT

  public:
    explicit FiguresBar(Document& document, QWidget* parent = nullptr);

    const std::vector<Figure>& figures() const { return figures_; }
    /// How far the step is above the best there can be, which is found later than the other figures.
    const StepGap& gap() const { return gap_; }
    /// Shows these until called with nothing: figures of what the timeline shows in place of the current variant.
    void showInstead(std::optional<std::vector<Figure>> figures);
    /// A limit of the peak that was set beside what the device holds: a peak beyond it is told. 0: none.
    void setMemoryLimit(qint64 bytes);
    /// Widths that show all, less and the least detail of all figures, the widest first; never empty.
    QList<int> wantedWidths() const;
    /// The least that shows all of the labels, and all differences, close together.
    int labelledWidth() const { return labelled_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// As they are shown at the present width.
    QStringList labels() const;
    /// Where the cell of a figure that is shown begins, in pixels from the left of the bar.
    int left(std::size_t figure) const;
    QStringList differences() const;
    /// The tool tip at a horizontal position; empty outside the figures.
    QString helpAt(int position) const;

  signals:
    /// The user wants to know what the step is made of beside its bound.
    void stepWanted();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

  private:
    static constexpr int difference_gap = 8, value_px = 15;
    /// What fits: all, the short labels, or no differences either but those that stay.
    enum class Detail { all, short_labels, no_differences };
    static constexpr std::array details = {Detail::all, Detail::short_labels, Detail::no_differences};
    struct Cell {
        bool shown = false, difference = false;
        bool brief = false;  ///< with the briefest label
        bool whole = false;  ///< with all of its label, whatever the detail
        bool named = false;  ///< with all of the name in its label, where that has one
    };
    struct Layout {
        Detail detail = Detail::all;
        std::vector<Cell> cells = {};  ///< one for each figure
        bool kept = false;             ///< they are as wide as they have ever been
        int bound_room = 0;            ///< behind the first, for the bound that comes
        int name_room = 0;             ///< of the first, for letters of a name that has no room as a whole
        int width = 0;
    };
    /// How wide the cell of a figure has been: by detail, without and with its difference.
    using Widths = std::array<std::array<int, 2>, 3>;

    void update();
    void reserve();
    Layout layOut() const;
    Layout layOut(Detail detail, bool kept) const;
    /// With all of the labels, and all differences, close together.
    Layout layOutLabelled(bool kept) const;
    void addDifferences(Layout& layout) const;
    void addLabels(Layout& layout) const;
    /// What is left of the room goes into the name in the first label.
    void addName(Layout& layout) const;
    /// The figure at a horizontal position; null outside.
    const Figure* figureAt(int position) const;
    /// Where not even the figures without differences have the room that they have ever needed.
    Layout layOutImportant() const;
    static int cellWidth(const Figure& figure, Detail detail, bool difference, bool brief = false);
    /// 0 where it is not shown.
    int cellWidth(const Layout& layout, std::size_t figure) const;
    int left(const Layout& layout, std::size_t figure) const;
    int keptCell(const Figure& figure, Detail detail, bool difference) const;
    /// Of all figures, and of the room for the bound, which stands behind the first.
    int keptWidth(Detail detail) const;
    int roomForBound(Detail detail, bool whole_label = false) const;
    /// Whether how far the step is above the bound will be found.
    bool boundComes() const;
    void forgetWidths();
    static QString labelOf(const Figure& figure, Detail detail, bool brief = false);
    QString labelOf(const Layout& layout, std::size_t figure) const;
    /// As much of the name as there is room for; empty where that is too little to know it by.
    static QString cutName(const Figure& figure, int room);
    /// With the gap behind it.
    static int labelWidth(const QString& label, Detail detail);
    static int gapOf(Detail detail);
    static bool hasDifference(const Figure& figure, Detail detail);

    QPointer<Document> document_;
    StepGap gap_;
    std::vector<Figure> figures_;
    std::optional<std::vector<Figure>> instead_;
    QHash<QString, Widths> kept_;    ///< by what a figure is
    std::array<int, 3> reserved_{};  ///< the widest that each of `details` has been
    int labelled_ = 0;               ///< the same of layOutLabelled()
    qint64 memory_limit_ = 0;
    bool stale_ = false;
};

}  // namespace overlap::ui
