#pragma once

#include <QComboBox>

namespace overlap::ui {

/// The memory policies by name; the list says of each what it keeps.
class PolicyBox : public QComboBox {
    Q_OBJECT

  public:
    explicit PolicyBox(QWidget* parent = nullptr);

    /// `none` where there is no policy.
    QString policy() const { return currentData().toString(); }
    /// @param policy empty: none.
    void setPolicy(const QString& policy);

  signals:
    /// Empty: none.
    void policyChosen(const QString& policy);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void showPopup() override;
};

}  // namespace overlap::ui
