/* The relaxed play: every tile leaves once it and a partner still allowed have been free. */
#ifndef SK_RELAXED_PLAY_H
#define SK_RELAXED_PLAY_H

#include "workspace.h"

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

#endif
