import type { Texts } from "./texts.ts"

export const es: Texts = {
  "language-name": "Español",
  "page-name": "Buzón anónimo",
  languages: "Idiomas",
  skip: "Ir a la página",
  "other-pages": "Otras páginas",
  "link-form": "Enviar un mensaje",
  "link-replies": "Leer respuestas",
  "link-withdraw": "Retirar un mensaje",
  "link-presealed": "Cifrar por su cuenta",
  "link-hashes": "Comprobar este sitio",
  "title-fault": "Error: {title}",
  demo: "Esto es una demostración. Comparte su dirección con otros servicios: no envíe nada real.",

  "form-title": "Enviar un mensaje sin decir quién es",
  "form-title-named": "Enviar un mensaje a {name} sin decir quién es",
  "promise-sealed":
    "Su mensaje se cifra antes de guardarse: en su propio dispositivo con JavaScript, en este servidor sin él.",
  "promise-readers": {
    one: "Solo la persona que tiene la clave puede abrirlo, y la clave no está en este servidor.",
    other:
      "Solo las personas que tienen una de las {count} claves pueden abrirlo, y ninguna de esas claves está en este servidor.",
  },
  "promise-kept": {
    one: "Guardamos el mensaje cifrado {count} día y hasta 7 más, elegidos al azar; no guardamos dirección, hora de llegada, cookies ni nada sobre su dispositivo.",
    other:
      "Guardamos el mensaje cifrado {count} días y hasta 7 más, elegidos al azar; no guardamos dirección, hora de llegada, cookies ni nada sobre su dispositivo.",
  },
  "admission-hide":
    "No podemos ocultar que visitó este sitio ni más o menos cuánto envió, y sus palabras, su estilo o una imagen pueden mostrar quién es.",
  "admission-safer":
    "Corre menos riesgo con Tor Browser, en un dispositivo y una red que no sean de las personas sobre las que escribe.",
  "onion-link": "Abrir este buzón en su dirección onion",
  "more-title": "Más sobre lo que se oculta y lo que no",
  "promise-order":
    "Cada noche, y cada 50 mensajes, el archivo de mensajes se escribe de nuevo, de modo que nada en él muestra en qué orden llegaron.",
  "promise-unlinked": "Nada de lo guardado muestra que dos mensajes vienen de la misma persona.",
  "promise-modes": "Sin una clave, nadie puede ver si un mensaje guardado pedía respuesta.",
  "promise-backup": "Este servicio nunca pone mensajes en sus copias de seguridad.",
  "admission-network":
    "Quien administra su red puede ver que visitó este sitio, y cuándo. Con Tor solo ve que usa Tor.",
  "admission-size":
    "El tamaño de lo que envía se puede ver: con JavaScript, como uno de diez tamaños; sin él, casi exactamente.",
  "admission-script":
    "Con JavaScript confía en el código que este sitio envía en cada visita. Puede comprobarlo, o cifrar el mensaje por su cuenta.",
  "admission-keys":
    "Quien robe la clave de un lector puede abrir todos los mensajes que aún estén guardados aquí.",
  "fingerprint-title": "Comprobar quién puede abrirlo",
  "fingerprint-text":
    "Estas seis palabras representan las claves de los lectores. Si los lectores las publicaron en otro lugar, deben ser las mismas:",

  "message-label": "Su mensaje",
  "message-hint": "Hasta unas {letters} letras. No escriba su nombre si no quiere que se sepa.",
  "files-label": "Archivos",
  "files-hint": "No es obligatorio. Hasta {files} archivos, de {size} como máximo cada uno.",
  "file-number": "Archivo {number}",
  "files-not-taken":
    "Ahora no se pueden enviar archivos, porque queda poco espacio. Los mensajes sin archivos sí.",
  "files-again": "Si había elegido archivos, elíjalos otra vez: su navegador no los conserva.",
  "metadata-hint": "Los archivos dicen a menudo dónde, cuándo y con qué dispositivo se hicieron.",
  "promise-strip":
    "Los datos ocultos se quitan de las imágenes (JPEG, PNG, WebP y GIF), salvo de las que elija enviar sin tocar.",
  "metadata-keep":
    "Enviar el archivo {number} sin tocar, porque los datos ocultos pueden ser pruebas",
  "admission-documents":
    "No se quitan de documentos, vídeo ni sonido. Nada quita lo que una imagen o un texto muestra por sí mismo.",
  "names-keep": "Enviar también los nombres de los archivos",
  "promise-names": "Si no marca esta casilla, los lectores no reciben los nombres de sus archivos.",
  "mode-label": "¿Quiere respuestas?",
  "mode-two-way": "Sí, deme un código",
  "mode-two-way-hint": "Anota el código y vuelve con él para leer las respuestas.",
  "mode-one-way": "No, solo enviar",
  "mode-one-way-hint": "No hay código, y nadie puede responderle.",
  "question-label": "Una pregunta contra las máquinas",
  "website-label": "Deje este campo vacío",
  "effort-label": "Trabajo adicional de su dispositivo",
  "effort-hint":
    "No es obligatorio. Antes de que se acepte un mensaje, su dispositivo trabaja alrededor de un segundo, un teléfono viejo varios. Si lo deja trabajar más tiempo, los lectores ven que usted se tomó la molestia.",
  "admission-effort": "Su elección se guarda junto al mensaje, sin cifrar.",
  "effort-0": "El tiempo necesario",
  "effort-1": "El doble de tiempo",
  "effort-2": "Cuatro veces más tiempo",
  "effort-3": "Ocho veces más tiempo",
  "admission-no-script":
    "Sin JavaScript, este servidor cifra el mensaje por usted, y en principio podría leerlo mientras lo hace.",
  send: "Enviar",

  "sent-title": "Su mensaje se ha enviado",
  "sent-one-way": "Está guardado y cifrado. No tiene que hacer nada más.",
  "sent-two-way": "Está guardado y cifrado. Este es su código para las respuestas:",
  "sent-follow-up": "Está guardado y cifrado. Su código sigue siendo el mismo.",
  "sent-file-unknown":
    "El archivo {number} no se ha examinado, porque aquí no se puede leer ese tipo. Se envió tal cual y puede llevar datos ocultos.",
  "sent-file-colours":
    "El archivo {number} perdió un perfil de color con sus datos ocultos. Los lectores pueden ver otros colores.",
  "code-once": "Anótelo ahora en papel y guárdelo donde nadie mire. Solo se muestra esta vez.",
  "promise-code": "No guardamos su código y no podemos dárselo otra vez.",
  "code-title": "Su código",
  "code-line": "El código en una línea:",
  "code-numbers": "El mismo código en números:",
  "code-either": "Puede volver con cualquiera de las dos formas.",
  "confirm-title": "¿Lo ha anotado?",
  "confirm-text": "Escriba dos partes de su código para comprobarlo. Puede saltarse este paso.",
  "confirm-4": "Palabra 4",
  "confirm-9": "Palabra 9",
  "confirm-check": "Comprobar",
  "confirm-right": "Correcto. Tiene su código.",
  "confirm-wrong": "No coincide. Mire otra vez su papel y el código de arriba.",
  "confirmed-title": "Tiene su código",
  "confirmed-text":
    "Las dos partes son correctas. Vuelva en unos días y lea las respuestas con él.",
  "next-title": "Lo que puede hacer ahora",
  "write-again": "Escribir otro mensaje",
  "withdraw-now": "Retirar lo que envié",
  "admission-withdraw":
    "Retirar mensajes muestra a este servidor que los mensajes de su código van juntos.",
  done: "He terminado",

  "replies-title": "Leer respuestas",
  "replies-intro": "Escriba el código que anotó: sus palabras, en cualquier idioma, o sus números.",
  "promise-alike":
    "Un código que nadie recibió y un código sin respuestas obtienen la misma contestación del sitio.",
  "code-label": "Su código",
  "code-hint":
    "Doce palabras, o doce grupos de cifras. Bastan las cuatro primeras letras de una palabra.",
  "show-replies": "Mostrar respuestas",
  "admission-no-script-code":
    "Sin JavaScript, este servidor ve su código mientras contesta, y en principio podría leer sus respuestas.",
  "promise-forget": "El programa que los ve termina en cuanto ha contestado.",
  "replies-shown-title": "Respuestas",
  "reply-number": "Respuesta {number}",
  "reply-file": "Esta respuesta lleva un archivo. Solo se puede guardar con JavaScript.",
  "reply-unreadable":
    "Esta respuesta está dañada y no se puede mostrar. Pida a los lectores que la envíen otra vez.",
  "no-replies": "Ahora no hay respuestas para este código.",
  "admission-own-messages":
    "Solo ve lo que escribieron los lectores. Sus propios mensajes no se pueden mostrar, ni siquiera a usted.",
  "promise-replies-kept": {
    one: "Una respuesta espera {count} día y hasta 7 más.",
    other: "Una respuesta espera {count} días y hasta 7 más.",
  },
  "delete-replies": "Borrar estas respuestas ahora",
  "promise-delete": "Las respuestas borradas desaparecen enseguida de lo guardado.",
  "replies-deleted-title": "Las respuestas están borradas",
  "replies-deleted":
    "Las respuestas que había aquí para su código están borradas. Su código sigue funcionando.",
  "follow-up-title": "Escribir de nuevo",
  "admission-follow-up":
    "Su mensaje va a los mismos lectores, y ellos ven que va con el anterior. Un mensaje enviado desde aquí no se puede retirar.",

  "withdraw-title": "Retirar un mensaje",
  "withdraw-intro": "Con su código puede borrar lo que envió antes de que se lea.",
  "admission-withdraw-limits":
    "Lo que envió en una visita posterior no se puede retirar, y lo que un lector ya ha recibido se queda con ese lector.",
  "withdraw-button": "Retirar mis mensajes",
  "withdrawn-title": "Hecho",
  "promise-withdrawn":
    "Los mensajes suyos que aún estaban aquí y se podían retirar están borrados.",

  "presealed-title": "Cifrar por su cuenta",
  "presealed-intro":
    "Puede cifrar un mensaje con los programas age y tar, y enviar solo el resultado. Así no tiene que confiar ni en este servidor ni en su JavaScript.",
  "presealed-step-keys": "Guarde las claves de los lectores en una carpeta nueva:",
  "presealed-step-message":
    "En esa carpeta, escriba su mensaje, de hasta unas {letters} letras, en un archivo con el nombre message.txt.",
  "presealed-step-commands": "Ejecute estas órdenes en esa carpeta:",
  "presealed-step-send": "Envíe el archivo que ha salido, message.age:",
  "presealed-file": "El archivo cifrado",
  "promise-presealed":
    "Un archivo hecho de esta manera se guarda tal cual y se parece a cualquier otro mensaje.",
  "presealed-offline-title": "Con archivos, o con un código para respuestas",
  "presealed-offline":
    "Esta página funciona desde su disco, sin red. Hace el código y el archivo cifrado en su propio dispositivo.",
  "link-offline": "Guardar la página sin conexión",
  "presealed-sent-title": "Su archivo se ha enviado",
  "presealed-sent": "Está guardado tal como usted lo hizo.",
  "presealed-wrapped":
    "No tenía la forma de un mensaje, así que este servidor lo puso en un segundo sobre, sin abrirlo.",

  "done-title": "Puede cerrar esta página",
  "promise-done":
    "Su navegador ha recibido la orden de olvidar lo que este sitio dejó en él: no hay cookies ni se guarda nada más.",
  "done-history":
    "El historial de su navegador aún puede mostrar que estuvo aquí. Cierre la ventana privada, o borre el historial.",

  "busy-title": "Muchas personas están enviando ahora",
  "busy-text": {
    one: "Esta página lo intenta otra vez sola dentro de {count} segundo. No tiene que hacer nada.",
    other:
      "Esta página lo intenta otra vez sola dentro de {count} segundos. No tiene que hacer nada.",
  },
  "not-set-up-title": "Este buzón aún no puede recibir mensajes",
  "not-set-up-text":
    "Nadie tiene una clave para abrirlos, así que no se puede cifrar nada. Vuelva más tarde.",
  "not-set-up-operators":
    "Si usted administra este servicio, cree la primera clave y añádala con estas órdenes:",
  "not-found-title": "Esta página no existe",
  "not-found-text": "Puede que la dirección esté mal escrita.",
  "hashes-title": "Comprobar este sitio",
  "promise-hashes":
    "Estas son las sumas SHA-256 de los archivos que este sitio envía a su navegador. Son las mismas en todos los sitios que usan esta versión.",
  "hashes-compare":
    "Compárelas con la lista de la versión publicada, desde otro dispositivo y otra red.",

  "fault-summary": "Su mensaje no se ha enviado",
  "promise-nothing-stored": "Esta vez no se ha guardado nada.",
  "fault-empty": "Escriba un mensaje o elija un archivo.",
  "fault-message-long":
    "El mensaje es demasiado largo. Caben unas {letters} letras. Envíe el resto en un segundo mensaje.",
  "fault-files-many": "Hay más de {files} archivos. Envíe los demás en un segundo mensaje.",
  "fault-file-large": "El archivo {number} pasa de {size}.",
  "fault-file-empty": "El archivo {number} está vacío.",
  "fault-file-malformed":
    "El archivo {number} parece una imagen, pero no se pudieron quitar sus datos ocultos. Déjelo fuera, o elija enviarlo sin tocar.",
  "fault-file-carries":
    "El archivo {number} lleva datos ocultos que no se pueden quitar: {found}. Déjelo fuera, o elija enviarlo sin tocar.",
  "fault-files-not-taken": "Ahora no se pueden recibir archivos. Envíe su mensaje sin archivos.",
  "fault-token-early":
    "El formulario volvió demasiado rápido. Espere 15 segundos y pulse Enviar otra vez.",
  "fault-token-expired": "Esta página estuvo abierta más de un día. Pulse Enviar otra vez.",
  "fault-token-spent":
    "Este formulario ya se usó. Si vio que su mensaje se envió, no lo envíe de nuevo.",
  "fault-token-wrong": "Este formulario no viene de este buzón. Pulse Enviar otra vez.",
  "fault-question": "La respuesta no es correcta. Inténtelo otra vez.",
  "fault-code-empty": "Escriba su código.",
  "fault-code-count":
    "Un código tiene doce palabras o doce grupos de cifras. Este tiene más o menos.",
  "fault-code-word": "La parte {at} no es una palabra de la lista. Revise sus letras.",
  "fault-code-checksum":
    "Una de las palabras no es correcta, o hay dos cambiadas. Compare con su papel.",
  "fault-code": "No se pudo leer su código. Abra la página de respuestas y escríbalo otra vez.",
  "fault-presealed-missing": "Elija el archivo cifrado.",
  "fault-presealed": "Este archivo no está cifrado con age, o es demasiado grande.",
  "fault-unreadable": "No se pudo leer el formulario. Pulse Enviar otra vez.",
  "fault-slow": "La conexión fue demasiado lenta, o se cortó. Pulse Enviar otra vez.",
  "fault-busy": "Ahora llegan demasiados mensajes. Espere unos minutos y pulse Enviar otra vez.",
  "fault-full": "No hay espacio para más mensajes. Inténtelo mañana.",
  "fault-failed": "Algo falló en este servidor. Inténtelo otra vez en unos minutos.",

  "refusal-title": "No ha funcionado",
  "refusal-reload":
    "Para intentarlo otra vez, cargue esta página de nuevo. Su navegador pregunta si debe enviar el formulario de nuevo: diga que sí, y su texto va con él.",
  "refusal-unreadable": "No se pudo leer la petición.",
  "refusal-other-site": "La petición venía de otro sitio, así que no se aceptó.",
  "refusal-method": "Esta página no se puede usar de esa manera.",
  "refusal-slow": "La conexión fue demasiado lenta o se cortó.",
  "refusal-large":
    "Eso es más de lo que cabe en un mensaje: {files} archivos, de {size} como máximo cada uno.",
  "refusal-gave-way":
    "Otras personas esperan para enviar y su conexión era la más lenta, por eso se cortó. Inténtelo más tarde, o envíe menos de una vez.",
  "refusal-busy":
    "Demasiadas personas están enviando ahora. Espere unos minutos e inténtelo otra vez.",
  "refusal-full": "No hay espacio para más mensajes. Inténtelo mañana.",
  "refusal-failed": "Algo falló en este servidor. Inténtelo otra vez en unos minutos.",

  "script-file-found": "Este archivo también dice:",
  "script-file-clean": "No se encontraron datos ocultos en este archivo.",
  "script-file-removed":
    "Todo esto se quita antes de enviar. Los lectores solo saben de qué tipos era.",
  "script-file-colours":
    "Los colores pueden verse distintos después, porque dependen de un perfil de color que también se quita. Si los colores importan, envíe el archivo sin tocar.",
  "script-file-stays": "Esto no se puede quitar aquí. Deje fuera el archivo si no debe saberse.",
  "script-file-untouched": "El archivo se envía sin tocar, con todo esto.",
  "script-file-malformed":
    "Parece una imagen, pero no se pueden quitar sus datos ocultos. Déjela fuera, o envíela sin tocar.",
  "script-file-unknown":
    "Este tipo de archivo no se ha examinado: puede llevar datos ocultos. Se envía tal cual.",
  "script-file-reading": "Mirando el archivo…",
  "script-keep-file": "Enviar este archivo sin tocar",
  "script-remove-file": "Dejar fuera este archivo",
  "finding-location": "Lugar",
  "finding-date": "Fecha",
  "finding-device": "Dispositivo",
  "finding-serial": "Número de serie",
  "finding-author": "Autor",
  "finding-company": "Organización",
  "finding-title": "Título",
  "finding-software": "Programa",
  "finding-comment": "Comentario",
  "finding-thumbnail": "Copia pequeña de la imagen",
  "finding-history": "Historial de cambios",
  "finding-colour-profile": "Perfil de color",
  "finding-technical": "Datos técnicos",
  "finding-properties": "Propiedades del documento",
  "finding-pictures": "Imágenes dentro, con sus propios datos ocultos",
  "finding-hidden-data": "Datos después del final del archivo",
  "script-proof":
    "Su dispositivo resuelve un pequeño problema, que mantiene lejos a las máquinas: {percent} %",
  "script-sealing": "Cifrando en su dispositivo: {percent} %",
  "script-sending": "Enviando: {percent} %",
  "script-looking": "Buscando respuestas…",
  "script-working": "Un momento…",
  "script-save-file": "Guardar el archivo de esta respuesta",
  "script-plain-form": "Enviar sin JavaScript",
  "failure-kept": "Su texto sigue en el campo.",
  "failure-offline":
    "La conexión falló, así que el envío se detuvo. Inténtelo otra vez cuando tenga conexión.",
  "failure-uncertain":
    "La conexión falló al final, y es posible que su mensaje haya llegado. Si lo envía otra vez, los lectores pueden recibirlo dos veces.",
  "failure-sealing": "Su dispositivo no pudo cifrar el mensaje, así que no se envió.",
  "failure-keys-changed":
    "Las claves de los lectores cambiaron entretanto. Copie su texto, cargue esta página de nuevo, lo que vacía el campo, y envíe otra vez.",
  "failure-keys":
    "No se pudieron comprobar las claves de los lectores, así que no se envió nada. Inténtelo más tarde.",
  "failure-ticket":
    "El problema tardó demasiado, o este servidor no aceptó la solución. Pulse Enviar otra vez.",
  "failure-refused": "Este servidor rechazó el mensaje.",
  "failure-busy": "Ahora llegan demasiados mensajes. Espere unos minutos y pulse Enviar otra vez.",
  "failure-full": "No hay espacio para más mensajes. Inténtelo mañana.",
  "failure-no-crypto":
    "Este navegador no puede cifrar en esta página. Puede dejar que este servidor cifre el mensaje, pero en principio podría leerlo mientras lo hace.",
  "failure-replies": "No se pudieron obtener las respuestas. Inténtelo otra vez en unos minutos.",
  "failure-delete":
    "No es seguro que las respuestas se hayan borrado. Inténtelo otra vez en unos minutos.",
  "failure-withdraw":
    "No es seguro que sus mensajes se hayan retirado. Inténtelo otra vez en unos minutos.",
}
