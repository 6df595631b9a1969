// A client that only uses java.net.http: one random key per intent, retries with growing waits.
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

public final class Deposits {
  private static final Map<String, String> ENV = System.getenv();
  private static final Set<Integer> LATER = Set.of(429, 500, 502, 503);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static String member(String json, String name) {
    var found = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"]*)\"").matcher(json);
    if (!found.find()) throw new IllegalStateException("no " + name + " in " + json);
    return found.group(1);
  }

  /** A deliberate mistake: a new key for each attempt. */
  private static boolean newKeys = false;

  private static HttpRequest request(String path, String body) {
    return
        HttpRequest.newBuilder(URI.create(ENV.get("SANDBOX_BASE_URL") + "/api/v1/" + path))
            .timeout(Duration.ofSeconds(3))
            .header("Authorization", "Bearer " + ENV.get("SANDBOX_TOKEN"))
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
  }

  private static String post(String path, String body) throws InterruptedException {
    HttpRequest request = request(path, body);
    String last = "";
    for (int attempt = 0; attempt < 5; attempt++) {
      if (newKeys) request = request(path, body);
      long waitMs = 600L << Math.min(attempt, 2);
      try {
        HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        int status = answer.statusCode();
        if (status == 200 || status == 201) return answer.body();
        last = status + " " + answer.body();
        boolean inFlight = answer.body().contains("idempotency_in_flight");
        if (!LATER.contains(status) && !inFlight) break;
        long asked = answer.headers().firstValueAsLong("retry-after").orElse(0) * 1000;
        waitMs = Math.max(waitMs, asked + 100);
      } catch (IOException broken) {
        last = broken.toString();
      }
      Thread.sleep(waitMs);
    }
    System.err.println(path + " failed: " + last);
    System.exit(1);
    throw new IllegalStateException();
  }

  public static void main(String[] args) throws InterruptedException {
    newKeys = args.length > 0 && args[0].equals("new-keys");
    String body =
        """
        {"client_reference_id": "%s", "account_id": "%s", "trading_account_id": "%s",
         "currency": "USD", "amount": "40.00", "transaction_type": "Deposit"}"""
            .formatted(
                UUID.randomUUID(),
                ENV.get("SANDBOX_ACCOUNT_ID"),
                ENV.get("SANDBOX_TRADING_ACCOUNT_ID"));
    String id = member(post("transactions", body), "id");
    System.out.println(
        member(post("transactions/" + id + "/approve?account_id=" + ENV.get("SANDBOX_ACCOUNT_ID"), "{}"), "status"));
  }
}
