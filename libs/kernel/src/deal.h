/* Deals and the difficulty figure. libs/rules/solitaire/{prng,careful,deal,difficulty}.py define every answer, bit for
 * bit: the generator is SHA-256 in counter mode over `seed`, SK_SEED_BYTES bytes.
 *
 * `group` holds a match group, below SK_TILES_MAX, for each of layout->n tiles; `pairing` is SK_BOTH_FREE or SK_LIFT.
 * Nothing is kept between calls, and no memory but the stack (below 200 kB) is used. */
#ifndef SPARROW_KERNEL_DEAL_H
#define SPARROW_KERNEL_DEAL_H

#include <stdint.h>

#include "solver.h"

#define SK_SEED_BYTES 32

/* Up to `fills` random fills, up to `plays` careful random plays of each, until one clears the board.
 * SK_YES: tile t has taken number order[t] of `group`, and `certificate` holds the pairs as they went; each has room
 * for layout->n numbers. SK_NO: no fill was cleared. SK_BAD_INPUT: an argument is none of those named above. */
int32_t sk_deal(const sk_layout *layout, const uint16_t *group, int32_t pairing, const uint8_t *seed, int32_t fills,
                int32_t plays, int16_t *order, int16_t *certificate);

/* How many of `plays` careful random plays of the whole board get stuck, or SK_BAD_INPUT. */
int32_t sk_stuck(const sk_layout *layout, const uint16_t *group, int32_t pairing, const uint8_t *seed, int32_t plays);

/* The next `count` words of the generator, for tests of it; SK_YES, or SK_BAD_INPUT. */
int32_t sk_words(const uint8_t *seed, int32_t count, uint32_t *words);

#endif
