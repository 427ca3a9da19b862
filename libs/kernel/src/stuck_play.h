/* What a stuck play teaches: a clause, made short. */
#ifndef SK_STUCK_PLAY_H
#define SK_STUCK_PLAY_H

#include "clauses.h"
#include "relaxed_play.h"

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

#endif
