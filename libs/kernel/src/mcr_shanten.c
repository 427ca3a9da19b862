/* Shanten numbers: the tiles that are missing from the nearest complete hand, less one, shape by shape.
 *
 * What is missing from so many sets, with a pair or without, depends on each suit alone, and on the honours together:
 * each arrangement of counts is worked out when it is met first, and kept. Entries are written whole, and every
 * thread would write the same, so that none waits.
 */
#include "mcr.h"

#include <stdatomic.h>
#include <string.h>

#define SETS 4
#define FAR 15
#define KNOWN (1ULL << 63)
#define HONOR_KINDS 7
#define ABSENT 127
#define FIVE_7 78125
#define FIVE_9 1953125
#define TERMINAL_KINDS 6

/* An entry has four bits for each number of sets without a pair, then for each with one. */
typedef uint64_t missing;
#define AT(sets, pair) (4 * ((sets) + (SETS + 1) * (pair)))
#define GET(entry, sets, pair) ((int)((entry) >> AT(sets, pair) & 15))

static _Atomic missing suits[FIVE_9];
static _Atomic missing honors[FIVE_7];

static const int32_t POWER[9] = {1, 5, 25, 125, 625, 3125, 15625, 78125, 390625};

static int at_least_0(int number) {
    return number > 0 ? number : 0;
}

static void lower(uint8_t *number, int to) {
    if (to < *number) *number = (uint8_t)to;
}

static missing packed(uint8_t best[SETS + 1][2]) {
    missing entry = KNOWN;
    for (int sets = 0; sets <= SETS; sets++)
        for (int pair = 0; pair < 2; pair++) entry |= (missing)best[sets][pair] << AT(sets, pair);
    return entry;
}

/* Rank by rank: chows that began one and two ranks ago go on. Three equal chows would be pungs. */
static missing work_out_suit(int32_t key) {
    uint8_t now[SETS + 1][2][3][3], then[SETS + 1][2][3][3];
    memset(now, FAR, sizeof now);
    now[0][0][0][0] = 0;
    for (int rank = 0; rank < 9; rank++, key /= 5) {
        int held = key % 5, chows_max = rank < 7 ? 2 : 0;
        memset(then, FAR, sizeof then);
        for (int sets = 0; sets <= SETS; sets++)
            for (int pair = 0; pair < 2; pair++)
                for (int older = 0; older < 3; older++)
                    for (int old = 0; old < 3; old++) {
                        int so_far = now[sets][pair][older][old];
                        if (so_far == FAR) continue;
                        for (int pung = 0; pung < 2; pung++)
                            for (int more = 0; more < 2 - pair; more++)
                                for (int chows = 0; chows <= chows_max && sets + pung + chows <= SETS; chows++) {
                                    int wanted = 3 * pung + 2 * more + chows + old + older;
                                    lower(&then[sets + pung + chows][pair + more][old][chows],
                                          so_far + at_least_0(wanted - held));
                                }
                    }
        memcpy(now, then, sizeof now);
    }
    uint8_t best[SETS + 1][2];
    for (int sets = 0; sets <= SETS; sets++)
        for (int pair = 0; pair < 2; pair++) best[sets][pair] = now[sets][pair][0][0];
    return packed(best);
}

static missing work_out_honors(int32_t key) {
    uint8_t now[SETS + 1][2], then[SETS + 1][2];
    memset(now, FAR, sizeof now);
    now[0][0] = 0;
    for (int kind = 0; kind < HONOR_KINDS; kind++, key /= 5) {
        int held = key % 5;
        memset(then, FAR, sizeof then);
        for (int sets = 0; sets <= SETS; sets++)
            for (int pair = 0; pair < 2; pair++) {
                if (now[sets][pair] == FAR) continue;
                for (int pungs = 0; pungs < 3 && sets + pungs <= SETS; pungs++)
                    for (int more = 0; more < 2 - pair; more++)
                        lower(&then[sets + pungs][pair + more],
                              now[sets][pair] + at_least_0(3 * pungs + 2 * more - held));
            }
        memcpy(now, then, sizeof now);
    }
    return packed(now);
}

static missing of_suit(int32_t key) {
    missing entry = atomic_load_explicit(&suits[key], memory_order_relaxed);
    if (entry) return entry;
    entry = work_out_suit(key);
    atomic_store_explicit(&suits[key], entry, memory_order_relaxed);
    return entry;
}

static missing of_honors(int32_t key) {
    missing entry = atomic_load_explicit(&honors[key], memory_order_relaxed);
    if (entry) return entry;
    entry = work_out_honors(key);
    atomic_store_explicit(&honors[key], entry, memory_order_relaxed);
    return entry;
}

typedef struct {
    uint8_t of[SETS + 1][2];
} together;

static together both(missing one, missing other, int sets_max) {
    together sum;
    for (int sets = 0; sets <= sets_max; sets++) {
        int without = 2 * FAR, with = 2 * FAR;
        for (int first = 0; first <= sets; first++) {
            int a = GET(one, first, 0), b = GET(other, sets - first, 0);
            int c = GET(one, first, 1) + b, d = a + GET(other, sets - first, 1);
            if (a + b < without) without = a + b;
            if (c < with) with = c;
            if (d < with) with = d;
        }
        sum.of[sets][0] = (uint8_t)without;
        sum.of[sets][1] = (uint8_t)with;
    }
    return sum;
}

/* The tiles missing from exactly so many sets and a pair in all. */
static int missing_of(missing one, missing two, missing three, missing four, int sets) {
    together left = both(one, two, sets), right = both(three, four, sets);
    int best = 4 * FAR;
    for (int first = 0; first <= sets; first++) {
        int a = left.of[first][1] + right.of[sets - first][0], b = left.of[first][0] + right.of[sets - first][1];
        if (a < best) best = a;
        if (b < best) best = b;
    }
    return best;
}

typedef struct {
    int32_t key[3], honor_key;
    missing suit[3], honors;
} parts;

static parts parts_of(const uint8_t *held) {
    parts found = {{0, 0, 0}, 0, {0, 0, 0}, 0};
    for (int suit = 0; suit < 3; suit++) {
        for (int rank = 0; rank < 9; rank++) found.key[suit] += held[9 * suit + rank] * POWER[rank];
        found.suit[suit] = of_suit(found.key[suit]);
    }
    for (int kind = 0; kind < HONOR_KINDS; kind++) found.honor_key += held[SK_MCR_FIRST_HONOR + kind] * POWER[kind];
    found.honors = of_honors(found.honor_key);
    return found;
}

/* Each suit gives three tiles to a straight; sets and pair are made of the rest. A number that is not below `bound` may
 * be told as any number that is not. */
static int knitted(const sk_mcr_hand *hand, const parts *whole, int sets, int bound) {
    int best = bound + 1;
    for (int i = 0; i < 6; i++) {
        int lacks = sk_mcr_count(sk_mcr_straights[i] & ~hand->kinds);
        if (lacks >= best) continue;
        int32_t key[3] = {whole->key[0], whole->key[1], whole->key[2]};
        for (uint64_t left = sk_mcr_straights[i]; left; left &= left - 1) {
            int tile = __builtin_ctzll(left);
            if (hand->held[tile]) key[tile / 9] -= POWER[tile % 9];
            else if (hand->kinds >> tile & 1) lacks++;
        }
        if (lacks >= best) continue;
        lacks += missing_of(of_suit(key[0]), of_suit(key[1]), of_suit(key[2]), whole->honors, sets);
        if (lacks < best) best = lacks;
    }
    return best - 1;
}

static int orphans(const uint8_t *held) {
    static const uint8_t TERMINALS[TERMINAL_KINDS] = {0, 8, 9, 17, 18, 26};
    int kinds = 0, pair = 0;
    for (int i = 0; i < TERMINAL_KINDS + HONOR_KINDS; i++) {
        int count = held[i < TERMINAL_KINDS ? TERMINALS[i] : SK_MCR_FIRST_HONOR + i - TERMINAL_KINDS];
        kinds += count > 0;
        pair |= count > 1;
    }
    return 13 - kinds - pair;
}

/* All numbers; with `least`, those that are not the least may be told too high. */
static bool numbers(const uint8_t *record, bool least, int number[SK_MCR_SHAPES]) {
    sk_mcr_hand hand;
    if (!sk_mcr_read_waiting(record, &hand)) return false;
    int melds = hand.melds;
    parts whole = parts_of(hand.held);
    for (int shape = 0; shape < SK_MCR_SHAPES; shape++) number[shape] = ABSENT;
    number[SK_MCR_REGULAR] = missing_of(whole.suit[0], whole.suit[1], whole.suit[2], whole.honors, SETS - melds) - 1;
    if (melds == 0) {
        int pairs = 0, knit = 0;
        for (int tile = 0; tile < SK_MCR_KINDS; tile++) pairs += hand.held[tile] / 2;
        number[SK_MCR_SEVEN_PAIRS] = 6 - pairs;
        number[SK_MCR_THIRTEEN_ORPHANS] = orphans(hand.held);
        for (int i = 0; i < 6; i++) {
            int fit = sk_mcr_count(hand.kinds & sk_mcr_straights[i]);
            if (fit > knit) knit = fit;
        }
        number[SK_MCR_HONORS_AND_KNITTED] = 13 - knit - sk_mcr_count(hand.kinds >> SK_MCR_FIRST_HONOR);
    }
    if (melds <= 1) number[SK_MCR_KNITTED_STRAIGHT] = knitted(&hand, &whole, 1 - melds, least ? number[SK_MCR_REGULAR] : ABSENT);
    return true;
}

int64_t sk_mcr_shanten(const uint8_t *record) {
    int number[SK_MCR_SHAPES];
    if (!numbers(record, false, number)) return SK_MCR_NO_HAND;
    int64_t told = 0;
    for (int shape = 0; shape < SK_MCR_SHAPES; shape++) told |= (int64_t)(uint8_t)number[shape] << 8 * shape;
    return told;
}

int32_t sk_mcr_least(const uint8_t *record) {
    int number[SK_MCR_SHAPES], least = ABSENT;
    if (!numbers(record, true, number)) return SK_MCR_NO_HAND;
    for (int shape = 0; shape < SK_MCR_SHAPES; shape++)
        if (number[shape] < least) least = number[shape];
    return least;
}
