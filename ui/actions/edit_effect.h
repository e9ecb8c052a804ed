#pragma once

#include <QObject>
#include <QStringList>
#include <memory>

namespace overlap {
struct Evaluation;
}

namespace overlap::ui {

class Document;
class EditHistory;

/// Shows the effect of an edit, by its name: step, exposed time and peak after it compared with those before it. Edits
/// that follow one another faster than they are evaluated are told together.
class EditEffect : public QObject {
    Q_OBJECT

  public:
    EditEffect(Document& document, EditHistory& history, QObject* parent = nullptr);

  signals:
    void told(const QString& sentence);

  private:
    void remember(const QString& what);
    void tell();

    Document& document_;
    std::shared_ptr<const Evaluation> before_;  ///< of the plan that was edited; null while no edit is evaluated
    quint64 key_ = 0;                           ///< of that plan
    QStringList edits_;                         ///< of which the effect has not been told
};

}  // namespace overlap::ui
