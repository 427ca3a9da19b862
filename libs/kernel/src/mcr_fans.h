/* The fans by their numbers in the rule book: points, and what excludes what. As libs/rules/mcr/fans. */
#ifndef SPARROW_KERNEL_MCR_FANS_H
#define SPARROW_KERNEL_MCR_FANS_H

#include <stdint.h>

/* Fans in order of points: 82, one concealed and one melded kong, stands between 54 and 55. */
#define FAN(number) ((number) <= 54 ? (number) : (number) == 82 ? 55 : (number) + 1)
#define NUMBER(fan) ((fan) <= 54 ? (fan) : (fan) == 55 ? 82 : (fan)-1)
#define FANS 83

typedef struct {
    uint64_t low, high;
} fan_set;

#define LOW(n) (FAN(n) < 64 ? 1ULL << (FAN(n) & 63) : 0)
#define HIGH(n) (FAN(n) < 64 ? 0 : 1ULL << (FAN(n) & 63))
#define S1(a) {LOW(a), HIGH(a)}
#define S2(a, b) {LOW(a) | LOW(b), HIGH(a) | HIGH(b)}
#define S3(a, b, c) {LOW(a) | LOW(b) | LOW(c), HIGH(a) | HIGH(b) | HIGH(c)}
#define S4(a, b, c, d) {LOW(a) | LOW(b) | LOW(c) | LOW(d), HIGH(a) | HIGH(b) | HIGH(c) | HIGH(d)}
#define S8(a, b, c, d, e, f, g, h)                                                                 \
    {LOW(a) | LOW(b) | LOW(c) | LOW(d) | LOW(e) | LOW(f) | LOW(g) | LOW(h),                        \
     HIGH(a) | HIGH(b) | HIGH(c) | HIGH(d) | HIGH(e) | HIGH(f) | HIGH(g) | HIGH(h)}

static const uint8_t POINTS[FANS] = {
    0,  88, 88, 88, 88, 88, 88, 88, 64, 64, 64, 64, 64, 64, 48, 48, 32, 32, 32, 24, 24, 24, 24, 24, 24, 24, 24, 24,
    16, 16, 16, 16, 16, 16, 12, 12, 12, 12, 12, 8,  8,  8,  8,  8,  8,  8,  8,  8,  6,  6,  6,  6,  6,  6,  6,  5,
    4,  4,  4,  4,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,
};

/* 62 is left out by every hand that cannot but be concealed; 56 by profile, see NATURE. */
static const fan_set EXCLUDES[FANS] = {
    [FAN(1)] = S8(9, 38, 49, 60, 61, 61, 61, 61),
    [FAN(2)] = S3(10, 54, 59),
    [FAN(3)] = S2(50, 75),
    [FAN(4)] = S4(22, 62, 75, 76),
    [FAN(5)] = S8(17, 48, 49, 57, 67, 74, 79, 82),
    [FAN(6)] = S8(19, 22, 75, 76, 79, 62, 62, 62),
    [FAN(7)] = S4(18, 52, 79, 62),
    [FAN(8)] = S8(18, 49, 55, 65, 73, 76, 76, 76),
    [FAN(9)] = S1(38),
    [FAN(10)] = S2(54, 59),
    [FAN(11)] = S8(18, 49, 55, 73, 75, 75, 75, 75),
    [FAN(12)] = S4(33, 49, 66, 62),
    [FAN(13)] = S8(19, 22, 63, 69, 72, 75, 76, 76),
    [FAN(14)] = S4(23, 64, 69, 24),
    [FAN(15)] = S3(23, 24, 49),
    [FAN(16)] = S3(30, 71, 72),
    [FAN(17)] = S8(48, 57, 67, 74, 82, 82, 82, 82),
    [FAN(18)] = S3(49, 55, 73),
    [FAN(19)] = S2(79, 62),
    [FAN(20)] = S4(34, 52, 79, 62),
    [FAN(21)] = S3(49, 68, 76),
    [FAN(22)] = S3(50, 75, 76),
    [FAN(23)] = S1(24),
    [FAN(24)] = S1(23),
    [FAN(25)] = S2(36, 76),
    [FAN(26)] = S2(68, 76),
    [FAN(27)] = S2(37, 76),
    [FAN(29)] = S4(63, 70, 72, 76),
    [FAN(31)] = S2(68, 76),
    [FAN(32)] = S1(65),
    [FAN(33)] = S1(66),
    [FAN(34)] = S3(52, 79, 62),
    [FAN(36)] = S1(76),
    [FAN(37)] = S1(76),
    [FAN(40)] = S1(75),
    [FAN(44)] = S1(80),
    [FAN(46)] = S1(80),
    [FAN(47)] = S1(58),
    [FAN(48)] = S2(66, 67),
    [FAN(50)] = S1(75),
    [FAN(53)] = S1(79),
    [FAN(54)] = S1(59),
    [FAN(56)] = S2(62, 80),
    [FAN(57)] = S1(74),
    [FAN(82)] = S2(67, 74),
    [FAN(63)] = S1(76),
    [FAN(68)] = S1(76),
    [FAN(77)] = S2(78, 79),
    [FAN(78)] = S2(77, 79),
    [FAN(79)] = S2(77, 78),
};

/* Hands that cannot but be concealed. */
static const fan_set NATURE = S8(4, 6, 7, 12, 19, 20, 34, 34);

#endif
