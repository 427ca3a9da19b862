/* What the tiles of a hand are worth for the complete hands that it can become: definition libs/rules/mcr/plan.py.
 *
 * Complete hands are gone through by how many tiles they miss, sets in the order of what each misses alone, so that
 * whole branches end early. One whose sets promise too little is left out before it is scored.
 */
#include "mcr_plan.h"

#include "mcr_shapes.h"

/* What a score costs, in sets and pairs that are tried. */
#define JUDGED 8

/* The points of the hand when the last tile completes group `last`; with `open`, other groups that lacked were claimed. */
static int score(const plan *at, int last, int tile, bool open) {
    const sk_mcr_plan_hand *hand = at->hand;
    uint8_t record[SK_MCR_STRIDE] = {0}, melds[SETS];
    int count = hand->melds, size = 9, skipped = 0;
    memcpy(melds, hand->meld, sizeof melds);
    record[0] = (uint8_t)tile;
    record[5] = hand->seat;
    record[6] = hand->prevalent;
    for (int i = 0; i < at->taken_count; i++) {
        const group *one = at->taken + i;
        bool pair = i == at->taken_count - 1, chow = is_chow(one->code);
        if (open && !pair && i != last && one->lacks) {
            melds[count++] = one->code;
            continue;
        }
        for (int step = 0; step < (pair ? 2 : 3); step++) {
            int own = (one->code & 63) + (chow ? step : 0);
            if (i == last && own == tile && !skipped) skipped = 1;
            else record[size++] = (uint8_t)own;
        }
    }
    record[8] = (uint8_t)count;
    memcpy(record + size, melds, (size_t)count);
    sk_mcr_answer answer;
    return sk_mcr_score(record, MIL, &answer);
}

/* The weight of the last tile by what the hand then counts. */
static int64_t ended(const plan *at, int64_t weight, int points, int more, const group *one, int i) {
    if (points >= ENOUGH) return times(weight, rate_of(at, ALL, one, i)) * (at->hand->base + points);
    if (points + more >= ENOUGH) return times(weight, rate_of(at, OWN, one, i)) * (at->hand->base + points + more);
    return 0;
}

/* The weight of a complete hand whose last tile is tile `i` of group `last`. */
static int64_t weight_of(const plan *at, int last, int i) {
    int64_t closed = ONE, any = ONE;
    bool sets = false;
    for (int g = 0; g < at->taken_count; g++) {
        const group *one = at->taken + g;
        bool pair = g == at->taken_count - 1, claims = !pair && g != last && one->lacks;
        sets |= claims;
        int by = is_chow(one->code) ? NEXT : ALL;
        for (int j = 0; j < one->lacks; j++) {
            if (g == last && j == i) continue;
            closed = times(closed, rate_of(at, OWN, one, j));
            any = times(any, rate_of(at, claims && j == one->lacks - 1 ? by : OWN, one, j));
        }
    }
    const group *one = at->taken + last;
    int tile = one->tile[i], points = score(at, last, tile, false);
    if (points < 0) return 0;
    int64_t weight = ended(at, closed, points, at->melds_open ? 1 : 2, one, i);
    if (!sets) return weight;
    if (!at->melds_open) points = score(at, last, tile, true);
    return weight + ended(at, any - closed, points, 1, one, i);
}

/* Points for how the hand is completed, at most: a single wait with melds alone, melds and a last tile that may be
 * drawn, or none. */
static int ending(const plan *at, int missing) {
    int lacking = 0;
    for (int i = 0; i < at->taken_count; i++) lacking += at->taken[i].lacks > 0;
    if (lacking == at->taken_count && at->melds_open == at->hand->melds) return 6;
    return at->melds_open ? 1 : missing <= 2 ? 4 : 2;
}

/* A complete hand with its pair. */
static void judge(plan *at, int missing) {
    if (!missing || sk_mcr_promised(&at->fans, at->taken[at->taken_count - 1].code & 63) + ending(at, missing) < ENOUGH) return;
    at->nodes -= JUDGED;
    int64_t weight = 0;
    if (missing <= 2) {
        for (int g = 0; g < at->taken_count; g++)
            for (int i = 0; i < at->taken[g].lacks; i++)
                if (i == 0 || at->taken[g].tile[i] != at->taken[g].tile[0]) weight += weight_of(at, g, i);
        weight /= missing;
    } else {
        /* The tile that is the hardest to get comes last. */
        int last = -1, which = 0, least = 1 << 16;
        for (int g = 0; g < at->taken_count; g++)
            for (int i = 0; i < at->taken[g].lacks; i++)
                if (rate_of(at, ALL, at->taken + g, i) < least) {
                    least = rate_of(at, ALL, at->taken + g, i);
                    last = g;
                    which = i;
                }
        if (last >= 0) weight = weight_of(at, last, which);
    }
    give(at, weight, missing);
}

static void pairs(plan *at, int missing) {
    for (int i = 0; i < at->pairs_count; i++) {
        if (missing + at->pairs[i].cost > at->limit) break;
        at->nodes--;
        if (take(at, at->pairs[i].code, true)) {
            int all = missing + at->taken[at->taken_count - 1].lacks;
            if (all <= at->limit) judge(at, all);
        }
        leave(at, true);
    }
}

/* Every choice of `left` further sets, from this one on in their order. */
static void sets(plan *at, int first, int left, int missing) {
    if (left == 0) {
        sk_mcr_promise_sets(&at->fans, at->hand, &at->taken[0].code, sizeof(group), at->taken_count);
        pairs(at, missing);
        return;
    }
    for (int i = first; i < at->sets_count; i++) {
        if (missing + left * at->sets[i].cost > at->limit || at->nodes < 0) break;
        at->nodes--;
        if (take(at, at->sets[i].code, false)) {
            int all = missing + at->taken[at->taken_count - 1].lacks;
            if (all <= at->limit) sets(at, i, left - 1, all);
        }
        leave(at, false);
    }
}

/* ---- The question ---- */

static int alone(const sk_mcr_plan_hand *hand, int tile, int copies) {
    int over = copies - hand->held[tile];
    return over <= 0 ? 0 : over <= hand->unseen[tile] ? over : FARTHEST + 1;
}

static void put(choice *list, int *count, int code, int cost) {
    if (cost > FARTHEST) return;
    int place = (*count)++;
    for (; place > 0 && list[place - 1].cost > cost; place--) list[place] = list[place - 1];
    list[place] = (choice){(uint8_t)code, (uint8_t)cost};
}

/* Who claims more waits no longer. */
static bool in_order(const uint16_t *rates) {
    for (int i = 0; i < 2 * SK_MCR_KINDS; i++)
        if (rates[i] > rates[i + SK_MCR_KINDS]) return false;
    return true;
}

static void prepare(plan *at, const uint16_t *rates) {
    const sk_mcr_plan_hand *hand = at->hand;
    for (int tile = 0; tile < SK_MCR_KINDS; tile++) {
        put(at->pairs, &at->pairs_count, SK_MCR_PUNG << 6 | tile, alone(hand, tile, 2));
        put(at->sets, &at->sets_count, SK_MCR_PUNG << 6 | tile, alone(hand, tile, 3));
        if (tile < SK_MCR_FIRST_HONOR && tile % 9 < 7)
            put(at->sets, &at->sets_count, tile, alone(hand, tile, 1) + alone(hand, tile + 1, 1) + alone(hand, tile + 2, 1));
        for (int by = 0; by < 3; by++)
            for (int copy = 0; copy < hand->unseen[tile]; copy++)
                at->rate[by][tile][copy] =
                    (uint16_t)(rates[by * SK_MCR_KINDS + tile] * (hand->unseen[tile] - copy) / hand->unseen[tile]);
    }
}

static void look(plan *at) {
    at->total = 0;
    at->nearest = FARTHEST + 1;
    memset(at->used, 0, sizeof at->used);
    memset(at->need, 0, sizeof at->need);
    at->taken_count = 0;
    sets(at, 0, SETS - at->hand->melds, 0);
    memset(at->need, 0, sizeof at->need);
    at->taken_count = 0;
    if (at->hand->melds <= 1) knitted_straights(at);
    if (at->hand->melds) return;
    seven_pairs(at, 0, 7, NO_DRAWS);
    orphans(at);
    honors_and_knitted(at);
}

static bool read(const uint8_t *record, sk_mcr_plan_hand *hand) {
    memset(hand, 0, sizeof *hand);
    hand->seat = record[0];
    hand->prevalent = record[1];
    hand->base = record[2];
    hand->reach = record[3];
    int count = record[4];
    hand->melds = record[5];
    if (hand->seat < 27 || hand->seat > 30 || hand->prevalent < 27 || hand->prevalent > 30) return false;
    if (hand->melds > SETS || (count != 13 - 3 * hand->melds && count != 14 - 3 * hand->melds)) return false;
    if (hand->reach > FARTHEST) return false;
    uint8_t all[SK_MCR_KINDS];
    memcpy(all, record + SK_MCR_PLAN_UNSEEN, sizeof all);
    memcpy(hand->unseen, all, sizeof all);
    for (int tile = 0; tile < SK_MCR_KINDS; tile++)
        if (all[tile] > COPIES) return false;
    record += 6;
    for (int i = 0; i < count; i++, record++) {
        if (*record >= SK_MCR_KINDS || ++all[*record] > COPIES) return false;
        hand->held[*record]++;
        hand->kinds |= 1ULL << *record;
    }
    for (int i = 0; i < hand->melds; i++, record++) {
        int kind = *record >> 6, tile = *record & 63;
        hand->meld[i] = *record;
        if (tile >= SK_MCR_KINDS) return false;
        if (kind == SK_MCR_CHOW) {
            if (tile >= SK_MCR_FIRST_HONOR || tile % 9 > 6) return false;
            for (int step = 0; step < 3; step++)
                if (++all[tile + step] > COPIES) return false;
        } else if ((all[tile] = (uint8_t)(all[tile] + (kind == SK_MCR_PUNG ? 3 : 4))) > COPIES) {
            return false;
        }
    }
    return true;
}

int32_t sk_mcr_plan(const uint8_t *record, const uint16_t *rates, int64_t *worth) {
    sk_mcr_plan_hand hand;
    if (!read(record, &hand) || !in_order(rates)) return SK_MCR_NO_HAND;
    plan at;
    memset(&at, 0, sizeof at);
    at.hand = &hand;
    for (int i = 0; i < hand.melds; i++) at.melds_open += hand.meld[i] >> 6 != SK_MCR_CONCEALED_KONG;
    prepare(&at, rates);
    at.limit = hand.reach ? hand.reach : 1;
    for (;; at.limit++) {
        at.nodes = SK_MCR_PLAN_NODES;
        look(&at);
        int64_t looked = SK_MCR_PLAN_NODES - at.nodes;
        bool found = at.nearest <= at.limit;
        if (hand.reach || at.limit == FARTHEST || at.limit > at.nearest) break;
        if (looked > SK_MCR_PLAN_NODES / (found ? 8 : 2)) break;
    }
    for (int tile = 0; tile < SK_MCR_KINDS; tile++)
        worth[tile] = hand.kinds >> tile & 1 ? at.total - at.used[tile] : -1;
    worth[SK_MCR_KINDS] = at.total;
    worth[SK_MCR_KINDS + 1] = at.nearest;
    return at.limit;
}
