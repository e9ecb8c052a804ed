#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace overlap {

/// A name in a StringPool. Equal ids of one pool (or of pools stacked on each other) mean equal strings.
using StringId = std::uint32_t;

/// The empty string is always 0.
inline constexpr StringId empty_string = 0;
inline constexpr StringId no_string = 0xffffffffu;

/// A text in four pieces, one behind the other, each a string of the pool.
using TextPieces = std::array<StringId, 4>;

/// Interned strings: each different string is stored once and has a small number.
///
/// A string may be composed of others. It has a number like the rest, and its text is made when somebody first reads
/// it: fields that hundreds of nodes have but for a name need not be written for each node and taken apart by the next
/// pass. Nobody looks for a composed string, so that it alone can be equal to another one under another number.
///
/// A pool may be stacked on an immutable one: it then knows all of the lower pool's strings under their numbers, and
/// adds its own above them. A pass stacks a pool on its input graph's, so graphs share text without sharing locks. What
/// few strings a pass has added, the next pool takes over, so that a look-up searches two or three pools and not one
/// for each pass.
/// Strings are never moved: a string_view stays valid as long as the pool that holds it.
class StringPool {
  public:
    StringPool();
    explicit StringPool(std::shared_ptr<const StringPool> below);
    StringPool(const StringPool&) = delete;
    StringPool& operator=(const StringPool&) = delete;

    /// The id of `text`, added if it is new.
    StringId intern(std::string_view text);
    /// The id of `text`, or no_string.
    StringId find(std::string_view text) const;
    /// A new string, these pieces one behind the other; none of them is composed itself.
    StringId compose(const TextPieces& pieces);
    /// What a string was composed of; nullptr for others.
    const TextPieces* pieces(StringId id) const {
        if (id < first_) return below_->pieces(id);
        const Text& text = texts_[id - first_];
        return text.size == Text::composed ? &text.made->pieces : nullptr;
    }
    std::string_view text(StringId id) const {
        if (id < first_) return below_->text(id);
        const Text& text = texts_[id - first_];
        return text.size == Text::composed ? composed_text(*text.made) : std::string_view(text.begin, text.size);
    }
    std::size_t size() const { return first_ + texts_.size(); }
    /// True when the pool adds nothing to the one that it was stacked on.
    bool adds_nothing() const { return below_ && texts_.empty(); }

  private:
    /// A place of the hash table: most different strings are distinguished without comparing their text.
    struct Slot {
        std::uint32_t hash = 0;
        StringId id = no_string;
    };
    static constexpr std::uint8_t free_place = 0;

    /// A composed string, which any thread may be the first to read.
    struct Composed {
        explicit Composed(const TextPieces& of) : pieces(of) {}
        Composed(const Composed&) = delete;
        Composed& operator=(const Composed&) = delete;
        ~Composed() { delete text.load(); }

        TextPieces pieces;
        mutable std::atomic<const std::string*> text = nullptr;
    };
    struct Text {
        static constexpr std::size_t composed = static_cast<std::size_t>(-1);
        union {
            const char* begin;
            const Composed* made;
        };
        std::size_t size;  ///< `composed`: `made` counts
    };

    std::string_view composed_text(const Composed& made) const;
    StringId find(std::string_view text, std::uint32_t hash) const;
    /// The number of the string for which is_match(const Text&) holds, among those of a hash; or no_string.
    template <typename IsMatch>
    StringId find_match(std::uint32_t hash, IsMatch&& is_match) const;
    /// The same in this pool alone.
    template <typename IsMatch>
    StringId find_own(std::uint32_t hash, IsMatch&& is_match) const;
    StringId add(const Text& text, std::uint32_t hash);
    /// The first place of the table, from that of `hash` on, which is free or for which is_match(id) holds.
    template <typename IsMatch>
    std::size_t probe(std::uint32_t hash, IsMatch&& is_match) const;
    bool is_free(std::size_t place) const { return tags_[place] == free_place; }
    void insert(std::uint32_t hash, StringId id);
    void grow();
    void take_over_below();
    std::string_view store(std::string_view text);

    std::shared_ptr<const StringPool> below_;
    StringId first_ = 0;  ///< number of strings below
    std::vector<Text> texts_;
    std::vector<Slot> slots_;  ///< of this pool's own strings; linear probing, a power of two of places or none
    /// What is free and what cannot match, a byte for each place: most searches are for strings that a pool does not
    /// have, and end here, in an eighth of the memory.
    std::vector<std::uint8_t> tags_;
    std::vector<std::shared_ptr<char[]>> blocks_;  ///< of the pools, too, whose strings this one has taken over
    std::vector<std::shared_ptr<std::deque<Composed>>> composed_;  ///< of those pools, too; its own last
    bool has_own_composed_ = false;
    std::size_t own_blocks_ = 0;
    std::size_t block_left_ = 0;
    char* block_next_ = nullptr;
};

}  // namespace overlap
