/* The questions asked most, with few arguments and one number as the answer: from Python every argument costs as much
 * as a small position does. What holds for sk_solve and sk_crucial holds here too. */
#ifndef SPARROW_KERNEL_ASK_H
#define SPARROW_KERNEL_ASK_H

#include <stdint.h>

#include "solver.h"

/* A filled layout; `faced` is how many of its tiles, the first ones, have a match group that means something. */
typedef struct {
    const sk_layout *layout;
    const uint16_t *group;
    int32_t faced;
} sk_board;

/* An answer is its verdict + 2 in the lowest two bits (so SK_BAD_INPUT is 0) and the nodes from bit 20 on. Between
 * them sk_ask_crucial gives the pair, 9 bits for the lower tile and 9 for the higher; 0 where there is none. */
#define SK_ANSWER_BITS 2
#define SK_TILE_BITS 9
#define SK_NODES_AT (SK_ANSWER_BITS + 2 * SK_TILE_BITS)

/* sk_solve; `certificate` has room for 2 * SK_TILES_MAX numbers. A present tile without a face is SK_BAD_INPUT. */
int64_t sk_ask_solve(const sk_board *board, const uint64_t *present, int32_t pairing, int32_t budget,
                     sk_workspace *workspace, int16_t *certificate);

/* sk_crucial. A present tile without a face is SK_BAD_INPUT. */
int64_t sk_ask_crucial(const sk_board *board, const uint64_t *present, int32_t pairing, int32_t budget,
                       sk_workspace *workspace);

#endif
