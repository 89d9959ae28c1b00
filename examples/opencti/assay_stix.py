"""What Assay says about an observable, as STIX objects for OpenCTI."""

import json
import os
import urllib.error
import urllib.request
import uuid

TYPES = ("email-addr", "phone-number")

# Of OpenCTI, for what STIX has no property of an observable for (STIX_EXT_OCTI_SCO in pycti).
EXTENSION = "extension-definition--f93e2c80-4231-4f9a-af8b-95c9bd566a82"

# Ids of notes are made from it: the same note of the same day has the same id.
NAMESPACE = uuid.UUID("5f0e7c5e-5f5b-4a50-9d6b-6c7f6f2b8a11")


def enriched(observable, answer, day):
    """The observable with score and labels, and a note with the reasons; `day` is YYYY-MM-DD."""
    labels = ["assay:" + answer["action"]]
    if "threat_stage" in answer:
        labels.append("assay:" + answer["threat_stage"].lower())
    extension = (observable.get("extensions") or {}).get(EXTENSION) or {}
    # Labels that an earlier answer gave are replaced, those of people are kept.
    kept = [each for each in extension.get("labels") or [] if not each.startswith("assay:")]
    changed = {
        "extension_type": "property-extension",
        **extension,
        "score": answer["risk_score"],
        "labels": kept + labels,
    }
    extensions = {**(observable.get("extensions") or {}), EXTENSION: changed}
    return [{**observable, "extensions": extensions}, note(observable["id"], answer, day)]


def note(observable_id, answer, day):
    about = "Assay: %d of 100, %s" % (answer["risk_score"], answer["action"])
    content = "\n".join("- " + reason for reason in answer["risk_reasons"])
    created = day + "T00:00:00.000Z"
    same = "|".join((observable_id, created, about, content))
    return {
        "type": "note",
        "spec_version": "2.1",
        "id": "note--" + str(uuid.uuid5(NAMESPACE, same)),
        "created": created,
        "modified": created,
        "abstract": about,
        "content": content,
        "object_refs": [observable_id],
    }


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
