#include "ask.h"

#include <stddef.h>

static int has_faces(const sk_board *board, const uint64_t *present) {
    if (!board || !board->layout || !present || board->faced < 0)
        return 0;
    for (int32_t tile = board->faced; tile < board->layout->n; tile++)
        if (present[tile >> 6] >> (tile & 63) & 1)
            return 0;
    return 1;
}

static int64_t answer(int32_t verdict, int64_t nodes) {
    return nodes << SK_NODES_AT | (verdict - SK_BAD_INPUT);
}

int64_t sk_ask_solve(const sk_board *board, const uint64_t *present, int32_t pairing, int32_t budget,
                     sk_workspace *workspace, int16_t *certificate) {
    int64_t nodes = 0;
    if (!has_faces(board, present))
        return answer(SK_BAD_INPUT, 0);
    int32_t verdict =
        sk_solve(board->layout, board->group, present, pairing, budget, workspace, certificate, &nodes);
    return answer(verdict, nodes);
}

int64_t sk_ask_crucial(const sk_board *board, const uint64_t *present, int32_t pairing, int32_t budget,
                       sk_workspace *workspace) {
    int64_t nodes = 0;
    int16_t pair[2] = {0, 0};
    if (!has_faces(board, present))
        return answer(SK_BAD_INPUT, 0);
    int32_t verdict = sk_crucial(board->layout, board->group, present, pairing, budget, workspace, pair, &nodes);
    if (verdict != SK_YES)
        return answer(verdict, nodes);
    return answer(verdict, nodes) | (int64_t)pair[0] << SK_ANSWER_BITS |
           (int64_t)pair[1] << (SK_ANSWER_BITS + SK_TILE_BITS);
}
