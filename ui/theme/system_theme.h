#pragma once

#include <QDBusVariant>
#include <QObject>

namespace overlap::ui {

/// Whether the desktop asks for dark or light, and when that changes.
///
/// Qt reports it from 6.5 on. Before that the desktop portal is asked over D-Bus (org.freedesktop.portal.Settings),
/// without waiting for it; until it answers, and where there is none, the lightness of the palette that the application
/// started with decides.
class SystemTheme : public QObject {
    Q_OBJECT

  public:
    explicit SystemTheme(QObject* parent = nullptr);

    bool isDark() const { return dark_; }

  signals:
    void changed(bool dark);

  private slots:
    void onPortalSetting(const QString& group, const QString& key, const QDBusVariant& value);

  private:
    void askPortal();
    void set(bool dark);

    bool dark_ = true;
};

}  // namespace overlap::ui
