/* The exact solver. libs/rules/solitaire/solver.py defines every answer.
 *
 * Common to all functions: `group[t]` is the match group of tile t, below SK_TILES_MAX, for all tiles of the layout;
 * `present` is a set of SK_WORDS words; `pairing` is SK_BOTH_FREE or SK_LIFT; `budget` is a number of nodes, not
 * negative, and *nodes (may be NULL) is set to how many were used: a node is one relaxed or random play from the
 * start, or a contradiction found without one. A workspace serves one call at a time. Anything that is not so gives
 * SK_BAD_INPUT.
 * Positions with more than SK_GROUP_MAX tiles in a group or more than SK_VARS_MAX possible pairs are beyond the
 * search: SK_UNDECIDED with no node used. */
#ifndef SPARROW_KERNEL_SOLVER_H
#define SPARROW_KERNEL_SOLVER_H

#include <stdint.h>

#include "layout.h"

#define SK_BOTH_FREE 0
#define SK_LIFT 1

#define SK_YES 1
#define SK_NO 0
#define SK_UNDECIDED (-1)
#define SK_BAD_INPUT (-2)

#define SK_GROUP_MAX 64
#define SK_VARS_MAX 2048
#define SK_PAIRS_MAX (SK_TILES_MAX * (SK_TILES_MAX - 1) / 2)

typedef struct sk_workspace sk_workspace;

/* Memory for one question at a time, of one size for all of them (about 2 MB); NULL when there is none. */
sk_workspace *sk_workspace_new(void);
void sk_workspace_free(sk_workspace *workspace);

/* Whether the present tiles can all be removed: SK_YES, SK_NO or SK_UNDECIDED. With SK_YES `certificate` (may be
 * NULL; room for layout->n numbers) holds the pairs in the order in which they go, the tile to lift first first. */
int32_t sk_solve(const sk_layout *layout, const uint16_t *group, const uint64_t *present, int32_t pairing,
                 int64_t budget, sk_workspace *workspace, int16_t *certificate, int64_t *nodes);

/* How many available pairs there are; they are written as (lower, higher), sorted.
 * `pairs` has room for `capacity` pairs; too little is SK_BAD_INPUT. */
int32_t sk_available(const sk_layout *layout, const uint16_t *group, const uint64_t *present, int32_t pairing,
                     sk_workspace *workspace, int16_t *pairs, int32_t capacity);

/* What taking each pair does to the position: verdicts[i] is SK_YES (preserving), SK_NO (ruining) or SK_UNDECIDED.
 * With `count` < 0 all available pairs are judged and written to `pairs`, which has room for `capacity`; else the
 * `count` available pairs that `pairs` holds. They are judged in order; once `enough` (0: no limit) of those
 * judged are preserving, the others stay SK_UNDECIDED unless they are known already. Returns how many there are. */
int32_t sk_judge(const sk_layout *layout, const uint16_t *group, const uint64_t *present, int32_t pairing,
                 int64_t budget, sk_workspace *workspace, int32_t enough, int16_t *pairs, int32_t count,
                 int32_t capacity, int8_t *verdicts, int64_t *nodes);

/* SK_YES when exactly one available pair keeps the position solvable: `pair` then holds it (lower, higher).
 * SK_NO when none or at least two do. */
int32_t sk_crucial(const sk_layout *layout, const uint16_t *group, const uint64_t *present, int32_t pairing,
                   int64_t budget, sk_workspace *workspace, int16_t *pair, int64_t *nodes);

#endif
