#pragma once

#include <QDialog>
#include <cstdint>

class QDoubleSpinBox;
class QLabel;
class QRadioButton;
class QSpinBox;

namespace overlap::ui {

/// Asks for the share of flex attention's scores that the job's mask leaves, which a graph does not tell: a causal mask
/// over one document or over documents of a length, or any share.
class AttentionDensityDialog : public QDialog {
    Q_OBJECT

  public:
    /// @param density that is used now. @param length tokens of the graph's sequences.
    AttentionDensityDialog(double density, std::int64_t length, QWidget* parent = nullptr);

    /// What is chosen, 0 to 1.
    double density() const;

    QRadioButton& oneDocument() { return *one_document_; }
    QRadioButton& documents() { return *documents_; }
    QRadioButton& share() { return *share_; }
    QSpinBox& documentLength() { return *document_length_; }
    QDoubleSpinBox& shareValue() { return *share_value_; }

  private:
    void choose(double density);
    void update();

    std::int64_t length_;
    QRadioButton *one_document_, *documents_, *share_;
    QSpinBox* document_length_;
    QDoubleSpinBox* share_value_;
    QLabel* summary_;
};

}  // namespace overlap::ui
