#pragma once

#include <QWidget>
#include <memory>

#include "ui/mesh/answers/path_comparison.h"

namespace overlap::ui {

/// Paths side by side, one card for each planner: what it costs, what is sent, its steps, and what goes wrong. Where
/// they do not fit beside one another they stand in several rows. One card is chosen, and one of its steps or the path
/// as a whole.
class PathBoard : public QWidget {
    Q_OBJECT

  public:
    static constexpr int whole_path = -1;  ///< the step that represents all of them

    explicit PathBoard(QWidget* parent = nullptr);

    /// @param reference costs to compare with, one for each path, while an edit is tried; empty otherwise.
    void show(std::shared_ptr<const PathComparison> comparison, std::vector<double> reference = {});
    void clear();

    std::size_t path() const { return path_; }
    int step() const { return step_; }
    /// Both within what is there.
    void select(std::size_t path, int step);

    /// Where cards and steps are.
    QRect cardArea(std::size_t path) const;
    QRect stepArea(std::size_t path, int step) const;

    QSize sizeHint() const override { return minimumSizeHint(); }
    QSize minimumSizeHint() const override;

  signals:
    void selected(std::size_t path, int step);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

  private:
    /// A line of a step's notes, or a sentence of a card's, with its height at the cards' width.
    struct Note {
        QString text;
        enum class Kind { error, caution, plain } kind = Kind::plain;
    };

    int steps(std::size_t path) const;
    std::vector<Note> notes(const ComparedPath& path) const;
    /// How many cards stand beside one another; the last row may have fewer.
    int cardsInRow() const;
    int rows() const;
    int cardWidth() const;
    /// That the tallest card of a row needs.
    int rowHeight(int row) const;
    int notesHeight(const std::vector<Note>& notes) const;
    bool hit(const QPoint& position, std::size_t& path, int& step) const;
    QString describe() const;
    void paintCard(QPainter& painter, std::size_t path) const;
    void paintFigures(QPainter& painter, std::size_t path, const QRect& inside) const;
    void paintStep(QPainter& painter, std::size_t path, int step) const;

    std::shared_ptr<const PathComparison> comparison_;
    std::vector<double> reference_;
    std::size_t path_ = PathComparison::optimal;
    int step_ = whole_path;
};

}  // namespace overlap::ui
