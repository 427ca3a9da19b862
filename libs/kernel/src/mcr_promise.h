/* What the sets of a complete hand promise to count: definition libs/rules/mcr/promise.py. A part of mcr_plan.c. */
#ifndef SK_MCR_PROMISE_H
#define SK_MCR_PROMISE_H

#include <string.h>

#include "mcr_plan.h"

#define RANK(code) (((code)&63) % 9)
#define SUIT_OF(code) (((code)&63) / 9)
#define EACH_SUIT(ranks) ((uint64_t)(ranks) * (1ULL | 1ULL << 9 | 1ULL << 18))
#define WINDS (0xFULL << 27)
#define DRAGONS (7ULL << 31)
#define REVERSIBLE (0x19FULL << 9 | 0x1BAULL << 18 | 1ULL << 33)
#define SURELY 64

typedef struct {
    uint64_t kinds;
    int points, own; /* of the sets, without and with those of pungs in the hand */
    int chows;
    bool outside, fives; /* every set has such a tile */
} sk_mcr_promise;

static int two_joined(int a, int b) {
    int step = RANK(a) - RANK(b);
    bool one_suit = SUIT_OF(a) == SUIT_OF(b);
    if (a >> 6 != SK_MCR_CHOW) return !one_suit && step == 0 && SUIT_OF(a) < 3 && SUIT_OF(b) < 3 ? 2 : 0;
    return step == 0 || (one_suit && (step == 3 || step == -3 || step == 6 || step == -6));
}

static int three_joined(int a, int b, int c) {
    int x = RANK(a), y = RANK(b), z = RANK(c);
    int low = x < y ? (x < z ? x : z) : (y < z ? y : z), high = x > y ? (x > z ? x : z) : (y > z ? y : z);
    int step = x + y + z - 2 * low - high;
    if (high - low != 2 * step || step > 3) return 0;
    int suits = 1 << SUIT_OF(a) | 1 << SUIT_OF(b) | 1 << SUIT_OF(c);
    if (suits & 8 || (suits != 7 && suits & (suits - 1))) return 0;
    static const uint8_t CHOWS[2][4] = {{24, 16, 16, 16}, {8, 6, 0, 8}}, PUNGS[2][4] = {{0, 24, 0, 0}, {16, 8, 0, 0}};
    return a >> 6 == SK_MCR_CHOW ? CHOWS[suits == 7][step] : PUNGS[suits == 7][step];
}

/* What joins sets that are all chows, or all pungs. */
static int joined(const uint8_t *codes, int count) {
    int two = 0, links = 0, three = 0;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            int points = two_joined(codes[i], codes[j]);
            links += points > 0;
            two += points;
            for (int k = j + 1; k < count; k++) {
                points = three_joined(codes[i], codes[j], codes[k]);
                if (points > three) three = points;
            }
        }
    if (three) return three + (count > 3 && links ? 1 : 0);
    return links && links >= count ? two * (count - 1) / links : two;
}

/* The sets of a hand: its melds and those at `first`, each `stride` bytes after the one before. */
static void sk_mcr_promise_sets(sk_mcr_promise *fans, const sk_mcr_plan_hand *hand, const uint8_t *first, size_t stride, int count) {
    uint8_t chows[4] = {0}, pungs[4] = {0};
    int pung_count = 0, points = 0, dragons = 0, kongs = 0, own = 0;
    *fans = (sk_mcr_promise){.outside = true, .fives = true};
    for (int i = 0; i < hand->melds + count; i++) {
        int code = i < hand->melds ? hand->meld[i] : first[(size_t)(i - hand->melds) * stride];
        int kind = code >> 6, tile = code & 63;
        uint64_t tiles = kind == SK_MCR_CHOW ? 7ULL << tile : 1ULL << tile;
        fans->kinds |= tiles;
        fans->outside &= (tiles & SK_MCR_ORPHANS) != 0;
        fans->fives &= (tiles & EACH_SUIT(0x10)) != 0;
        if (kind == SK_MCR_CHOW) {
            chows[fans->chows++] = (uint8_t)code;
            continue;
        }
        pungs[pung_count++] = (uint8_t)(SK_MCR_PUNG << 6 | tile);
        kongs += kind != SK_MCR_PUNG;
        own += i >= hand->melds || kind == SK_MCR_CONCEALED_KONG;
        points += (tiles & SK_MCR_ORPHANS) != 0;
        points += 2 * (tile == hand->seat) + 2 * (tile == hand->prevalent);
        if (tiles & DRAGONS) points += ++dragons == 2 ? 3 : 1;
    }
    if (pung_count == 4) points += 6;
    if (kongs) points += kongs > 1 ? 8 : 2;
    if (sk_mcr_count(fans->kinds & WINDS) >= 3) points += 12;
    fans->points = points + joined(chows, fans->chows) + joined(pungs, pung_count);
    fans->own = fans->points + (own > 2 ? 16 : own > 1 ? 2 : 0);
}

/* The points of the sets with this pair, and one for a wait; SURELY for enough of them. */
static int sk_mcr_promised(const sk_mcr_promise *fans, int pair) {
    uint64_t own = 1ULL << pair, kinds = fans->kinds | own, honors = kinds & SK_MCR_HONORS;
    int suits = 0, points = fans->own + 1;
    for (int suit = 0; suit < 3; suit++) suits += (kinds >> 9 * suit & 0x1FF) != 0;
    if (suits < 2 || !(kinds & ~REVERSIBLE)) return SURELY;
    if (suits == 2) points++;
    else if (kinds & WINDS && kinds & DRAGONS) points += 6;
    else if (honors && !fans->points) return SURELY;
    if (!honors) {
        uint64_t ranks = (kinds | kinds >> 9 | kinds >> 18) & 0x1FF;
        if (!(ranks & 0x1F) || !(ranks & 0x1F0) || !(ranks & 0x1C7)) return SURELY;
        if (fans->fives && own & EACH_SUIT(0x10)) return SURELY;
        points += (kinds & SK_MCR_TERMINALS ? 1 : 2) + (fans->chows == 4 ? 2 : 0);
    }
    if (fans->outside && own & SK_MCR_ORPHANS) points += 4;
    return points;
}

#endif
