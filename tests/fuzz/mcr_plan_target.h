/* The kernel's plan of an MCR hand, asked what an input says; tests/fuzz/README.md describes the bytes. */
#ifndef SPARROW_FUZZ_MCR_PLAN_TARGET_H
#define SPARROW_FUZZ_MCR_PLAN_TARGET_H

#include <stddef.h>
#include <stdint.h>

void mcr_plan_target(const uint8_t *data, size_t size);

#endif
