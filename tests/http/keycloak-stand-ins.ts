// What examples/keycloak uses of Keycloak, as its sources declare it: packages, names and
// signatures. The example is compiled against these, because Keycloak itself is not here.

/** By qualified name: what it imports, and its declaration. */
export const standIns: Readonly<Record<string, readonly [imports: string, declaration: string]>> = {
  "jakarta.ws.rs.core.MultivaluedMap": [
    "java.util.List, java.util.Map",
    "public interface MultivaluedMap<K, V> extends Map<K, List<V>> { V getFirst(K key); }",
  ],
  "jakarta.ws.rs.core.HttpHeaders": [
    "",
    "public interface HttpHeaders { String getHeaderString(String name); }",
  ],
  "org.keycloak.Config": ["", "public class Config { public interface Scope {} }"],
  "org.keycloak.common.ClientConnection": [
    "",
    "public interface ClientConnection { String getRemoteAddr(); }",
  ],
  "org.keycloak.events.Errors": [
    "",
    'public interface Errors { String INVALID_REGISTRATION = "invalid_registration"; }',
  ],
  "org.keycloak.forms.login.LoginFormsProvider": ["", "public interface LoginFormsProvider {}"],
  "org.keycloak.http.HttpRequest": [
    "jakarta.ws.rs.core.HttpHeaders, jakarta.ws.rs.core.MultivaluedMap",
    `public interface HttpRequest {
       MultivaluedMap<String, String> getDecodedFormParameters();
       HttpHeaders getHttpHeaders();
     }`,
  ],
  "org.keycloak.models.AuthenticationExecutionModel": [
    "",
    `public class AuthenticationExecutionModel {
       public enum Requirement { REQUIRED, CONDITIONAL, ALTERNATIVE, DISABLED }
     }`,
  ],
  "org.keycloak.models.AuthenticatorConfigModel": [
    "java.util.Map",
    `public class AuthenticatorConfigModel {
       private Map<String, String> config;
       public Map<String, String> getConfig() { return config; }
       public void setConfig(Map<String, String> config) { this.config = config; }
     }`,
  ],
  "org.keycloak.models.KeycloakSession": ["", "public interface KeycloakSession {}"],
  "org.keycloak.models.KeycloakSessionFactory": ["", "public interface KeycloakSessionFactory {}"],
  "org.keycloak.models.RealmModel": ["", "public interface RealmModel {}"],
  "org.keycloak.models.UserModel": [
    "",
    "public interface UserModel { String getId(); String getEmail(); }",
  ],
  "org.keycloak.models.utils.FormMessage": [
    "",
    `public class FormMessage {
       private final String field, message;
       public FormMessage(String field, String message) { this.field = field; this.message = message; }
       public String getField() { return field; }
       public String getMessage() { return message; }
     }`,
  ],
  "org.keycloak.provider.Provider": ["", "public interface Provider { void close(); }"],
  "org.keycloak.provider.ProviderFactory": [
    "org.keycloak.Config, org.keycloak.models.KeycloakSession, org.keycloak.models.KeycloakSessionFactory",
    `public interface ProviderFactory<T extends Provider> {
       T create(KeycloakSession session);
       void init(Config.Scope config);
       void postInit(KeycloakSessionFactory factory);
       void close();
       String getId();
     }`,
  ],
  "org.keycloak.provider.ProviderConfigProperty": [
    "",
    `public class ProviderConfigProperty {
       public static final String LIST_TYPE = "List";
       public ProviderConfigProperty(
           String name, String label, String helpText, String type, Object defaultValue, String... options) {}
     }`,
  ],
  "org.keycloak.provider.ConfiguredProvider": [
    "java.util.List",
    `public interface ConfiguredProvider {
       String getHelpText();
       List<ProviderConfigProperty> getConfigProperties();
     }`,
  ],
  "org.keycloak.sessions.AuthenticationSessionModel": [
    "",
    `public interface AuthenticationSessionModel {
       String getAuthNote(String name);
       void setAuthNote(String name, String value);
     }`,
  ],
  "org.keycloak.authentication.ConfigurableAuthenticatorFactory": [
    "org.keycloak.models.AuthenticationExecutionModel, org.keycloak.provider.ConfiguredProvider",
    `public interface ConfigurableAuthenticatorFactory extends ConfiguredProvider {
       String getDisplayType();
       String getReferenceCategory();
       boolean isConfigurable();
       AuthenticationExecutionModel.Requirement[] getRequirementChoices();
       boolean isUserSetupAllowed();
     }`,
  ],
  "org.keycloak.authentication.FormContext": [
    "org.keycloak.common.ClientConnection, org.keycloak.http.HttpRequest",
    "public interface FormContext { ClientConnection getConnection(); HttpRequest getHttpRequest(); }",
  ],
  "org.keycloak.authentication.ValidationContext": [
    "jakarta.ws.rs.core.MultivaluedMap, java.util.List, org.keycloak.models.utils.FormMessage",
    `public interface ValidationContext extends FormContext {
       void validationError(MultivaluedMap<String, String> formData, List<FormMessage> errors);
       void error(String error);
       void success();
       void excludeOtherErrors();
     }`,
  ],
  "org.keycloak.authentication.FormAction": [
    "org.keycloak.forms.login.LoginFormsProvider, org.keycloak.models.KeycloakSession, org.keycloak.models.RealmModel, org.keycloak.models.UserModel, org.keycloak.provider.Provider",
    `public interface FormAction extends Provider {
       void buildPage(FormContext context, LoginFormsProvider form);
       void validate(ValidationContext context);
       void success(FormContext context);
       boolean requiresUser();
       boolean configuredFor(KeycloakSession session, RealmModel realm, UserModel user);
       void setRequiredActions(KeycloakSession session, RealmModel realm, UserModel user);
     }`,
  ],
  "org.keycloak.authentication.FormActionFactory": [
    "org.keycloak.provider.ProviderFactory",
    "public interface FormActionFactory extends ProviderFactory<FormAction>, ConfigurableAuthenticatorFactory {}",
  ],
  "org.keycloak.authentication.AuthenticationFlowContext": [
    "org.keycloak.common.ClientConnection, org.keycloak.http.HttpRequest, org.keycloak.models.AuthenticatorConfigModel, org.keycloak.models.UserModel, org.keycloak.sessions.AuthenticationSessionModel",
    `public interface AuthenticationFlowContext {
       UserModel getUser();
       AuthenticationSessionModel getAuthenticationSession();
       AuthenticatorConfigModel getAuthenticatorConfig();
       ClientConnection getConnection();
       HttpRequest getHttpRequest();
     }`,
  ],
  "org.keycloak.authentication.Authenticator": [
    "org.keycloak.models.KeycloakSession, org.keycloak.models.RealmModel, org.keycloak.models.UserModel, org.keycloak.provider.Provider",
    `public interface Authenticator extends Provider {
       void authenticate(AuthenticationFlowContext context);
       void action(AuthenticationFlowContext context);
       boolean requiresUser();
       boolean configuredFor(KeycloakSession session, RealmModel realm, UserModel user);
       void setRequiredActions(KeycloakSession session, RealmModel realm, UserModel user);
     }`,
  ],
  "org.keycloak.authentication.AuthenticatorFactory": [
    "org.keycloak.provider.ProviderFactory",
    "public interface AuthenticatorFactory extends ProviderFactory<Authenticator>, ConfigurableAuthenticatorFactory {}",
  ],
  "org.keycloak.authentication.authenticators.conditional.ConditionalAuthenticator": [
    "org.keycloak.authentication.AuthenticationFlowContext, org.keycloak.authentication.Authenticator, org.keycloak.models.KeycloakSession, org.keycloak.models.RealmModel, org.keycloak.models.UserModel",
    `public interface ConditionalAuthenticator extends Authenticator {
       boolean matchCondition(AuthenticationFlowContext context);
       default void authenticate(AuthenticationFlowContext context) {}
       default boolean configuredFor(KeycloakSession session, RealmModel realm, UserModel user) { return true; }
     }`,
  ],
  "org.keycloak.authentication.authenticators.conditional.ConditionalAuthenticatorFactory": [
    "org.keycloak.authentication.Authenticator, org.keycloak.authentication.AuthenticatorFactory, org.keycloak.models.KeycloakSession",
    `public interface ConditionalAuthenticatorFactory extends AuthenticatorFactory {
       default Authenticator create(KeycloakSession session) { return getSingleton(); }
       default String getReferenceCategory() { return "condition"; }
       ConditionalAuthenticator getSingleton();
     }`,
  ],
}

/** Meets the two providers as Keycloak would; each argument is `form ADDRESS` or `WHEN ADDRESS`. */
export const DRIVER = `
import jakarta.ws.rs.core.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;
import org.keycloak.authentication.*;
import org.keycloak.authentication.authenticators.conditional.*;
import org.keycloak.common.ClientConnection;
import org.keycloak.http.HttpRequest;
import org.keycloak.models.*;
import org.keycloak.models.utils.FormMessage;
import org.keycloak.sessions.AuthenticationSessionModel;

public class Driver {
  static String address, userAgent = "Example/1.0";

  @SuppressWarnings("unchecked")
  static <T> T of(Class<T> type, BiFunction<String, Object[], Object> answer) {
    return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
        (self, method, args) -> answer.apply(method.getName(), args));
  }

  static HttpRequest request(String email) {
    MultivaluedMap<String, String> form = of(MultivaluedMap.class, (name, args) ->
        name.equals("getFirst") && args[0].equals("email") ? email : null);
    HttpHeaders headers = of(HttpHeaders.class, (name, args) -> userAgent);
    return of(HttpRequest.class, (name, args) ->
        name.equals("getHttpHeaders") ? headers : form);
  }

  static Object common(String name, String email) {
    switch (name) {
      case "getHttpRequest": return request(email);
      case "getConnection": return of(ClientConnection.class, (n, a) -> address);
      default: throw new IllegalStateException(name);
    }
  }

  static <T> T provider(Class<T> type) { return ServiceLoader.load(type).iterator().next(); }

  public static void main(String[] args) {
    address = args[0];
    if (args[1].equals("endless")) userAgent = "x".repeat(20000);
    Map<String, String> notes = new HashMap<>();
    for (int i = 2; i < args.length; i += 2) {
      String how = args[i], email = args[i + 1];
      if (how.equals("form")) {
        List<String> said = new ArrayList<>();
        ValidationContext context = of(ValidationContext.class, (name, given) -> {
          switch (name) {
            case "success": said.add("success"); return null;
            case "error": said.add("error " + given[0]); return null;
            case "validationError":
              FormMessage message = ((List<FormMessage>) given[1]).get(0);
              said.add(message.getField() + ": " + message.getMessage()); return null;
            default: return common(name, email);
          }
        });
        provider(FormActionFactory.class).create(null).validate(context);
        System.out.println(String.join(", ", said));
        continue;
      }
      AuthenticatorConfigModel config = new AuthenticatorConfigModel();
      config.setConfig(Map.of("when", how));
      UserModel user = of(UserModel.class, (name, given) -> name.equals("getEmail") ? email : "u-1842");
      AuthenticationSessionModel session = of(AuthenticationSessionModel.class, (name, given) ->
          name.equals("getAuthNote") ? notes.get(given[0]) : notes.put((String) given[0], (String) given[1]));
      AuthenticationFlowContext context = of(AuthenticationFlowContext.class, (name, given) -> {
        switch (name) {
          case "getUser": return user;
          case "getAuthenticationSession": return session;
          case "getAuthenticatorConfig": return how.equals("unset") ? null : config;
          default: return common(name, email);
        }
      });
      ConditionalAuthenticator condition =
          (ConditionalAuthenticator) provider(AuthenticatorFactory.class).create(null);
      System.out.println(condition.matchCondition(context));
    }
  }
}
`
