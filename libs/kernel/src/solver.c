/* The search of libs/rules/solitaire/search.py with the means of a clause-learning solver.
 *
 * A variable is a possible pair; in a group of four it is a way to pair off the group, as one pair fixes the other.
 * Exactly one pair a tile is kept by propagation. All else that keeps an assignment from being a solution comes
 * from plays: when the play with the pairs still allowed gets stuck, at least one of the forbidden pairs over which
 * it would go on is in every solution. Such clauses are made short, kept, and resolved with each other where they
 * contradict, so every clause holds for the position and serves all questions about it. */
#include "reading.h"
#include "search.h"

#include <stdlib.h>

sk_workspace *sk_workspace_new(void) {
    return calloc(1, sizeof(sk_workspace));
}

void sk_workspace_free(sk_workspace *workspace) {
    free(workspace);
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
