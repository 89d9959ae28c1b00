package example.assay;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.keycloak.Config;
import org.keycloak.authentication.AuthenticationFlowContext;
import org.keycloak.authentication.authenticators.conditional.ConditionalAuthenticator;
import org.keycloak.authentication.authenticators.conditional.ConditionalAuthenticatorFactory;
import org.keycloak.models.AuthenticationExecutionModel.Requirement;
import org.keycloak.models.AuthenticatorConfigModel;
import org.keycloak.models.KeycloakSession;
import org.keycloak.models.KeycloakSessionFactory;
import org.keycloak.models.RealmModel;
import org.keycloak.models.UserModel;
import org.keycloak.provider.ProviderConfigProperty;

/** A condition of a sub-flow: holds where Assay recommends what it is set to. */
public class AssayCondition implements ConditionalAuthenticator, ConditionalAuthenticatorFactory {

    private static final String WHEN = "when";
    private static final String NOTE = "assay-action";
    private static final String NO_ANSWER = "";

    @Override
    public boolean matchCondition(AuthenticationFlowContext context) {
        String email = context.getUser().getEmail();
        if (email == null || email.isBlank()) return false;
        String action = actionOf(context, email);
        if (Assay.BLOCK.equals(when(context))) return Assay.BLOCK.equals(action);
        return NO_ANSWER.equals(action) ? Assay.failsClosed() : !"allow".equals(action);
    }

    /** Asked once a sign-in, also where several sub-flows have this condition. */
    private static String actionOf(AuthenticationFlowContext context, String email) {
        String known = context.getAuthenticationSession().getAuthNote(NOTE);
        if (known != null) return known;
        Map<String, String> about = new HashMap<>();
        about.put("event", "login");
        about.put("account_id", context.getUser().getId());
        about.put("ip", context.getConnection().getRemoteAddr());
        about.put("user_agent",
                context.getHttpRequest().getHttpHeaders().getHeaderString("User-Agent"));
        String action = Assay.recommended(email, about);
        context.getAuthenticationSession().setAuthNote(NOTE, action == null ? NO_ANSWER : action);
        return action == null ? NO_ANSWER : action;
    }

    private static String when(AuthenticationFlowContext context) {
        AuthenticatorConfigModel config = context.getAuthenticatorConfig();
        return config == null ? null : config.getConfig().get(WHEN);
    }

    @Override
    public List<ProviderConfigProperty> getConfigProperties() {
        return List.of(new ProviderConfigProperty(WHEN, "Assay recommends",
                "block, or anything but allow", ProviderConfigProperty.LIST_TYPE, "step_up",
                "step_up", Assay.BLOCK));
    }

    @Override
    public String getId() {
        return "assay-condition";
    }

    @Override
    public String getDisplayType() {
        return "Condition - Assay";
    }

    @Override
    public String getHelpText() {
        return "Runs the flow where Assay recommends it.";
    }

    @Override
    public Requirement[] getRequirementChoices() {
        return new Requirement[] {Requirement.REQUIRED, Requirement.DISABLED};
    }

    @Override
    public boolean isConfigurable() {
        return true;
    }

    @Override
    public boolean isUserSetupAllowed() {
        return false;
    }

    @Override
    public boolean requiresUser() {
        return true;
    }

    @Override
    public ConditionalAuthenticator getSingleton() {
        return this;
    }

    @Override
    public void action(AuthenticationFlowContext context) {}

    @Override
    public void setRequiredActions(KeycloakSession session, RealmModel realm, UserModel user) {}

    @Override
    public void init(Config.Scope config) {}

    @Override
    public void postInit(KeycloakSessionFactory factory) {}

    @Override
    public void close() {}
}
