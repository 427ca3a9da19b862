/* Variables: the possible pairs, their values, and which is to be decided next. */
#ifndef SK_VARIABLES_H
#define SK_VARIABLES_H

#include "workspace.h"

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

#endif
