#pragma once

#include <QString>
#include <QWidget>
#include <vector>

class QToolButton;

namespace overlap::ui {

/// Buttons at the right, in as many rows as it takes: they never widen the window. One that is wider than it is cut.
/// Between those of two groups there is a line, or the second one begins a row.
class ButtonRows : public QWidget {
  public:
    explicit ButtonRows(QWidget* parent = nullptr);

    /// Takes the button as a child. @param before null: behind the others.
    /// @param help its tool tip; that of a button which is cut has its text too.
    void add(QToolButton* button, quint64 group = 0, const QString& help = {}, const QToolButton* before = nullptr);
    /// Gives the button no more room; it stays a child, and is the caller's to hide and delete.
    void remove(QToolButton* button);

    /// In one row.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    struct Shown {
        QToolButton* button;
        quint64 group;
        QString help;
    };
    using Row = std::vector<const Shown*>;
    std::vector<Row> rowsOf(int width) const;
    static int widthOf(const Row& row);
    static int heightOf(const Row& row);
    Row all() const;
    Row groupOf(quint64 group) const;
    void place();

    std::vector<Shown> buttons_;
    std::vector<QRect> lines_;  ///< between groups
};

}  // namespace overlap::ui
