#include "layout.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int32_t x, y, z;
} place;

static int overlaps(place one, place other) {
    return abs(one.x - other.x) < 2 && abs(one.y - other.y) < 2;
}

static int touches(place other, place tile, int32_t dx) {
    return other.z == tile.z && other.x == tile.x + dx && abs(other.y - tile.y) < 2;
}

static int read_places(const int16_t *xyz, int32_t n, place *places) {
    for (int32_t t = 0; t < n; t++) {
        place p = {xyz[3 * t], xyz[3 * t + 1], xyz[3 * t + 2]};
        if (p.x < 0 || p.x > SK_GRID - 2 || p.y < 0 || p.y > SK_GRID - 2 || p.z < 0 || p.z >= SK_LEVELS_MAX)
            return 0;
        for (int32_t s = 0; s < t; s++)
            if (places[s].z == p.z && overlaps(places[s], p))
                return 0;
        places[t] = p;
    }
    return 1;
}

sk_layout *sk_layout_new(const int16_t *xyz, int32_t n) {
    place places[SK_TILES_MAX];
    if (!xyz || n < 1 || n > SK_TILES_MAX || !read_places(xyz, n, places))
        return NULL;
    sk_layout *layout = calloc(1, sizeof *layout);
    if (!layout)
        return NULL;
    layout->n = n;
    int32_t aboves = 0, lefts = 0, rights = 0, hinders = 0;
    for (int32_t t = 0; t < n; t++) {
        sk_add(&layout->full, t);
        for (int32_t o = 0; o < n; o++) {
            uint16_t by = 0;
            if (places[o].z > places[t].z && overlaps(places[o], places[t])) {
                layout->above_list[aboves++] = (uint16_t)o;
                sk_add(&layout->above[t], o);
                layout->hindered_full[t] += SK_PER_ABOVE;
            } else if (places[t].z > places[o].z && overlaps(places[o], places[t])) {
                by = SK_PER_ABOVE;
            } else if (touches(places[o], places[t], -2)) {
                layout->left_list[lefts++] = (uint16_t)o;
                sk_add(&layout->left[t], o);
                layout->hindered_full[t] += SK_PER_LEFT;
                by = SK_PER_RIGHT;
            } else if (touches(places[o], places[t], 2)) {
                layout->right_list[rights++] = (uint16_t)o;
                sk_add(&layout->right[t], o);
                layout->hindered_full[t] += SK_PER_RIGHT;
                by = SK_PER_LEFT;
            }
            if (by) {
                layout->hinders_list[hinders++] = (sk_hindered){(uint16_t)o, by};
                sk_add(&layout->hinders[t], o);
            }
        }
        layout->above_at[t + 1] = aboves;
        layout->left_at[t + 1] = lefts;
        layout->right_at[t + 1] = rights;
        layout->hinders_at[t + 1] = hinders;
    }
    return layout;
}

void sk_layout_free(sk_layout *layout) {
    free(layout);
}

void sk_hindered_start(const sk_layout *layout, const sk_set *present, uint16_t *hindered) {
    memcpy(hindered, layout->hindered_full, (size_t)layout->n * sizeof *hindered);
    for (int32_t w = 0; w < SK_WORDS; w++)
        for (uint64_t gone = layout->full.word[w] & ~present->word[w]; gone; gone &= gone - 1) {
            int32_t tile = w * 64 + __builtin_ctzll(gone);
            hindered[tile] |= SK_GONE;
            for (int32_t i = layout->hinders_at[tile]; i < layout->hinders_at[tile + 1]; i++)
                hindered[layout->hinders_list[i].tile] -= layout->hinders_list[i].by;
        }
}

int sk_set_read(const sk_layout *layout, const uint64_t *words, sk_set *set) {
    for (int32_t w = 0; w < SK_WORDS; w++) {
        if (words[w] & ~layout->full.word[w])
            return 0;
        set->word[w] = words[w];
    }
    return 1;
}
