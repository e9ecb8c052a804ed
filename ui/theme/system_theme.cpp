#include "ui/theme/system_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QGuiApplication>
#include <QPalette>
#include <QStyleHints>

namespace overlap::ui {
namespace {

const QString portalService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString portalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString portalInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString appearance = QStringLiteral("org.freedesktop.appearance");
const QString colourScheme = QStringLiteral("color-scheme");

constexpr uint prefersDark = 1;
constexpr uint prefersLight = 2;

}  // namespace

SystemTheme::SystemTheme(QObject* parent) : QObject(parent) {
    dark_ = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    const QStyleHints* hints = QGuiApplication::styleHints();
    if (hints->colorScheme() != Qt::ColorScheme::Unknown) dark_ = hints->colorScheme() == Qt::ColorScheme::Dark;
    connect(hints, &QStyleHints::colorSchemeChanged, this,
            [this](Qt::ColorScheme scheme) { set(scheme == Qt::ColorScheme::Dark); });
#else
    askPortal();
#endif
}

void SystemTheme::askPortal() {
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    bus.connect(portalService, portalPath, portalInterface, QStringLiteral("SettingChanged"), this,
                SLOT(onPortalSetting(QString, QString, QDBusVariant)));
    QDBusMessage question =
        QDBusMessage::createMethodCall(portalService, portalPath, portalInterface, QStringLiteral("Read"));
    question.setArguments({appearance, colourScheme});
    auto* answer = new QDBusPendingCallWatcher(bus.asyncCall(question), this);
    connect(answer, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* call) {
        const QDBusPendingReply<QDBusVariant> reply = *call;
        if (reply.isValid()) onPortalSetting(appearance, colourScheme, reply.value());
        call->deleteLater();
    });
}

void SystemTheme::onPortalSetting(const QString& group, const QString& key, const QDBusVariant& value) {
    if (group != appearance || key != colourScheme) return;
    QVariant inner = value.variant();
    while (inner.canConvert<QDBusVariant>()) inner = inner.value<QDBusVariant>().variant();  // Read() wraps twice
    const uint preference = inner.toUInt();
    if (preference == prefersDark) set(true);
    if (preference == prefersLight) set(false);
}

void SystemTheme::set(bool dark) {
    if (dark == dark_) return;
    dark_ = dark;
    emit changed(dark);
}

}  // namespace overlap::ui
