#include "deal.h"

#include <stddef.h>
#include <string.h>

#define BLOCK_WORDS 8

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static const uint32_t START[BLOCK_WORDS] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* The same word of BLOCKS blocks that are worked on at once. */
#define BLOCKS 4
typedef uint32_t lanes __attribute__((vector_size(4 * BLOCKS)));

static inline lanes turned(lanes words, int by) {
    return words >> by | words << (32 - by);
}

/* SHA-256 of blocks of 16 words, already padded. */
static void sha256(const lanes block[16], lanes digest[BLOCK_WORDS]) {
    lanes w[16], state[BLOCK_WORDS];
    memcpy(w, block, sizeof w);
    for (int i = 0; i < BLOCK_WORDS; i++)
        state[i] = START[i] - (lanes){0};
    lanes a = state[0], b = state[1], c = state[2], d = state[3];
    lanes e = state[4], f = state[5], g = state[6], h = state[7];
#pragma GCC unroll 16
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            const lanes early = w[(i + 1) % 16], late = w[(i + 14) % 16];
            w[i % 16] += (turned(early, 7) ^ turned(early, 18) ^ early >> 3) + w[(i + 9) % 16] +
                         (turned(late, 17) ^ turned(late, 19) ^ late >> 10);
        }
        const lanes t1 = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (g ^ (e & (f ^ g))) + ROUND[i] + w[i % 16];
        const lanes t2 = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) | (c & (a | b)));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const lanes end[BLOCK_WORDS] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < BLOCK_WORDS; i++)
        digest[i] = state[i] + end[i];
}

typedef struct {
    lanes block[16];
    uint32_t words[BLOCKS * BLOCK_WORDS];
    uint64_t counter;
    int next;
} prng;

static void prng_start(prng *p, const uint8_t *seed) {
    memset(p, 0, sizeof *p);
    for (int i = 0; i < SK_SEED_BYTES; i++)
        p->block[i / 4] |= (uint32_t)seed[i] << (24 - 8 * (i % 4));
    /* The padding after 40 bytes: a one, zeros, and the length in bits. */
    p->block[10] += 0x80000000u;
    p->block[15] += 8 * (SK_SEED_BYTES + 8);
    p->next = BLOCKS * BLOCK_WORDS;
}

static void prng_refill(prng *p) {
    lanes digest[BLOCK_WORDS];
    for (int k = 0; k < BLOCKS; k++, p->counter++) {
        p->block[8][k] = (uint32_t)(p->counter >> 32);
        p->block[9][k] = (uint32_t)p->counter;
    }
    sha256(p->block, digest);
    for (int k = 0; k < BLOCKS; k++)
        for (int i = 0; i < BLOCK_WORDS; i++)
            p->words[k * BLOCK_WORDS + i] = digest[i][k];
    p->next = 0;
}

static inline uint32_t prng_word(prng *p) {
    if (p->next == BLOCKS * BLOCK_WORDS)
        prng_refill(p);
    return p->words[p->next++];
}

static inline uint32_t prng_below(prng *p, uint32_t n) {
    /* Words from 2^32 - 2^32 % n on are refused; none are where that is 2^32. None up to 2^32 - n are. */
    uint32_t word;
    do
        word = prng_word(p);
    while (word > UINT32_MAX - n && word > UINT32_MAX - (0u - n) % n);
    return word % n;
}

/* A board to play: match groups numbered by their lowest tiles, the tiles of group g at [member_at[g],
 * member_at[g + 1]), and the pairs of one group of which lifting the first might free the second. */
typedef struct {
    const sk_layout *layout;
    int32_t groups, lifts;
    uint16_t group[SK_TILES_MAX];
    uint16_t member_at[SK_TILES_MAX + 1];
    uint16_t members[SK_TILES_MAX];
    uint8_t place[SK_TILES_MAX]; /* of a tile in its group; only its lowest six bits */
    struct {
        uint16_t first, second, by;
    } lift[SK_TILES_MAX * SK_HINDERS_MAX];
} board;

/* The play so far: what hinders each tile, how many tiles of each group are left and free, which groups have come to be free
 * as a whole, and how many pairs of free tiles there are. Of groups of up to 64 tiles it is known which are free. */
typedef struct {
    uint16_t hindered[SK_TILES_MAX];
    uint16_t left[SK_TILES_MAX];
    uint16_t free[SK_TILES_MAX];
    uint64_t who[SK_TILES_MAX];
    uint16_t whole[SK_TILES_MAX]; /* in order, since they were taken last */
    int32_t present, wholes;
    uint32_t pairs;
} position;

static int board_read(board *b, const sk_layout *layout, const uint16_t *group, int32_t pairing) {
    uint16_t number[SK_TILES_MAX], at[SK_TILES_MAX];
    const int32_t n = layout->n;
    memset(number, 0xff, sizeof number);
    b->layout = layout, b->groups = b->lifts = 0;
    memset(b->member_at, 0, sizeof b->member_at);
    for (int32_t t = 0; t < n; t++) {
        if (group[t] >= SK_TILES_MAX)
            return 0;
        if (number[group[t]] == UINT16_MAX)
            number[group[t]] = (uint16_t)b->groups++;
        b->group[t] = number[group[t]];
        b->member_at[b->group[t] + 1]++;
    }
    for (int32_t g = 0; g < b->groups; g++) {
        at[g] = b->member_at[g];
        b->member_at[g + 1] = (uint16_t)(b->member_at[g + 1] + b->member_at[g]);
    }
    for (int32_t t = 0; t < n; t++) {
        b->place[t] = (at[b->group[t]] - b->member_at[b->group[t]]) & 63;
        b->members[at[b->group[t]]++] = (uint16_t)t;
        if (pairing != SK_LIFT)
            continue;
        for (int32_t i = layout->hinders_at[t]; i < layout->hinders_at[t + 1]; i++) {
            const sk_hindered *h = &layout->hinders_list[i];
            if (b->group[h->tile] == b->group[t]) {
                b->lift[b->lifts].first = (uint16_t)t;
                b->lift[b->lifts].second = h->tile;
                b->lift[b->lifts++].by = h->by;
            }
        }
    }
    return 1;
}

/* Lists the group among those free as a whole, if it is one; to be asked once, when it may have come to be one. */
static inline void note_whole(position *p, int32_t g) {
    if (!p->left[g] || p->free[g] != p->left[g] || p->left[g] % 2)
        return;
    int32_t i = p->wholes++;
    for (; i && p->whole[i - 1] > g; i--)
        p->whole[i] = p->whole[i - 1];
    p->whole[i] = (uint16_t)g;
}

static void start(const board *b, position *p) {
    const int32_t n = b->layout->n;
    memset(p, 0, sizeof *p);
    memcpy(p->hindered, b->layout->hindered_full, (size_t)n * sizeof *p->hindered);
    p->present = n;
    for (int32_t t = 0; t < n; t++)
        if (sk_is_free(p->hindered[t])) {
            p->free[b->group[t]]++;
            p->who[b->group[t]] |= (uint64_t)1 << b->place[t];
        }
    for (int32_t g = 0; g < b->groups; g++) {
        p->left[g] = (uint16_t)(b->member_at[g + 1] - b->member_at[g]);
        note_whole(p, g);
        p->pairs += (uint32_t)p->free[g] * (p->free[g] - 1u) / 2;
    }
}

static void copy(const board *b, position *to, const position *from) {
    memcpy(to->hindered, from->hindered, (size_t)b->layout->n * sizeof *to->hindered);
    memcpy(to->left, from->left, (size_t)b->groups * sizeof *to->left);
    memcpy(to->free, from->free, (size_t)b->groups * sizeof *to->free);
    memcpy(to->who, from->who, (size_t)b->groups * sizeof *to->who);
    memcpy(to->whole, from->whole, (size_t)from->wholes * sizeof *to->whole);
    to->present = from->present, to->wholes = from->wholes, to->pairs = from->pairs;
}

/* Takes a tile that is free off the board. */
static inline void take(const board *b, position *p, int32_t tile) {
    const int32_t own = b->group[tile];
    p->hindered[tile] |= SK_GONE;
    p->who[own] &= ~((uint64_t)1 << b->place[tile]);
    p->present--, p->left[own]--;
    p->pairs -= --p->free[own];
}

/* What hinders less now that the tile is gone: whatever becomes free. */
static inline void uncover(const board *b, position *p, int32_t tile) {
    const sk_hindered *h = b->layout->hinders_list + b->layout->hinders_at[tile];
    const sk_hindered *const end = b->layout->hinders_list + b->layout->hinders_at[tile + 1];
    for (; h < end; h++) {
        const uint32_t before = p->hindered[h->tile], after = before - h->by;
        p->hindered[h->tile] = (uint16_t)after;
        if (sk_is_free(after) && !sk_is_free(before)) {
            const int32_t g = b->group[h->tile];
            p->who[g] |= (uint64_t)1 << b->place[h->tile];
            p->pairs += p->free[g]++;
            note_whole(p, g);
        }
    }
}

/* Writes the free tiles of a group; how many. */
static inline int32_t free_members(const board *b, const position *p, int32_t g, int16_t *found) {
    const uint16_t *members = b->members + b->member_at[g];
    const int32_t size = b->member_at[g + 1] - b->member_at[g];
    int32_t count = 0;
    if (size <= 64) {
        for (uint64_t rest = p->who[g]; rest; rest &= rest - 1)
            found[count++] = (int16_t)members[__builtin_ctzll(rest)];
        return count;
    }
    for (int32_t i = 0; i < size; i++)
        if (sk_is_free(p->hindered[members[i]]))
            found[count++] = (int16_t)members[i];
    return count;
}

/* Takes all groups that are free as a whole; writes their tiles, and returns how many. */
static int32_t take_wholes(const board *b, position *p, int16_t *line) {
    int32_t count = 0;
    for (int32_t i = 0; i < p->wholes; i++)
        count += free_members(b, p, p->whole[i], line + count);
    p->wholes = 0;
    for (int32_t i = 0; i < count; i++)
        take(b, p, line[i]);
    for (int32_t i = 0; i < count; i++)
        uncover(b, p, line[i]);
    return count;
}

/* Takes a pair. Its second tile may be one that lifting the first frees: it then never counts as free. */
static void take_pair(const board *b, position *p, const int16_t *pair) {
    take(b, p, pair[0]);
    if (sk_is_free(p->hindered[pair[1]])) {
        take(b, p, pair[1]);
    } else {
        p->hindered[pair[1]] |= SK_GONE;
        p->present--, p->left[b->group[pair[1]]]--;
        note_whole(p, b->group[pair[1]]);
    }
    uncover(b, p, pair[0]);
    uncover(b, p, pair[1]);
}

/* Writes pair number `rank` of the pairs of free tiles: group by group, then by the lower and the higher tile. */
static void free_pair(const board *b, const position *p, uint32_t rank, int16_t *line) {
    int16_t found[SK_TILES_MAX];
    int32_t g = 0;
    for (uint32_t here; rank >= (here = (uint32_t)p->free[g] * (p->free[g] - 1u) / 2); g++)
        rank -= here;
    uint32_t lower = 0, partners = (uint32_t)free_members(b, p, g, found) - 1u;
    while (rank >= partners)
        rank -= partners--, lower++;
    line[0] = found[lower];
    line[1] = found[lower + 1 + rank];
}

/* One careful random play from `begin`; its pairs are written to `line`. Whether it cleared the board. */
static int careful_play(const board *b, const position *begin, prng *chance, int16_t *line) {
    position p;
    uint16_t open[SK_TILES_MAX * SK_HINDERS_MAX];
    copy(b, &p, begin);
    while (p.present) {
        if (p.wholes) {
            line += take_wholes(b, &p, line);
            continue;
        }
        uint32_t lifts = 0;
        for (int32_t i = 0; i < b->lifts; i++) {
            const uint32_t second = p.hindered[b->lift[i].second];
            if (sk_is_free(p.hindered[b->lift[i].first]) && second < SK_GONE && !sk_is_free(second) &&
                sk_is_free(second - b->lift[i].by))
                open[lifts++] = (uint16_t)i;
        }
        if (!(p.pairs + lifts))
            return 0;
        const uint32_t rank = prng_below(chance, p.pairs + lifts);
        if (rank < p.pairs) {
            free_pair(b, &p, rank, line);
        } else {
            line[0] = (int16_t)b->lift[open[rank - p.pairs]].first;
            line[1] = (int16_t)b->lift[open[rank - p.pairs]].second;
        }
        take_pair(b, &p, line);
        line += 2;
    }
    return 1;
}

static int is_asked_well(const sk_layout *layout, const uint16_t *group, int32_t pairing, const uint8_t *seed) {
    return layout && group && seed && (pairing == SK_BOTH_FREE || pairing == SK_LIFT);
}

int32_t sk_deal(const sk_layout *layout, const uint16_t *group, int32_t pairing, const uint8_t *seed, int32_t fills,
                int32_t plays, int16_t *order, int16_t *certificate) {
    if (!is_asked_well(layout, group, pairing, seed) || fills < 0 || plays < 0 || !order || !certificate)
        return SK_BAD_INPUT;
    prng chance;
    prng_start(&chance, seed);
    for (int32_t fill = 0; fill < fills; fill++) {
        board b;
        position begin;
        uint16_t filled[SK_TILES_MAX];
        for (int32_t t = 0; t < layout->n; t++)
            order[t] = (int16_t)t;
        for (int32_t t = layout->n - 1; t > 0; t--) {
            const uint32_t other = prng_below(&chance, (uint32_t)t + 1);
            const int16_t kept = order[t];
            order[t] = order[other], order[other] = kept;
        }
        for (int32_t t = 0; t < layout->n; t++)
            filled[t] = group[order[t]];
        if (!board_read(&b, layout, filled, pairing))
            return SK_BAD_INPUT;
        start(&b, &begin);
        for (int32_t play = 0; play < plays; play++)
            if (careful_play(&b, &begin, &chance, certificate))
                return SK_YES;
    }
    return SK_NO;
}

int32_t sk_stuck(const sk_layout *layout, const uint16_t *group, int32_t pairing, const uint8_t *seed, int32_t plays) {
    if (!is_asked_well(layout, group, pairing, seed) || plays < 0)
        return SK_BAD_INPUT;
    board b;
    position begin;
    prng chance;
    int16_t line[SK_TILES_MAX];
    if (!board_read(&b, layout, group, pairing))
        return SK_BAD_INPUT;
    prng_start(&chance, seed);
    start(&b, &begin);
    int32_t stuck = 0;
    for (int32_t play = 0; play < plays; play++)
        stuck += !careful_play(&b, &begin, &chance, line);
    return stuck;
}

int32_t sk_words(const uint8_t *seed, int32_t count, uint32_t *words) {
    if (!seed || count < 0 || !words)
        return SK_BAD_INPUT;
    prng chance;
    prng_start(&chance, seed);
    for (int32_t i = 0; i < count; i++)
        words[i] = prng_word(&chance);
    return SK_YES;
}
