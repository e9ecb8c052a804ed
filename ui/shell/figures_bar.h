#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

namespace overlap::ui {

class Document;

/// A figure of the toolbar: what it is of, what it is, and how it differs from the baseline.
struct Figure {
    QString label;
    QString value;
    QString difference;  ///< empty on the baseline
    int change = 0;      ///< 1 better, -1 worse, 0 the same or neither
    QString help;
};

/// Step, exposed, peak and number of collectives of the current variant.
std::vector<Figure> figuresOf(const Document& document);

/// The figures in the toolbar. While they are those of an older plan they are dimmed.
class FiguresBar : public QWidget {
    Q_OBJECT

  public:
    explicit FiguresBar(Document& document, QWidget* parent = nullptr);

    const std::vector<Figure>& figures() const { return figures_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void update();
    int cellWidth(const Figure& figure) const;

    Document& document_;
    std::vector<Figure> figures_;
    bool stale_ = false;
};

}  // namespace overlap::ui
