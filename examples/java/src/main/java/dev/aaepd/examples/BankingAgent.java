package dev.aaepd.examples;

import dev.aaepd.Aaep;
import java.util.Map;

/**
 * A banking agent that asks before it transfers money. Nothing is really transferred. Build it in the folder of the project with {@code mvn --quiet
 * --file examples/java/pom.xml package}, and run it with {@code java -jar examples/java/target/banking-agent.jar}, beside {@code npx --no -- aaepd serve}.
 */
public final class BankingAgent {
  /** A default is never told as somebody's decision. */
  private static final Map<String, String> WHY_NOT =
      Map.of(
          "reply", "You declined it.",
          "timeout", "Nobody answered in time.",
          "no_subscriber", "There was nobody to ask.",
          "subscription_ended", "Nobody who could answer was left.",
          "cancelled", "The question was taken back.",
          "error", "The question was refused.");

  public static void main(String[] arguments) throws Exception {
    int timeoutSeconds = arguments.length == 2 && arguments[0].equals("--timeout") ? Integer.parseInt(arguments[1]) : 120;
    try (Aaep agent = new Aaep("banking-agent", "banking-agent", System.err::println)) {
      agent.session("Transfers 500 dollars to Ada Obi.", s -> transfer(s, timeoutSeconds));
    }
  }

  private static String transfer(Aaep.Session s, int timeoutSeconds) throws Exception {
    s.tool("fetch_balance", "Reading your balance.", null, () -> "Your balance is 12,500 dollars.");
    Aaep.Question question =
        new Aaep.Question(
            "Transfer 500 dollars to Ada Obi.",
            "The money leaves your account at once. 12,000 dollars remain.",
            timeoutSeconds,
            Map.of("amount", 500, "currency", "USD"));
    String told = "Transferred 500 dollars.";
    String balance = "12,000";
    try {
      s.tool("transfer_funds", "Transferring 500 dollars.", question, () -> "The transfer is done.");
    } catch (Aaep.Declined declined) {
      told = WHY_NOT.get(declined.resolvedBy) + " Nothing was transferred.";
      balance = "still 12,500";
    }
    System.out.println(told);
    s.text("%s Your balance is %s dollars.".formatted(told, balance));
    return told;
  }
}
