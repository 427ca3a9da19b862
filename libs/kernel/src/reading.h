/* A position is read: groups, what is free, and what can go at once. */
#ifndef SK_READING_H
#define SK_READING_H

#include "workspace.h"

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

#endif
