/* What complete hands are looked for with: tiles that are taken for them, and weights. A part of mcr_plan.c. */
#ifndef SK_MCR_REACH_H
#define SK_MCR_REACH_H

#include <string.h>

#include "mcr_promise.h"

#define SETS 4
#define COPIES 4
#define ONE (1LL << 30)
#define ENOUGH 8
#define FARTHEST 8
#define KNITTED_POINTS 13
#define MIL (SK_MCR_STRAIGHT_AMONG_HONORS | SK_MCR_WAIT_IN_STRAIGHT | SK_MCR_EXHAUSTED_WAIT)

typedef struct {
    uint8_t code, cost;
} choice;

/* A set or the pair of a complete hand, and the tiles that the hand misses for it. */
typedef struct {
    uint8_t code, lacks, tile[3], copy[3];
} group;

typedef struct {
    const sk_mcr_plan_hand *hand;
    int limit;      /* tiles that may be missing */
    int64_t nodes;  /* that may yet be looked at */
    int nearest;    /* fewest missing tiles of a complete hand that counts enough */
    int melds_open; /* melds that are exposed */
    uint16_t rate[3][SK_MCR_KINDS][COPIES]; /* own draw, with the next player's chows, with all claims; by copy */
    choice sets[SK_MCR_CHOICES], pairs[SK_MCR_KINDS];
    int sets_count, pairs_count;
    uint8_t need[SK_MCR_KINDS];
    group taken[SETS + 1];
    int taken_count;
    sk_mcr_promise fans;
    int64_t total, used[SK_MCR_KINDS];
} plan;

enum { OWN, NEXT, ALL };

static int64_t times(int64_t weight, int rate) {
    return weight * rate >> 16;
}

/* Add a weight to what is worth for all tiles that the complete hand does not need. */
static void give(plan *at, int64_t weight, int missing) {
    if (weight <= 0 || missing == 0) return;
    if (missing < at->nearest) at->nearest = missing;
    at->total += weight;
    for (uint64_t left = at->hand->kinds; left; left &= left - 1) {
        int tile = __builtin_ctzll(left);
        if (at->need[tile] >= at->hand->held[tile]) at->used[tile] += weight;
    }
}

static int rate_of(const plan *at, int by, const group *one, int i) {
    return at->rate[by][one->tile[i]][one->copy[i]];
}

/* Take one more tile for a group; false where no copy is left. */
static bool need(plan *at, group *one, int tile) {
    int over = ++at->need[tile] - at->hand->held[tile];
    if (over <= 0) return true;
    if (over > at->hand->unseen[tile]) return false;
    one->tile[one->lacks] = (uint8_t)tile;
    one->copy[one->lacks++] = (uint8_t)(over - 1);
    return true;
}

static bool is_chow(int code) {
    return code >> 6 == SK_MCR_CHOW;
}

/* Take the tiles of a set, or of a pair, as a group; false where one is not to be had. Undone by `leave`. */
static bool take(plan *at, int code, bool pair) {
    group *one = at->taken + at->taken_count++;
    one->code = (uint8_t)code;
    one->lacks = 0;
    bool there = true;
    if (is_chow(code))
        for (int step = 0; step < 3; step++) there &= need(at, one, code + step);
    else
        for (int i = 0; i < (pair ? 2 : 3); i++) there &= need(at, one, code & 63);
    return there;
}

static void leave(plan *at, bool pair) {
    int code = at->taken[--at->taken_count].code;
    if (is_chow(code))
        for (int step = 0; step < 3; step++) at->need[code + step]--;
    else
        at->need[code & 63] = (uint8_t)(at->need[code & 63] - (pair ? 2 : 3));
}

#endif
