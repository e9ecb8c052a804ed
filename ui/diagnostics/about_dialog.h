#pragma once

#include <QDialog>

class QLabel;

namespace overlap::ui {

class CompanionVersions;

/// What this application is, where its figures come from, and what was found on this machine. Its text can be selected
/// and copied.
class AboutDialog : public QDialog {
    Q_OBJECT

  public:
    /// @param companions must outlive the dialog.
    AboutDialog(CompanionVersions& companions, QWidget* window);

  signals:
    void copyDiagnosticsAsked();

  private:
    void fill();

    CompanionVersions& companions_;
    QLabel* found_;
};

}  // namespace overlap::ui
