#!/usr/bin/env -S mawk -W interactive -f
# Answers at random, in awk: any game, any number of tables. Run as
#
#     fairdeal bridge -- clients/stdio/random_bot.awk
#
# mawk, which is Debian's awk, reads whole blocks unless it is told `-W interactive`; others are run as `awk -f`.
#
# What is random comes from the line itself: "chance" holds the first bytes of the generator that all of
# fairdeal's random bots draw from, so this one chooses as they do (clients/stdio/README.md, "Chance").

BEGIN {
    for (i = 0; i < 16; i++)
        value[substr("0123456789abcdef", i + 1, 1)] = i
}

/^."type":"decision",/ {
    choices = number("choices")
    minimum = number("minimum")
    maximum = number("maximum")
    match($0, /"chance":"[0-9a-f]*"/)
    chance = substr($0, RSTART + 10, RLENGTH - 11)

    for (i = 0; i < choices; i++)
        left[i] = i
    count = minimum + draw(maximum - minimum + 1)
    answer = ""
    for (n = choices; n > choices - count; n--) {
        i = draw(n)
        answer = answer (answer == "" ? "" : ",") left[i]
        for (; i < n - 1; i++)
            left[i] = left[i + 1]
    }
    print "[" answer "]"
    fflush()
}

# The whole number that stands behind a key.
function number(key) {
    match($0, "\"" key "\":[0-9]+")
    return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
}

# One of 0 to n - 1, all equally likely: a byte modulo n, without the bytes that would make some likelier.
function draw(n,  byte) {
    if (n <= 1)
        return 0
    do {
        if (chance == "")
            return 0
        byte = 16 * value[substr(chance, 1, 1)] + value[substr(chance, 2, 1)]
        chance = substr(chance, 3)
    } while (byte >= 256 - 256 % n)
    return byte % n
}
