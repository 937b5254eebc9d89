/*
 * Answers at random, in C without any library but the standard one: any game, any number of tables.
 *
 *     make -C clients/stdio
 *     fairdeal bridge -- clients/stdio/build/random_bot
 *
 * It draws from the generator of all of fairdeal's random bots (clients/stdio/README.md, "Chance"), made from
 * FAIRDEAL_SEED; so with the same seed it chooses as they do, in every match.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- SHA-256 (FIPS 180-4), of messages that are in memory as a whole ---- */

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void put32(unsigned char *at, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(n >> (24 - 8 * i));
}

static void sha256_block(uint32_t state[8], const unsigned char block[64])
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t e = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
        uint32_t a = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
        uint32_t first = s[7] + e + choice + ROUND[i] + w[i], second = a + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

static void sha256(const unsigned char *message, size_t length, unsigned char digest[32])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t done = 0;
    for (; length - done >= 64; done += 64)
        sha256_block(state, message + done);
    unsigned char last[128] = {0};
    size_t rest = length - done, end = rest < 56 ? 64 : 128;
    memcpy(last, message + done, rest);
    last[rest] = 0x80;
    put32(last + end - 8, (uint32_t)((uint64_t)length >> 29));
    put32(last + end - 4, (uint32_t)(length << 3));
    for (size_t at = 0; at < end; at += 64)
        sha256_block(state, last + at);
    for (int i = 0; i < 8; i++)
        put32(digest + 4 * i, state[i]);
}

/* ---- the generator of one decision ---- */

struct chance {
    unsigned char *prefix; /* what is hashed, with room for the number of the block at its end */
    size_t length;
    uint32_t blocks;
    unsigned char bytes[32];
    int used;
};

static void *or_die(void *memory)
{
    if (!memory) {
        fputs("random_bot: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static unsigned char *put_item(unsigned char *at, const void *item, size_t length)
{
    put32(at, (uint32_t)length);
    memcpy(at + 4, item, length);
    return at + 4 + length;
}

static unsigned char *put_number(unsigned char *at, uint32_t n)
{
    unsigned char bytes[4];
    put32(bytes, n);
    return put_item(at, bytes, sizeof bytes);
}

static struct chance chance_of(const char *seed, const char *match_id, uint32_t seat, uint32_t decision_id)
{
    static const char name[] = "fairdeal/1/bot";
    size_t lengths = strlen(name) + strlen(seed) + strlen(match_id);
    struct chance made = {.prefix = or_die(malloc(lengths + 3 * 4 + 3 * 8)), .used = 32};
    unsigned char *at = put_item(made.prefix, name, strlen(name));
    at = put_item(at, seed, strlen(seed));
    at = put_item(at, match_id, strlen(match_id));
    at = put_number(at, seat);
    at = put_number(at, decision_id);
    made.length = (size_t)(at - made.prefix);
    return made;
}

static uint32_t byte_of(struct chance *chance)
{
    if (chance->used == 32) {
        unsigned char *end = put_number(chance->prefix + chance->length, chance->blocks++);
        sha256(chance->prefix, (size_t)(end - chance->prefix), chance->bytes);
        chance->used = 0;
    }
    return chance->bytes[chance->used++];
}

/* One of 0 to n - 1, all equally likely: numbers from the last multiple of n on are drawn again. */
static uint32_t draw(struct chance *chance, uint32_t n)
{
    if (n <= 1)
        return 0;
    int size = n <= 256 ? 1 : 4;
    uint64_t space = n <= 256 ? 256 : (uint64_t)1 << 32, number;
    do {
        number = 0;
        for (int i = 0; i < size; i++)
            number = number << 8 | byte_of(chance);
    } while (number >= space - space % n);
    return (uint32_t)(number % n);
}

/* ---- the lines ---- */

/* Returns what stands behind a key. The keys asked for come first in the line, so the first one is meant. */
static const char *after(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    if (!found) {
        fprintf(stderr, "random_bot: no %s in %.80s\n", key, line);
        exit(1);
    }
    return found + strlen(key);
}

static uint32_t number_after(const char *line, const char *key)
{
    return (uint32_t)strtoul(after(line, key), NULL, 10);
}

static void answer(const char *line, const char *seed)
{
    const char *text = after(line, "\"match_id\":\"");
    char *match_id = or_die(strndup(text, strcspn(text, "\"")));
    uint32_t decision_id = number_after(line, "\"decision_id\":");
    uint32_t seat = number_after(line, "\"seat\":\"SEAT_");
    uint32_t choices = number_after(line, "\"choices\":");
    uint32_t minimum = number_after(line, "\"minimum\":");
    uint32_t maximum = number_after(line, "\"maximum\":");

    struct chance chance = chance_of(seed, match_id, seat, decision_id);
    uint32_t *left = or_die(malloc((choices + 1) * sizeof *left));
    for (uint32_t i = 0; i < choices; i++)
        left[i] = i;
    uint32_t count = minimum + draw(&chance, maximum - minimum + 1);
    printf("{\"match_id\":\"%s\",\"decision_id\":%u,\"indexes\":[", match_id, decision_id);
    for (uint32_t n = choices; n > 0 && choices - n < count; n--) {
        uint32_t at = draw(&chance, n);
        printf("%s%u", n == choices ? "" : ",", left[at]);
        memmove(left + at, left + at + 1, (n - at - 1) * sizeof *left);
    }
    puts("]}");
    fflush(stdout);
    free(left);
    free(chance.prefix);
    free(match_id);
}

int main(void)
{
    static const char decision[] = "{\"type\":\"decision\",";
    const char *seed = getenv("FAIRDEAL_SEED");
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) != -1)
        if (strncmp(line, decision, strlen(decision)) == 0)
            answer(line, seed ? seed : "");
    free(line);
    return 0;
}
