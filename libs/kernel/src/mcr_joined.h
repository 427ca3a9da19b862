/* Fans that join sets. */
#ifndef SK_MCR_JOINED_H
#define SK_MCR_JOINED_H

#include "mcr_counting.h"

static bool same_suit(int a, int b) {
    return TILE(a) / 9 == TILE(b) / 9;
}

/* The fan that joins two chows, or 0. */
static int two_chows(int a, int b) {
    int low = RANK(a) < RANK(b) ? RANK(a) : RANK(b), step = RANK(a) + RANK(b) - 2 * low;
    if (!same_suit(a, b)) return step == 0 ? 70 : 0;
    return step == 0 ? 69 : step == 3 ? 71 : step == 6 && low == 0 ? 72 : 0;
}

static int two_pungs(int a, int b) {
    return !same_suit(a, b) && RANK(a) == RANK(b) ? 65 : 0;
}

static void by_rank(int *first, int *second) {
    if (RANK(*first) > RANK(*second)) {
        int kept = *first;
        *first = *second;
        *second = kept;
    }
}

/* Ranks in order, and whether all suits are one (1), three (3) or neither (0). */
static int ordered(int *a, int *b, int *c) {
    int suits = 1 << TILE(*a) / 9 | 1 << TILE(*b) / 9 | 1 << TILE(*c) / 9;
    by_rank(a, b);
    by_rank(b, c);
    by_rank(a, b);
    return suits == 7 ? 3 : suits & (suits - 1) ? 0 : 1;
}

static int three_chows(int a, int b, int c) {
    int suits = ordered(&a, &b, &c), step = RANK(b) - RANK(a);
    if (!suits || RANK(c) - RANK(b) != step) return 0;
    if (suits == 1) return step == 0 ? 23 : step == 1 || step == 2 ? 30 : step == 3 && RANK(a) == 0 ? 28 : 0;
    return step == 0 ? 41 : step == 1 ? 51 : step == 3 && RANK(a) == 0 ? 39 : 0;
}

static int three_pungs(int a, int b, int c) {
    int suits = ordered(&a, &b, &c), step = RANK(b) - RANK(a);
    if (!suits || RANK(c) - RANK(b) != step) return 0;
    if (suits == 1) return step == 1 ? 24 : 0;
    return step == 0 ? 32 : step == 1 ? 42 : 0;
}

static int four_of_a_suit(const int *sets, bool chows) {
    int low = RANK(sets[0]), ranks = 0;
    for (int i = 0; i < 4; i++) {
        if (!same_suit(sets[0], sets[i])) return 0;
        ranks |= 1 << RANK(sets[i]);
        if (RANK(sets[i]) < low) low = RANK(sets[i]);
    }
    ranks >>= low;
    if (!chows) return ranks == 0xF ? 15 : 0;
    return ranks == 1 ? 14 : ranks == 0xF || ranks == 0x55 ? 16 : 0;
}

typedef int two_joined(int, int);
typedef int three_joined(int, int, int);

/* Joins that keep to the principles and are worth most: four sets, else three and the fourth to one of them, else as
 * many pairs as join what is not joined yet. Three are always worth more than pairs. */
static void join(fans *some, const int *sets, int size, two_joined *two, three_joined *three) {
    if (size < 2) return;
    int four = size == 4 ? four_of_a_suit(sets, two == two_chows) : 0;
    if (four) {
        put(some, four);
        return;
    }
    int best = 0, best_value = 0, best_link = 0;
    for (int a = 0; a < size; a++)
        for (int b = a + 1; b < size; b++)
            for (int c = b + 1; c < size; c++) {
                int found = three(sets[a], sets[b], sets[c]), link = 0;
                if (!found) continue;
                if (size == 4) {
                    int outside = 6 - a - b - c, inside[3] = {a, b, c};
                    for (int i = 0; i < 3; i++) {
                        int linked = two(sets[inside[i]], sets[outside]);
                        if (linked && (!link || linked < link)) link = linked;
                    }
                }
                int value = POINTS[FAN(found)] + (link ? POINTS[FAN(link)] : 0);
                if (value > best_value || (value == best_value && found < best)) {
                    best_value = value;
                    best = found;
                    best_link = link;
                }
            }
    if (best) {
        put(some, best);
        if (best_link) put_times(some, best_link, 1);
        return;
    }
    int group[4] = {0, 1, 2, 3}, first = two == two_chows ? 69 : 65, last = two == two_chows ? 72 : 65;
    uint8_t linked[4][4];
    int any = 0;
    for (int a = 0; a < size; a++)
        for (int b = a + 1; b < size; b++) any |= linked[a][b] = (uint8_t)two(sets[a], sets[b]);
    if (!any) return;
    for (int number = first; number <= last; number++) {
        int times = 0;
        for (int a = 0; a < size; a++)
            for (int b = a + 1; b < size; b++) {
                if (linked[a][b] != number || group[a] == group[b]) continue;
                int into = group[a], from = group[b];
                for (int i = 0; i < size; i++)
                    if (group[i] == from) group[i] = into;
                times++;
            }
        put_times(some, number, times);
    }
}

#endif
