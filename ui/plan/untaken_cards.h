#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace overlap::ui {

class Document;

/// Says that no step of the plan takes the cards, which change nothing then, with a button that makes one take them.
/// Hidden elsewhere.
class UntakenCards : public QWidget {
    Q_OBJECT

  public:
    explicit UntakenCards(Document& document, QWidget* parent = nullptr);

  private:
    void update();

    Document& document_;
    QLabel* text_;
    QPushButton* take_;
};

}  // namespace overlap::ui
