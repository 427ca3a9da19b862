/* What scoring works on, and how found fans are counted: from the highest down, each unless one already counted
 * excludes it. Parts of mcr_score.c like this one are headers, so that the compiler sees them at once. */
#ifndef SK_MCR_COUNTING_H
#define SK_MCR_COUNTING_H

#include <string.h>

#include "mcr.h"
#include "mcr_fans.h"

#define SUIT(s) (0x1FFULL << 9 * (s))
#define EACH_SUIT(ranks) ((uint64_t)(ranks) * (1ULL | 1ULL << 9 | 1ULL << 18))
#define SUIT_TILES EACH_SUIT(0x1FF)
#define WINDS (0xFULL << 27)
#define DRAGONS (7ULL << 31)
#define HONORS (WINDS | DRAGONS)
#define TERMINALS EACH_SUIT(0x101)
#define ORPHANS (TERMINALS | HONORS)
#define EVENS EACH_SUIT(0xAA)
#define EACH_THIRD 0x49ULL
#define GREEN (0xAEULL << 18 | 1ULL << 32)
#define REVERSIBLE (0x19FULL << 9 | 0x1BAULL << 18 | 1ULL << 33)
#define COUNT(set) sk_mcr_count(set)
#define NO_PAIR SK_MCR_NONE
#define KIND(code) ((code) >> 6)
#define TILE(code) ((code)&63)
#define RANK(code) (TILE(code) % 9)

/* Fans that are found; of those in SLOT, four bits tell how often beyond once. */
typedef struct {
    fan_set found;
    uint64_t more;
} fans;

static const uint8_t SLOT[FANS] = {
    [FAN(59)] = 1, [FAN(64)] = 2, [FAN(65)] = 3, [FAN(67)] = 4,  [FAN(69)] = 5,
    [FAN(70)] = 6, [FAN(71)] = 7, [FAN(72)] = 8, [FAN(73)] = 9, [FAN(74)] = 10,
};

typedef struct {
    const sk_mcr_hand *hand;
    int32_t profile;
    fans tiles; /* what does not depend on the reading */
    bool nine_gates;
    int concealed_kongs;
    uint64_t suit[3]; /* what is laid out as sets, four bits a rank */
    uint8_t sets[4];  /* melds first */
    int taken;        /* sets so far */
    int pair;
    uint64_t pairs; /* the tiles of suits among which the pair must be */
    uint64_t straight;  /* the nine knitted tiles, or 0 */
    int straight_index; /* which it is, or SK_MCR_NONE */
    int shape;
    int place; /* what the last tile completed */
    int waits; /* how many tiles would complete the hand; -1 before it is asked */
    int best;  /* -1 while there is no reading */
    fans best_fans;
    sk_mcr_reading best_reading;
} search;

static inline void put(fans *some, int number) {
    int fan = FAN(number);
    if (fan < 64) some->found.low |= 1ULL << fan;
    else some->found.high |= 1ULL << (fan - 64);
}

static void put_times(fans *some, int number, int times) {
    if (!times) return;
    put(some, number);
    some->more |= (uint64_t)(times - 1) << 4 * SLOT[FAN(number)];
}

static int times_of(const fans *some, int fan) {
    return SLOT[fan] ? 1 + (int)(some->more >> 4 * SLOT[fan] & 15) : 1;
}

/* Count from the highest down; what is excluded is taken away. The points of what is left. */
static int count(const search *at, fans *some) {
    fan_set excluded = {0, 0}, counted = {0, 0};
    int total = 0;
    bool hides_concealed = !(at->profile & SK_MCR_FULLY_CONCEALED_BY_NATURE);
    for (uint64_t left = some->found.low; left; left &= left - 1) {
        int fan = __builtin_ctzll(left);
        uint64_t bit = left & -left;
        if (excluded.low & bit) continue;
        counted.low |= bit;
        total += POINTS[fan] * times_of(some, fan);
        excluded.low |= EXCLUDES[fan].low;
        excluded.high |= EXCLUDES[fan].high;
        if (NATURE.low & bit && hides_concealed) excluded.low |= LOW(56);
    }
    for (uint64_t left = some->found.high & ~excluded.high; left; left &= left - 1) {
        int fan = 64 + __builtin_ctzll(left);
        uint64_t bit = left & -left;
        if (excluded.high & bit) continue;
        counted.high |= bit;
        total += POINTS[fan] * times_of(some, fan);
        excluded.high |= EXCLUDES[fan].high;
    }
    if (counted.low & LOW(48) && at->profile & SK_MCR_TWO_CONCEALED_KONGS_8) total += 2;
    if (counted.low & LOW(82) && at->profile & SK_MCR_MIXED_KONGS_6) total += 1;
    some->found = counted;
    if (!counted.low && !counted.high) {
        put(some, 43);
        total = POINTS[FAN(43)];
    }
    return total;
}

/* Fans with how often they count, in their order; how many entries. */
static int listed(const fans *some, uint8_t list[SK_MCR_FANS_MAX][2]) {
    int size = 0;
    for (int word = 0; word < 2; word++)
        for (uint64_t left = word ? some->found.high : some->found.low; left; left &= left - 1) {
            int fan = 64 * word + __builtin_ctzll(left);
            if (size == SK_MCR_FANS_MAX) return size;
            list[size][0] = (uint8_t)fan;
            list[size++][1] = (uint8_t)times_of(some, fan);
        }
    return size;
}

/* Of two choices of fans with one total: whether the first has the higher fans. */
static bool stands_before(const fans *one, const fans *other) {
    uint8_t first[SK_MCR_FANS_MAX][2], second[SK_MCR_FANS_MAX][2];
    int size = listed(one, first), others = listed(other, second);
    for (int i = 0; i < size && i < others; i++) {
        if (first[i][0] != second[i][0]) return first[i][0] < second[i][0];
        if (first[i][1] != second[i][1]) {
            /* The one that goes on with this fan goes on with a higher one. */
            return first[i][1] > second[i][1];
        }
    }
    return false;
}

static void judge(search *at, fans some) {
    int total = count(at, &some);
    if (total < at->best || (total == at->best && !stands_before(&some, &at->best_fans))) return;
    at->best = total;
    at->best_fans = some;
    sk_mcr_reading *reading = &at->best_reading;
    reading->shape = (uint8_t)at->shape;
    reading->straight = (uint8_t)at->straight_index;
    reading->pair = (uint8_t)at->pair;
    reading->completed = (uint8_t)at->place;
    reading->sets = (uint8_t)at->taken;
    memcpy(reading->set, at->sets, sizeof reading->set);
}

static bool waited_for_one(search *at) {
    const sk_mcr_hand *hand = at->hand;
    if (at->straight >> hand->last & 1 && !(at->profile & SK_MCR_WAIT_IN_STRAIGHT)) return false;
    if (at->waits < 0) {
        sk_mcr_hand before = *hand;
        int last = hand->last;
        if (!--before.held[last]) before.held_kinds &= ~(1ULL << last);
        before.odd ^= 1ULL << last;
        if (last < SK_MCR_FIRST_HONOR) before.suit[last / 9] -= 1ULL << 4 * (last % 9);
        uint64_t tiles = sk_mcr_waits(&before);
        if (!(at->profile & SK_MCR_EXHAUSTED_WAIT))
            for (uint64_t left = tiles; left; left &= left - 1) {
                int tile = __builtin_ctzll(left);
                if (tile != hand->last && hand->all[tile] == 4) tiles &= ~(1ULL << tile);
            }
        at->waits = COUNT(tiles);
    }
    return at->waits == 1;
}

#endif
