/* Every entry point of the kernel, asked what an input says; tests/fuzz/README.md describes the bytes.
 * A sound question must be answered, and the answers must agree with each other and with the plain rule; an unsound one
 * must be refused. What is broken ends the program. */
#ifndef SPARROW_FUZZ_TARGET_H
#define SPARROW_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* What sk_solve answered. */
int32_t target(const uint8_t *data, size_t size);

#endif
