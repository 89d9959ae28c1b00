import type { Texts } from "./texts.ts"

/** There is no German word list, so a code is digits first and English words second. */
export const de: Texts = {
  "language-name": "Deutsch",
  "page-name": "Anonymer Briefkasten",
  languages: "Sprachen",
  skip: "Zur Seite springen",
  "other-pages": "Weitere Seiten",
  "link-form": "Nachricht senden",
  "link-replies": "Antworten lesen",
  "link-withdraw": "Nachricht zurückziehen",
  "link-presealed": "Selbst verschlüsseln",
  "link-hashes": "Diese Website prüfen",
  "title-fault": "Fehler: {title}",
  demo: "Dies ist eine Vorführung. Sie teilt ihre Adresse mit anderen Diensten; senden Sie nichts Echtes.",

  "form-title": "Eine Nachricht senden, ohne zu sagen, wer Sie sind",
  "form-title-named": "Eine Nachricht an {name} senden, ohne zu sagen, wer Sie sind",
  "promise-sealed":
    "Ihre Nachricht wird verschlüsselt, bevor sie gespeichert wird: mit JavaScript auf Ihrem eigenen Gerät, ohne JavaScript auf diesem Server.",
  "promise-readers": {
    one: "Nur die Person mit dem Schlüssel kann sie öffnen, und der Schlüssel ist nicht auf diesem Server.",
    other:
      "Nur Personen mit einem von {count} Schlüsseln können sie öffnen, und keiner dieser Schlüssel ist auf diesem Server.",
  },
  "promise-kept": {
    one: "Wir behalten die verschlüsselte Nachricht {count} Tag und bis zu 7 weitere, zufällig gewählte Tage; wir speichern keine Adresse, keine Ankunftszeit, kein Cookie und nichts über Ihr Gerät.",
    other:
      "Wir behalten die verschlüsselte Nachricht {count} Tage und bis zu 7 weitere, zufällig gewählte Tage; wir speichern keine Adresse, keine Ankunftszeit, kein Cookie und nichts über Ihr Gerät.",
  },
  "admission-hide":
    "Wir können nicht verbergen, dass Sie diese Website besucht und ungefähr wie viel Sie gesendet haben, und Ihre Worte, Ihr Stil oder ein Bild können zeigen, wer Sie sind.",
  "admission-safer":
    "Sicherer sind Sie mit dem Tor Browser, auf einem Gerät und in einem Netz, die nicht denen gehören, über die Sie schreiben.",
  "onion-link": "Diesen Briefkasten unter seiner Onion-Adresse öffnen",
  "more-title": "Mehr darüber, was verborgen ist und was nicht",
  "promise-order":
    "Jede Nacht und nach jeweils 50 Nachrichten wird der Speicher neu geschrieben, sodass darin nichts zeigt, in welcher Reihenfolge Nachrichten kamen.",
  "promise-unlinked":
    "Nichts im Speicher zeigt, dass zwei Nachrichten von derselben Person kommen.",
  "promise-modes":
    "Ohne Schlüssel kann niemand sehen, ob eine gespeicherte Nachricht um Antwort bat.",
  "promise-backup": "Dieser Dienst legt Nachrichten niemals in seine Sicherungskopien.",
  "admission-network":
    "Wer Ihr Netz betreibt, kann sehen, dass Sie diese Website besucht haben, und wann. Mit Tor sieht man nur, dass Sie Tor benutzen.",
  "admission-size":
    "Die Größe Ihrer Sendung ist zu sehen: mit JavaScript als eine von zehn Größen, ohne JavaScript fast genau.",
  "admission-script":
    "Mit JavaScript vertrauen Sie dem Code, den diese Website bei jedem Besuch sendet. Sie können ihn prüfen oder die Nachricht selbst verschlüsseln.",
  "admission-keys":
    "Wer den Schlüssel einer Leserin oder eines Lesers stiehlt, kann jede Nachricht öffnen, die hier noch gespeichert ist.",
  "fingerprint-title": "Prüfen, wer sie öffnen kann",
  "fingerprint-text":
    "Diese sechs Wörter stehen für die Schlüssel derer, die lesen. Wenn sie anderswo veröffentlicht sind, müssen es dieselben sein:",

  "message-label": "Ihre Nachricht",
  "message-hint":
    "Bis zu etwa {letters} Buchstaben. Schreiben Sie Ihren Namen nicht, wenn er nicht bekannt werden soll.",
  "files-label": "Dateien",
  "files-hint": "Nicht nötig. Bis zu {files} Dateien, jede bis {size}.",
  "file-number": "Datei {number}",
  "files-not-taken":
    "Dateien können im Moment nicht gesendet werden, weil der Platz knapp wird. Nachrichten ohne Dateien schon.",
  "files-again":
    "Wenn Sie Dateien gewählt hatten, wählen Sie sie noch einmal: Ihr Browser behält sie nicht.",
  "metadata-hint": "Dateien sagen oft, wo, wann und mit welchem Gerät sie gemacht wurden.",
  "promise-strip":
    "Versteckte Daten werden aus Bildern entfernt (JPEG, PNG, WebP und GIF), außer aus denen, die Sie unverändert senden wollen.",
  "metadata-keep": "Datei {number} unverändert senden, weil versteckte Daten Beweise sein können",
  "admission-documents":
    "Aus Dokumenten, Video und Ton werden sie nicht entfernt. Nichts entfernt, was ein Bild oder ein Text selbst zeigt.",
  "names-keep": "Auch die Namen der Dateien senden",
  "promise-names":
    "Wenn Sie das nicht ankreuzen, bekommt niemand, der liest, die Namen Ihrer Dateien.",
  "mode-label": "Möchten Sie Antworten?",
  "mode-two-way": "Ja, geben Sie mir einen Code",
  "mode-two-way-hint":
    "Sie schreiben den Code auf und kommen mit ihm wieder, um Antworten zu lesen.",
  "mode-one-way": "Nein, nur senden",
  "mode-one-way-hint": "Es gibt keinen Code, und niemand kann Ihnen antworten.",
  "question-label": "Eine Frage gegen Maschinen",
  "website-label": "Dieses Feld leer lassen",
  "effort-label": "Mehr Arbeit für Ihr Gerät",
  "effort-hint":
    "Nicht nötig. Bevor eine Nachricht angenommen wird, arbeitet Ihr Gerät etwa eine Sekunde, ein altes Telefon mehrere. Wenn Sie es länger arbeiten lassen, sehen alle, die lesen, dass Sie sich die Mühe gemacht haben.",
  "admission-effort": "Ihre Wahl wird unverschlüsselt neben der Nachricht gespeichert.",
  "effort-0": "So lange wie nötig",
  "effort-1": "Doppelt so lange",
  "effort-2": "Viermal so lange",
  "effort-3": "Achtmal so lange",
  "admission-no-script":
    "Ohne JavaScript verschlüsselt dieser Server die Nachricht für Sie und könnte sie dabei grundsätzlich lesen.",
  send: "Senden",

  "sent-title": "Ihre Nachricht ist gesendet",
  "sent-one-way": "Sie ist verschlüsselt gespeichert. Sie müssen nichts mehr tun.",
  "sent-two-way": "Sie ist verschlüsselt gespeichert. Das ist Ihr Code für Antworten:",
  "sent-follow-up": "Sie ist verschlüsselt gespeichert. Ihr Code bleibt derselbe.",
  "sent-file-unknown":
    "In Datei {number} wurde nicht hineingesehen, weil ihre Art hier nicht gelesen werden kann. Sie wurde so gesendet, wie sie ist, und kann versteckte Daten enthalten.",
  "sent-file-colours":
    "Datei {number} hat mit den versteckten Daten ein Farbprofil verloren. Die Farben können bei den Lesenden anders aussehen.",
  "code-once":
    "Schreiben Sie ihn jetzt auf Papier und verwahren Sie ihn dort, wo niemand hinsieht. Er wird nur dieses eine Mal gezeigt.",
  "promise-code": "Wir speichern Ihren Code nicht und können ihn Ihnen kein zweites Mal geben.",
  "code-title": "Ihr Code",
  "code-line": "Der Code in einer Zeile:",
  "code-numbers": "Derselbe Code in englischen Wörtern:",
  "code-either": "Sie können mit beiden Formen wiederkommen.",
  "confirm-title": "Haben Sie ihn aufgeschrieben?",
  "confirm-text": "Tippen Sie zur Probe zwei Teile Ihres Codes. Sie können das auslassen.",
  "confirm-4": "Teil 4",
  "confirm-9": "Teil 9",
  "confirm-check": "Prüfen",
  "confirm-right": "Richtig. Sie haben Ihren Code.",
  "confirm-wrong":
    "Das stimmt nicht überein. Sehen Sie noch einmal auf Ihr Papier und auf den Code oben.",
  "confirmed-title": "Sie haben Ihren Code",
  "confirmed-text":
    "Beide Teile sind richtig. Kommen Sie in einigen Tagen wieder und lesen Sie damit die Antworten.",
  "next-title": "Was Sie jetzt tun können",
  "write-again": "Noch eine Nachricht schreiben",
  "withdraw-now": "Zurückziehen, was ich gesendet habe",
  "admission-withdraw":
    "Wenn Sie Nachrichten zurückziehen, sieht dieser Server, dass die Nachrichten Ihres Codes zusammengehören.",
  done: "Ich bin fertig",

  "replies-title": "Antworten lesen",
  "replies-intro":
    "Tippen Sie den Code, den Sie aufgeschrieben haben: seine Ziffern oder seine Wörter in irgendeiner Sprache.",
  "promise-alike":
    "Ein Code, den niemand bekam, und ein Code ohne Antworten erhalten dieselbe Auskunft.",
  "code-label": "Ihr Code",
  "code-hint":
    "Zwölf Gruppen von Ziffern oder zwölf Wörter. Die ersten vier Buchstaben eines Wortes genügen.",
  "show-replies": "Antworten zeigen",
  "admission-no-script-code":
    "Ohne JavaScript sieht dieser Server Ihren Code, während er antwortet, und könnte Ihre Antworten grundsätzlich lesen.",
  "promise-forget": "Das Programm, das sie sieht, endet, sobald es geantwortet hat.",
  "replies-shown-title": "Antworten",
  "reply-number": "Antwort {number}",
  "reply-file": "Zu dieser Antwort gehört eine Datei. Sie lässt sich nur mit JavaScript sichern.",
  "reply-unreadable":
    "Diese Antwort ist beschädigt und lässt sich nicht zeigen. Bitten Sie darum, dass sie noch einmal gesendet wird.",
  "no-replies": "Für diesen Code gibt es im Moment keine Antwort.",
  "admission-own-messages":
    "Sie sehen nur, was Ihnen geschrieben wurde. Ihre eigenen Nachrichten können nicht gezeigt werden, auch Ihnen nicht.",
  "promise-replies-kept": {
    one: "Eine Antwort wartet {count} Tag und bis zu 7 weitere Tage.",
    other: "Eine Antwort wartet {count} Tage und bis zu 7 weitere Tage.",
  },
  "delete-replies": "Diese Antworten jetzt löschen",
  "promise-delete": "Gelöschte Antworten sind sofort aus dem Speicher verschwunden.",
  "replies-deleted-title": "Die Antworten sind gelöscht",
  "replies-deleted":
    "Die Antworten, die hier zu Ihrem Code lagen, sind gelöscht. Ihr Code gilt weiter.",
  "follow-up-title": "Noch einmal schreiben",
  "admission-follow-up":
    "Ihre Nachricht geht an dieselben Leute, und sie sehen, dass sie zu Ihrer früheren gehört. Eine Nachricht von hier lässt sich nicht zurückziehen.",

  "withdraw-title": "Nachricht zurückziehen",
  "withdraw-intro":
    "Mit Ihrem Code können Sie löschen, was Sie gesendet haben, bevor es gelesen wird.",
  "admission-withdraw-limits":
    "Was Sie bei einem späteren Besuch gesendet haben, lässt sich nicht zurückziehen, und was jemand schon abgeholt hat, bleibt dort.",
  "withdraw-button": "Meine Nachrichten zurückziehen",
  "withdrawn-title": "Erledigt",
  "promise-withdrawn":
    "Was von Ihren Nachrichten noch hier war und zurückgezogen werden konnte, ist gelöscht.",

  "presealed-title": "Selbst verschlüsseln",
  "presealed-intro":
    "Sie können eine Nachricht mit den Programmen age und tar verschlüsseln und nur das Ergebnis senden. Dann müssen Sie weder diesem Server noch seinem JavaScript vertrauen.",
  "presealed-step-keys": "Sichern Sie die Schlüssel derer, die lesen, in einem neuen Ordner:",
  "presealed-step-message":
    "Schreiben Sie Ihre Nachricht, bis zu etwa {letters} Buchstaben, in diesem Ordner in eine Datei mit dem Namen message.txt.",
  "presealed-step-commands": "Führen Sie in diesem Ordner diese Befehle aus:",
  "presealed-step-send": "Senden Sie die Datei, die entstanden ist, message.age:",
  "presealed-file": "Die verschlüsselte Datei",
  "promise-presealed":
    "Eine so gemachte Datei wird gespeichert, wie sie ist, und sieht aus wie jede andere Nachricht.",
  "presealed-offline-title": "Mit Dateien oder mit einem Code für Antworten",
  "presealed-offline":
    "Diese Seite läuft von Ihrem Datenträger, ohne Netz. Sie macht den Code und die verschlüsselte Datei auf Ihrem eigenen Gerät.",
  "link-offline": "Die Offline-Seite sichern",
  "presealed-sent-title": "Ihre Datei ist gesendet",
  "presealed-sent": "Sie ist so gespeichert, wie Sie sie gemacht haben.",
  "presealed-wrapped":
    "Sie hatte nicht die Form einer Nachricht; deshalb hat dieser Server sie ungeöffnet in einen zweiten Umschlag gesteckt.",

  "done-title": "Sie können diese Seite schließen",
  "promise-done":
    "Ihr Browser wurde angewiesen, zu vergessen, was diese Website bei ihm hinterließ: Es gibt kein Cookie, und auch sonst ist nichts gespeichert.",
  "done-history":
    "Der Verlauf Ihres Browsers kann noch zeigen, dass Sie hier waren. Schließen Sie das private Fenster oder löschen Sie den Verlauf.",

  "busy-title": "Gerade senden viele Menschen",
  "busy-text": {
    one: "Diese Seite versucht es in {count} Sekunde von selbst wieder. Sie müssen nichts tun.",
    other: "Diese Seite versucht es in {count} Sekunden von selbst wieder. Sie müssen nichts tun.",
  },
  "not-set-up-title": "Dieser Briefkasten kann noch keine Nachrichten annehmen",
  "not-set-up-text":
    "Niemand hat einen Schlüssel, um sie zu öffnen, also lässt sich nichts verschlüsseln. Kommen Sie später wieder.",
  "not-set-up-operators":
    "Wenn Sie diesen Dienst betreiben, machen Sie den ersten Schlüssel und fügen ihn mit diesen Befehlen hinzu:",
  "not-found-title": "Diese Seite gibt es nicht",
  "not-found-text": "Vielleicht ist die Adresse falsch getippt.",
  "hashes-title": "Diese Website prüfen",
  "promise-hashes":
    "Das sind die SHA-256-Summen der Dateien, die diese Website an Ihren Browser sendet. Sie sind auf jeder Website mit dieser Version dieselben.",
  "hashes-compare":
    "Vergleichen Sie sie mit der Liste der veröffentlichten Version, von einem anderen Gerät und aus einem anderen Netz.",

  "fault-summary": "Ihre Nachricht ist nicht gesendet",
  "promise-nothing-stored": "Dieses Mal wurde nichts gespeichert.",
  "fault-empty": "Schreiben Sie eine Nachricht oder wählen Sie eine Datei.",
  "fault-message-long":
    "Die Nachricht ist zu lang. Platz ist für etwa {letters} Buchstaben. Senden Sie den Rest in einer zweiten Nachricht.",
  "fault-files-many":
    "Es sind mehr als {files} Dateien. Senden Sie die anderen in einer zweiten Nachricht.",
  "fault-file-large": "Datei {number} ist größer als {size}.",
  "fault-file-empty": "Datei {number} ist leer.",
  "fault-file-malformed":
    "Datei {number} sieht wie ein Bild aus, aber ihre versteckten Daten ließen sich nicht entfernen. Lassen Sie sie weg, oder wählen Sie, sie unverändert zu senden.",
  "fault-file-carries":
    "Datei {number} enthält versteckte Daten, die sich nicht entfernen lassen: {found}. Lassen Sie sie weg, oder wählen Sie, sie unverändert zu senden.",
  "fault-files-not-taken":
    "Dateien können im Moment nicht angenommen werden. Senden Sie Ihre Nachricht ohne Dateien.",
  "fault-token-early":
    "Das Formular kam zu schnell zurück. Warten Sie 15 Sekunden und drücken Sie noch einmal auf Senden.",
  "fault-token-expired":
    "Diese Seite war länger als einen Tag offen. Drücken Sie noch einmal auf Senden.",
  "fault-token-spent":
    "Dieses Formular wurde schon benutzt. Wenn Sie gesehen haben, dass Ihre Nachricht gesendet ist, senden Sie sie nicht noch einmal.",
  "fault-token-wrong":
    "Dieses Formular kommt nicht von diesem Briefkasten. Drücken Sie noch einmal auf Senden.",
  "fault-question": "Die Antwort ist nicht richtig. Versuchen Sie es noch einmal.",
  "fault-code-empty": "Tippen Sie Ihren Code.",
  "fault-code-count":
    "Ein Code hat zwölf Gruppen von Ziffern oder zwölf Wörter. Dieser hat mehr oder weniger.",
  "fault-code-word":
    "Teil {at} steht nicht in der Liste. Prüfen Sie seine Ziffern oder Buchstaben.",
  "fault-code-checksum":
    "Ein Teil ist nicht richtig, oder zwei sind vertauscht. Vergleichen Sie mit Ihrem Papier.",
  "fault-code":
    "Ihr Code ließ sich nicht lesen. Öffnen Sie die Seite für Antworten und tippen Sie ihn noch einmal.",
  "fault-presealed-missing": "Wählen Sie die verschlüsselte Datei.",
  "fault-presealed": "Das ist keine Datei, die age verschlüsselt hat, oder sie ist zu groß.",
  "fault-unreadable": "Das Formular ließ sich nicht lesen. Drücken Sie noch einmal auf Senden.",
  "fault-slow": "Die Verbindung war zu langsam oder brach ab. Drücken Sie noch einmal auf Senden.",
  "fault-busy":
    "Gerade kommen zu viele Nachrichten. Warten Sie einige Minuten und drücken Sie noch einmal auf Senden.",
  "fault-full": "Für weitere Nachrichten ist kein Platz. Versuchen Sie es morgen wieder.",
  "fault-failed":
    "Auf diesem Server ging etwas schief. Versuchen Sie es in einigen Minuten noch einmal.",

  "refusal-title": "Das hat nicht geklappt",
  "refusal-reload":
    "Um es noch einmal zu versuchen, laden Sie diese Seite neu. Ihr Browser fragt, ob er das Formular noch einmal senden soll: Sagen Sie ja, dann geht Ihr Text mit.",
  "refusal-unreadable": "Die Anfrage ließ sich nicht lesen.",
  "refusal-other-site":
    "Die Anfrage kam von einer anderen Website und wurde deshalb nicht angenommen.",
  "refusal-method": "So lässt sich diese Seite nicht benutzen.",
  "refusal-slow": "Die Verbindung war zu langsam oder brach ab.",
  "refusal-large": "Das ist mehr, als in eine Nachricht passt: {files} Dateien, jede bis {size}.",
  "refusal-gave-way":
    "Andere warten darauf zu senden, und Ihre Verbindung war die langsamste, deshalb wurde sie beendet. Versuchen Sie es später noch einmal, oder senden Sie weniger auf einmal.",
  "refusal-busy":
    "Gerade senden zu viele Menschen. Warten Sie einige Minuten und versuchen Sie es noch einmal.",
  "refusal-full": "Für weitere Nachrichten ist kein Platz. Versuchen Sie es morgen wieder.",
  "refusal-failed":
    "Auf diesem Server ging etwas schief. Versuchen Sie es in einigen Minuten noch einmal.",

  "script-file-found": "Diese Datei sagt außerdem:",
  "script-file-clean": "In dieser Datei wurden keine versteckten Daten gefunden.",
  "script-file-removed":
    "All das wird vor dem Senden entfernt. Die Lesenden erfahren nur, welche Arten es waren.",
  "script-file-colours":
    "Die Farben können danach anders aussehen, weil sie von einem Farbprofil abhängen, das auch entfernt wird. Wenn es auf die Farben ankommt, senden Sie die Datei unverändert.",
  "script-file-stays":
    "Das lässt sich hier nicht entfernen. Lassen Sie die Datei weg, wenn es nicht bekannt werden darf.",
  "script-file-untouched": "Die Datei wird unverändert gesendet, mit all dem.",
  "script-file-malformed":
    "Das sieht wie ein Bild aus, aber die versteckten Daten lassen sich nicht entfernen. Lassen Sie es weg, oder senden Sie es unverändert.",
  "script-file-unknown":
    "In diese Art von Datei wurde nicht hineingesehen: Sie kann versteckte Daten enthalten. Sie wird so gesendet, wie sie ist.",
  "script-file-reading": "Die Datei wird angesehen …",
  "script-keep-file": "Diese Datei unverändert senden",
  "script-remove-file": "Diese Datei weglassen",
  "finding-location": "Ort",
  "finding-date": "Datum",
  "finding-device": "Gerät",
  "finding-serial": "Seriennummer",
  "finding-author": "Verfasst von",
  "finding-company": "Organisation",
  "finding-title": "Titel",
  "finding-software": "Programm",
  "finding-comment": "Kommentar",
  "finding-thumbnail": "Kleine Kopie des Bildes",
  "finding-history": "Verlauf der Änderungen",
  "finding-colour-profile": "Farbprofil",
  "finding-technical": "Technische Daten",
  "finding-properties": "Eigenschaften des Dokuments",
  "finding-pictures": "Bilder darin, mit eigenen versteckten Daten",
  "finding-hidden-data": "Daten hinter dem Ende der Datei",
  "script-proof": "Ihr Gerät löst eine kleine Aufgabe, die Maschinen fernhält: {percent} %",
  "script-sealing": "Verschlüsseln auf Ihrem Gerät: {percent} %",
  "script-sending": "Senden: {percent} %",
  "script-looking": "Antworten werden gesucht …",
  "script-working": "Einen Moment …",
  "script-save-file": "Die Datei dieser Antwort sichern",
  "script-plain-form": "Stattdessen ohne JavaScript senden",
  "failure-kept": "Ihr Text steht noch im Feld.",
  "failure-offline":
    "Die Verbindung ist ausgefallen, deshalb wurde das Senden beendet. Versuchen Sie es wieder, wenn Sie online sind.",
  "failure-uncertain":
    "Die Verbindung ist am Ende ausgefallen, und Ihre Nachricht kann angekommen sein. Wenn Sie noch einmal senden, kommt sie vielleicht doppelt an.",
  "failure-sealing":
    "Ihr Gerät konnte die Nachricht nicht verschlüsseln, deshalb wurde sie nicht gesendet.",
  "failure-keys-changed":
    "Die Schlüssel derer, die lesen, haben sich inzwischen geändert. Kopieren Sie Ihren Text, laden Sie diese Seite neu, was das Feld leert, und senden Sie dann noch einmal.",
  "failure-keys":
    "Die Schlüssel derer, die lesen, ließen sich nicht prüfen, deshalb wurde nichts gesendet. Versuchen Sie es später wieder.",
  "failure-ticket":
    "Die Aufgabe hat zu lange gedauert, oder dieser Server hat die Lösung nicht angenommen. Drücken Sie noch einmal auf Senden.",
  "failure-refused": "Dieser Server hat die Nachricht abgelehnt.",
  "failure-busy":
    "Gerade kommen zu viele Nachrichten. Warten Sie einige Minuten und drücken Sie noch einmal auf Senden.",
  "failure-full": "Für weitere Nachrichten ist kein Platz. Versuchen Sie es morgen wieder.",
  "failure-no-crypto":
    "Dieser Browser kann auf dieser Seite nicht verschlüsseln. Sie können die Nachricht von diesem Server verschlüsseln lassen, aber er könnte sie dabei grundsätzlich lesen.",
  "failure-replies":
    "Die Antworten ließen sich nicht abholen. Versuchen Sie es in einigen Minuten noch einmal.",
  "failure-delete":
    "Es ist nicht sicher, dass die Antworten gelöscht sind. Versuchen Sie es in einigen Minuten noch einmal.",
  "failure-withdraw":
    "Es ist nicht sicher, dass Ihre Nachrichten zurückgezogen sind. Versuchen Sie es in einigen Minuten noch einmal.",
}
