#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deal.h"
#include "mcr_plan_target.h"
#include "mcr_target.h"
#include "solver.h"

#define HEADER 60
#define RECORD 5
#define TILES_READ 320
#define DEALS_MAX 4

enum { NO_LAYOUT = 1, NO_GROUP = 2, NO_PRESENT = 4, NO_WORKSPACE = 8, NO_OUTPUT = 16, NO_NODES = 32, NO_SEED = 64 };

/* A question as read from the input; arrays have exactly the size that the contract names, so that the sanitizer sees
 * every step outside. */
typedef struct {
    int32_t n, pairing, enough, count, capacity, plays, fills, nulls;
    int64_t budget;
    int16_t *xyz;
    uint16_t *group;
    uint64_t *present;
    uint8_t *seed;
    sk_layout *layout;
} question;

static void must(int holds, const char *fact) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", fact);
        abort();
    }
}

static void *exactly(size_t count, size_t size) {
    size_t bytes = count * size;
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        exit(3);
    memset(memory, 0xA5, bytes);
    return memory;
}

static int32_t read_16(const uint8_t *data, size_t size, size_t at) {
    uint32_t low = at < size ? data[at] : 0, high = at + 1 < size ? data[at + 1] : 0;
    return (int16_t)(uint16_t)(low | high << 8);
}

static int32_t read_8(const uint8_t *data, size_t size, size_t at) {
    return at < size ? (int8_t)data[at] : 0;
}

static question read_question(const uint8_t *data, size_t size) {
    question q = {.n = read_16(data, size, 0)};
    q.pairing = read_8(data, size, 2);
    q.nulls = read_8(data, size, 3);
    q.budget = read_16(data, size, 4);
    q.enough = read_8(data, size, 6);
    q.count = read_8(data, size, 7);
    q.capacity = read_16(data, size, 8);
    q.plays = read_8(data, size, 10) % (DEALS_MAX + 1);
    q.fills = read_8(data, size, 11) % (DEALS_MAX + 1);
    int32_t held = q.n < 0 ? 0 : q.n > TILES_READ ? TILES_READ : q.n;
    q.xyz = exactly((size_t)held * 3, sizeof *q.xyz);
    q.group = exactly((size_t)held, sizeof *q.group);
    q.present = exactly(SK_WORDS, sizeof *q.present);
    q.seed = exactly(SK_SEED_BYTES, 1);
    memset(q.present, 0, SK_WORDS * sizeof *q.present);
    for (size_t i = 0; i < 40; i++)
        q.present[i / 8] |= (uint64_t)(uint8_t)read_8(data, size, 20 + i) << i % 8 * 8;
    for (size_t i = 0; i < SK_SEED_BYTES; i++)
        q.seed[i] = (uint8_t)read_8(data, size, 12 + i % 8);
    for (int32_t t = 0; t < held; t++) {
        size_t at = HEADER + (size_t)t * RECORD;
        for (size_t i = 0; i < 3; i++)
            q.xyz[3 * t + (int32_t)i] = (int16_t)read_8(data, size, at + i);
        q.group[t] = (uint16_t)read_16(data, size, at + 3);
    }
    q.layout = sk_layout_new(q.xyz, q.n);
    return q;
}

/* ---- the rule once more, as plainly as it can be said ---- */

static int is_there(const uint64_t *present, int32_t t) {
    return (int)(present[t / 64] >> (t % 64) & 1);
}

static int is_free(const question *q, const uint64_t *present, int32_t t) {
    const int16_t *a = q->xyz + 3 * t;
    int left = 0, right = 0;
    for (int32_t o = 0; o < q->n; o++) {
        const int16_t *b = q->xyz + 3 * o;
        if (!is_there(present, o) || abs(a[1] - b[1]) >= 2)
            continue;
        if (b[2] > a[2] && abs(a[0] - b[0]) < 2)
            return 0;
        left |= b[2] == a[2] && b[0] == a[0] - 2;
        right |= b[2] == a[2] && b[0] == a[0] + 2;
    }
    return !(left && right);
}

static int may_go(const question *q, const uint64_t *present, int32_t first, int32_t second) {
    if (first == second || !is_there(present, first) || !is_there(present, second) ||
        q->group[first] != q->group[second] || !is_free(q, present, first))
        return 0;
    uint64_t after[SK_WORDS];
    memcpy(after, present, sizeof after);
    if (q->pairing == SK_LIFT)
        after[first / 64] &= ~((uint64_t)1 << first % 64);
    return is_free(q, after, second);
}

static int32_t tiles_in(const uint64_t *present) {
    int32_t tiles = 0;
    for (int32_t w = 0; w < SK_WORDS; w++)
        tiles += __builtin_popcountll(present[w]);
    return tiles;
}

static void replay(const question *q, const uint64_t *from, const int16_t *line, int32_t tiles) {
    uint64_t present[SK_WORDS];
    memcpy(present, from, sizeof present);
    for (int32_t i = 0; i < tiles; i += 2) {
        must(line[i] >= 0 && line[i] < q->n && line[i + 1] >= 0 && line[i + 1] < q->n, "a certificate names tiles");
        must(may_go(q, present, line[i], line[i + 1]), "each pair of a certificate may go");
        present[line[i] / 64] &= ~((uint64_t)1 << line[i] % 64);
        present[line[i + 1] / 64] &= ~((uint64_t)1 << line[i + 1] % 64);
    }
    must(!tiles_in(present), "a certificate clears the board");
}

static int is_sound(const question *q) {
    if (!q->layout || q->nulls & (NO_LAYOUT | NO_GROUP | NO_PRESENT | NO_WORKSPACE) ||
        (q->pairing != SK_BOTH_FREE && q->pairing != SK_LIFT))
        return 0;
    for (int32_t t = 0; t < q->n; t++)
        if (q->group[t] >= SK_TILES_MAX)
            return 0;
    for (int32_t t = 0; t < SK_WORDS * 64; t++)
        if (is_there(q->present, t) && t >= q->n)
            return 0;
    return 1;
}

/* ---- one entry point after the other ---- */

static const sk_layout *layout_of(const question *q) {
    return q->nulls & NO_LAYOUT ? NULL : q->layout;
}

static const uint16_t *group_of(const question *q) {
    return q->nulls & NO_GROUP ? NULL : q->group;
}

static const uint64_t *present_of(const question *q) {
    return q->nulls & NO_PRESENT ? NULL : q->present;
}

static void check_nodes(const question *q, int32_t answer, int64_t nodes) {
    if (answer != SK_BAD_INPUT && !(q->nulls & NO_NODES))
        must(nodes >= 0 && nodes <= q->budget, "no more nodes are used than the budget has");
}

static int32_t ask_solve(const question *q, sk_workspace *w) {
    int64_t nodes = 0;
    int16_t *line = exactly(q->layout ? (size_t)q->n : 0, sizeof *line);
    int16_t *out = q->nulls & NO_OUTPUT || !q->layout ? NULL : line;
    int32_t answer = sk_solve(layout_of(q), group_of(q), present_of(q), q->pairing, q->budget, w, out,
                              q->nulls & NO_NODES ? NULL : &nodes);
    must(answer >= SK_BAD_INPUT && answer <= SK_YES, "solve gives one of four answers");
    must((answer != SK_BAD_INPUT) == (is_sound(q) && q->budget >= 0), "solve refuses what is unsound, and only that");
    check_nodes(q, answer, nodes);
    if (answer == SK_YES && out)
        replay(q, q->present, out, tiles_in(q->present));
    free(line);
    return answer;
}

static int32_t ask_available(const question *q, sk_workspace *w, int16_t *all) {
    int32_t found = sk_available(layout_of(q), group_of(q), present_of(q), q->pairing, w, all, SK_PAIRS_MAX);
    must((found >= 0) == is_sound(q), "available pairs are refused for what is unsound, and only that");
    for (int32_t i = 1; i < found; i++)
        must(all[2 * i - 2] * SK_TILES_MAX + all[2 * i - 1] < all[2 * i] * SK_TILES_MAX + all[2 * i + 1],
             "available pairs are sorted");
    int32_t wanted = 0;
    for (int32_t a = 0; found >= 0 && a < q->n; a++)
        for (int32_t b = a + 1; b < q->n; b++)
            wanted += may_go(q, q->present, a, b) || may_go(q, q->present, b, a);
    must(found < 0 || found == wanted, "all available pairs are found");
    for (int32_t i = 0; i < found; i++)
        must(may_go(q, q->present, all[2 * i], all[2 * i + 1]) || may_go(q, q->present, all[2 * i + 1], all[2 * i]),
             "each available pair may go");
    size_t room = q->capacity > 0 ? (size_t)q->capacity : 0;
    int16_t *few = exactly(2 * room, sizeof *few);
    int32_t again = sk_available(layout_of(q), group_of(q), present_of(q), q->pairing, w,
                                 q->nulls & NO_OUTPUT ? NULL : few, q->capacity);
    must(again == SK_BAD_INPUT || again == found, "too little room is refused");
    must(again != found || found < 0 || found <= q->capacity, "no pair is written beyond the room");
    free(few);
    return found;
}

/* How many pairs are preserving, -1 when any is undecided, SK_BAD_INPUT when refused. */
static int32_t ask_judge_all(const question *q, sk_workspace *w, int32_t solvable, int32_t available) {
    int64_t nodes = 0;
    int32_t room = available > 0 ? available : 0;
    int16_t *pairs = exactly(2 * (size_t)room, sizeof *pairs);
    int8_t *verdicts = exactly((size_t)room, 1);
    int32_t count = sk_judge(layout_of(q), group_of(q), present_of(q), q->pairing, q->budget, w, 0, pairs, -1, room,
                             verdicts, q->nulls & NO_NODES ? NULL : &nodes);
    int32_t preserving = 0, undecided = 0;
    must((count >= 0) == (is_sound(q) && q->budget >= 0), "judge refuses what is unsound, and only that");
    check_nodes(q, count, nodes);
    must(count < 0 || count == available, "judge judges all available pairs");
    for (int32_t i = 0; i < count; i++) {
        must(verdicts[i] >= SK_UNDECIDED && verdicts[i] <= SK_YES, "a verdict is one of three");
        preserving += verdicts[i] == SK_YES;
        undecided += verdicts[i] == SK_UNDECIDED;
    }
    must(solvable != SK_NO || !preserving, "no pair preserves what is unsolvable");
    if (solvable == SK_YES && count >= 0 && !undecided && tiles_in(q->present))
        must(preserving > 0, "some pair preserves what is solvable");
    free(pairs);
    free(verdicts);
    return count < 0 ? SK_BAD_INPUT : undecided ? SK_UNDECIDED : preserving;
}

/* A subset of the available pairs, or pairs that are none, with little room and any limit. */
static void ask_judge_some(const question *q, sk_workspace *w, const int16_t *all, int32_t available) {
    size_t room = q->capacity > 0 ? (size_t)q->capacity : 0;
    int16_t *pairs = exactly(2 * room, sizeof *pairs);
    int8_t *verdicts = exactly(room, 1);
    for (size_t i = 0; i < room; i++) {
        int known = available > 0 && q->seed[i % SK_SEED_BYTES] % 8;
        const int16_t *from = all + (available > 0 ? (i * 7 + q->seed[0]) % (size_t)available * 2 : 0);
        pairs[2 * i] = known ? from[0] : (int16_t)(q->seed[1] * 256 + q->seed[2]);
        pairs[2 * i + 1] = known ? from[1] : (int16_t)(q->seed[3] * 256 + q->seed[4]);
    }
    int32_t count = sk_judge(layout_of(q), group_of(q), present_of(q), q->pairing, q->budget, w, q->enough,
                             q->nulls & NO_OUTPUT ? NULL : pairs, q->count, q->capacity,
                             q->nulls & NO_OUTPUT ? NULL : verdicts, NULL);
    must(count == SK_BAD_INPUT || (count >= 0 && count <= q->capacity), "judge stays in its room");
    for (int32_t i = 0; i < count; i++)
        must(verdicts[i] >= SK_UNDECIDED && verdicts[i] <= SK_YES, "a verdict is one of three");
    free(pairs);
    free(verdicts);
}

static void ask_crucial(const question *q, sk_workspace *w, int32_t preserving) {
    int64_t nodes = 0;
    int16_t *pair = exactly(2, sizeof *pair);
    int32_t answer = sk_crucial(layout_of(q), group_of(q), present_of(q), q->pairing, q->budget, w,
                                q->nulls & NO_OUTPUT ? NULL : pair, q->nulls & NO_NODES ? NULL : &nodes);
    must(answer >= SK_BAD_INPUT && answer <= SK_YES, "crucial gives one of four answers");
    check_nodes(q, answer, nodes);
    if (preserving >= 0 && (answer == SK_YES || answer == SK_NO))
        must((answer == SK_YES) == (preserving == 1), "a pair is crucial when it alone preserves");
    if (answer == SK_YES)
        must(may_go(q, q->present, pair[0], pair[1]) || may_go(q, q->present, pair[1], pair[0]),
             "the crucial pair may go");
    free(pair);
}

static void ask_deal(const question *q) {
    size_t size = q->layout ? (size_t)q->n : 0;
    int16_t *order = exactly(size, sizeof *order), *line = exactly(size, sizeof *line);
    const uint8_t *seed = q->nulls & NO_SEED ? NULL : q->seed;
    int16_t *out = q->nulls & NO_OUTPUT ? NULL : order;
    int32_t answer = sk_deal(layout_of(q), group_of(q), q->pairing, seed, q->fills, q->plays, out, line);
    must(answer == SK_YES || answer == SK_NO || answer == SK_BAD_INPUT, "deal gives one of three answers");
    if (answer == SK_YES) {
        question dealt = *q;
        uint64_t full[SK_WORDS] = {0};
        dealt.group = exactly(size, sizeof *dealt.group);
        for (int32_t t = 0; t < q->n; t++) {
            must(order[t] >= 0 && order[t] < q->n, "a deal names groups of the board");
            must(!is_there(full, order[t]), "a deal uses each group's number once");
            full[order[t] / 64] |= (uint64_t)1 << order[t] % 64;
            dealt.group[t] = q->group[order[t]];
        }
        replay(&dealt, full, line, q->n);
        free(dealt.group);
    }
    free(order);
    free(line);
    int32_t stuck = sk_stuck(layout_of(q), group_of(q), q->pairing, seed, q->plays);
    must(stuck == SK_BAD_INPUT || (stuck >= 0 && stuck <= q->plays), "no more plays get stuck than there are");
    uint32_t *words = exactly(q->count > 0 ? (size_t)q->count : 0, sizeof *words);
    must(sk_words(seed, q->count, q->nulls & NO_OUTPUT ? NULL : words) ==
             (seed && q->count >= 0 && !(q->nulls & NO_OUTPUT) ? SK_YES : SK_BAD_INPUT),
         "words are refused for what is unsound, and only that");
    free(words);
}

int32_t target(const uint8_t *data, size_t size) {
    static sk_workspace *kept;
    static int16_t all[2 * SK_PAIRS_MAX];
    if (!kept && !(kept = sk_workspace_new()))
        exit(3);
    question q = read_question(data, size);
    sk_workspace *w = q.nulls & NO_WORKSPACE ? NULL : kept;
    int32_t solvable = ask_solve(&q, w);
    int32_t available = ask_available(&q, w, all);
    int32_t preserving = ask_judge_all(&q, w, solvable, available);
    ask_judge_some(&q, w, all, available);
    ask_crucial(&q, w, preserving);
    ask_deal(&q);
    mcr_target(data, size);
    mcr_plan_target(data, size);
    if (w && q.seed[5] % 32 == 1) {
        sk_workspace *fresh = sk_workspace_new();
        must(fresh && ask_solve(&q, fresh) == solvable, "an answer does not depend on questions asked before");
        sk_workspace_free(fresh);
    }
    must(ask_solve(&q, w) == solvable, "the same question has the same answer");
    free(q.xyz);
    free(q.group);
    free(q.present);
    free(q.seed);
    sk_layout_free(q.layout);
    return solvable;
}
