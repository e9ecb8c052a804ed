#include "core/graph/string_pool.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace overlap {

namespace {

/// Each block is twice as large as the one before: most pools lie on another one, for a pass, and get few texts.
constexpr std::size_t first_block_bytes = 1024, most_doublings = 6;
constexpr std::size_t first_places = 64;
/// A pool takes over the strings of the one below it unless they are more than this part of those further below:
/// copying them for each pass would take more than it saves.
constexpr std::size_t least_taken_over = 1024, taken_over_part = 4;

std::uint64_t eight_letters(const char* begin) {
    std::uint64_t letters;
    std::memcpy(&letters, begin, sizeof letters);
    return letters;
}

/// Both halves of a product, so that each bit of a factor counts in every bit of the result.
std::uint64_t mixed(std::uint64_t left, std::uint64_t right) {
    __extension__ using Product = unsigned __int128;
    const Product product = Product{left} * right;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Names are short: sixteen letters take one multiplication.
std::uint32_t hash_of(std::string_view text) {
    constexpr std::uint64_t first_factor = 0x9e3779b97f4a7c15u, second_factor = 0xd1b54a32d192ed03u;
    std::uint64_t hash = text.size() * first_factor;
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left > 16; left -= 16, at += 16) {
        hash = mixed(eight_letters(at) ^ first_factor ^ hash, eight_letters(at + 8) ^ second_factor);
    }
    std::uint64_t begin = 0, end = 0;  // of what is left; they overlap
    if (left >= 8) {
        begin = eight_letters(at);
        end = eight_letters(at + left - 8);
    } else {
        for (std::size_t letter = 0; letter < left; ++letter)
            begin = begin << 8 | static_cast<unsigned char>(at[letter]);
    }
    hash = mixed(begin ^ first_factor ^ hash, end ^ second_factor);
    return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

/// Seven bits of a hash, those that do not choose its place in tables of up to 2^25; never that of a free place.
std::uint8_t tag_of(std::uint32_t hash) {
    return static_cast<std::uint8_t>(hash >> 25 | 0x80u);
}

}  // namespace

StringPool::StringPool() {
    intern("");
}

StringPool::StringPool(std::shared_ptr<const StringPool> below)
    : below_(std::move(below)), first_(static_cast<StringId>(below_->size())) {
    while (below_->adds_nothing()) below_ = below_->below_;
}

StringId StringPool::intern(std::string_view text) {
    const std::uint32_t hash = hash_of(text);
    if (const StringId known = find(text, hash); known != no_string) return known;
    if (texts_.empty() && below_) take_over_below();
    const std::string_view stored = store(text);
    Text made;
    made.begin = stored.data();
    made.size = stored.size();
    return add(made, hash);
}

StringId StringPool::compose(const TextPieces& pieces) {
    if (texts_.empty() && below_) take_over_below();
    if (!has_own_composed_) composed_.push_back(std::make_shared<std::deque<Composed>>());
    has_own_composed_ = true;
    const auto id = static_cast<StringId>(size());
    Text made;
    made.made = &composed_.back()->emplace_back(pieces);
    made.size = Text::composed;
    texts_.push_back(made);
    return id;
}

StringId StringPool::add(const Text& text, std::uint32_t hash) {
    const auto id = static_cast<StringId>(size());
    texts_.push_back(text);
    // At most half of the places are taken, so that searches end soon. Composed strings have none.
    std::size_t taken = texts_.size();
    if (2 * taken > slots_.size()) {
        for (const auto& composed : composed_) taken -= composed->size();
        if (2 * taken > slots_.size()) grow();
    }
    insert(hash, id);
    return id;
}

std::string_view StringPool::composed_text(const Composed& made) const {
    const std::string* known = made.text.load(std::memory_order_acquire);
    if (!known) {
        auto written = std::make_unique<std::string>();
        for (const StringId piece : made.pieces) *written += text(piece);
        // Several threads may write it at once: the first one's stays.
        if (made.text.compare_exchange_strong(known, written.get(), std::memory_order_acq_rel))
            known = written.release();
    }
    return *known;
}

StringId StringPool::find(std::string_view text) const {
    return find(text, hash_of(text));
}

StringId StringPool::find(std::string_view text, std::uint32_t hash) const {
    return find_match(hash, [&](const Text& known) {
        return known.size == text.size() && std::string_view(known.begin, known.size) == text;
    });
}

template <typename IsMatch>
StringId StringPool::find_match(std::uint32_t hash, IsMatch&& is_match) const {
    for (const StringPool* pool = this; pool; pool = pool->below_.get()) {
        if (const StringId known = pool->find_own(hash, is_match); known != no_string) return known;
    }
    return no_string;
}

template <typename IsMatch>
StringId StringPool::find_own(std::uint32_t hash, IsMatch&& is_match) const {
    if (slots_.empty()) return no_string;
    const std::size_t place = probe(hash, [&](StringId id) { return is_match(texts_[id - first_]); });
    return is_free(place) ? no_string : slots_[place].id;
}

template <typename IsMatch>
std::size_t StringPool::probe(std::uint32_t hash, IsMatch&& is_match) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint8_t tag = tag_of(hash);
    std::size_t place = hash & mask;
    while (!is_free(place) && (tags_[place] != tag || slots_[place].hash != hash || !is_match(slots_[place].id))) {
        place = (place + 1) & mask;
    }
    return place;
}

void StringPool::insert(std::uint32_t hash, StringId id) {
    const std::size_t place = probe(hash, [](StringId) { return false; });
    slots_[place] = {hash, id};
    tags_[place] = tag_of(hash);
}

void StringPool::grow() {
    const std::vector<Slot> former =
        std::exchange(slots_, std::vector<Slot>(std::max(first_places, 2 * slots_.size())));
    tags_.assign(slots_.size(), free_place);
    for (const Slot& slot : former) {
        if (slot.id != no_string) insert(slot.hash, slot.id);
    }
}

/// Copies the places of the strings, and of their text nothing.
void StringPool::take_over_below() {
    const std::shared_ptr<const StringPool> below = below_;
    if (!below->below_) return;
    if (below->texts_.size() > std::max(least_taken_over, below->below_->size() / taken_over_part)) return;
    texts_ = below->texts_;
    slots_ = below->slots_;
    tags_ = below->tags_;
    blocks_ = below->blocks_;
    composed_ = below->composed_;
    first_ = below->first_;
    below_ = below->below_;
}

std::string_view StringPool::store(std::string_view text) {
    if (text.size() > block_left_) {
        const std::size_t usual = first_block_bytes << std::min(own_blocks_++, most_doublings);
        const std::size_t bytes = std::max(usual, text.size());
        blocks_.push_back(std::make_shared_for_overwrite<char[]>(bytes));
        block_next_ = blocks_.back().get();
        block_left_ = bytes;
    }
    if (!text.empty()) std::memcpy(block_next_, text.data(), text.size());
    const std::string_view stored(block_next_, text.size());
    block_next_ += text.size();
    block_left_ -= text.size();
    return stored;
}

}  // namespace overlap
