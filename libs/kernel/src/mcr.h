/* MCR hands: what libs/rules/mcr/score.py and shanten.py answer, from packed records.
 *
 * A record of a complete hand: last tile; self-drawn, last of its kind, last tile, kong-related, each 0 or 1; seat wind;
 * prevalent wind; flowers; the number of melds; 13 - 3 * melds concealed tiles; the melds. One of a hand that waits begins
 * with the number of melds. Tiles are 0 to 33; a meld is its kind, SK_MCR_CHOW and so on, in the two highest bits, and its (lowest) tile
 * below. What cannot be is SK_MCR_NO_HAND: the Python says what is wrong with it.
 */
#ifndef SPARROW_KERNEL_MCR_H
#define SPARROW_KERNEL_MCR_H

#include <stdbool.h>
#include <stdint.h>

#define SK_MCR_KINDS 34
#define SK_MCR_FIRST_HONOR 27
#define SK_MCR_STRIDE 24
#define SK_MCR_FANS_MAX 26

enum { SK_MCR_CHOW, SK_MCR_PUNG, SK_MCR_KONG, SK_MCR_CONCEALED_KONG };
enum { SK_MCR_REGULAR, SK_MCR_SEVEN_PAIRS, SK_MCR_THIRTEEN_ORPHANS, SK_MCR_HONORS_AND_KNITTED, SK_MCR_KNITTED_STRAIGHT };
#define SK_MCR_SHAPES 5

#define SK_MCR_NOT_COMPLETE (-1)
#define SK_MCR_NO_HAND (-2)

/* Switches of a profile, one bit each. */
enum {
    SK_MCR_TWO_CONCEALED_KONGS_8 = 1,
    SK_MCR_MIXED_KONGS_6 = 2,
    SK_MCR_FULLY_CONCEALED_BY_NATURE = 4,
    SK_MCR_STRAIGHT_AMONG_HONORS = 8,
    SK_MCR_WAIT_IN_STRAIGHT = 16,
    SK_MCR_EXHAUSTED_WAIT = 32,
};

typedef struct {
    uint8_t held[SK_MCR_KINDS]; /* concealed, the last tile among them */
    uint8_t all[SK_MCR_KINDS];  /* with those of melds */
    uint64_t kinds;             /* of all tiles, a bit each */
    uint64_t held_kinds;        /* of the concealed ones */
    uint64_t odd;               /* of which there is an odd number of concealed tiles */
    uint64_t fours;             /* of which there are all four */
    uint64_t suit[3];           /* concealed tiles of each suit, four bits a rank */
    uint8_t meld[4];
    uint8_t melds, last, seat, prevalent, flowers;
    bool self_drawn, last_of_kind, last_tile, kong_related;
} sk_mcr_hand;

/* How a complete hand is read: melds first, then the sets of its concealed tiles, by kind and (lowest) tile. */
typedef struct {
    uint8_t shape;
    uint8_t straight;  /* which of sk_mcr_straights, or SK_MCR_NONE */
    uint8_t pair;      /* its tile, or SK_MCR_NONE */
    uint8_t completed; /* by the last tile: which set, the pair, or something else */
    uint8_t sets, set[4];
} sk_mcr_reading;

#define SK_MCR_NONE 255
enum { SK_MCR_PAIR_COMPLETED = 4, SK_MCR_ELSE_COMPLETED };

/* The answer about a complete hand: fans by number with how often they count, highest first. */
typedef struct {
    int16_t total; /* without flowers */
    uint8_t fans;
    sk_mcr_reading reading;
    uint8_t fan[SK_MCR_FANS_MAX][2];
} sk_mcr_answer;

/* In tiles of a suit, four bits a rank, the highest bits, and those of two ranks beyond: no count has them, so that
 * taking more than there is shows. */
#define SK_MCR_GUARDS 0x88888888888ULL

/* How many bits are set: inline, since processors of the kind need not have an instruction for it. */
static inline int sk_mcr_count(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return (int)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
}

/* Read a record; false for what cannot be. */
bool sk_mcr_read(const uint8_t *record, sk_mcr_hand *hand);
bool sk_mcr_read_waiting(const uint8_t *record, sk_mcr_hand *hand);

/* The total without flowers of the best reading, SK_MCR_NOT_COMPLETE or SK_MCR_NO_HAND. */
int32_t sk_mcr_score(const uint8_t *record, int32_t profile, sk_mcr_answer *answer);

/* The same for records SK_MCR_STRIDE bytes apart; totals only. */
void sk_mcr_score_batch(const uint8_t *records, int32_t count, int32_t profile, int16_t *totals);

/* The shanten numbers, a byte a shape from the lowest, 127 where melds exclude it; SK_MCR_NO_HAND. */
int64_t sk_mcr_shanten(const uint8_t *record);

/* The least of them; SK_MCR_NO_HAND. */
int32_t sk_mcr_least(const uint8_t *record);

/* The tiles that complete a hand by shape, a bit each; SK_MCR_NO_HAND. */
int64_t sk_mcr_completing(const uint8_t *record);

/* The same for the concealed tiles of a hand that waits. */
uint64_t sk_mcr_waits(const sk_mcr_hand *hand);

/* Of a suit's tiles that are sets and a pair, the rank of the pair, but for thirds. */
int sk_mcr_third_of_pair(uint64_t suit);

/* 1-4-7, 2-5-8 and 3-6-9 in the six orders of suits. */
extern const uint64_t sk_mcr_straights[6];

#endif
