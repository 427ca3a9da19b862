/* Clauses: kept, watched, propagated, forgotten, and learned from conflicts. */
#ifndef SK_CLAUSES_H
#define SK_CLAUSES_H

#include "variables.h"

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

#endif
