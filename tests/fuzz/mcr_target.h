/* The kernel's questions about MCR hands, asked what an input says; tests/fuzz/README.md describes the bytes. */
#ifndef SPARROW_FUZZ_MCR_TARGET_H
#define SPARROW_FUZZ_MCR_TARGET_H

#include <stddef.h>
#include <stdint.h>

void mcr_target(const uint8_t *data, size_t size);

#endif
