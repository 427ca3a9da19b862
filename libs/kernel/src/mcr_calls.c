#include "mcr_calls.h"

#include <stdint.h>

#include "mcr.h"

#define CIRCUMSTANCES 8
#define FLOWERS_AT 7
#define MELDS_MAX 4
#define BYTE_MAX 255
#define BAD (-1)
#define FAN_NUMBERS 83
#define TIMES_KNOWN 5

static sk_mcr_calls with;

/* A whole number from 0 to 255, or BAD. */
static int byte_of(sk_object *one) {
    if (one->type != with.python.integer && one->type != with.python.boolean) return BAD;
    int overflow = 0;
    long number = with.python.number(one, &overflow);
    return overflow || number < 0 || number > BYTE_MAX ? BAD : (int)number;
}

typedef struct {
    sk_object *from;
    ptrdiff_t size; /* BAD for what is neither a list nor a tuple */
    sk_object *(*item)(sk_object *, ptrdiff_t);
} row;

static row row_of(sk_object *from) {
    if (from->type == with.python.list) return (row){from, with.python.list_size(from), with.python.list_item};
    if (with.python.flags(from->type) & SK_TUPLE_SUBCLASS)
        return (row){from, with.python.tuple_size(from), with.python.tuple_item};
    return (row){from, BAD, NULL};
}

static bool bytes_of(row from, uint8_t *to) {
    for (ptrdiff_t i = 0; i < from.size; i++) {
        int number = byte_of(from.item(from.from, i));
        if (number == BAD) return false;
        to[i] = (uint8_t)number;
    }
    return true;
}

/* The code of a set: kind, tile, melded, concealed. Only a kong is melded and concealed. */
static int code_of_set(row set) {
    if (set.size != 4) return BAD;
    sk_object *kind = set.item(set.from, 0);
    int tile = byte_of(set.item(set.from, 1)), melded = byte_of(set.item(set.from, 2));
    int concealed = byte_of(set.item(set.from, 3));
    if (tile == BAD || tile >= SK_MCR_KINDS || melded == BAD || concealed == BAD) return BAD;
    if (kind == with.kong) return (concealed ? SK_MCR_CONCEALED_KONG : SK_MCR_KONG) << 6 | tile;
    if (melded && concealed) return BAD;
    return kind == with.chow ? tile : kind == with.pung ? SK_MCR_PUNG << 6 | tile : BAD;
}

static int code_of(sk_object *meld) {
    int code = byte_of(meld);
    return code == BAD ? code_of_set(row_of(meld)) : code;
}

/* The record of a hand that waits, in SK_MCR_STRIDE - CIRCUMSTANCES bytes at most. */
static bool read_waiting(sk_object *const *arguments, uint8_t *record) {
    row concealed = row_of(arguments[0]), melds = row_of(arguments[1]);
    if (melds.size < 0 || melds.size > MELDS_MAX || concealed.size != 13 - 3 * melds.size) return false;
    *record++ = (uint8_t)melds.size;
    if (!bytes_of(concealed, record)) return false;
    record += concealed.size;
    for (ptrdiff_t i = 0; i < melds.size; i++) {
        int code = code_of(melds.item(melds.from, i));
        if (code == BAD) return false;
        *record++ = (uint8_t)code;
    }
    return true;
}

static sk_object *kept(sk_object *one) {
    with.python.keep(one);
    return one;
}

/* A new tuple, which takes over the references; NULL where one is NULL. */
static sk_object *tuple_of(sk_object *const *parts, ptrdiff_t size) {
    sk_object *made = with.python.new_tuple(size);
    bool whole = made;
    for (ptrdiff_t i = 0; i < size; i++) {
        whole &= parts[i] != NULL;
        if (made) with.python.put(made, i, parts[i]);
        else with.python.release(parts[i]);
    }
    if (whole) return made;
    with.python.release(made);
    return NULL;
}

/* A fan's number with how often it counts: the same tuple each time, as with small numbers. */
static sk_object *counted(const uint8_t *fan) {
    static sk_object *known[FAN_NUMBERS][TIMES_KNOWN];
    sk_object **place = fan[1] < TIMES_KNOWN ? &known[fan[0]][fan[1]] : NULL;
    if (place && *place) return kept(*place);
    sk_object *parts[2] = {with.python.from_number(fan[0]), with.python.from_number(fan[1])};
    sk_object *made = tuple_of(parts, 2);
    if (place && made) *place = kept(made);
    return made;
}

static sk_object *all_counted(const sk_mcr_answer *answer) {
    sk_object *parts[SK_MCR_FANS_MAX];
    for (int i = 0; i < answer->fans; i++) parts[i] = counted(answer->fan[i]);
    return tuple_of(parts, answer->fans);
}

static sk_object *score(sk_object *self, sk_object *const *arguments, ptrdiff_t count) {
    (void)self;
    uint8_t record[SK_MCR_STRIDE];
    if (count != 4) return kept(with.python.unread);
    row win = row_of(arguments[2]);
    int profile = byte_of(arguments[3]);
    if (win.size != CIRCUMSTANCES || profile == BAD || !bytes_of(win, record) ||
        !read_waiting(arguments, record + CIRCUMSTANCES))
        return kept(with.python.unread);
    sk_mcr_answer answer;
    int32_t total = sk_mcr_score(record, profile, &answer);
    if (total < 0) return kept(total == SK_MCR_NOT_COMPLETE ? with.python.none : with.python.unread);
    const char *reading = (const char *)&answer.reading;
    sk_object *parts[4] = {with.python.from_number(total), with.python.from_number(record[FLOWERS_AT]),
                           all_counted(&answer), with.python.from_bytes(reading, sizeof answer.reading)};
    sk_object *plain = tuple_of(parts, 4), *only = plain ? tuple_of(&plain, 1) : NULL;
    if (!only) return NULL;
    sk_object *made = with.python.make(with.scored, only, NULL);
    with.python.release(only);
    return made;
}

/* What is asked of a hand that waits. */
static sk_object *waiting(sk_object *const *arguments, ptrdiff_t count, int64_t (*ask)(const uint8_t *)) {
    uint8_t record[SK_MCR_STRIDE - CIRCUMSTANCES];
    if (count != 2 || !read_waiting(arguments, record)) return kept(with.python.unread);
    int64_t told = ask(record);
    return told == SK_MCR_NO_HAND ? kept(with.python.unread) : with.python.from_number(told);
}

static int64_t least_of(const uint8_t *record) {
    return sk_mcr_least(record);
}

static sk_object *least(sk_object *self, sk_object *const *arguments, ptrdiff_t count) {
    (void)self;
    return waiting(arguments, count, least_of);
}

static sk_object *shanten(sk_object *self, sk_object *const *arguments, ptrdiff_t count) {
    (void)self;
    return waiting(arguments, count, sk_mcr_shanten);
}

static sk_object *completing(sk_object *self, sk_object *const *arguments, ptrdiff_t count) {
    (void)self;
    return waiting(arguments, count, sk_mcr_completing);
}

const sk_method *sk_mcr_methods(const sk_mcr_calls *table) {
    static const sk_method METHODS[] = {
        {"score", score, SK_FASTCALL, NULL},
        {"least", least, SK_FASTCALL, NULL},
        {"shanten", shanten, SK_FASTCALL, NULL},
        {"completing", completing, SK_FASTCALL, NULL},
    };
    with = *table;
    return METHODS;
}
