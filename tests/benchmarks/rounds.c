/* Section 2.3 of the paper as a compiled loop, one seed after another: what `simulate.py` is held
 * against. Draws come from PCG64 (PCG-XSL-RR on 128 bits), as in NumPy. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define K 11
#define PHASES 4

static unsigned __int128 state, step;

static double uniform(void) {
    unsigned __int128 factor = ((unsigned __int128)2549297995355413924ULL << 64) | 4865540595714422341ULL;
    state = state * factor + step;
    uint64_t folded = (uint64_t)(state >> 64) ^ (uint64_t)state;
    unsigned turn = (unsigned)(state >> 122);
    uint64_t bits = (folded >> turn) | (folded << ((64 - turn) & 63));
    return (double)(bits >> 11) * 0x1p-53;
}

static void phase(double *weights, int rounds) {
    for (int round = 0; round < rounds; round++) {
        double spun = uniform(), said = uniform(), running = 0, total = 0;
        int chosen = K - 1;
        for (int s = 0; s < K; s++) {
            running += weights[s];
            if (running > spun) {
                chosen = s;
                break;
            }
        }
        double after = weights[chosen] + (said < 0.5 ? 0.08 : -0.04);
        weights[chosen] = after < 0.001 ? 0.001 : after;
        for (int s = 0; s < K; s++) total += weights[s];
        for (int s = 0; s < K; s++) weights[s] /= total;
    }
}

int main(int argc, char **argv) {
    long seeds = argc > 1 ? atol(argv[1]) : 1000;
    int rounds = argc > 2 ? atoi(argv[2]) : 30;
    double sum = 0;
    struct timespec before, after;
    state = 42;
    step = 2 * 54 + 1;
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (long seed = 0; seed < seeds; seed++) {
        double done[PHASES][K];
        for (int p = 0; p < PHASES; p++) {
            for (int s = 0; s < K; s++) done[p][s] = p < 2 ? 1.0 / K : done[p - 2][s];
            phase(done[p], rounds);
        }
        sum += done[2][0] + done[3][0];
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    double seconds = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    printf("%.17g %.17g\n", seconds, sum); /* the sum keeps the work from being optimised away */
    return 0;
}
