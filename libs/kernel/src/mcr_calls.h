/* The questions about one MCR hand as functions that CPython calls itself, from its lists and tuples to its objects.
 *
 * Each takes concealed tiles and melds, numbers in lists or tuples; a meld is its code (mcr.h) or a tuple as
 * libs/rules/mcr/melds.py has it. What is nothing of the kind, and what cannot be, is answered with `unread`: the Python
 * says what is wrong with it. They run under the interpreter's lock.
 */
#ifndef SPARROW_KERNEL_MCR_CALLS_H
#define SPARROW_KERNEL_MCR_CALLS_H

#include "interpreter.h"

/* What the answers are made of. */
typedef struct {
    sk_interpreter python;
    const void *scored;             /* the type of a score: a tuple of total, flowers, fans and reading */
    sk_object *chow, *pung, *kong;  /* kinds of sets */
} sk_mcr_calls;

/* Take over the table; the methods: score (win and switches come third and fourth), least, shanten, completing. */
const sk_method *sk_mcr_methods(const sk_mcr_calls *table);

#endif
