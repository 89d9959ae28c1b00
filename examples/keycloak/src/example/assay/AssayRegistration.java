package example.assay;

import jakarta.ws.rs.core.MultivaluedMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.keycloak.Config;
import org.keycloak.authentication.FormAction;
import org.keycloak.authentication.FormActionFactory;
import org.keycloak.authentication.FormContext;
import org.keycloak.authentication.ValidationContext;
import org.keycloak.events.Errors;
import org.keycloak.forms.login.LoginFormsProvider;
import org.keycloak.models.AuthenticationExecutionModel.Requirement;
import org.keycloak.models.KeycloakSession;
import org.keycloak.models.KeycloakSessionFactory;
import org.keycloak.models.RealmModel;
import org.keycloak.models.UserModel;
import org.keycloak.models.utils.FormMessage;
import org.keycloak.provider.ProviderConfigProperty;

/** A step of the registration form: refuses addresses that Assay says to block. */
public class AssayRegistration implements FormAction, FormActionFactory {

    @Override
    public void validate(ValidationContext context) {
        MultivaluedMap<String, String> form = context.getHttpRequest().getDecodedFormParameters();
        String email = form.getFirst("email");
        // Another step says that it is missing, where it must not be.
        if (email == null || email.isBlank()) {
            context.success();
            return;
        }
        Map<String, String> about = new HashMap<>();
        about.put("event", "sign-up");
        about.put("ip", context.getConnection().getRemoteAddr());
        about.put("user_agent",
                context.getHttpRequest().getHttpHeaders().getHeaderString("User-Agent"));
        String action = Assay.recommended(email, about);
        if (Assay.BLOCK.equals(action) || Assay.UNREADABLE.equals(action))
            refuse(context, form, "This account cannot be created. Please contact support.");
        else if (action == null && Assay.failsClosed())
            refuse(context, form, "Registration is not possible now. Please try again later.");
        else context.success();
    }

    private static void refuse(
            ValidationContext context, MultivaluedMap<String, String> form, String text) {
        context.error(Errors.INVALID_REGISTRATION);
        context.validationError(form, List.of(new FormMessage("email", text)));
    }

    @Override
    public String getId() {
        return "assay-registration";
    }

    @Override
    public String getDisplayType() {
        return "Assay";
    }

    @Override
    public String getReferenceCategory() {
        return null;
    }

    @Override
    public String getHelpText() {
        return "Refuses addresses that Assay says to block.";
    }

    @Override
    public Requirement[] getRequirementChoices() {
        return new Requirement[] {Requirement.REQUIRED, Requirement.DISABLED};
    }

    @Override
    public boolean isConfigurable() {
        return false;
    }

    @Override
    public boolean isUserSetupAllowed() {
        return false;
    }

    @Override
    public List<ProviderConfigProperty> getConfigProperties() {
        return List.of();
    }

    @Override
    public boolean requiresUser() {
        return false;
    }

    @Override
    public boolean configuredFor(KeycloakSession session, RealmModel realm, UserModel user) {
        return true;
    }

    @Override
    public FormAction create(KeycloakSession session) {
        return this;
    }

    @Override
    public void buildPage(FormContext context, LoginFormsProvider form) {}

    @Override
    public void success(FormContext context) {}

    @Override
    public void setRequiredActions(KeycloakSession session, RealmModel realm, UserModel user) {}

    @Override
    public void init(Config.Scope config) {}

    @Override
    public void postInit(KeycloakSessionFactory factory) {}

    @Override
    public void close() {}
}
