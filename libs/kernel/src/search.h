/* The search: decisions, restarts, and what is tried before. */
#ifndef SK_SEARCH_H
#define SK_SEARCH_H

#include "real_play.h"
#include "stuck_play.h"

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

#endif
