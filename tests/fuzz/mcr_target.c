#include "mcr_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcr.h"

#define HEAD 9
#define PROFILES 64

static void must(int holds, const char *fact) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", fact);
        abort();
    }
}

/* The record in memory of exactly the size that the contract names, so that every step outside is seen. */
static uint8_t *copied(const uint8_t *data, size_t size, size_t wanted) {
    uint8_t *record = malloc(wanted);
    if (!record)
        exit(3);
    for (size_t i = 0; i < wanted; i++)
        record[i] = i < size ? data[i] : 0;
    return record;
}

void mcr_target(const uint8_t *data, size_t size) {
    int32_t melds = size >= HEAD ? data[HEAD - 1] : 0;
    int32_t profile = size > SK_MCR_STRIDE ? data[SK_MCR_STRIDE] % PROFILES : 0;
    int32_t tiles = melds <= 4 ? 13 - 2 * melds : 0;
    uint8_t *record = copied(data, size, HEAD + (size_t)tiles), *held = copied(record + HEAD - 1, (size_t)tiles + 1, (size_t)tiles + 1);
    uint8_t *batch = copied(data, size, SK_MCR_STRIDE);
    sk_mcr_answer answer;
    memset(&answer, 0xA5, sizeof answer);
    int16_t total;
    int32_t scored = sk_mcr_score(record, profile, &answer), least = sk_mcr_least(held);
    int64_t shanten = sk_mcr_shanten(held), completing = sk_mcr_completing(held);
    sk_mcr_score_batch(batch, 1, profile, &total);
    must(total == scored, "a batch says of a hand what is said of it alone");
    must((least == SK_MCR_NO_HAND) == (shanten == SK_MCR_NO_HAND), "a hand is refused by every question");
    must((completing == SK_MCR_NO_HAND) == (shanten == SK_MCR_NO_HAND), "and by the one about its waits");
    if (least != SK_MCR_NO_HAND)
        must((least == 0) == (completing != 0), "ready is what a tile completes");
    if (scored >= 0) {
        int32_t sum = 0;
        must(completing >> record[0] & 1, "a hand with a score is completed by its last tile");
        must(answer.total == scored && answer.fans > 0 && answer.fans <= SK_MCR_FANS_MAX, "an answer is whole");
        for (int32_t i = 0; i < answer.fans; i++) {
            must(answer.fan[i][0] >= 1 && answer.fan[i][0] <= 82 && answer.fan[i][1] > 0, "a fan is one of the table");
            sum += answer.fan[i][1];
        }
        must(sum <= scored, "every fan is worth a point");
    } else if (scored == SK_MCR_NOT_COMPLETE) {
        must(!(completing >> record[0] & 1), "a hand without a score is not complete");
    }
    free(record);
    free(held);
    free(batch);
}
