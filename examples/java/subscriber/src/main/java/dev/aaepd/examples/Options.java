package dev.aaepd.examples;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Options of a command line: {@code --name value}, and flags that have no value. {@link Subscriber} says how to run it. */
final class Options {
  private final Map<String, String> values = new HashMap<>();

  Options(String[] arguments, Set<String> named, Set<String> flags) {
    for (int i = 0; i < arguments.length; i++) {
      String name = arguments[i].replaceFirst("^--", "");
      if (flags.contains(name)) {
        values.put(name, "true");
      } else if (named.contains(name) && i + 1 < arguments.length) {
        values.put(name, arguments[++i]);
      } else {
        throw new IllegalArgumentException("--%s is not known, or has no value. There are: %s, %s".formatted(name, named, flags));
      }
    }
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  String get(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }

  int number(String name, int otherwise) {
    try {
      return Integer.parseInt(get(name, String.valueOf(otherwise)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--%s is a whole number".formatted(name), e);
    }
  }
}
