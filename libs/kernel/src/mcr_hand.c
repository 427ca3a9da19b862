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
        hand->odd ^= 1ULL << tile;
        if (tile < SK_MCR_FIRST_HONOR) hand->suit[tile / 9] += 1ULL << 4 * (tile % 9);
    }
    hand->kinds |= 1ULL << tile;
    hand->fours |= (uint64_t)(hand->all[tile] == COPIES) << tile;
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

#define FIELD 0xFULL /* of a rank in a suit */
#define FIRSTS 0x111111111ULL

/* Whether the tiles of a suit are chows and pungs alone: equal chows beyond two are pungs. */
static bool sets_only(uint64_t suit) {
    while (suit) {
        int at = __builtin_ctzll(suit) & ~3;
        uint64_t held = suit >> at & FIELD, begun = held >= 3 ? held - 3 : held;
        uint64_t rest = ((suit & ~(FIELD << at)) | SK_MCR_GUARDS) - (begun * 0x110 << at);
        if (begun > 2 || ~rest & SK_MCR_GUARDS) return false;
        suit = rest & ~SK_MCR_GUARDS;
    }
    return true;
}

/* The sum of all ranks, but for thirds; that of chows and of pungs is 0. */
static int third_of(uint64_t suit) {
    return (int)((suit & 0x0F00F00F0) % 15 + 2 * ((suit & 0xF00F00F00) % 15)) % 3;
}

int sk_mcr_third_of_pair(uint64_t suit) {
    return 2 * third_of(suit) % 3;
}

/* The same with a pair. */
static bool sets_and_pair(uint64_t suit) {
    for (int at = 4 * sk_mcr_third_of_pair(suit); at < 36; at += 12)
        if ((suit >> at & FIELD) >= 2 && sets_only(suit - (2ULL << at))) return true;
    return false;
}

/* The concealed tiles in groups: three suits, then each honour. */
typedef struct {
    uint64_t suit[3];
    const uint8_t *held; /* for honours */
    uint64_t honors;
} tiles;

#define HONOR_OF(group) ((group) - 3 + SK_MCR_FIRST_HONOR)

static bool complete(const tiles *all, int group, bool pair) {
    if (group >= 3) return all->held[HONOR_OF(group)] % 3 == (pair ? 2 : 0);
    return pair ? sets_and_pair(all->suit[group]) : sets_only(all->suit[group]);
}

/* The tiles of a group that complete it, with a pair or without: none that has no other within two ranks. */
static uint64_t completed_by(const tiles *all, int group, bool pair) {
    if (group >= 3) return (uint64_t)((all->held[HONOR_OF(group)] + 1) % 3 == (pair ? 2 : 0)) << HONOR_OF(group);
    uint64_t suit = all->suit[group], found = 0;
    uint64_t near = (suit | suit >> 1 | suit >> 2) & FIRSTS;
    near = (near | near << 4 | near << 8 | near >> 4 | near >> 8) & FIRSTS;
    if (!pair) near &= 0x001001001ULL << 4 * ((3 - third_of(suit)) % 3);
    for (; near; near &= near - 1) {
        uint64_t fuller = suit + (near & -near);
        if (pair ? sets_and_pair(fuller) : sets_only(fuller))
            found |= 1ULL << (9 * group + __builtin_ctzll(near) / 4);
    }
    return found;
}

/* What completes sets and a pair. The tiles of each suit, and of each honour, are a multiple of three, but for the pair
 * and what the tile completes: so one group is one over, or two groups are two over. */
static uint64_t regular_waits(const tiles *all) {
    int over[2], ones = 0, twos = 0;
    uint64_t honors = all->honors;
    for (int group = 0; group < 3 || honors; group++) {
        int count;
        if (group < 3) {
            count = (int)(all->suit[group] % 15);
        } else {
            group = __builtin_ctzll(honors) - SK_MCR_FIRST_HONOR + 3;
            count = all->held[HONOR_OF(group)];
            honors &= honors - 1;
        }
        if (count % 3 == 0) continue;
        if (ones + twos == 2) return 0;
        over[ones + twos] = group;
        if (count % 3 == 1) ones++;
        else twos++;
    }
    if (!(ones == 1 && twos == 0) && !(ones == 0 && twos == 2)) return 0;
    for (int group = 0; group < 3; group++)
        if (all->suit[group] % 15 % 3 == 0 && !sets_only(all->suit[group])) return 0;
    if (ones) return completed_by(all, over[0], true);
    uint64_t found = 0;
    if (complete(all, over[1], true)) found |= completed_by(all, over[0], false);
    if (complete(all, over[0], true)) found |= completed_by(all, over[1], false);
    return found;
}

static uint64_t without_sets(const sk_mcr_hand *hand) {
    uint64_t found = 0, kinds = hand->held_kinds;
    int different = sk_mcr_count(kinds);
    if (!(hand->odd & (hand->odd - 1))) found |= hand->odd;
    if (different >= 12 && !(kinds & ~ORPHANS)) found |= different == 13 ? ORPHANS : ORPHANS & ~kinds;
    if (different == 13)
        for (int i = 0; i < 6; i++)
            if (!(kinds & ~(HONORS | sk_mcr_straights[i]))) found |= (HONORS | sk_mcr_straights[i]) & ~kinds;
    return found;
}

static bool regular_complete(const tiles *all) {
    int pairs = 0;
    for (uint64_t honors = all->honors; honors; honors &= honors - 1) {
        int count = all->held[__builtin_ctzll(honors)] % 3;
        if (count == 1) return false;
        pairs += count == 2;
    }
    for (int suit = 0; suit < 3; suit++) {
        int count = (int)(all->suit[suit] % 15 % 3);
        pairs += count == 2;
        if (count == 1 || pairs > 1 || !complete(all, suit, count == 2)) return false;
    }
    return pairs == 1;
}

static uint64_t knitted_waits(const sk_mcr_hand *hand, const tiles *all) {
    uint64_t found = 0;
    for (int i = 0; i < 6; i++) {
        uint64_t missing = sk_mcr_straights[i] & ~hand->held_kinds;
        if (missing & (missing - 1)) continue;
        tiles rest = *all;
        for (uint64_t left = sk_mcr_straights[i] & ~missing; left; left &= left - 1) {
            int tile = __builtin_ctzll(left);
            rest.suit[tile / 9] -= 1ULL << 4 * (tile % 9);
        }
        if (!missing) found |= regular_waits(&rest);
        else if (regular_complete(&rest)) found |= missing;
    }
    return found;
}

uint64_t sk_mcr_waits(const sk_mcr_hand *hand) {
    tiles all = {{hand->suit[0], hand->suit[1], hand->suit[2]}, hand->held, hand->held_kinds & HONORS};
    uint64_t found = regular_waits(&all);
    if (hand->melds == 0) found |= without_sets(hand);
    if (hand->melds <= 1) found |= knitted_waits(hand, &all);
    return found;
}

int64_t sk_mcr_completing(const uint8_t *record) {
    sk_mcr_hand hand;
    return sk_mcr_read_waiting(record, &hand) ? (int64_t)sk_mcr_waits(&hand) : SK_MCR_NO_HAND;
}
