package io.github.fairdeal;

/** The names of enum values, for people. */
final class Names {
    private Names() {}

    /** Returns a value's name without the prefix of its type, or its number where this version does not know it. */
    static String of(Enum<?> value, String prefix, int number) {
        String name = value.name();
        return name.startsWith(prefix) ? name.substring(prefix.length()) : Integer.toString(number);
    }
}
