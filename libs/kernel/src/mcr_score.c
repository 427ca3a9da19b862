/* The best score of a hand: every reading is gone through, the fans of each are found and counted from the highest
 * down, each unless one already counted excludes it. Definition: libs/rules/mcr/score.py; numbers are the rule book's. */
#include "mcr_joined.h"

/* ---- One reading ---- */

static void terminal_chows(fans *some, const int *chows, int pair) {
    int low = 0, high = 0, lows = 0;
    for (int i = 0; i < 4; i++) {
        if (RANK(chows[i]) == 0) {
            low += 1 << 4 * (TILE(chows[i]) / 9);
            lows++;
        } else if (RANK(chows[i]) == 6) {
            high += 1 << 4 * (TILE(chows[i]) / 9);
        } else {
            return;
        }
    }
    if (lows != 2 || low != high || pair >= SK_MCR_FIRST_HONOR || pair % 9 != 4) return;
    bool one_suit = low == 2 || low == 0x20 || low == 0x200;
    bool in_suit = low >> 4 * (pair / 9) & 15;
    if (one_suit && in_suit) put(some, 13);
    if (!one_suit && !in_suit) put(some, 29);
}

static inline bool has_tiles(int code, uint64_t tiles) {
    uint64_t own = KIND(code) == SK_MCR_CHOW ? 7ULL << TILE(code) : 1ULL << TILE(code);
    return own & tiles;
}

static void pungs_of_honors(const search *at, fans *some, uint64_t pungs) {
    uint64_t pair = at->pair == NO_PAIR ? 0 : 1ULL << at->pair;
    uint64_t own = 1ULL << at->hand->seat | 1ULL << at->hand->prevalent;
    int winds = COUNT(pungs & WINDS), dragons = COUNT(pungs & DRAGONS);
    if (winds == 4) put(some, 1);
    if (winds == 3) put(some, 38);
    if (winds == 3 && pair & WINDS) put(some, 9);
    if (dragons == 3) put(some, 2);
    if (dragons == 2) put(some, 54);
    if (dragons == 2 && pair & DRAGONS) put(some, 10);
    put_times(some, 59, dragons);
    if (pungs >> at->hand->prevalent & 1) put(some, 60);
    if (pungs >> at->hand->seat & 1) put(some, 61);
    int terminals = COUNT(pungs & TERMINALS);
    int others = winds < 3 ? COUNT(pungs & WINDS & ~own) : 0;
    put_times(some, 73, terminals - (at->nine_gates && terminals) + others);
}

/* The wait that a set was: 77, 78, or 0 for one that leaves another tile to wait for, which goes to the other end of
 * the chow, or makes a pung of the pair. */
static int wait_of(int code, int last) {
    if (KIND(code) != SK_MCR_CHOW) return 0;
    int step = last - TILE(code);
    if (step == 1) return 78;
    return (step == 2 && RANK(code) == 0) || (step == 0 && RANK(code) == 6) ? 77 : 0;
}

static void judge_place(search *at, fans some, int concealed, int wait, int place) {
    static const uint8_t CONCEALED[5] = {0, 0, 66, 33, 12};
    if (CONCEALED[concealed]) put(&some, CONCEALED[concealed]);
    if (wait) put(&some, wait);
    at->place = place;
    judge(at, some);
}

/* Of the places that the last tile may have gone to: which leaves most concealed pungs, and which is a wait. */
static void judge_places(search *at, const fans *some) {
    const sk_mcr_hand *hand = at->hand;
    int concealed = at->concealed_kongs, last = hand->last;
    uint64_t bit = 1ULL << last;
    for (int i = hand->melds; i < at->taken; i++) {
        int code = at->sets[i];
        concealed += KIND(code) != SK_MCR_CHOW;
        if (at->waits < 0 && at->profile & SK_MCR_EXHAUSTED_WAIT && has_tiles(code, bit) && !wait_of(code, last))
            at->waits = 2; /* at least, which is all that matters */
    }
    int most = -1, quiet = 0, before = -1; /* concealed pungs, of places that are no waits: which leaves most */
    for (int place = hand->melds; place < at->taken; place++) {
        int code = at->sets[place], wait = wait_of(code, last);
        if (code == before || !has_tiles(code, bit)) continue;
        before = code;
        int own = concealed - (KIND(code) != SK_MCR_CHOW && !hand->self_drawn);
        if (wait && waited_for_one(at)) judge_place(at, *some, own, wait, place);
        else if (own > most) {
            most = own;
            quiet = place;
        }
    }
    if (at->pair == last && waited_for_one(at)) {
        judge_place(at, *some, concealed, 79, SK_MCR_PAIR_COMPLETED);
    } else if (at->pair == last && concealed > most) {
        most = concealed;
        quiet = SK_MCR_PAIR_COMPLETED;
    }
    if (at->straight & bit && concealed > most) {
        most = concealed;
        quiet = SK_MCR_ELSE_COMPLETED;
    }
    if (most >= 0) judge_place(at, *some, most, 0, quiet);
}

static void judge_sets(search *at) {
    fans some = at->tiles;
    int chows[4], pungs[4], all_pungs = 0, chow_count = 0, suit_pungs = 0;
    uint64_t pung_tiles = 0;
    for (int i = 0; i < at->taken; i++) {
        int code = at->sets[i];
        if (KIND(code) == SK_MCR_CHOW) {
            chows[chow_count++] = code;
        } else {
            all_pungs++;
            pung_tiles |= 1ULL << TILE(code);
            if (TILE(code) < SK_MCR_FIRST_HONOR) pungs[suit_pungs++] = code;
        }
    }
    if (at->straight) put(&some, 35);
    if (all_pungs == 0 && at->pair < SK_MCR_FIRST_HONOR) put(&some, 63);
    if (all_pungs == 4) {
        put(&some, 49);
        if (!(at->hand->kinds & ~EVENS)) put(&some, 21);
    }
    if (all_pungs) pungs_of_honors(at, &some, pung_tiles);
    if (!at->straight) {
        bool fives = at->pair < SK_MCR_FIRST_HONOR && at->pair % 9 == 4, outside = 1ULL << at->pair & ORPHANS;
        for (int i = 0; i < 4; i++) {
            fives &= has_tiles(at->sets[i], EACH_SUIT(0x10));
            outside &= has_tiles(at->sets[i], ORPHANS);
        }
        if (fives) put(&some, 31);
        if (outside) put(&some, 55);
        if (chow_count == 4) terminal_chows(&some, chows, at->pair);
    }
    join(&some, chows, chow_count, two_chows, three_chows);
    join(&some, pungs, suit_pungs, two_pungs, three_pungs);
    judge_places(at, &some);
}

static void lay_out(search *at, int suit, uint64_t left);

/* Lay out all tiles of the suit's lowest rank: in a pung or none, in the pair or not, and the others in chows. */
static inline void lay_out_lowest(search *at, int suit, uint64_t left, int rank, int chows, bool pung, bool pair) {
    uint64_t over = left & ~(0xFULL << 4 * rank), used = (uint64_t)chows * 0x110 << 4 * rank;
    uint64_t rest = (over | SK_MCR_GUARDS) - used;
    int tile = 9 * suit + rank, taken = at->taken;
    if (~rest & SK_MCR_GUARDS || taken + chows + pung > 4) return;
    if (pair && (at->pair != NO_PAIR || !(at->pairs >> tile & 1))) return;
    if (pung) at->sets[at->taken++] = (uint8_t)(SK_MCR_PUNG << 6 | tile);
    for (int i = 0; i < chows; i++) at->sets[at->taken++] = (uint8_t)tile;
    if (pair) at->pair = tile;
    lay_out(at, suit, rest & ~SK_MCR_GUARDS);
    if (pair) at->pair = NO_PAIR;
    at->taken = taken;
}

/* Every way to lay out what is left of a suit, and the suits after it, as sets and the pair. */
static void lay_out(search *at, int suit, uint64_t left) {
    while (!left) {
        if (++suit == 3) {
            judge_sets(at);
            return;
        }
        left = at->suit[suit];
    }
    int rank = __builtin_ctzll(left) / 4, held = (int)(left >> 4 * rank & 0xF);
    lay_out_lowest(at, suit, left, rank, held, false, false);
    if (held >= 2) lay_out_lowest(at, suit, left, rank, held - 2, false, true);
    if (held >= 3) lay_out_lowest(at, suit, left, rank, held - 3, true, false);
}

/* Pungs of honours, and the tiles that may be the pair: those of the only suit with two tiles over, whose ranks tell
 * it but for thirds, or the only honour that is there twice. False where a third is over. */
static bool lay_out_honors(search *at) {
    const sk_mcr_hand *hand = at->hand;
    int over = 0;
    for (uint64_t left = hand->held_kinds & HONORS; left; left &= left - 1) {
        int tile = __builtin_ctzll(left), held = hand->held[tile];
        if (held % 3 == 1 || (held == 3 && at->taken == 4)) return false;
        if (held == 3) {
            at->sets[at->taken++] = (uint8_t)(SK_MCR_PUNG << 6 | tile);
        } else {
            at->pair = tile;
            over++;
        }
    }
    at->pairs = 0;
    for (int suit = 0; suit < 3; suit++) {
        int tiles = (int)(at->suit[suit] % 15 % 3);
        if (tiles == 1) return false;
        if (tiles == 0) continue;
        over++;
        at->pairs = EACH_THIRD << (9 * suit + sk_mcr_third_of_pair(at->suit[suit]));
    }
    return over == 1;
}

static void read_sets(search *at, int shape, uint64_t straight, int straight_index) {
    memcpy(at->suit, at->hand->suit, sizeof at->suit);
    for (uint64_t left = straight; left; left &= left - 1) {
        int tile = __builtin_ctzll(left);
        at->suit[tile / 9] -= 1ULL << 4 * (tile % 9);
    }
    memcpy(at->sets, at->hand->meld, sizeof at->sets);
    at->taken = at->hand->melds;
    at->pair = NO_PAIR;
    if (!lay_out_honors(at)) return;
    at->shape = shape;
    at->straight = straight;
    at->straight_index = straight_index;
    lay_out(at, 0, at->suit[0]);
    at->straight = 0;
}

static void read_pairs(search *at) {
    const sk_mcr_hand *hand = at->hand;
    if (hand->odd) return;
    fans some = at->tiles;
    put(&some, 19);
    uint64_t in_row = hand->kinds >> __builtin_ctzll(hand->kinds);
    int first = __builtin_ctzll(hand->kinds);
    if (in_row == 0x7F && first < SK_MCR_FIRST_HONOR && first % 9 <= 2) put(&some, 6);
    at->shape = SK_MCR_SEVEN_PAIRS;
    judge(at, some);
}

static void read_singles(search *at) {
    uint64_t kinds = at->hand->kinds;
    int different = COUNT(kinds);
    if (kinds == ORPHANS) {
        fans some = at->tiles;
        put(&some, 7);
        at->shape = SK_MCR_THIRTEEN_ORPHANS;
        judge(at, some);
    }
    if (different != 14) return;
    for (int i = 0; i < 6; i++) {
        if (kinds & ~(HONORS | sk_mcr_straights[i])) continue;
        fans some = at->tiles;
        put(&some, 34);
        if ((kinds & HONORS) == HONORS) put(&some, 20);
        bool whole = (kinds & sk_mcr_straights[i]) == sk_mcr_straights[i];
        if (whole && at->profile & SK_MCR_STRAIGHT_AMONG_HONORS) put(&some, 35);
        at->shape = SK_MCR_HONORS_AND_KNITTED;
        at->straight_index = whole ? i : SK_MCR_NONE;
        judge(at, some);
    }
}

/* ---- What does not depend on the reading ---- */

static void find_ranks_and_suits(fans *some, uint64_t kinds) {
    static const struct {
        uint64_t tiles;
        int number;
    } ALONE[] = {
        {GREEN, 3},
        {TERMINALS, 8},
        {HONORS, 11},
        {ORPHANS, 18},
        {EACH_SUIT(0x1C0), 25},
        {EACH_SUIT(0x038), 26},
        {EACH_SUIT(0x007), 27},
        {EACH_SUIT(0x1E0), 36},
        {EACH_SUIT(0x00F), 37},
        {REVERSIBLE, 40},
        {EACH_SUIT(0x0FE), 68},
        {SUIT_TILES, 76},
    };
    for (unsigned i = 0; i < sizeof ALONE / sizeof *ALONE; i++)
        if (!(kinds & ~ALONE[i].tiles)) put(some, ALONE[i].number);
    int suits = 0;
    for (int suit = 0; suit < 3; suit++) suits += (kinds & SUIT(suit)) != 0;
    if (suits == 1) put(some, kinds & HONORS ? 50 : 22);
    if (suits == 2) put(some, 75);
    if (suits == 3 && kinds & WINDS && kinds & DRAGONS) put(some, 52);
}

static bool stands_on_nine_gates(const sk_mcr_hand *hand) {
    static const uint8_t GATES[9] = {3, 1, 1, 1, 1, 1, 1, 1, 3};
    if (hand->melds || hand->last >= SK_MCR_FIRST_HONOR) return false;
    int first = hand->last / 9 * 9;
    for (int rank = 0; rank < 9; rank++)
        if (hand->held[first + rank] - (first + rank == hand->last) != GATES[rank]) return false;
    return true;
}

static void find_hogs_and_kongs(search *at) {
    const sk_mcr_hand *hand = at->hand;
    int concealed = 0, melded = 0, exposed = 0, hogs = COUNT(hand->fours);
    for (int i = 0; i < hand->melds; i++) {
        concealed += KIND(hand->meld[i]) == SK_MCR_CONCEALED_KONG;
        melded += KIND(hand->meld[i]) == SK_MCR_KONG;
        exposed += KIND(hand->meld[i]) != SK_MCR_CONCEALED_KONG;
    }
    fans *some = &at->tiles;
    put_times(some, 64, hogs - concealed - melded);
    if (concealed + melded == 4) put(some, 5);
    if (concealed + melded == 3) put(some, 17);
    if (concealed == 2) put(some, 48);
    if (melded == 2) put(some, 57);
    if (concealed == 1 && melded == 1) put(some, 82);
    put_times(some, 67, concealed);
    put_times(some, 74, melded);
    if (exposed == 4 && !hand->self_drawn) put(some, 53);
    if (exposed == 0) put(some, hand->self_drawn ? 56 : 62);
    at->concealed_kongs = concealed;
}

static void find_circumstances(fans *some, const sk_mcr_hand *hand) {
    if (hand->self_drawn) put(some, 80);
    if (hand->last_tile) put(some, hand->self_drawn ? 44 : 45);
    if (hand->kong_related) put(some, hand->self_drawn ? 46 : 47);
    int shown = 0;
    for (int i = 0; i < hand->melds; i++) {
        int code = hand->meld[i];
        if (KIND(code) == SK_MCR_PUNG && TILE(code) == hand->last) shown += 3;
        if (KIND(code) == SK_MCR_CHOW) shown += has_tiles(code, 1ULL << hand->last);
    }
    if (hand->last_of_kind || shown == 3) put(some, 58);
}

static int32_t score(const uint8_t *record, int32_t profile, search *at) {
    sk_mcr_hand hand;
    if (!sk_mcr_read(record, &hand)) return SK_MCR_NO_HAND;
    at->hand = &hand;
    at->profile = profile;
    memset(&at->tiles, 0, sizeof at->tiles);
    at->straight = 0;
    at->waits = at->best = -1;
    find_ranks_and_suits(&at->tiles, hand.kinds);
    find_hogs_and_kongs(at);
    find_circumstances(&at->tiles, &hand);
    at->nine_gates = stands_on_nine_gates(&hand);
    if (at->nine_gates) put(&at->tiles, 4);
    read_sets(at, SK_MCR_REGULAR, 0, SK_MCR_NONE);
    at->pair = NO_PAIR;
    at->taken = 0;
    memset(at->sets, 0, sizeof at->sets);
    at->place = SK_MCR_ELSE_COMPLETED;
    at->straight_index = SK_MCR_NONE;
    if (hand.melds == 0) {
        read_pairs(at);
        read_singles(at);
    }
    if (hand.melds <= 1)
        for (int i = 0; i < 6; i++)
            if (!(sk_mcr_straights[i] & ~hand.held_kinds)) read_sets(at, SK_MCR_KNITTED_STRAIGHT, sk_mcr_straights[i], i);
    return at->best < 0 ? SK_MCR_NOT_COMPLETE : at->best;
}

int32_t sk_mcr_score(const uint8_t *record, int32_t profile, sk_mcr_answer *answer) {
    search at;
    int32_t total = score(record, profile, &at);
    if (total < 0) return total;
    answer->total = (int16_t)total;
    answer->reading = at.best_reading;
    answer->fans = (uint8_t)listed(&at.best_fans, answer->fan);
    for (int i = 0; i < answer->fans; i++) answer->fan[i][0] = (uint8_t)NUMBER(answer->fan[i][0]);
    return total;
}

void sk_mcr_score_batch(const uint8_t *records, int32_t count, int32_t profile, int16_t *totals) {
    search at;
    for (int32_t i = 0; i < count; i++, records += SK_MCR_STRIDE)
        totals[i] = (int16_t)score(records, profile, &at);
}
