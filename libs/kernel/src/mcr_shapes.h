/* Complete hands that are no four sets and a pair: their tiles are drawn, the last one may be claimed. A part of
 * mcr_plan.c. */
#ifndef SK_MCR_SHAPES_H
#define SK_MCR_SHAPES_H

#include "mcr_reach.h"

/* The weight of tiles that are drawn, but for the hardest, which any discard may give. */
typedef struct {
    int64_t drawn;
    int least_own, least_all, missing;
} draws;

static const draws NO_DRAWS = {ONE, 0, 0, 0};

static bool want(const plan *at, draws *some, int tile, int copy) {
    if (copy >= at->hand->unseen[tile]) return false;
    int own = at->rate[OWN][tile][copy], all = at->rate[ALL][tile][copy];
    if (!some->missing++) {
        some->least_own = own;
        some->least_all = all;
    } else if (all < some->least_all) {
        some->drawn = times(some->drawn, some->least_own);
        some->least_own = own;
        some->least_all = all;
    } else {
        some->drawn = times(some->drawn, own);
    }
    return true;
}

static int64_t worth(const plan *at, const draws *some, int points) {
    return (some->missing ? times(some->drawn, some->least_all) : ONE) * (at->hand->base + points);
}

static void seven_pairs(plan *at, int tile, int left, draws some) {
    if (some.missing > at->limit) return;
    if (left == 0) {
        give(at, worth(at, &some, 24), some.missing);
        return;
    }
    for (; tile < SK_MCR_KINDS; tile++) {
        at->nodes--;
        draws more = some;
        int held = at->hand->held[tile];
        if (!held || (held == 1 && !want(at, &more, tile, 0))) continue;
        at->need[tile] = 2;
        seven_pairs(at, tile + 1, left - 1, more);
        if (held == 4 && left > 1) {
            at->need[tile] = 4;
            seven_pairs(at, tile + 1, left - 2, more);
        }
        at->need[tile] = 0;
    }
}

static void orphans(plan *at) {
    uint64_t all = SK_MCR_ORPHANS;
    for (uint64_t pair = all; pair; pair &= pair - 1) {
        draws some = NO_DRAWS;
        bool there = true;
        for (uint64_t left = all; left; left &= left - 1) {
            int tile = __builtin_ctzll(left), wanted = tile == __builtin_ctzll(pair) ? 2 : 1;
            at->need[tile] = (uint8_t)wanted;
            for (int over = 0; over < wanted - at->hand->held[tile]; over++) there = there && want(at, &some, tile, over);
        }
        if (there && some.missing <= at->limit) give(at, worth(at, &some, 88), some.missing);
    }
    memset(at->need, 0, sizeof at->need);
}

static void honors_and_knitted(plan *at) {
    for (int i = 0; i < 6; i++) {
        uint64_t all = sk_mcr_straights[i] | SK_MCR_HONORS;
        if (14 - sk_mcr_count(all & at->hand->kinds) > at->limit) continue;
        for (uint64_t one = all; one; one &= one - 1)
            for (uint64_t other = one & (one - 1); other; other &= other - 1) {
                uint64_t kinds = all & ~(one & -one) & ~(other & -other);
                if (14 - sk_mcr_count(kinds & at->hand->kinds) > at->limit) continue;
                at->nodes--;
                draws some = NO_DRAWS;
                bool there = true;
                for (uint64_t left = kinds; left; left &= left - 1) {
                    int tile = __builtin_ctzll(left);
                    at->need[tile] = 1;
                    if (!at->hand->held[tile]) there = there && want(at, &some, tile, 0);
                }
                bool greater = (kinds & SK_MCR_HONORS) == SK_MCR_HONORS;
                if (there) give(at, worth(at, &some, greater ? 24 : 12), some.missing);
                memset(at->need, 0, sizeof at->need);
            }
    }
}

/* A knitted straight, one more set (unless it is melded) and the pair. */
static void knitted_end(plan *at, draws some) {
    for (int i = 0; i < at->pairs_count; i++) {
        if (some.missing + at->pairs[i].cost > at->limit) break;
        draws more = some;
        bool there = take(at, at->pairs[i].code, true);
        const group *one = at->taken + at->taken_count - 1;
        for (int j = 0; there && j < one->lacks; j++) there = want(at, &more, one->tile[j], one->copy[j]);
        if (there && more.missing <= at->limit) give(at, worth(at, &more, KNITTED_POINTS), more.missing);
        leave(at, true);
    }
}

static void knitted_straights(plan *at) {
    for (int i = 0; i < 6; i++) {
        if (sk_mcr_count(sk_mcr_straights[i] & ~at->hand->kinds) > at->limit) continue;
        draws some = NO_DRAWS;
        bool there = true;
        for (uint64_t left = sk_mcr_straights[i]; left; left &= left - 1) {
            int tile = __builtin_ctzll(left);
            at->need[tile] = 1;
            if (!at->hand->held[tile]) there = there && want(at, &some, tile, 0);
        }
        if (there && at->hand->melds) knitted_end(at, some);
        for (int j = 0; there && !at->hand->melds && j < at->sets_count; j++) {
            if (some.missing + at->sets[j].cost > at->limit) break;
            at->nodes--;
            draws more = some;
            bool open = take(at, at->sets[j].code, false);
            const group *one = at->taken + at->taken_count - 1;
            for (int k = 0; open && k < one->lacks; k++) open = want(at, &more, one->tile[k], one->copy[k]);
            if (open && more.missing <= at->limit) knitted_end(at, more);
            leave(at, false);
        }
        memset(at->need, 0, sizeof at->need);
    }
}

#endif
