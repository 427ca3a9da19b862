/* `drive SEEDS LAST SECONDS EXECUTIONS SEED`: runs each input of the file SEEDS and holds its answer against the one
 * recorded, then mutates them until SECONDS of processor time have passed or EXECUTIONS are done (0: no limit).
 * An input that reaches new code is kept and mutated further. The input that is running always stands in the file LAST:
 * where the program ends early, that is the finding, and `drive --one LAST` repeats it. */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

#define INPUT_MAX 2048
#define KEPT_MAX 20000
#define MAP_SIZE 65536

typedef struct {
    uint32_t size;
    uint8_t data[INPUT_MAX];
} input;

static input *kept[KEPT_MAX];
static uint32_t kept_count;
static uint64_t state;
static uint8_t hits[MAP_SIZE], seen[MAP_SIZE];
static uintptr_t before;
static int fresh;

/* Called by the compiled code at every edge (-fsanitize-coverage=trace-pc). */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    uintptr_t here = (uintptr_t)__builtin_return_address(0);
    uint8_t *hit = hits + ((here ^ before >> 1) & (MAP_SIZE - 1));
    *hit = (uint8_t)(*hit + (*hit < 255));
    before = here;
}

static uint32_t chance(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % (below ? below : 1);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Which power of two of hits, so that loops count without every turn being new. */
static uint8_t step(uint8_t count) {
    return (uint8_t)(count > 127 ? 128 : count > 31 ? 64 : count > 7 ? 32 : count > 3 ? 16 : 1 << count);
}

static void look_for_new(void) {
    fresh = 0;
    for (uint32_t i = 0; i < MAP_SIZE; i++)
        if (hits[i] && step(hits[i]) & ~seen[i]) {
            seen[i] |= step(hits[i]);
            fresh = 1;
        }
}

static int32_t run(const input *in, input *last) {
    memcpy(last->data, in->data, in->size);
    last->size = in->size;
    memset(hits, 0, sizeof hits);
    before = 0;
    /* A copy of its very size, so that reading on would be seen. */
    uint8_t *data = malloc(in->size ? in->size : 1);
    if (!data)
        exit(3);
    memcpy(data, in->data, in->size);
    int32_t answer = target(data, in->size);
    free(data);
    look_for_new();
    return answer;
}

static void keep(const input *in) {
    input *copy = malloc(sizeof *copy);
    if (!copy)
        exit(3);
    *copy = *in;
    if (kept_count < KEPT_MAX) {
        kept[kept_count++] = copy;
        return;
    }
    uint32_t place = chance(KEPT_MAX);
    free(kept[place]);
    kept[place] = copy;
}

static void mutate(input *in) {
    static const uint8_t edges[] = {0, 1, 2, 4, 31, 32, 62, 63, 64, 127, 128, 254, 255};
    uint32_t tiles = in->size > 60 ? (in->size - 60) / 5 : 0;
    for (uint32_t turns = 1 + chance(4) * chance(4); turns; turns--) {
        uint32_t a = tiles ? 60 + 5 * chance(tiles) : 0, b = tiles ? 60 + 5 * chance(tiles) : 0;
        switch (chance(tiles ? 12 : 5)) {
        case 0: in->data[chance(in->size)] ^= (uint8_t)(1 << chance(8)); break;
        case 1: in->data[chance(in->size)] = (uint8_t)chance(256); break;
        case 2: in->data[chance(60)] = edges[chance(sizeof edges)]; break;
        case 3: in->data[chance(12)] = edges[chance(sizeof edges)]; break;
        case 4: in->size = chance(8) ? in->size : chance(INPUT_MAX); break;
        case 5: memcpy(in->data + a + 3, in->data + b + 3, 2); break;
        case 6: in->data[a + chance(3)] = (uint8_t)(in->data[a + chance(3)] + chance(5) - 2); break;
        case 7: in->data[20 + chance((tiles + 7) / 8)] ^= (uint8_t)(1 << chance(8)); break;
        case 8: in->data[a + 3] = edges[chance(sizeof edges)]; in->data[a + 4] = (uint8_t)chance(3); break;
        case 9: in->data[0] = (uint8_t)chance(tiles + 1), in->data[1] = 0; break;
        case 10: { /* two faces change places, as in another deal */
            uint8_t face[2];
            memcpy(face, in->data + a + 3, 2);
            memcpy(in->data + a + 3, in->data + b + 3, 2);
            memcpy(in->data + b + 3, face, 2);
            break;
        }
        default: { /* the later part of another input */
            const input *other = kept[chance(kept_count)];
            uint32_t from = chance(in->size);
            if (other->size > from) {
                memcpy(in->data + from, other->data + from, other->size - from);
                in->size = other->size;
            }
        }
        }
    }
}

static input *open_last(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || ftruncate(file, sizeof(input)))
        exit(3);
    void *memory = mmap(NULL, sizeof(input), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        exit(3);
    close(file);
    return memory;
}

static int repeat(const char *path) {
    FILE *file = fopen(path, "rb");
    input one;
    if (!file || fread(&one, sizeof one, 1, file) != 1 || one.size > INPUT_MAX)
        return 3;
    fclose(file);
    printf("answer %d\n", target(one.data, one.size));
    return 0;
}

/* Each seed: its size (4 bytes), the recorded answer (1 byte, -128: none), its bytes. */
static uint32_t run_seeds(const char *path, input *last) {
    FILE *file = fopen(path, "rb");
    uint32_t wrong = 0;
    int8_t wanted;
    input in = {0};
    if (!file)
        exit(3);
    while (fread(&in.size, 4, 1, file) == 1) {
        memset(in.data, 0, sizeof in.data);
        if (in.size > INPUT_MAX || fread(&wanted, 1, 1, file) != 1 || fread(in.data, in.size, 1, file) != 1)
            exit(3);
        int32_t answer = run(&in, last);
        wrong += wanted != -128 && answer != wanted;
        keep(&in);
    }
    fclose(file);
    return wrong;
}

int main(int count, char **arguments) {
    if (count == 3 && !strcmp(arguments[1], "--one"))
        return repeat(arguments[2]);
    if (count != 6)
        return 2;
    double limit = atof(arguments[3]), told = 0;
    uint64_t wanted = strtoull(arguments[4], NULL, 10), done = 0;
    state = strtoull(arguments[5], NULL, 10) * 0x9E3779B97F4A7C15u + 1;
    input *last = open_last(arguments[2]);
    uint32_t wrong = run_seeds(arguments[1], last);
    uint32_t seeds = kept_count;
    printf("%u recorded inputs in %.0f s, %u with a wrong answer\n", seeds, seconds(), wrong);
    fflush(stdout);
    while ((!limit || seconds() < limit) && (!wanted || done < wanted) && (limit || wanted)) {
        input in = *kept[chance(kept_count)];
        mutate(&in);
        run(&in, last);
        done++;
        if (fresh)
            keep(&in);
        if (seconds() - told > 60) {
            told = seconds();
            printf("%.0f s, %llu executions, %u inputs kept\n", told, (unsigned long long)done, kept_count);
            fflush(stdout);
        }
    }
    printf("%llu executions in %.0f s of processor time, %u inputs kept, none broke anything\n",
           (unsigned long long)done, seconds(), kept_count);
    for (uint32_t i = 0; i < kept_count; i++)
        free(kept[i]);
    return wrong ? 1 : 0;
}
