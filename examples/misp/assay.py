"""A misp-modules expansion: tags an address or a number with what Assay says about it."""

import json
import os
import urllib.error
import urllib.request
import uuid

mispattributes = {
    "input": [
        "email",
        "email-src",
        "email-dst",
        "email-reply-to",
        "target-email",
        "whois-registrant-email",
        "phone-number",
        "whois-registrant-phone",
    ],
    "format": "misp_standard",
}
moduleinfo = {
    "version": "1.0",
    "author": "Assay",
    "description": "Asks Assay how risky an e-mail address or a phone number is, and why.",
    "module-type": ["expansion", "hover"],
    "name": "Assay",
    "logo": "",
    "requirements": ["A running Assay, and a key with the scope score"],
    "features": "Adds tags with the recommended action and the stage, and a text with the reasons.",
    "references": [],
    "input": "An e-mail address, or a phone number with its plus sign.",
    "output": "The attribute with tags, and a text attribute.",
}
moduleconfig = ["assay_url", "assay_key"]


def handler(q=False):
    if q is False:
        return False
    request = json.loads(q)
    attribute = request.get("attribute") or {}
    if not all(attribute.get(name) for name in ("type", "value", "uuid")):
        return {"error": "An attribute with a type, a value and a uuid is needed."}
    if attribute["type"] not in mispattributes["input"]:
        return {"error": "Unsupported attribute type."}
    config = request.get("config") or {}
    if not all(config.get(name) for name in moduleconfig):
        return {"error": "The settings assay_url and assay_key are needed."}
    try:
        answer = ask(config["assay_url"], config["assay_key"], attribute["value"])
    except NoAnswer as error:
        return {"error": str(error)}
    return {"results": {"Attribute": [tagged(attribute, answer), explained(answer)]}}


def tagged(attribute, answer):
    tags = ['assay:action="%s"' % answer["action"]]
    if "threat_stage" in answer:
        tags.append('assay:stage="%s"' % answer["threat_stage"])
    # Those of an earlier answer are replaced.
    kept = [tag for tag in attribute.get("Tag") or [] if not tag["name"].startswith("assay:")]
    return {**attribute, "Tag": kept + [{"name": name} for name in tags]}


def explained(answer):
    reasons = "; ".join(answer["risk_reasons"])
    return {
        "uuid": str(uuid.uuid4()),
        "type": "text",
        "category": "External analysis",
        "value": "Assay: %d of 100, %s. %s" % (answer["risk_score"], answer["action"], reasons),
        "comment": "Assay",
        "to_ids": False,
        # Many people have the same reasons: that does not connect them.
        "disable_correlation": True,
    }


def introspection():
    return mispattributes


def version():
    return {**moduleinfo, "config": moduleconfig}


class NoAnswer(Exception):
    """Assay gave no answer. The text says why, and names nobody."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key and the identity go to Assay, and to nobody whom an answer names."""

    def redirect_request(self, *_):
        return None


def ask(url, key, identity):
    """Assay's answer about an e-mail address, or a phone number with its plus sign."""
    is_email = "@" in identity
    timeout = float(os.environ.get("ASSAY_TIMEOUT_SECONDS", 3))
    path = "/api/v1/risk/score" if is_email else "/api/v1/phone-risk"
    request = urllib.request.Request(
        url.rstrip("/") + path,
        data=json.dumps({"email" if is_email else "phone_number": identity}).encode(),
        headers={"Authorization": "Bearer " + key, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.build_opener(NoRedirects).open(request, timeout=timeout) as response:
            answer = json.load(response)
        # Numbers have a recommendation, addresses a recommended_action: one name for both.
        answer["action"] = answer.get("recommended_action") or answer["recommendation"]
        return answer
    except urllib.error.HTTPError as error:
        unreadable = "This is no address and no number that Assay can read"
        raise NoAnswer(
            unreadable if error.code == 422 else "Assay answered with status %d" % error.code
        ) from None
    except (OSError, ValueError, LookupError, TypeError) as error:
        # The type alone: the text of an error could quote what was sent.
        raise NoAnswer("Assay gave no answer: " + type(error).__name__) from None
