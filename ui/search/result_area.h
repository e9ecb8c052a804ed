#pragma once

#include <QWidget>
#include <vector>

class QBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;

namespace overlap::ui {

/// What a search found, beside the chart: buttons, sentences and a table. Buttons are always seen. Where there is
/// little height, the table is beside the sentences, so that both begin at the top; else it is below them. Sentences
/// scroll.
class ResultArea : public QWidget {
  public:
    /// All of them become children.
    ResultArea(const std::vector<QPushButton*>& buttons, const std::vector<QLabel*>& sentences, QWidget* table);

    /// Whether the table is beside the sentences.
    bool isBeside() const;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* table_;
    QBoxLayout* columns_;
    QBoxLayout* column_;  ///< of the sentences
};

}  // namespace overlap::ui
