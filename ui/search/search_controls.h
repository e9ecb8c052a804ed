#pragma once

#include <QWidget>
#include <cstdint>
#include <optional>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;

namespace overlap::ui {

class Document;

/// What a search is asked for: the limit of the peak, the effort, and where it begins.
class SearchControls : public QWidget {
    Q_OBJECT

  public:
    /// What the peak of memory may be.
    enum class Limit { none, baseline, current, device, other };

    explicit SearchControls(Document& document, QWidget* parent = nullptr);

    QComboBox* limit() { return limit_; }
    QComboBox* effort() { return effort_; }
    QCheckBox* fromCurrent() { return from_current_; }

    /// The most bytes that the step may hold; nothing where any peak will do. Asked for only where obstacle() is empty.
    std::optional<std::int64_t> limitBytes() const;
    /// How many plans are evaluated at most.
    std::size_t plans() const;
    /// Whether the current plan is changed, too.
    bool startsFromCurrent() const;
    /// Why the limit is not known, as a sentence without full stop; empty where it is.
    QString obstacle() const;
    /// To be called when the current plan or its evaluation is another one.
    void update();

  signals:
    /// The limit is another one.
    void changed();

  private:
    Document& document_;
    QComboBox *limit_, *effort_;
    QDoubleSpinBox* other_limit_;
    QCheckBox* from_current_;
};

}  // namespace overlap::ui
