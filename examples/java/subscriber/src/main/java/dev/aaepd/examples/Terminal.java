package dev.aaepd.examples;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Standard output, which events have to themselves, and standard error. {@link Subscriber} says how to run it. */
final class Terminal {
  private Terminal() {}

  /** Agents write in every language, whatever the encoding of the system is. */
  static void useUtf8() {
    System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
  }

  /** Beside the events. */
  static void tell(String text) {
    System.err.println(text);
  }

  /** Ends the program. */
  static void fail(String sentence) {
    tell("Error: " + sentence);
    System.exit(1);
  }
}
