/* A layout: who covers and who touches whom, computed once. libs/rules/solitaire/layouts.py defines it. */
#ifndef SPARROW_KERNEL_LAYOUT_H
#define SPARROW_KERNEL_LAYOUT_H

#include <stdint.h>

#define SK_TILES_MAX 288
#define SK_LEVELS_MAX 16
#define SK_GRID 64
#define SK_WORDS 5
/* On each of 15 other levels at most four tiles overlap a tile; two touch each of its sides. */
#define SK_ABOVE_MAX (4 * (SK_LEVELS_MAX - 1))
#define SK_SIDE_MAX 2
#define SK_HINDERS_MAX (SK_ABOVE_MAX + 2 * SK_SIDE_MAX)

/* What hinders a tile, in one number: 16 for each tile above, 4 for each at its right, 1 for each at its left.
 * A tile that is not on the board is given SK_GONE more, and so never counts as free. */
#define SK_PER_LEFT 1
#define SK_PER_RIGHT 4
#define SK_PER_ABOVE 16
#define SK_GONE 0x8000u

/* A set of tiles: tile t is bit t % 64 of word t / 64. */
typedef struct {
    uint64_t word[SK_WORDS];
} sk_set;

/* A tile that is hindered, and by how much its number falls when the tile that hinders it goes. */
typedef struct {
    uint16_t tile;
    uint16_t by;
} sk_hindered;

typedef struct {
    int32_t n;
    sk_set full;
    sk_set above[SK_TILES_MAX];
    sk_set left[SK_TILES_MAX];
    sk_set right[SK_TILES_MAX];
    sk_set hinders[SK_TILES_MAX];
    /* The same as lists: those of tile t stand at [list_at[t], list_at[t + 1]). */
    int32_t above_at[SK_TILES_MAX + 1];
    int32_t left_at[SK_TILES_MAX + 1];
    int32_t right_at[SK_TILES_MAX + 1];
    int32_t hinders_at[SK_TILES_MAX + 1];
    uint16_t above_list[SK_TILES_MAX * SK_ABOVE_MAX];
    uint16_t left_list[SK_TILES_MAX * SK_SIDE_MAX];
    uint16_t right_list[SK_TILES_MAX * SK_SIDE_MAX];
    sk_hindered hinders_list[SK_TILES_MAX * SK_HINDERS_MAX];
    /* What hinders each tile of the whole board. */
    uint16_t hindered_full[SK_TILES_MAX];
} sk_layout;

/* The layout of n tiles, x, y, z of each in half tiles; NULL when it is none or memory is short.
 * It never changes, so any number of threads may use it. */
sk_layout *sk_layout_new(const int16_t *xyz, int32_t n);
void sk_layout_free(sk_layout *layout);

static inline int sk_has(const sk_set *set, int32_t tile) {
    return (int)(set->word[tile >> 6] >> (tile & 63) & 1);
}

static inline void sk_add(sk_set *set, int32_t tile) {
    set->word[tile >> 6] |= (uint64_t)1 << (tile & 63);
}

static inline void sk_remove(sk_set *set, int32_t tile) {
    set->word[tile >> 6] &= ~((uint64_t)1 << (tile & 63));
}

/* Whether a tile hindered so much is free: nothing above it, and nothing at its left or nothing at its right. */
static inline int sk_is_free(uint32_t hindered) {
    return hindered < SK_PER_ABOVE && (!(hindered & 3) || !(hindered & 12));
}

/* What hinders each tile of the layout when only `present` is on the board; SK_GONE more for all others.
 * Writes layout->n numbers. */
void sk_hindered_start(const sk_layout *layout, const sk_set *present, uint16_t *hindered);

/* Reads a set from SK_WORDS words; 0 when it holds a tile that the layout does not have. */
int sk_set_read(const sk_layout *layout, const uint64_t *words, sk_set *set);

#endif
