#include "mcr_plan_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcr_plan.h"

#define AT 25
#define ANSWERS (SK_MCR_KINDS + 2)
#define FAR 9

static void must(int holds, const char *fact) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", fact);
        abort();
    }
}

static void *exactly(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory)
        exit(3);
    memset(memory, 0xA5, bytes);
    return memory;
}

void mcr_plan_target(const uint8_t *data, size_t size) {
    if (size < AT + SK_MCR_PLAN_BYTES + 6)
        return;
    uint8_t *record = exactly(SK_MCR_PLAN_BYTES);
    uint16_t *rates = exactly(3 * SK_MCR_KINDS * sizeof *rates);
    int64_t *worth = exactly(ANSWERS * sizeof *worth), *again = exactly(ANSWERS * sizeof *again);
    memcpy(record, data + AT, SK_MCR_PLAN_BYTES);
    const uint8_t *rate = data + AT + SK_MCR_PLAN_BYTES;
    for (int32_t i = 0; i < 3 * SK_MCR_KINDS; i++) {
        int32_t by = i / SK_MCR_KINDS;
        rates[i] = (uint16_t)(rate[2 * by] | rate[2 * by + 1] << 8);
    }
    int32_t limit = sk_mcr_plan(record, rates, worth);
    if (limit != SK_MCR_NO_HAND) {
        int64_t total = worth[SK_MCR_KINDS], nearest = worth[SK_MCR_KINDS + 1];
        must(limit >= 1 && limit < FAR && nearest >= 1 && nearest <= FAR, "distances are those of hands");
        must((total > 0) == (nearest <= limit), "what is worth something is within reach");
        for (int32_t tile = 0; tile < SK_MCR_KINDS; tile++)
            must(worth[tile] >= -1 && worth[tile] <= total, "no tile is worth more than the hand");
        must(sk_mcr_plan(record, rates, again) == limit, "the same question has the same answer");
        must(!memcmp(worth, again, ANSWERS * sizeof *worth), "to the last unit");
    }
    free(record);
    free(rates);
    free(worth);
    free(again);
}
