/* Real plays: random ones, and the one that is a solution's certificate. */
#ifndef SK_REAL_PLAY_H
#define SK_REAL_PLAY_H

#include "workspace.h"

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

#endif
