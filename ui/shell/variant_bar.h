#pragma once

#include <QWidget>

class QTabBar;

namespace overlap::ui {

class Document;

/// The variants as tabs, the baseline first, and a button for a new one. A dot marks edits that no file has.
class VariantBar : public QWidget {
    Q_OBJECT

  public:
    explicit VariantBar(Document& document, QWidget* parent = nullptr);

    QTabBar* tabs() { return tabs_; }
    QSize minimumSizeHint() const override;

  signals:
    void newWanted();
    void closeWanted(int index);
    void renameWanted(int index);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void update();

    Document& document_;
    QTabBar* tabs_;
    bool updating_ = false;
};

}  // namespace overlap::ui
