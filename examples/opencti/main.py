"""An internal enrichment connector of OpenCTI that asks Assay. The mapping is in assay_stix.py."""

import datetime
import os

from assay_stix import TYPES, NoAnswer, ask, enriched


def process(helper, settings, data):
    """One observable; what is returned, or raised, is shown with the work in OpenCTI."""
    observable, objects = data["stix_entity"], data["stix_objects"]
    # A playbook waits for its objects, also where nothing was added to them.
    in_playbook = not data.get("event_type")
    try:
        if observable["type"] not in TYPES:
            raise NoAnswer("Assay knows of e-mail addresses and phone numbers only")
        if not helper.check_max_tlp(tlp_of(data["enrichment_entity"]), settings["max_tlp"]):
            raise NoAnswer("The TLP of the observable is higher than ASSAY_MAX_TLP")
        answer = ask(settings["url"], settings["key"], observable["value"])
    except NoAnswer as error:
        if not in_playbook:
            raise ValueError(str(error)) from None
        helper.connector_logger.warning(str(error))
        send(helper, objects)
        return str(error)
    day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    others = [each for each in objects if each["id"] != observable["id"]]
    send(helper, others + enriched(observable, answer, day))
    return "Assay: " + answer["action"]


def tlp_of(entity):
    tlp = "TLP:CLEAR"
    for marking in entity.get("objectMarking") or []:
        if marking["definition_type"] == "TLP":
            tlp = marking["definition"]
    return tlp


def send(helper, objects):
    helper.send_stix2_bundle(helper.stix2_create_bundle(objects))


def main():
    from pycti import OpenCTIConnectorHelper

    settings = {
        "url": os.environ["ASSAY_URL"],
        "key": os.environ["ASSAY_KEY"],
        "max_tlp": os.environ.get("ASSAY_MAX_TLP", "TLP:AMBER"),
    }
    helper = OpenCTIConnectorHelper({})
    helper.listen(message_callback=lambda data: process(helper, settings, data))


if __name__ == "__main__":
    main()
