/* The search of libs/rules/solitaire/search.py with the means of a clause-learning solver.
 *
 * A variable is a possible pair; in a group of four it is a way to pair off the group, as one pair fixes the other.
 * Exactly one pair a tile is kept by propagation. All else that keeps an assignment from being a solution comes
 * from plays: when the play with the pairs still allowed gets stuck, at least one of the forbidden pairs over which
 * it would go on is in every solution. Such clauses are made short, kept, and resolved with each other where they
 * contradict, so every clause holds for the position and serves all questions about it. */
#include "solver.h"

#include <stdlib.h>
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

sk_workspace *sk_workspace_new(void) {
    return calloc(1, sizeof(sk_workspace));
}

void sk_workspace_free(sk_workspace *workspace) {
    free(workspace);
}

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

/* ---- setting up ---- */

enum { READY, ODD, BEYOND };

static int read_position(sk_workspace *w, const sk_layout *layout, const uint16_t *group, const uint64_t *present,
                         int32_t pairing, int32_t *state) {
    int16_t slot[SK_TILES_MAX];
    int32_t sizes[GROUPS_MAX * 2];
    if (!layout || !group || !present || !w || (pairing != SK_BOTH_FREE && pairing != SK_LIFT) ||
        !sk_set_read(layout, present, &w->present))
        return 0;
    for (int32_t t = 0; t < layout->n; t++)
        if (group[t] >= SK_TILES_MAX)
            return 0;
    w->layout = layout;
    w->lift = pairing == SK_LIFT;
    memset(slot, -1, sizeof slot);
    int32_t groups = 0;
    uint64_t seed = 0x9e3779b97f4a7c15u;
    *state = READY;
    for (int32_t word = 0; word < SK_WORDS; word++)
        for (uint64_t rest = w->present.word[word]; rest; rest &= rest - 1) {
            int32_t t = word * 64 + lowest(rest);
            if (slot[group[t]] < 0) {
                sizes[groups] = 0;
                slot[group[t]] = (int16_t)groups++;
            }
            int32_t g = slot[group[t]];
            int32_t place = sizes[g]++;
            seed = (seed ^ (uint64_t)(t * 512 + g)) * 0xff51afd7ed558ccdu;
            seed ^= seed >> 29;
            if (g < GROUPS_MAX && place < SK_GROUP_MAX) {
                w->group_of[t] = (uint16_t)g;
                w->place_of[t] = (uint8_t)place;
                w->bit_of[t] = (members)1 << place;
                w->tiles_of[g][place] = (uint16_t)t;
            } else if (*state == READY) {
                *state = BEYOND;
            }
        }
    w->random = seed | 1;
    for (int32_t g = 0; g < groups; g++)
        if (sizes[g] % 2)
            *state = ODD;
    w->groups = groups;
    if (*state != READY)
        return 1;
    for (int32_t g = 0; g < groups; g++) {
        w->size_of[g] = (uint8_t)sizes[g];
        w->all_of[g] = sizes[g] == 64 ? ~(members)0 : ((members)1 << sizes[g]) - 1;
    }
    return 1;
}

static void begin_play(sk_workspace *w) {
    play *p = &w->begin;
    sk_hindered_start(w->layout, &w->present, p->hindered);
    memset(p->reached, 0, (size_t)w->groups * sizeof *p->reached);
    memset(p->gone, 0, (size_t)w->groups * sizeof *p->gone);
    p->left = 0;
    for (int32_t g = 0; g < w->groups; g++) {
        p->left += w->size_of[g];
        for (int32_t i = 0; i < w->size_of[g]; i++)
            if (sk_is_free(p->hindered[w->tiles_of[g][i]]))
                p->reached[g] |= (members)1 << i;
    }
    if (!w->lift)
        return;
    for (int32_t g = 0; g < w->groups; g++)
        for (int32_t i = 0; i < w->size_of[g]; i++) {
            int32_t t = w->tiles_of[g][i];
            w->lifts[t] = w->lifted[t] = 0;
            for (int32_t j = 0; j < w->size_of[g]; j++) {
                w->lifts[t] |= (members)sk_has(&w->layout->hinders[t], w->tiles_of[g][j]) << j;
                w->lifted[t] |= (members)sk_has(&w->layout->hinders[w->tiles_of[g][j]], t) << j;
            }
        }
}

/* Takes the tile off and adds what becomes free to its groups. */
static inline void take(const sk_workspace *w, play *p, int32_t tile) {
    const sk_layout *layout = w->layout;
    p->gone[w->group_of[tile]] |= w->bit_of[tile];
    p->left--;
    for (int32_t i = layout->hinders_at[tile]; i < layout->hinders_at[tile + 1]; i++) {
        int32_t other = layout->hinders_list[i].tile;
        uint32_t hindered = p->hindered[other] -= layout->hinders_list[i].by;
        if (sk_is_free(hindered))
            p->reached[w->group_of[other]] |= w->bit_of[other];
    }
}

/* A group whose tiles are all free can go at once, in any pairs: whatever solution there is still is one. */
static void take_safe_groups(sk_workspace *w) {
    play *p = &w->start;
    copy_play(w, p, &w->begin);
    w->safes = 0;
    for (int changed = 1; changed;) {
        changed = 0;
        for (int32_t g = 0; g < w->groups; g++) {
            if (p->reached[g] != w->all_of[g] || p->gone[g])
                continue;
            changed = 1;
            for (int32_t i = 0; i < w->size_of[g]; i++) {
                w->safe[w->safes++] = w->tiles_of[g][i];
                take(w, p, w->tiles_of[g][i]);
            }
        }
    }
    w->start_frees = 0;
    for (int32_t g = 0; g < w->groups; g++)
        for (members m = p->reached[g] & ~p->gone[g]; m; m &= m - 1)
            w->start_free[w->start_frees++] = w->tiles_of[g][lowest(m)];
    for (int32_t g = 0; g < w->groups; g++)
        for (int32_t i = 0; i < w->size_of[g]; i++)
            w->open[w->tiles_of[g][i]] = w->all_of[g] & ~((members)1 << i);
}

/* ---- the relaxed play ---- */

static inline int32_t leave(const sk_workspace *w, play *p, uint16_t *queue, int32_t tail, int32_t g, members who) {
    p->gone[g] |= who;
    for (; who; who &= who - 1)
        queue[tail++] = w->tiles_of[g][lowest(who)];
    return tail;
}

/* Whether everything of one of the sets is gone of which it is known that the rest then leaves too. */
static inline int is_won(const sk_workspace *w, const play *p, int32_t g) {
    for (int32_t i = 0; i < w->wins[g]; i++)
        if (!(w->win[g][i] & ~p->gone[g]))
            return 1;
    return 0;
}

/* Lets everything leave that can; the first `tail` tiles of the queue count as gone already, and more queue up behind
 * them. With `early` it stops as soon as it is known that nothing will be left, and returns 1; `head` and `tail` of
 * the workspace then say how far it came. */
static inline int run_queue(sk_workspace *w, play *p, int32_t tail, int lift, int early) {
    const sk_layout *layout = w->layout;
    uint16_t *queue = w->queue;
    int32_t head = 0;
    while (head < tail) {
        int32_t tile = queue[head++];
        const sk_hindered *h = layout->hinders_list + layout->hinders_at[tile];
        const sk_hindered *end = layout->hinders_list + layout->hinders_at[tile + 1];
        for (; h < end; h++) {
            int32_t other = h->tile;
            uint32_t hindered = p->hindered[other] = (uint16_t)(p->hindered[other] - h->by);
            if (lift ? hindered >= SK_GONE : !sk_is_free(hindered))
                continue;
            int32_t g = w->group_of[other];
            members leaving = 0;
            if (!lift || sk_is_free(hindered)) {
                members bit = w->bit_of[other];
                if (p->reached[g] & bit)
                    continue;
                members partners = w->open[other] & p->reached[g];
                p->reached[g] |= bit;
                if (partners)
                    leaving = (partners & ~p->gone[g]) | bit;
                else if (lift && w->lifts[other] && freed_by_lifting(w, p, other, w->open[other]))
                    leaving = bit;
            } else if (lift) {
                for (members m = w->lifted[other] & w->open[other] & p->reached[g] & ~p->gone[g]; m; m &= m - 1)
                    if (lifting_frees(w, p, w->tiles_of[g][lowest(m)], other))
                        leaving |= m & -m;
            }
            if (leaving) {
                tail = leave(w, p, queue, tail, g, leaving);
                if (early && w->wins[g] && is_won(w, p, g)) {
                    /* This tile is done with in full, so that it can be undone. */
                    for (h++; h < end; h++)
                        p->hindered[h->tile] = (uint16_t)(p->hindered[h->tile] - h->by);
                    w->head = head;
                    w->tail = tail;
                    return 1;
                }
            }
        }
    }
    w->head = w->tail = tail;
    p->left -= tail;
    return !p->left;
}

/* The relaxed play from the start, with the pairs that are open. */
static void relaxed_play(sk_workspace *w, play *p) {
    copy_play(w, p, &w->start);
    int32_t tail = 0;
    for (int32_t i = 0; i < w->start_frees; i++) {
        int32_t t = w->start_free[i], g = w->group_of[t];
        if (!(p->gone[g] & w->bit_of[t]) &&
            (w->open[t] & p->reached[g] || (w->lift && freed_by_lifting(w, p, t, w->open[t]))))
            tail = leave(w, p, w->queue, tail, g, w->bit_of[t]);
    }
    if (w->lift)
        run_queue(w, p, tail, 1, 0);
    else
        run_queue(w, p, tail, 0, 0);
}

/* Which tiles leave a stuck play at once when these two become partners. */
static members first_to_leave(const sk_workspace *w, const play *p, int32_t a, int32_t b) {
    int32_t g = w->group_of[a];
    members both = w->bit_of[a] | w->bit_of[b];
    if ((p->reached[g] & both) == both)
        return both & ~p->gone[g];
    if (w->lift) {
        members waiting = p->reached[g] & ~p->gone[g];
        if (waiting & w->bit_of[a] && freed_by_lifting(w, p, a, w->bit_of[b]))
            return w->bit_of[a];
        if (waiting & w->bit_of[b] && freed_by_lifting(w, p, b, w->bit_of[a]))
            return w->bit_of[b];
    }
    return 0;
}

/* Goes on with a stuck play where these tiles leave now; 1 when nothing will be left. */
static int resume(sk_workspace *w, play *p, int32_t g, members leaving) {
    int32_t tail = leave(w, p, w->queue, 0, g, leaving);
    if (w->wins[g] && is_won(w, p, g)) {
        w->head = 0;
        w->tail = tail;
        return 1;
    }
    return w->lift ? run_queue(w, p, tail, 1, 1) : run_queue(w, p, tail, 0, 1);
}

/* Undoes a resumed play that was found to leave nothing. */
static void undo(sk_workspace *w, play *p) {
    const sk_layout *layout = w->layout;
    for (int32_t i = 0; i < w->head; i++)
        for (int32_t k = layout->hinders_at[w->queue[i]]; k < layout->hinders_at[w->queue[i] + 1]; k++) {
            int32_t other = layout->hinders_list[k].tile;
            uint32_t before = p->hindered[other], after = before + layout->hinders_list[k].by;
            p->hindered[other] = (uint16_t)after;
            if (sk_is_free(before) && !sk_is_free(after))
                p->reached[w->group_of[other]] &= ~w->bit_of[other];
        }
    for (int32_t i = 0; i < w->tail; i++)
        p->gone[w->group_of[w->queue[i]]] &= ~w->bit_of[w->queue[i]];
    if (!p->left)
        p->left = w->tail;
}

/* ---- real plays ---- */

/* The groups with two free tiles or more, and those that can go as a whole. */
typedef struct {
    uint16_t groups[GROUPS_MAX];
    int16_t at[GROUPS_MAX];
    int32_t size;
    uint16_t whole[GROUPS_MAX];
    int32_t wholes;
} choice_list;

static inline void list_choice(choice_list *list, int32_t g) {
    if (list->at[g] < 0) {
        list->at[g] = (int16_t)list->size;
        list->groups[list->size++] = (uint16_t)g;
    }
}

static void unlist_choice(choice_list *list, int32_t g) {
    if (list->at[g] >= 0) {
        int32_t last = list->groups[--list->size];
        list->groups[list->at[g]] = (uint16_t)last;
        list->at[last] = list->at[g];
        list->at[g] = -1;
    }
}

static members random_member(sk_workspace *w, members set) {
    for (uint32_t skip = random_below(w, (uint32_t)count(set)); skip; skip--)
        set &= set - 1;
    return set & -set;
}

/* Takes two tiles off as partners and keeps the list. */
static void take_pair(sk_workspace *w, play *p, choice_list *list, int32_t a, int32_t b) {
    const sk_layout *layout = w->layout;
    int32_t pair[2] = {a, b};
    w->mate[a] = (uint16_t)b;
    w->mate[b] = (uint16_t)a;
    int32_t own = w->group_of[a];
    members lifted = (w->bit_of[a] | w->bit_of[b]) & ~p->reached[own];
    p->gone[own] |= w->bit_of[a] | w->bit_of[b];
    p->reached[own] |= lifted;
    if (lifted && p->reached[own] == w->all_of[own])
        list->whole[list->wholes++] = (uint16_t)own;
    p->left -= 2;
    for (int32_t k = 0; k < 2; k++) {
        const sk_hindered *h = layout->hinders_list + layout->hinders_at[pair[k]];
        const sk_hindered *end = layout->hinders_list + layout->hinders_at[pair[k] + 1];
        for (; h < end; h++) {
            int32_t other = h->tile;
            uint32_t hindered = p->hindered[other] = (uint16_t)(p->hindered[other] - h->by);
            if (!sk_is_free(hindered))
                continue;
            int32_t g = w->group_of[other];
            if (p->reached[g] & w->bit_of[other])
                continue;
            p->reached[g] |= w->bit_of[other];
            if (p->reached[g] == w->all_of[g])
                list->whole[list->wholes++] = (uint16_t)g;
            else if (holds_two(p->reached[g] & ~p->gone[g]))
                list_choice(list, g);
        }
    }
    if (!holds_two(p->reached[own] & ~p->gone[own]))
        unlist_choice(list, own);
}

static int take_lifted_pair(sk_workspace *w, play *p, choice_list *list) {
    for (int32_t g = 0; g < w->groups; g++)
        for (members m = p->reached[g] & ~p->gone[g]; m; m &= m - 1) {
            int32_t t = w->tiles_of[g][lowest(m)];
            members freed = w->lifts[t] ? freed_by_lifting(w, p, t, ~(members)0) : 0;
            if (freed) {
                take_pair(w, p, list, t, w->tiles_of[g][lowest(freed)]);
                return 1;
            }
        }
    return 0;
}

/* A real play of random pairs, where a group that can go as a whole goes first. Leaves partners in `mate`, also for
 * the tiles it could not take. Returns how many it left. */
static int32_t random_play(sk_workspace *w) {
    play *p = &w->trial;
    choice_list list;
    copy_play(w, p, &w->start);
    memset(list.at, -1, sizeof list.at);
    list.size = list.wholes = 0;
    for (int32_t g = 0; g < w->groups; g++)
        if (holds_two(p->reached[g] & ~p->gone[g]))
            list_choice(&list, g);
    for (;;) {
        if (list.wholes) {
            int32_t g = list.whole[--list.wholes];
            for (members free = w->all_of[g] & ~p->gone[g]; free;) {
                int32_t a = w->tiles_of[g][lowest(free)];
                free &= free - 1;
                take_pair(w, p, &list, a, w->tiles_of[g][lowest(free)]);
                free &= free - 1;
            }
            continue;
        }
        if (!list.size) {
            if (w->lift && take_lifted_pair(w, p, &list))
                continue;
            break;
        }
        int32_t g = list.groups[random_below(w, (uint32_t)list.size)];
        members free = p->reached[g] & ~p->gone[g];
        members a = free & -free, b = free & ~a;
        if (holds_two(b)) {
            a = random_member(w, free);
            b = random_member(w, free & ~a);
        }
        take_pair(w, p, &list, w->tiles_of[g][lowest(a)], w->tiles_of[g][lowest(b)]);
    }
    if (p->left)
        for (int32_t g = 0; g < w->groups; g++)
            for (members m = w->all_of[g] & ~p->gone[g]; m;) {
                int32_t a = w->tiles_of[g][lowest(m)];
                m &= m - 1;
                int32_t b = w->tiles_of[g][lowest(m)];
                m &= m - 1;
                w->mate[a] = (uint16_t)b;
                w->mate[b] = (uint16_t)a;
            }
    return p->left;
}

/* Writes the line of play of a solution: the safe groups, then the partners in `mate`. */
static void write_certificate(sk_workspace *w, int16_t *line) {
    play *p = &w->trial;
    int32_t size = 0, top = 0;
    uint16_t *stack = w->queue;
    for (; size < w->safes; size++)
        line[size] = (int16_t)w->safe[size];
    copy_play(w, p, &w->start);
    for (int32_t i = 0; i < w->start_frees; i++)
        stack[top++] = w->start_free[i];
    /* Every tile comes on the stack when it becomes free; a lifted one is looked for each time. */
    while (p->left) {
        int32_t first = -1, second = -1;
        while (top && first < 0) {
            int32_t t = stack[--top], g = w->group_of[t];
            if (!(p->gone[g] & w->bit_of[t]) && p->reached[g] & w->bit_of[w->mate[t]])
                first = t, second = w->mate[t];
        }
        for (int32_t g = 0; w->lift && first < 0 && g < w->groups; g++)
            for (members m = p->reached[g] & ~p->gone[g]; m && first < 0; m &= m - 1) {
                int32_t t = w->tiles_of[g][lowest(m)];
                if (freed_by_lifting(w, p, t, w->bit_of[w->mate[t]]))
                    first = t, second = w->mate[t];
            }
        if (first < 0)
            return; /* only if `mate` were no solution */
        line[size++] = (int16_t)first;
        line[size++] = (int16_t)second;
        p->gone[w->group_of[first]] |= w->bit_of[first] | w->bit_of[second];
        p->reached[w->group_of[first]] |= w->bit_of[second];
        p->left -= 2;
        int32_t pair[2] = {first, second};
        for (int32_t k = 0; k < 2; k++)
            for (int32_t i = w->layout->hinders_at[pair[k]]; i < w->layout->hinders_at[pair[k] + 1]; i++) {
                int32_t other = w->layout->hinders_list[i].tile, g = w->group_of[other];
                p->hindered[other] = (uint16_t)(p->hindered[other] - w->layout->hinders_list[i].by);
                if (sk_is_free(p->hindered[other]) && !(p->reached[g] & w->bit_of[other])) {
                    p->reached[g] |= w->bit_of[other];
                    stack[top++] = (uint16_t)other;
                }
            }
    }
}

/* ---- variables ---- */

static int32_t new_var(sk_workspace *w, int32_t g, int32_t i, int32_t j) {
    int32_t v = w->vars++;
    uint16_t a = w->tiles_of[g][i], b = w->tiles_of[g][j];
    w->ends[v][0] = a;
    w->ends[v][1] = b;
    w->ends_count[v] = 2;
    w->vars_at[a][j] = w->vars_at[b][i] = (uint16_t)v;
    w->last_mate[a] = b;
    w->last_mate[b] = a;
    return v;
}

static int make_vars(sk_workspace *w) {
    int32_t needed = 0;
    w->vars = 0;
    for (int32_t g = 0; g < w->groups; g++)
        if (!w->start.gone[g])
            needed += w->size_of[g] == 4 ? 3 : w->size_of[g] * (w->size_of[g] - 1) / 2;
    if (needed > SK_VARS_MAX)
        return 0;
    for (int32_t g = 0; g < w->groups; g++) {
        int32_t size = w->size_of[g];
        if (w->start.gone[g])
            continue;
        if (size == 4) {
            for (int32_t j = 1; j < 4; j++) {
                int32_t v = new_var(w, g, 0, j), k = j == 1 ? 2 : 1, l = 6 - j - k;
                w->ends[v][2] = w->tiles_of[g][k];
                w->ends[v][3] = w->tiles_of[g][l];
                w->ends_count[v] = 4;
                w->last_mate[w->ends[v][2]] = w->ends[v][3];
                w->last_mate[w->ends[v][3]] = w->ends[v][2];
                w->vars_at[w->tiles_of[g][k]][l] = w->vars_at[w->tiles_of[g][l]][k] = (uint16_t)v;
            }
            continue;
        }
        for (int32_t i = 0; i < size; i++)
            for (int32_t j = i + 1; j < size; j++)
                new_var(w, g, i, j);
    }
    w->trail_size = w->trail_done = w->level = 0;
    w->arena_used = w->clauses = w->conflicts = w->dead = 0;
    w->clauses_max = CLAUSES_START;
    w->stamps = 0;
    w->newest = w->from = -1;
    for (int32_t v = 0; v < w->vars; v++) {
        w->value[v] = VALUE_OPEN;
        w->mark[v] = 0;
        w->watch[2 * v] = w->watch[2 * v + 1] = -1;
        w->newer[v] = -1;
        w->older[v] = w->newest;
        if (w->newest >= 0)
            w->newer[w->newest] = v;
        w->newest = w->from = v;
        w->stamp[v] = w->stamps++;
    }
    return 1;
}

/* Makes the variable the one to decide next. */
static void freshen(sk_workspace *w, int32_t v) {
    if (w->newest != v) {
        if (w->older[v] >= 0)
            w->newer[w->older[v]] = w->newer[v];
        w->older[w->newer[v]] = w->older[v];
        if (w->from == v)
            w->from = w->newer[v];
        w->newer[w->newest] = v;
        w->older[v] = w->newest;
        w->newer[v] = -1;
        w->newest = v;
    }
    w->stamp[v] = ++w->stamps;
    if (w->value[v] == VALUE_OPEN)
        w->from = v;
}

/* Prefers the partners in `mate`. */
static void prefer_mates(sk_workspace *w) {
    for (int32_t v = 0; v < w->vars; v++)
        if (w->mate[w->ends[v][0]] == w->ends[v][1]) {
            freshen(w, v);
            for (int32_t e = 0; e < w->ends_count[v]; e++)
                w->last_mate[w->ends[v][e]] = w->ends[v][e ^ 1];
        }
}

static inline void set_value(sk_workspace *w, int32_t v, int8_t value, int32_t reason) {
    w->value[v] = value;
    w->level_of[v] = w->level;
    w->reason[v] = reason;
    w->trail[w->trail_size++] = (uint16_t)v;
}

static inline void close_var(sk_workspace *w, int32_t v, int32_t reason) {
    set_value(w, v, VALUE_FALSE, reason);
    for (int32_t e = 0; e < w->ends_count[v]; e += 2) {
        int32_t a = w->ends[v][e], b = w->ends[v][e + 1];
        w->open[a] &= ~w->bit_of[b];
        w->open[b] &= ~w->bit_of[a];
    }
}

/* The two tiles go together: all other pairs of theirs close. */
static void choose_var(sk_workspace *w, int32_t v, int32_t reason) {
    set_value(w, v, VALUE_TRUE, reason);
    for (int32_t e = 0; e < w->ends_count[v]; e++) {
        int32_t tile = w->ends[v][e];
        w->last_mate[tile] = w->ends[v][e ^ 1];
        for (members m = w->open[tile] & ~w->bit_of[w->ends[v][e ^ 1]]; m; m &= m - 1)
            close_var(w, w->vars_at[tile][lowest(m)], BECAUSE_RIVAL | v);
    }
}

static void back_to(sk_workspace *w, int32_t level) {
    if (w->level <= level)
        return;
    while (w->trail_size > w->level_at[level + 1]) {
        int32_t v = w->trail[--w->trail_size];
        if (w->value[v] == VALUE_FALSE)
            for (int32_t e = 0; e < w->ends_count[v]; e += 2) {
                int32_t a = w->ends[v][e], b = w->ends[v][e + 1];
                w->open[a] |= w->bit_of[b];
                w->open[b] |= w->bit_of[a];
            }
        w->value[v] = VALUE_OPEN;
        if (w->from < 0 || w->stamp[v] > w->stamp[w->from])
            w->from = v;
    }
    w->trail_done = w->trail_size;
    w->level = level;
}

/* ---- clauses ---- */

static inline int is_false(const sk_workspace *w, int32_t literal) {
    return w->value[literal >> 1] == (literal & 1 ? VALUE_TRUE : VALUE_FALSE);
}

static inline int is_true(const sk_workspace *w, int32_t literal) {
    return w->value[literal >> 1] == (literal & 1 ? VALUE_FALSE : VALUE_TRUE);
}

static void watch_clause(sk_workspace *w, int32_t c) {
    for (int32_t k = 0; k < 2; k++) {
        int32_t literal = w->arena[c + CLAUSE_LITERALS + k];
        w->arena[c + CLAUSE_NEXT + k] = w->watch[literal];
        w->watch[literal] = c;
    }
}

/* Keeps the clause in `learned` (two literals or more, those to watch first). There is always room: the search
 * forgets before it gets short. */
static int32_t keep_learned(sk_workspace *w) {
    int32_t c = w->arena_used;
    w->arena_used += CLAUSE_LITERALS + w->learned_size;
    w->arena[c + CLAUSE_SIZE] = w->learned_size;
    w->arena[c + CLAUSE_USED] = w->conflicts;
    memcpy(w->arena + c + CLAUSE_LITERALS, w->learned, (size_t)w->learned_size * sizeof *w->learned);
    w->clauses++;
    watch_clause(w, c);
    return c;
}

static int32_t is_long_unused(const sk_workspace *w, int32_t c, int32_t since) {
    return w->arena[c + CLAUSE_SIZE] > 2 && w->arena[c + CLAUSE_USED] < since;
}

/* Forgets clauses that were of no use lately. Only at level 0, where no clause is anybody's reason. */
static void forget(sk_workspace *w) {
    int32_t since = w->conflicts - w->clauses_max / 2;
    int32_t to = 0;
    if (w->arena_used > ARENA_SIZE / 2)
        since = w->conflicts - w->clauses_max / 8;
    for (int32_t l = 0; l < 2 * w->vars; l++)
        w->watch[l] = -1;
    w->clauses = 0;
    for (int32_t c = 0; c < w->arena_used;) {
        int32_t size = CLAUSE_LITERALS + w->arena[c + CLAUSE_SIZE];
        if (!is_long_unused(w, c, since) && to + size <= ARENA_SIZE / 2) {
            memmove(w->arena + to, w->arena + c, (size_t)size * sizeof *w->arena);
            to += size;
            w->clauses++;
        }
        c += size;
    }
    w->arena_used = to;
    if (w->clauses > w->clauses_max / 2)
        w->clauses_max += w->clauses_max / 4;
    for (int32_t c = 0; c < to; c += CLAUSE_LITERALS + w->arena[c + CLAUSE_SIZE])
        watch_clause(w, c);
}

#define NO_CONFLICT (-1)

/* A tile needs a partner. Returns a conflict or NO_CONFLICT. */
static inline int32_t check_tile(sk_workspace *w, int32_t tile) {
    members open = w->open[tile];
    if (!open)
        return BECAUSE_TILE | tile;
    if (!(open & (open - 1))) {
        int32_t v = w->vars_at[tile][lowest(open)];
        if (w->value[v] == VALUE_OPEN)
            choose_var(w, v, BECAUSE_TILE | tile);
    }
    return NO_CONFLICT;
}

/* Goes through the clauses that watch a literal that has become false. */
static int32_t visit_watchers(sk_workspace *w, int32_t literal) {
    int32_t *link = &w->watch[literal];
    while (*link >= 0) {
        int32_t c = *link;
        int32_t *clause = w->arena + c;
        int32_t *literals = clause + CLAUSE_LITERALS;
        int32_t side = literals[0] == literal ? 0 : 1;
        int32_t other = literals[1 - side];
        if (is_true(w, other)) {
            link = &clause[CLAUSE_NEXT + side];
            continue;
        }
        int32_t k = 2;
        while (k < clause[CLAUSE_SIZE] && is_false(w, literals[k]))
            k++;
        if (k < clause[CLAUSE_SIZE]) {
            *link = clause[CLAUSE_NEXT + side];
            literals[side] = literals[k];
            literals[k] = literal;
            clause[CLAUSE_NEXT + side] = w->watch[literals[side]];
            w->watch[literals[side]] = c;
            continue;
        }
        if (is_false(w, other))
            return c;
        if (other & 1)
            close_var(w, other >> 1, c);
        else
            choose_var(w, other >> 1, c);
        link = &clause[CLAUSE_NEXT + side];
    }
    return NO_CONFLICT;
}

/* Takes what leaves no choice. Returns a conflict or NO_CONFLICT. */
static int32_t propagate(sk_workspace *w) {
    while (w->trail_done < w->trail_size) {
        int32_t v = w->trail[w->trail_done++];
        int32_t conflict;
        if (w->value[v] == VALUE_FALSE) {
            for (int32_t e = 0; e < w->ends_count[v]; e++)
                if ((conflict = check_tile(w, w->ends[v][e])) != NO_CONFLICT)
                    return conflict;
            conflict = visit_watchers(w, 2 * v);
        } else {
            conflict = visit_watchers(w, 2 * v + 1);
        }
        if (conflict != NO_CONFLICT)
            return conflict;
    }
    return NO_CONFLICT;
}

/* Marks a variable that a conflict follows from; returns 1 when it is of the present level. */
static int32_t blame(sk_workspace *w, int32_t v) {
    if (w->mark[v] || !w->level_of[v])
        return 0;
    w->mark[v] = 1;
    w->suspect[w->suspects++] = (uint16_t)v;
    if (w->level_of[v] == w->level)
        return 1;
    w->learned[w->learned_size++] = 2 * v + (w->value[v] == VALUE_TRUE);
    return 0;
}

/* Marks what `reason` follows from, but `self`, the variable it gave a value to (or -1). */
static int32_t blame_reason(sk_workspace *w, int32_t reason, int32_t self) {
    int32_t here = 0;
    if (reason & BECAUSE_RIVAL)
        return blame(w, reason & BECAUSE_NUMBER);
    if (reason & BECAUSE_TILE) {
        int32_t tile = reason & BECAUSE_NUMBER;
        for (int32_t i = 0; i < w->size_of[w->group_of[tile]]; i++)
            if (i != w->place_of[tile] && w->vars_at[tile][i] != self)
                here += blame(w, w->vars_at[tile][i]);
        return here;
    }
    int32_t *clause = w->arena + reason;
    clause[CLAUSE_USED] = w->conflicts;
    for (int32_t k = 0; k < clause[CLAUSE_SIZE]; k++)
        if (clause[CLAUSE_LITERALS + k] >> 1 != self)
            here += blame(w, clause[CLAUSE_LITERALS + k] >> 1);
    return here;
}

/* Puts the literals that were decided last first; returns the level of the second. */
static int32_t order_learned(sk_workspace *w, int32_t from) {
    for (int32_t k = from; k < 2 && k < w->learned_size; k++)
        for (int32_t i = k + 1; i < w->learned_size; i++)
            if (w->level_of[w->learned[i] >> 1] > w->level_of[w->learned[k] >> 1]) {
                int32_t literal = w->learned[k];
                w->learned[k] = w->learned[i];
                w->learned[i] = literal;
            }
    return w->learned_size > 1 ? w->level_of[w->learned[1] >> 1] : 0;
}

/* Jumps back to where the clause in `learned` leaves its first literal as the only one, and takes it. */
static void take_learned(sk_workspace *w, int32_t level) {
    back_to(w, level);
    int32_t literal = w->learned[0];
    int32_t reason = w->learned_size > 1 ? keep_learned(w) : BECAUSE_NOTHING;
    if (literal & 1)
        close_var(w, literal >> 1, reason);
    else
        choose_var(w, literal >> 1, reason);
}

/* Learns from a conflict of the present level, not 0, and jumps back. */
static void analyse(sk_workspace *w, int32_t conflict) {
    w->learned_size = 1;
    w->suspects = 0;
    int32_t here = blame_reason(w, conflict, -1);
    int32_t at = w->trail_size;
    for (;;) {
        int32_t v;
        do
            v = w->trail[--at];
        while (!w->mark[v] || w->level_of[v] != w->level);
        if (--here == 0) {
            w->learned[0] = 2 * v + (w->value[v] == VALUE_TRUE);
            break;
        }
        here += blame_reason(w, w->reason[v], v);
    }
    for (int32_t i = 0; i < w->suspects; i++)
        w->mark[w->suspect[i]] = 0;
    take_learned(w, order_learned(w, 1));
    if (w->conflicts > STEADY_CONFLICTS)
        for (int32_t i = 0; i < w->suspects; i++)
            freshen(w, w->suspect[i]);
}

/* ---- what a stuck play teaches ---- */

static void set_ends(sk_workspace *w, int32_t v, int open) {
    for (int32_t e = 0; e < w->ends_count[v]; e += 2) {
        int32_t a = w->ends[v][e], b = w->ends[v][e + 1];
        w->open[a] = open ? w->open[a] | w->bit_of[b] : w->open[a] & ~w->bit_of[b];
        w->open[b] = open ? w->open[b] | w->bit_of[a] : w->open[b] & ~w->bit_of[a];
    }
}

/* Leaves in `learned` a clause that the stuck play `now` gives, made short: closed variables are opened again, the
 * latest first, and stay so unless nothing would be left then. What is open without effect yet may come to have one
 * later, as the play goes on from where it stuck; groups that have gone as a whole cannot. */
static void learn_from_play(sk_workspace *w) {
    play *p = &w->now;
    int32_t at = w->trail_size;
    w->learned_size = 0;
    while (at-- && w->level_of[w->trail[at]]) {
        int32_t v = w->trail[at], g = w->group_of[w->ends[v][0]];
        if (w->value[v] != VALUE_FALSE || p->gone[g] == w->all_of[g])
            continue;
        members leaving = 0;
        for (int32_t e = 0; e < w->ends_count[v]; e += 2)
            leaving |= first_to_leave(w, p, w->ends[v][e], w->ends[v][e + 1]);
        set_ends(w, v, 1);
        if (!leaving || !resume(w, p, g, leaving))
            continue;
        undo(w, p);
        set_ends(w, v, 0);
        w->learned[w->learned_size++] = 2 * v;
        if (w->wins[g] < WINS_MAX)
            w->win[g][w->wins[g]++] = leaving;
    }
    for (int32_t i = 0; i < w->learned_size; i++)
        w->wins[w->group_of[w->ends[w->learned[i] >> 1][0]]] = 0;
    while (++at < w->trail_size)
        if (w->value[w->trail[at]] == VALUE_FALSE)
            set_ends(w, w->trail[at], 0);
}

/* Learns from the stuck play `now`; all literals of its clause are false at present. */
static void learn_stuck(sk_workspace *w) {
    learn_from_play(w);
    if (!w->learned_size) {
        w->dead = 1;
        return;
    }
    int32_t second = order_learned(w, 0);
    int32_t highest = w->level_of[w->learned[0] >> 1];
    int32_t size = w->learned_size;
    if (second < highest) {
        take_learned(w, second);
    } else {
        back_to(w, highest);
        int32_t c = keep_learned(w);
        analyse(w, c);
        return;
    }
    if (w->conflicts > STEADY_CONFLICTS)
        for (int32_t i = size - 1; i >= 0; i--)
            freshen(w, w->learned[i] >> 1);
}

/* ---- the search ---- */

static int32_t luby(int32_t i) {
    int32_t k = 1;
    while ((1 << k) - 1 < i + 1)
        k++;
    while ((1 << k) - 1 != i + 1) {
        i -= (1 << (k - 1)) - 1;
        k = 1;
        while ((1 << k) - 1 < i + 1)
            k++;
    }
    return 1 << (k - 1);
}

static int spend_node(sk_workspace *w) {
    if (w->nodes_left <= 0)
        return 0;
    w->nodes_left--;
    return 1;
}

static void read_mates(sk_workspace *w) {
    for (int32_t v = 0; v < w->vars; v++)
        if (w->value[v] == VALUE_TRUE)
            for (int32_t e = 0; e < w->ends_count[v]; e++)
                w->mate[w->ends[v][e]] = w->ends[v][e ^ 1];
}

/* The freshest open variable, or that of its first tile with the partner it last had. */
static int32_t next_choice(const sk_workspace *w) {
    int32_t tile = w->ends[w->from][0];
    int32_t last = w->vars_at[tile][w->place_of[w->last_mate[tile]]];
    return w->value[last] == VALUE_OPEN ? last : w->from;
}

/* Whether there is a solution with this variable (-1: any); its partners are then in `mate`. */
static int32_t search(sk_workspace *w, int32_t wanted) {
    int32_t restarts = 0, until = w->conflicts + RESTART_UNIT;
    for (;;) {
        if (w->dead)
            return SK_NO;
        if (w->clauses > w->clauses_max || w->arena_used > ARENA_SIZE - 2 * (SK_VARS_MAX + CLAUSE_LITERALS)) {
            back_to(w, 0);
            forget(w);
        }
        int32_t conflict = propagate(w);
        if (conflict != NO_CONFLICT) {
            if (!w->level) {
                w->dead = 1;
                return SK_NO;
            }
            w->conflicts++;
            if (!spend_node(w)) {
                back_to(w, 0);
                return SK_UNDECIDED;
            }
            analyse(w, conflict);
            continue;
        }
        if (w->conflicts >= until) {
            back_to(w, 0);
            until = w->conflicts + RESTART_UNIT * luby(++restarts);
        }
        if (!w->level && wanted >= 0 && w->value[wanted] != VALUE_TRUE) {
            if (w->value[wanted] == VALUE_FALSE)
                return SK_NO;
            w->level_at[++w->level] = w->trail_size;
            choose_var(w, wanted, BECAUSE_NOTHING);
            continue;
        }
        while (w->from >= 0 && w->value[w->from] != VALUE_OPEN)
            w->from = w->older[w->from];
        if (w->from < 0 || w->level % DECISIONS_A_PLAY == 0) {
            if (!spend_node(w)) {
                back_to(w, 0);
                return SK_UNDECIDED;
            }
            relaxed_play(w, &w->now);
            if (w->now.left) {
                w->conflicts++;
                learn_stuck(w);
                continue;
            }
            if (w->from < 0) {
                read_mates(w);
                back_to(w, 0);
                return SK_YES;
            }
        }
        w->level_at[++w->level] = w->trail_size;
        choose_var(w, next_choice(w), BECAUSE_NOTHING);
    }
}

/* Everything before the search. SK_YES: `mate` is a solution; SK_NO; SK_UNDECIDED: no nodes, or beyond the search;
 * else TO_SEARCH. */
#define TO_SEARCH 2

static int32_t start_search(sk_workspace *w) {
    if (!w->start.left)
        return SK_YES;
    if (!spend_node(w))
        return SK_UNDECIDED;
    relaxed_play(w, &w->now);
    if (w->now.left)
        return SK_NO;
    return TO_SEARCH;
}

/* A few random plays; whether one of them was a solution. The best of them guides the search. */
static int32_t try_plays(sk_workspace *w) {
    int32_t best = SK_TILES_MAX + 1;
    for (int32_t i = 0; i < PLAYS_MAX && i < PLAYS_FIRST(w->start.left) && spend_node(w); i++) {
        int32_t left = random_play(w);
        if (!left)
            return 1;
        if (left < best) {
            best = left;
            memcpy(w->best_mate, w->mate, sizeof w->mate);
        }
    }
    if (best <= SK_TILES_MAX)
        memcpy(w->mate, w->best_mate, sizeof w->mate);
    return 0;
}

static int32_t solve(sk_workspace *w) {
    int32_t answer = start_search(w);
    if (answer != TO_SEARCH)
        return answer;
    if (try_plays(w))
        return SK_YES;
    if (!w->nodes_left)
        return SK_UNDECIDED;
    make_vars(w);
    prefer_mates(w);
    return search(w, -1);
}

/* Whether the search can hold the position. */
static int fits(const sk_workspace *w) {
    int32_t needed = 0;
    for (int32_t g = 0; g < w->groups; g++)
        needed += w->size_of[g] == 4 ? 3 : w->size_of[g] * (w->size_of[g] - 1) / 2;
    return needed <= SK_VARS_MAX;
}

static void tell_nodes(const sk_workspace *w, int64_t budget, int64_t *nodes) {
    if (nodes)
        *nodes = budget - w->nodes_left;
}

int32_t sk_solve(const sk_layout *layout, const uint16_t *group, const uint64_t *present, int32_t pairing,
                 int64_t budget, sk_workspace *workspace, int16_t *certificate, int64_t *nodes) {
    int32_t state;
    if (budget < 0 || !read_position(workspace, layout, group, present, pairing, &state))
        return SK_BAD_INPUT;
    workspace->nodes_left = budget;
    int32_t answer = SK_UNDECIDED;
    if (state == ODD) {
        answer = SK_NO;
    } else if (state == READY && fits(workspace)) {
        begin_play(workspace);
        take_safe_groups(workspace);
        answer = solve(workspace);
        if (answer == SK_YES && certificate)
            write_certificate(workspace, certificate);
    }
    tell_nodes(workspace, budget, nodes);
    return answer;
}

/* ---- pairs ---- */

/* The available pairs of a READY position, sorted, from `begin`; -1 when there are more than `capacity`. */
static int32_t list_pairs_ready(sk_workspace *w, int16_t *pairs, int32_t capacity) {
    const play *p = &w->begin;
    int32_t size = 0;
    for (int32_t word = 0; word < SK_WORDS; word++)
        for (uint64_t rest = w->present.word[word]; rest; rest &= rest - 1) {
            int32_t t = word * 64 + lowest(rest), g = w->group_of[t];
            members partners = 0;
            if (p->reached[g] & w->bit_of[t]) {
                partners = p->reached[g];
                if (w->lift && w->lifts[t])
                    partners |= freed_by_lifting(w, p, t, ~(members)0);
            } else if (w->lift) {
                for (members m = w->lifted[t] & p->reached[g]; m; m &= m - 1)
                    if (lifting_frees(w, p, w->tiles_of[g][lowest(m)], t))
                        partners |= m & -m;
            }
            partners &= ~(w->bit_of[t] | (w->bit_of[t] - 1)); /* a group's tiles are in order of their number */
            for (; partners; partners &= partners - 1) {
                if (size == capacity)
                    return -1;
                pairs[2 * size] = (int16_t)t;
                pairs[2 * size + 1] = (int16_t)w->tiles_of[g][lowest(partners)];
                size++;
            }
        }
    return size;
}

static int is_free_now(const sk_workspace *w, const uint16_t *hindered, int32_t t) {
    return sk_has(&w->present, t) && sk_is_free(hindered[t]);
}

/* The same for groups of any size. */
static int32_t list_pairs_beyond(sk_workspace *w, const uint16_t *group, int16_t *pairs, int32_t capacity) {
    const sk_layout *layout = w->layout;
    uint16_t *hindered = w->begin.hindered;
    int32_t size = 0;
    sk_hindered_start(layout, &w->present, hindered);
    for (int32_t a = 0; a < layout->n; a++)
        for (int32_t b = a + 1; b < layout->n; b++) {
            if (group[a] != group[b] || !sk_has(&w->present, a) || !sk_has(&w->present, b))
                continue;
            int a_free = is_free_now(w, hindered, a), b_free = is_free_now(w, hindered, b);
            int available = a_free && b_free;
            if (w->lift && a_free && !b_free)
                available = sk_is_free(hindered[b] - hinders_by(layout, a, b));
            if (w->lift && b_free && !a_free)
                available = sk_is_free(hindered[a] - hinders_by(layout, b, a));
            if (!available)
                continue;
            if (size == capacity)
                return -1;
            pairs[2 * size] = (int16_t)a;
            pairs[2 * size + 1] = (int16_t)b;
            size++;
        }
    return size;
}

/* The available pairs; leaves `begin` set up for a READY position. */
static int32_t list_pairs(sk_workspace *w, int32_t state, const uint16_t *group, int16_t *pairs, int32_t capacity) {
    if (state != READY)
        return list_pairs_beyond(w, group, pairs, capacity);
    begin_play(w);
    return list_pairs_ready(w, pairs, capacity);
}

int32_t sk_available(const sk_layout *layout, const uint16_t *group, const uint64_t *present, int32_t pairing,
                     sk_workspace *workspace, int16_t *pairs, int32_t capacity) {
    int32_t state;
    if (capacity < 0 || (capacity && !pairs) ||
        !read_position(workspace, layout, group, present, pairing, &state))
        return SK_BAD_INPUT;
    int32_t size = list_pairs(workspace, state, group, pairs, capacity);
    return size < 0 ? SK_BAD_INPUT : size;
}

/* Whether the pair goes with a group that can go at once: it then is preserving if anything is. */
static int is_safe(const sk_workspace *w, const int16_t *pair) {
    return w->start.gone[w->group_of[pair[0]]] != 0;
}

static void mark_solved(sk_workspace *w, const int16_t *pairs, int32_t size, int8_t *verdicts) {
    for (int32_t i = 0; i < size; i++)
        if (is_safe(w, pairs + 2 * i) || w->mate[pairs[2 * i]] == pairs[2 * i + 1])
            verdicts[i] = SK_YES;
}

static int32_t known_preserving(const int8_t *verdicts, int32_t size) {
    int32_t known = 0;
    for (int32_t i = 0; i < size; i++)
        known += verdicts[i] == SK_YES;
    return known;
}

/* Judges the pairs in order. With `any` it stops as soon as `enough` are known to be preserving, else when that many
 * of those judged so far are. */
static void judge(sk_workspace *w, const int16_t *pairs, int32_t size, int32_t enough, int any, int8_t *verdicts) {
    memset(verdicts, SK_UNDECIDED, (size_t)size);
    int32_t state = start_search(w), judged = 0;
    if (state == SK_YES)
        mark_solved(w, pairs, size, verdicts);
    else if (state == SK_NO)
        memset(verdicts, SK_NO, (size_t)size);
    if (state != TO_SEARCH)
        return;
    if (try_plays(w))
        mark_solved(w, pairs, size, verdicts);
    int made = 0;
    for (int32_t i = 0; i < size; i++) {
        if (enough && (judged >= enough || (any && known_preserving(verdicts, size) >= enough)))
            return;
        if (verdicts[i] == SK_UNDECIDED) {
            if (!made) {
                make_vars(w);
                prefer_mates(w);
                made = 1;
            }
            const int16_t *pair = pairs + 2 * i;
            int32_t wanted = is_safe(w, pair) ? -1 : w->vars_at[pair[0]][w->place_of[pair[1]]];
            int32_t answer = search(w, wanted);
            if (answer == SK_YES) {
                mark_solved(w, pairs, size, verdicts);
                prefer_mates(w);
            }
            verdicts[i] = (int8_t)answer;
        }
        judged += verdicts[i] == SK_YES;
    }
}

/* Whether each of the pairs is one of the available ones, which are sorted. */
static int are_available(const int16_t *pairs, int32_t size, const int16_t *available, int32_t available_size) {
    for (int32_t i = 0; i < size; i++) {
        int32_t low = 0, high = available_size;
        int32_t wanted = pairs[2 * i] * SK_TILES_MAX + pairs[2 * i + 1];
        if (pairs[2 * i] < 0 || pairs[2 * i + 1] < 0 || pairs[2 * i] >= SK_TILES_MAX ||
            pairs[2 * i + 1] >= SK_TILES_MAX)
            return 0;
        while (low < high) {
            int32_t middle = (low + high) / 2;
            if (available[2 * middle] * SK_TILES_MAX + available[2 * middle + 1] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == available_size || available[2 * low] != pairs[2 * i] ||
            available[2 * low + 1] != pairs[2 * i + 1])
            return 0;
    }
    return 1;
}

int32_t sk_judge(const sk_layout *layout, const uint16_t *group, const uint64_t *present, int32_t pairing,
                 int64_t budget, sk_workspace *workspace, int32_t enough, int16_t *pairs, int32_t count,
                 int32_t capacity, int8_t *verdicts, int64_t *nodes) {
    int32_t state;
    if (budget < 0 || enough < 0 || capacity < 0 || count > capacity || (capacity && (!pairs || !verdicts)) ||
        !read_position(workspace, layout, group, present, pairing, &state))
        return SK_BAD_INPUT;
    sk_workspace *w = workspace;
    w->nodes_left = budget;
    if (count < 0) {
        count = list_pairs(w, state, group, pairs, capacity);
        if (count < 0)
            return SK_BAD_INPUT;
    } else {
        int32_t size = list_pairs(w, state, group, w->pair_list, SK_PAIRS_MAX);
        if (!are_available(pairs, count, w->pair_list, size))
            return SK_BAD_INPUT;
    }
    if (!count) { /* `verdicts` may be NULL */
        tell_nodes(w, budget, nodes);
        return 0;
    }
    if (state == ODD) {
        memset(verdicts, SK_NO, (size_t)count);
    } else if (state == READY && fits(w)) {
        take_safe_groups(w);
        judge(w, pairs, count, enough, 0, verdicts);
    } else {
        memset(verdicts, SK_UNDECIDED, (size_t)count);
    }
    tell_nodes(w, budget, nodes);
    return count;
}

static int32_t find_crucial(sk_workspace *w, int16_t *pair) {
    int16_t *pairs = w->pair_list;
    int32_t size = list_pairs_ready(w, pairs, SK_PAIRS_MAX), safe = 0;
    for (int32_t i = 0; i < size; i++)
        safe += is_safe(w, pairs + 2 * i);
    if (!size || safe > 1)
        return SK_NO; /* all safe pairs are preserving or none is */
    judge(w, pairs, size, 2, 1, w->verdict);
    int32_t preserving = 0, undecided = 0;
    for (int32_t i = 0; i < size; i++) {
        undecided += w->verdict[i] == SK_UNDECIDED;
        if (w->verdict[i] == SK_YES && !preserving++)
            memcpy(pair, pairs + 2 * i, 2 * sizeof *pair);
    }
    return preserving > 1 ? SK_NO : undecided ? SK_UNDECIDED : preserving ? SK_YES : SK_NO;
}

int32_t sk_crucial(const sk_layout *layout, const uint16_t *group, const uint64_t *present, int32_t pairing,
                   int64_t budget, sk_workspace *workspace, int16_t *pair, int64_t *nodes) {
    int32_t state;
    if (budget < 0 || !pair || !read_position(workspace, layout, group, present, pairing, &state))
        return SK_BAD_INPUT;
    workspace->nodes_left = budget;
    int32_t answer = SK_UNDECIDED;
    if (state == ODD) {
        answer = SK_NO;
    } else if (state == READY && fits(workspace)) {
        begin_play(workspace);
        take_safe_groups(workspace);
        answer = find_crucial(workspace, pair);
    }
    tell_nodes(workspace, budget, nodes);
    return answer;
}
