/* What the tiles of a hand are worth for the complete hands that it can become: libs/rules/mcr/plan.py defines it. */
#ifndef SPARROW_KERNEL_MCR_PLAN_H
#define SPARROW_KERNEL_MCR_PLAN_H

#include "mcr.h"

#define SK_MCR_CHOICES 55
#define SK_MCR_PLAN_UNSEEN 20
#define SK_MCR_PLAN_BYTES (SK_MCR_PLAN_UNSEEN + SK_MCR_KINDS)
#define SK_MCR_PLAN_NODES 100000
#define SK_MCR_HONORS (0x7FULL << SK_MCR_FIRST_HONOR)
#define SK_MCR_TERMINALS ((1ULL | 1ULL << 8) * (1ULL | 1ULL << 9 | 1ULL << 18))
#define SK_MCR_ORPHANS (SK_MCR_TERMINALS | SK_MCR_HONORS)

typedef struct {
    uint8_t held[SK_MCR_KINDS], unseen[SK_MCR_KINDS];
    uint64_t kinds;
    uint8_t meld[4];
    uint8_t melds, seat, prevalent, base, reach;
} sk_mcr_plan_hand;

/* A record is: seat wind; prevalent wind; what a win is worth besides its points; how many tiles may be missing, or 0:
 * one more than the nearest complete hand that counts enough; the numbers of concealed tiles and of melds; the tiles;
 * the melds; from byte SK_MCR_PLAN_UNSEEN on how many copies of each kind are unseen.
 *
 * `rates` tells how likely an unseen kind is to come, in 65536th: drawn, or claimed for a chow too, or for anything; 34
 * each, none lower than the one before. `worth` takes for each kind the sum of all complete hands' weights that stay when one such tile is discarded
 * (-1 for a kind that is not held), then the sum of all, then the fewest tiles missing (9: none within reach). Returns
 * how many tiles could be missing, or SK_MCR_NO_HAND. */
int32_t sk_mcr_plan(const uint8_t *record, const uint16_t *rates, int64_t *worth);

#endif
