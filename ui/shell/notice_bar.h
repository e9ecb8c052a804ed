#pragma once

#include <QFrame>

class QLabel;

namespace overlap::ui {

/// A line above the timeline for what a person must not miss, such as a file that could not be opened. Never modal.
class NoticeBar : public QFrame {
    Q_OBJECT

  public:
    explicit NoticeBar(QWidget* parent = nullptr);

    void showNotice(const QString& sentence);
    QString text() const;

  private:
    QLabel* label_;
};

}  // namespace overlap::ui
