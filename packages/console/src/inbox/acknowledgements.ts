const texts: Readonly<Record<string, string>> = {
  en: "Your message has arrived and has been opened. Come back with your code for an answer.",
  fr: "Votre message est arrivé et a été ouvert. Revenez avec votre code pour lire une réponse.",
  es: "Su mensaje ha llegado y ha sido abierto. Vuelva con su código para leer una respuesta.",
  de: "Ihre Nachricht ist angekommen und wurde geöffnet. Kommen Sie mit Ihrem Code wieder, um eine Antwort zu lesen.",
  ar: "وصلت رسالتك وتم فتحها. عد برمزك لقراءة الرد.",
}

/**
 * What a sender reads once a message is opened for the first time, in the language of the page it
 * was written on.
 */
export function acknowledgement(lang: string): { readonly lang: string; readonly text: string } {
  const [language = "en"] = lang.toLowerCase().split("-")
  const text = texts[language]
  return text === undefined ? { lang: "en", text: texts["en"] ?? "" } : { lang: language, text }
}
