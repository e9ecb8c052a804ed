#pragma once

#include <cstdint>
#include <numeric>

namespace overlap {

/// An exact positive fraction in lowest terms. One that does not fit 64 bits is 0/1, and so is all that is made of it.
class Fraction {
  public:
    constexpr Fraction() = default;
    /// @pre both are positive; else the fraction is 0/1.
    constexpr Fraction(std::int64_t numerator, std::int64_t denominator) {
        if (numerator <= 0 || denominator <= 0) return;
        const std::int64_t common = std::gcd(numerator, denominator);
        numerator_ = numerator / common;
        denominator_ = denominator / common;
    }

    constexpr std::int64_t numerator() const { return numerator_; }
    constexpr std::int64_t denominator() const { return denominator_; }
    constexpr bool is_whole() const { return numerator_ > 0 && denominator_ == 1; }
    constexpr bool operator==(const Fraction&) const = default;

    friend constexpr Fraction operator*(const Fraction& left, const Fraction& right) {
        constexpr auto is_one = [](const Fraction& one) { return one.numerator_ == 1 && one.denominator_ == 1; };
        if (is_one(left)) return right;  // nearly always
        if (is_one(right)) return left;
        const Fraction one(left.numerator_, right.denominator_), other(right.numerator_, left.denominator_);
        std::int64_t above = 0, below = 0;
        if (__builtin_mul_overflow(one.numerator_, other.numerator_, &above)) return {};
        if (__builtin_mul_overflow(one.denominator_, other.denominator_, &below)) return {};
        return {above, below};
    }
    friend constexpr Fraction operator/(const Fraction& left, const Fraction& right) {
        return left * (right.numerator_ == right.denominator_ ? right : Fraction(right.denominator_, right.numerator_));
    }
    friend constexpr Fraction operator+(const Fraction& left, const Fraction& right) {
        std::int64_t one = 0, other = 0, sum = 0, below = 0;
        if (left.numerator_ == 0 || right.numerator_ == 0) return {};
        if (__builtin_mul_overflow(left.numerator_, right.denominator_, &one) ||
            __builtin_mul_overflow(right.numerator_, left.denominator_, &other) ||
            __builtin_add_overflow(one, other, &sum) ||
            __builtin_mul_overflow(left.denominator_, right.denominator_, &below))
            return {};
        return {sum, below};
    }

  private:
    std::int64_t numerator_ = 0, denominator_ = 1;
};

inline constexpr Fraction whole_fraction{1, 1};

}  // namespace overlap
