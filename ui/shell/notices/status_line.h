#pragma once

#include <QObject>

class QLabel;
class QStatusBar;

namespace overlap::ui {

class Document;
class Measurements;
class TraceTimes;

/// The status bar: what is open, the last message, what is being read, and the state of the evaluation. What a control
/// under the pointer says of itself stands there alone, in the place of what is open and of the message.
class StatusLine : public QObject {
    Q_OBJECT

  public:
    StatusLine(QStatusBar& bar, Document& document, Measurements& measurements, TraceTimes& times);

    /// Shows a sentence for some seconds. @param tool_tip its full text.
    void showMessage(const QString& sentence, const QString& tool_tip);

  public slots:
    /// Shows what is open and evaluated now.
    void update();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void addReadingProgress(QStatusBar& bar, Measurements& measurements);
    void showTip(const QString& tip);
    void shareRoom();
    QString graphText() const;

    QStatusBar& bar_;
    Document& document_;
    TraceTimes& times_;
    QLabel *graph_, *message_, *tip_, *time_;
};

}  // namespace overlap::ui
