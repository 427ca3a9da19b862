/* Reading packed hands, and which tiles complete one. */
#include "mcr.h"

#include <string.h>

#define COPIES 4
#define HONORS (0x7FULL << SK_MCR_FIRST_HONOR)
#define TERMINALS ((1ULL | 1ULL << 8) * (1ULL | 1ULL << 9 | 1ULL << 18))
#define ORPHANS (TERMINALS | HONORS)
#define STRAIGHT(a, b, c) (0x49ULL << (9 * (a)) | 0x92ULL << (9 * (b)) | 0x124ULL << (9 * (c)))

const uint64_t sk_mcr_straights[6] = {STRAIGHT(0, 1, 2), STRAIGHT(0, 2, 1), STRAIGHT(1, 0, 2),
                                      STRAIGHT(2, 0, 1), STRAIGHT(1, 2, 0), STRAIGHT(2, 1, 0)};

static inline bool add(sk_mcr_hand *hand, int tile, int copies, bool concealed) {
    if (tile >= SK_MCR_KINDS || (hand->all[tile] += (uint8_t)copies) > COPIES) return false;
    if (concealed) {
        hand->held[tile] += (uint8_t)copies;
        hand->held_kinds |= 1ULL << tile;
        if (tile < SK_MCR_FIRST_HONOR) hand->in_suit[tile / 9] += (uint8_t)copies;
    }
    hand->kinds |= 1ULL << tile;
    return true;
}

/* Concealed tiles and melds; false for what cannot be. */
static bool read_tiles(const uint8_t *record, sk_mcr_hand *hand) {
    int melds = *record++;
    if (melds > 4) return false;
    for (int i = 0; i < 13 - 3 * melds; i++)
        if (!add(hand, *record++, 1, true)) return false;
    hand->melds = (uint8_t)melds;
    for (int i = 0; i < melds; i++) {
        uint8_t meld = hand->meld[i] = *record++;
        int kind = meld >> 6, tile = meld & 63;
        if (kind == SK_MCR_CHOW) {
            if (tile >= SK_MCR_FIRST_HONOR || tile % 9 > 6) return false;
            for (int step = 0; step < 3; step++)
                if (!add(hand, tile + step, 1, false)) return false;
        } else if (!add(hand, tile, kind == SK_MCR_PUNG ? 3 : 4, false)) {
            return false;
        }
    }
    return true;
}

bool sk_mcr_read_waiting(const uint8_t *record, sk_mcr_hand *hand) {
    memset(hand, 0, sizeof *hand);
    return read_tiles(record, hand);
}

bool sk_mcr_read(const uint8_t *record, sk_mcr_hand *hand) {
    memset(hand, 0, sizeof *hand);
    hand->last = record[0];
    hand->self_drawn = record[1];
    hand->last_of_kind = record[2];
    hand->last_tile = record[3];
    hand->kong_related = record[4];
    hand->seat = record[5];
    hand->prevalent = record[6];
    hand->flowers = record[7];
    if (hand->last >= SK_MCR_KINDS || (record[1] | record[2] | record[3] | record[4]) > 1) return false;
    if (hand->seat < 27 || hand->seat > 30 || hand->prevalent < 27 || hand->prevalent > 30) return false;
    if (hand->flowers > 8 || !read_tiles(record + 8, hand)) return false;
    if (hand->last_of_kind && hand->held[hand->last]) return false;
    if (hand->kong_related && hand->self_drawn) {
        bool kong = false;
        for (int i = 0; i < hand->melds; i++) kong |= hand->meld[i] >> 6 >= SK_MCR_KONG;
        if (!kong) return false;
    }
    if (hand->kong_related && !hand->self_drawn && (hand->last_tile || hand->all[hand->last])) return false;
    return add(hand, hand->last, 1, true);
}

/* Whether the tiles of a suit are chows and pungs alone: equal chows beyond two are pungs. */
static bool sets_only(const uint8_t *counts) {
    int open = 0, next = 0; /* chows that want a tile of this rank, and of the next */
    for (int rank = 0; rank < 9; rank++) {
        int left = counts[rank] - open;
        if (left < 0) return false;
        int begun = left % 3;
        open = next + begun;
        next = begun;
    }
    return !open && !next;
}

/* The same with a pair: its rank follows, but for thirds, from the sum of all ranks. */
static bool sets_and_pair(uint8_t *counts) {
    int sum = 0;
    for (int rank = 0; rank < 9; rank++) sum += rank * counts[rank];
    for (int rank = 2 * sum % 3; rank < 9; rank += 3) {
        if (counts[rank] < 2) continue;
        counts[rank] -= 2;
        bool complete = sets_only(counts);
        counts[rank] += 2;
        if (complete) return true;
    }
    return false;
}

typedef struct {
    int first, size, tiles;
} group;

static bool complete(uint8_t *counts, group one, bool pair) {
    uint8_t *own = counts + one.first;
    if (one.size == 1) return *own % 3 == (pair ? 2 : 0);
    return pair ? sets_and_pair(own) : sets_only(own);
}

/* The tiles of a group that complete it, with a pair or without: none that has no other within two ranks. */
static uint64_t completed_by(uint8_t *counts, group one, bool pair) {
    uint64_t found = 0, near = 0;
    for (int tile = one.first; tile < one.first + one.size; tile++)
        if (counts[tile]) near |= one.size == 1 ? 1ULL << tile : 0x1FULL << tile;
    if (one.size > 1) near >>= 2;
    for (int tile = one.first; tile < one.first + one.size; tile++) {
        if (!(near >> tile & 1)) continue;
        counts[tile]++;
        if (complete(counts, one, pair)) found |= 1ULL << tile;
        counts[tile]--;
    }
    return found;
}

/* The suits and honours that there are, but for `without` tiles of each suit. */
static int groups_of(const uint8_t *counts, const sk_mcr_hand *hand, int without, group found[10]) {
    int size = 0;
    for (int suit = 0; suit < 3; suit++)
        found[size++] = (group){9 * suit, 9, hand->in_suit[suit] - without};
    for (uint64_t left = hand->held_kinds & HONORS; left; left &= left - 1) {
        int tile = __builtin_ctzll(left);
        found[size++] = (group){tile, 1, counts[tile]};
    }
    return size;
}

/* What completes sets and a pair. The tiles of each suit, and of each honour, are a multiple of three, but for the pair
 * and what the tile completes: so one group is one over, or two groups are two over. */
static uint64_t regular_waits(uint8_t *counts, const group *groups, int size) {
    const group *over[2];
    int ones = 0, twos = 0;
    for (int i = 0; i < size; i++) {
        if (groups[i].tiles % 3 == 0) continue;
        if (ones + twos == 2) return 0;
        over[ones + twos] = groups + i;
        if (groups[i].tiles % 3 == 1) ones++;
        else twos++;
    }
    if (!(ones == 1 && twos == 0) && !(ones == 0 && twos == 2)) return 0;
    for (int i = 0; i < size; i++)
        if (groups[i].tiles && groups[i].tiles % 3 == 0 && !complete(counts, groups[i], false)) return 0;
    if (ones) return completed_by(counts, *over[0], true);
    uint64_t found = 0;
    if (complete(counts, *over[1], true)) found |= completed_by(counts, *over[0], false);
    if (complete(counts, *over[0], true)) found |= completed_by(counts, *over[1], false);
    return found;
}

static uint64_t without_sets(const uint8_t *counts, uint64_t kinds) {
    uint64_t odd = 0, found = 0;
    for (int tile = 0; tile < SK_MCR_KINDS; tile++)
        if (counts[tile] & 1) odd |= 1ULL << tile;
    int different = sk_mcr_count(kinds);
    if (sk_mcr_count(odd) == 1) found |= odd;
    if (!(kinds & ~ORPHANS) && different >= 12) found |= different == 13 ? ORPHANS : ORPHANS & ~kinds;
    if (different == 13)
        for (int i = 0; i < 6; i++)
            if (!(kinds & ~(HONORS | sk_mcr_straights[i]))) found |= (HONORS | sk_mcr_straights[i]) & ~kinds;
    return found;
}

static bool regular_complete(uint8_t *counts) {
    int size = 0, pairs = 0;
    for (int first = 0; first < SK_MCR_KINDS; first += size) {
        size = first < SK_MCR_FIRST_HONOR ? 9 : 1;
        int tiles = 0;
        for (int i = 0; i < size; i++) tiles += counts[first + i];
        if (!tiles) continue;
        pairs += tiles % 3 == 2;
        group one = {first, size, tiles};
        if (tiles % 3 == 1 || pairs > 1 || !complete(counts, one, tiles % 3 == 2)) return false;
    }
    return pairs == 1;
}

static uint64_t knitted_waits(const sk_mcr_hand *hand) {
    uint64_t found = 0;
    for (int i = 0; i < 6; i++) {
        uint64_t missing = sk_mcr_straights[i] & ~hand->held_kinds;
        if (missing & (missing - 1)) continue;
        uint8_t rest[SK_MCR_KINDS];
        memcpy(rest, hand->held, sizeof rest);
        for (uint64_t left = sk_mcr_straights[i] & ~missing; left; left &= left - 1) rest[__builtin_ctzll(left)]--;
        if (missing) {
            if (regular_complete(rest)) found |= missing;
        } else {
            group groups[10];
            found |= regular_waits(rest, groups, groups_of(rest, hand, 3, groups));
        }
    }
    return found;
}

uint64_t sk_mcr_waits(const sk_mcr_hand *hand) {
    uint8_t counts[SK_MCR_KINDS];
    group groups[10];
    memcpy(counts, hand->held, sizeof counts);
    uint64_t found = regular_waits(counts, groups, groups_of(counts, hand, 0, groups));
    if (hand->melds == 0) found |= without_sets(counts, hand->held_kinds);
    if (hand->melds <= 1) found |= knitted_waits(hand);
    return found;
}

int64_t sk_mcr_completing(const uint8_t *record) {
    sk_mcr_hand hand;
    return sk_mcr_read_waiting(record, &hand) ? (int64_t)sk_mcr_waits(&hand) : SK_MCR_NO_HAND;
}
