/* What a search works on: the position, the plays, the variables with their values, the clauses. Parts of solver.c
 * like this one are headers, so that the compiler sees them at once. */
#ifndef SK_WORKSPACE_H
#define SK_WORKSPACE_H

#include "solver.h"

#include <string.h>

#define GROUPS_MAX (SK_TILES_MAX / 2)
#define ARENA_SIZE (1 << 18)
#ifndef CLAUSES_START /* the fuzzer sets a small one */
#define CLAUSES_START 4000
#endif
/* How many random plays are tried first: 16 with 144 tiles, where more cost what they save, few with few tiles. */
#define PLAYS_FIRST(tiles) (1 + (tiles) * (tiles) / 1300)
#define PLAYS_MAX 16
/* Restarts throw away a place near a solution: only a search that is lost is begun again. */
#ifndef RESTART_UNIT /* the fuzzer sets a small one */
#define RESTART_UNIT 4000
#endif
/* A search that is nearly there is led off by preferring what it met last; a long one needs it. */
#define STEADY_CONFLICTS 40
/* A play now and then finds a contradiction before all is decided, but costs more than the decisions do. */
#define DECISIONS_A_PLAY 24
#define WINS_MAX 4

typedef uint64_t members; /* a set of tiles of one group, by their place in it */

/* A play in progress. */
typedef struct {
    uint16_t hindered[SK_TILES_MAX];
    members reached[GROUPS_MAX]; /* free or gone */
    members gone[GROUPS_MAX];
    int32_t left;
} play;

enum { VALUE_OPEN = 0, VALUE_TRUE = 1, VALUE_FALSE = -1 };

/* Why a variable has its value: a clause (its place in the arena), or one of these kinds with a number. */
#define BECAUSE_NOTHING (-1)
#define BECAUSE_RIVAL (1 << 28)
#define BECAUSE_TILE (1 << 29)
#define BECAUSE_NUMBER ((1 << 28) - 1)

/* A clause in the arena: how many literals, when last useful, the next clauses that watch its first and second
 * literal, and the literals. A literal is 2 * variable, and 1 more when it is negated. */
enum { CLAUSE_SIZE, CLAUSE_USED, CLAUSE_NEXT, CLAUSE_LITERALS = CLAUSE_NEXT + 2 };

struct sk_workspace {
    const sk_layout *layout;
    int32_t lift;
    int64_t nodes_left;
    uint64_t random;

    sk_set present;
    int32_t groups;
    uint16_t group_of[SK_TILES_MAX];
    uint8_t place_of[SK_TILES_MAX];
    members bit_of[SK_TILES_MAX];
    uint16_t tiles_of[GROUPS_MAX][SK_GROUP_MAX];
    uint8_t size_of[GROUPS_MAX];
    members all_of[GROUPS_MAX];
    members lifts[SK_TILES_MAX];  /* of its group, those that the tile hinders */
    members lifted[SK_TILES_MAX]; /* of its group, those that hinder the tile */

    play begin; /* the position asked about, before anything went */
    play start; /* after the groups that can go at once */
    uint16_t start_free[SK_TILES_MAX];
    int32_t start_frees;
    uint16_t safe[SK_TILES_MAX]; /* the tiles that went, in pairs, in order */
    int32_t safes;
    play now, trial;
    uint16_t queue[SK_TILES_MAX];
    int32_t head, tail; /* how much of the queue has been worked off, and how much there is */
    uint16_t mate[SK_TILES_MAX];
    uint16_t best_mate[SK_TILES_MAX];
    uint16_t last_mate[SK_TILES_MAX]; /* the partner a tile last had in the search */

    members win[GROUPS_MAX][WINS_MAX]; /* while a clause is made short: see is_won */
    uint8_t wins[GROUPS_MAX];
    members open[SK_TILES_MAX]; /* allowed partners */
    int32_t vars;
    uint16_t vars_at[SK_TILES_MAX][SK_GROUP_MAX]; /* the variable of a tile with each of its group */
    uint16_t ends[SK_VARS_MAX][4];
    uint8_t ends_count[SK_VARS_MAX];
    int8_t value[SK_VARS_MAX];
    uint8_t mark[SK_VARS_MAX];
    int32_t level_of[SK_VARS_MAX];
    int32_t reason[SK_VARS_MAX];
    int32_t watch[2 * SK_VARS_MAX];
    uint16_t trail[SK_VARS_MAX];
    int32_t trail_size, trail_done;
    int32_t level_at[SK_VARS_MAX + 2];
    int32_t level;
    int32_t newer[SK_VARS_MAX], older[SK_VARS_MAX], newest, from; /* variables by when they last mattered */
    uint32_t stamp[SK_VARS_MAX], stamps;

    int32_t arena[ARENA_SIZE];
    int32_t arena_used, clauses, clauses_max;
    int32_t conflicts;
    int32_t learned[2 * SK_VARS_MAX];
    int32_t learned_size;
    uint16_t suspect[SK_VARS_MAX];
    int32_t suspects;
    int dead; /* a contradiction at level 0: there is no solution at all */
    int8_t verdict[SK_PAIRS_MAX];
    int16_t pair_list[2 * SK_PAIRS_MAX];
};

static inline int32_t lowest(members set) {
    return __builtin_ctzll(set);
}

static inline int32_t count(members set) {
    return __builtin_popcountll(set);
}

static inline int holds_two(members set) {
    return (set & (set - 1)) != 0;
}

static inline uint32_t next_random(sk_workspace *w) {
    uint64_t x = w->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    w->random = x;
    return (uint32_t)(x >> 32);
}

static inline uint32_t random_below(sk_workspace *w, uint32_t bound) {
    return (uint32_t)((uint64_t)next_random(w) * bound >> 32);
}

static void copy_play(const sk_workspace *w, play *to, const play *from) {
    memcpy(to->hindered, from->hindered, (size_t)w->layout->n * sizeof *to->hindered);
    memcpy(to->reached, from->reached, (size_t)w->groups * sizeof *to->reached);
    memcpy(to->gone, from->gone, (size_t)w->groups * sizeof *to->gone);
    to->left = from->left;
}

/* By how much the number of `tile` falls when `other` goes. */
static uint32_t hinders_by(const sk_layout *layout, int32_t other, int32_t tile) {
    if (sk_has(&layout->above[tile], other))
        return SK_PER_ABOVE;
    return sk_has(&layout->left[tile], other) ? SK_PER_LEFT : sk_has(&layout->right[tile], other) ? SK_PER_RIGHT : 0;
}

/* Whether the tile of the play, not free now, is free once `other` is lifted. */
static int lifting_frees(const sk_workspace *w, const play *p, int32_t other, int32_t tile) {
    return sk_is_free(p->hindered[tile] - hinders_by(w->layout, other, tile));
}

/* Which of the group's tiles in `partners` become free when the tile is lifted. */
static members freed_by_lifting(const sk_workspace *w, const play *p, int32_t tile, members partners) {
    int32_t g = w->group_of[tile];
    members freed = 0;
    for (members m = w->lifts[tile] & partners & ~p->reached[g]; m; m &= m - 1)
        if (lifting_frees(w, p, tile, w->tiles_of[g][lowest(m)]))
            freed |= m & -m;
    return freed;
}

#endif
