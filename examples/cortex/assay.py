#!/usr/bin/env python3
"""A Cortex analyzer: what Assay says about an e-mail address or a phone number.

It reads and writes the files of Cortex by itself, as cortexutils would, and needs no library.
"""

import json
import os
import sys
import urllib.error
import urllib.request

# Of the attempt that uses the address or the number now, which may not be its owner's.
LEVELS = {"step_up_auth": "suspicious", "review": "suspicious", "block": "malicious"}


def main(job):
    with open(os.path.join(job, "input", "input.json"), encoding="utf-8") as file:
        given = json.load(file)
    report = analyse(given)
    os.makedirs(os.path.join(job, "output"), exist_ok=True)
    with open(os.path.join(job, "output", "output.json"), "w", encoding="utf-8") as file:
        json.dump(report, file)
    return 0 if report["success"] else 1


def analyse(given):
    config = given.get("config") or {}
    for name in ("tlp", "pap"):
        if config.get("check_" + name) and given.get(name, 2) > config.get("max_" + name, 2):
            return failed("%s is higher than allowed." % name.upper())
    if given.get("dataType") not in ("mail", "phone"):
        return failed("This datatype is not supported by this analyzer.")
    if not (given.get("data") and config.get("url") and config.get("key")):
        return failed("The observable and the settings url and key are needed.")
    try:
        answer = ask(config["url"], config["key"], given["data"])
    except NoAnswer as error:
        return failed(str(error))
    return {
        "success": True,
        "summary": {"taxonomies": taxonomies(answer)},
        "artifacts": [],
        "operations": [],
        "full": {k: v for k, v in answer.items() if k not in ("email", "phone_number")},
    }


def taxonomies(answer):
    level = LEVELS.get(answer["action"], "info")
    values = {"action": answer["action"], "score": answer["risk_score"]}
    if "threat_stage" in answer:
        values["stage"] = answer["threat_stage"]
    return [
        {"level": level, "namespace": "Assay", "predicate": name, "value": str(value)}
        for name, value in values.items()
    ]


def failed(message):
    return {"success": False, "errorMessage": message}


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "/job"))
