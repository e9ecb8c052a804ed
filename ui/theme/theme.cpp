#include "ui/theme/theme.h"

#include <QFontDatabase>
#include <QFontInfo>
#include <QGuiApplication>
#include <algorithm>
#include <array>
#include <cmath>

namespace overlap::ui {
namespace {

Theme makeDark() {
    Theme theme;
    theme.dark = true;
    theme.background = QColor(0x16181d);
    theme.panel = QColor(0x1c1f26);
    theme.raised = QColor(0x22262f);
    theme.line = QColor(0x2e333d);
    theme.text = QColor(0xd7dae0);
    theme.dim = QColor(0x8b93a1);
    theme.faint = QColor(0x5b6270);
    theme.accent = QColor(0x4f9cf9);
    theme.exposed = QColor(0xf2695c);
    theme.hidden = QColor(0x5ec27f);
    theme.caution = QColor(0xe8b44c);
    theme.compute = QColor(0x72819c);
    theme.unbucketed = QColor(0x9aa3b2);
    theme.memory = QColor(0x4fb3bf);
    theme.halves = {QColor(0xa9d3ee), QColor(0x4a82a8)};
    theme.bucketHues = {QColor(0x5c87e0), QColor(0x83c597), QColor(0xe9c81a), QColor(0xae6f9e),
                        QColor(0x7de6e1), QColor(0xf7973d), QColor(0xb2a3e6), QColor(0xc2df8b)};
    return theme;
}

Theme makeLight() {
    Theme theme;
    theme.dark = false;
    theme.background = QColor(0xffffff);
    theme.panel = QColor(0xf5f6f8);
    theme.raised = QColor(0xeceef2);
    theme.line = QColor(0xd5d9e0);
    theme.text = QColor(0x1d2129);
    theme.dim = QColor(0x555d6b);
    theme.faint = QColor(0x7d8594);
    theme.accent = QColor(0x1f6feb);
    theme.exposed = QColor(0xcf3b2e);
    theme.hidden = QColor(0x2c8f4e);
    theme.caution = QColor(0xa66f00);
    theme.compute = QColor(0x7a889f);
    theme.unbucketed = QColor(0x6c7686);
    theme.memory = QColor(0x1f8a98);
    theme.halves = {QColor(0x3f84b2), QColor(0x133a55)};
    theme.bucketHues = {QColor(0x19458c), QColor(0x527756), QColor(0x674605), QColor(0xd158ca),
                        QColor(0x3f8b97), QColor(0xe26111), QColor(0x8648aa), QColor(0x739069)};
    return theme;
}

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

bool familyExists(const QString& family) {
    return QFontDatabase::families().contains(family);
}

}  // namespace

const Theme& darkTheme() {
    static const Theme theme = makeDark();
    return theme;
}

const Theme& lightTheme() {
    static const Theme theme = makeLight();
    return theme;
}

QColor Theme::textOn(const QColor& fill) const {
    const QColor ink(0x10131a);
    const QColor paper(0xffffff);
    return contrastRatio(fill, ink) >= contrastRatio(fill, paper) ? ink : paper;
}

QColor Theme::asText(const QColor& colour) const {
    constexpr double readable = 4.5;
    constexpr double step = 0.05;
    const std::array<QColor, 4> surfaces{background, panel, raised, selection()};
    QColor written = colour;
    const auto lost = [&](const QColor& surface) { return contrastRatio(written, surface) < readable; };
    for (double share = step; share <= 1 && std::ranges::any_of(surfaces, lost); share += step)
        written = blended(colour, text, share);
    return written;
}

QColor blended(const QColor& background, const QColor& colour, double share) {
    const auto mix = [share](int below, int above) {
        return static_cast<int>(std::lround(below + (above - below) * share));
    };
    return {mix(background.red(), colour.red()), mix(background.green(), colour.green()),
            mix(background.blue(), colour.blue())};
}

double contrastRatio(const QColor& a, const QColor& b) {
    const double first = luminance(a) + 0.05;
    const double second = luminance(b) + 0.05;
    return first > second ? first / second : second / first;
}

QFont textFont(int pixelSize, int weight) {
    static const bool hasInter = familyExists(QStringLiteral("Inter"));
    QFont font = hasInter ? QFont(QStringLiteral("Inter")) : QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    font.setPixelSize(pixelSize);
    font.setWeight(static_cast<QFont::Weight>(weight));
    return font;
}

QFont codeFont(int pixelSize) {
    static const QString family = [] {
        for (const char* wanted : {"JetBrains Mono", "IBM Plex Mono", "DejaVu Sans Mono"}) {
            if (familyExists(QString::fromLatin1(wanted))) return QString::fromLatin1(wanted);
        }
        return QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
    }();
    QFont font(family);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    // Fixed-width families run wider and taller than Inter; one pixel less sits beside it evenly.
    font.setPixelSize(pixelSize - 1);
    return font;
}

QFont numberFont(int pixelSize) {
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    QFont font = textFont(pixelSize);
    if (QFontInfo(font).family() == QStringLiteral("Inter")) {
        font.setFeature(QFont::Tag("tnum"), 1);
        return font;
    }
#endif
    return codeFont(pixelSize);
}

QColor Theme::selection() const {
    return blended(background, accent, 0.25);
}

QPalette paletteOf(const Theme& theme) {
    QPalette palette;
    palette.setColor(QPalette::Window, theme.panel);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.background);
    palette.setColor(QPalette::AlternateBase, theme.panel);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.dim);
    palette.setColor(QPalette::Button, theme.raised);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::BrightText, theme.exposed);
    palette.setColor(QPalette::ToolTipBase, theme.raised);
    palette.setColor(QPalette::ToolTipText, theme.text);
    palette.setColor(QPalette::Highlight, theme.accent);
    palette.setColor(QPalette::HighlightedText, theme.textOn(theme.accent));
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::LinkVisited, theme.accent);
    palette.setColor(QPalette::Light, theme.raised);
    palette.setColor(QPalette::Midlight, theme.raised);
    palette.setColor(QPalette::Mid, theme.line);
    palette.setColor(QPalette::Dark, theme.line);
    palette.setColor(QPalette::Shadow, theme.background);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, theme.faint);
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, theme.line);
    return palette;
}

}  // namespace overlap::ui
