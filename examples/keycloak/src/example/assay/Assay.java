package example.assay;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks Assay. Of the environment: ASSAY_URL, ASSAY_KEY, ASSAY_FAIL_CLOSED, ASSAY_TIMEOUT_MS. */
final class Assay {

    static final String BLOCK = "block";
    /** Assay cannot read what was typed: an answer, or whoever types such a thing goes unchecked. */
    static final String UNREADABLE = "unreadable";

    private static final Set<Integer> UNREADABLE_STATUSES = Set.of(400, 413, 422);

    private static final long TIMEOUT_MS =
            Long.parseLong(System.getenv().getOrDefault("ASSAY_TIMEOUT_MS", "1000"));
    // Quotes inside of a JSON string are escaped, so no text of an answer can look like this.
    private static final Pattern ACTION =
            Pattern.compile("\"recommended_action\"\\s*:\\s*\"(\\w+)\"");
    private static final System.Logger LOG = System.getLogger(Assay.class.getName());
    // It follows no redirects unless told to: the key and the address go to Assay alone.
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofMillis(TIMEOUT_MS)).build();

    private Assay() {}

    static boolean failsClosed() {
        return "true".equals(System.getenv("ASSAY_FAIL_CLOSED"));
    }

    /** What Assay recommends; null, and a line in the log, where it gave no answer in time. */
    static String recommended(String email, Map<String, String> context) {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("email", string(email));
        members.put("context", object(context));
        try {
            HttpRequest request = HttpRequest.newBuilder()
                    .uri(URI.create(System.getenv("ASSAY_URL") + "/api/v1/risk/score"))
                    .header("Authorization", "Bearer " + System.getenv("ASSAY_KEY"))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(braced(members)))
                    .build();
            HttpResponse<String> response = CLIENT
                    .sendAsync(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
                    .get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
            if (UNREADABLE_STATUSES.contains(response.statusCode())) {
                LOG.log(System.Logger.Level.INFO,
                        "Assay cannot read it: status " + response.statusCode());
                return UNREADABLE;
            }
            Matcher action = ACTION.matcher(response.body());
            if (response.statusCode() != 200 || !action.find()) {
                LOG.log(System.Logger.Level.WARNING,
                        "Assay gave no answer: status " + response.statusCode());
                return null;
            }
            if (!"allow".equals(action.group(1)))
                LOG.log(System.Logger.Level.INFO, "Assay recommends " + action.group(1) + ", "
                        + response.headers().firstValue("x-decision-id").orElse("no decision"));
            return action.group(1);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return without(error);
        } catch (ExecutionException error) {
            return without(error.getCause());
        } catch (Exception error) {
            return without(error);
        }
    }

    /** The text of an error is not logged: it could quote what was sent. */
    private static String without(Throwable error) {
        LOG.log(System.Logger.Level.WARNING,
                "Assay gave no answer: " + error.getClass().getSimpleName());
        return null;
    }

    private static String object(Map<String, String> texts) {
        Map<String, String> members = new LinkedHashMap<>();
        texts.forEach((name, text) -> {
            if (text != null && !text.isEmpty()) members.put(name, string(cut(text)));
        });
        return braced(members);
    }

    /** Assay takes no longer texts, and whoever signs in must not bring a refusal about. */
    private static String cut(String text) {
        return text.length() > 256 ? text.substring(0, 256) : text;
    }

    private static String braced(Map<String, String> members) {
        StringBuilder json = new StringBuilder("{");
        members.forEach((name, value) ->
                json.append(json.length() > 1 ? "," : "").append(string(name)).append(":").append(value));
        return json.append("}").toString();
    }

    private static String string(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c < 0x20 || c == '"' || c == '\\' || Character.isSurrogate(c))
                json.append(String.format("\\u%04x", (int) c));
            else json.append(c);
        }
        return json.append('"').toString();
    }
}
