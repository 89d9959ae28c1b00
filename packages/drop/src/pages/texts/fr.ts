import type { Texts } from "./texts.ts"

export const fr: Texts = {
  "language-name": "Français",
  "page-name": "Dépôt anonyme",
  languages: "Langues",
  skip: "Aller à la page",
  "other-pages": "Autres pages",
  "link-form": "Envoyer un message",
  "link-replies": "Lire les réponses",
  "link-withdraw": "Reprendre un message",
  "link-presealed": "Chiffrer vous-même",
  "link-hashes": "Vérifier ce site",
  "title-fault": "Erreur : {title}",
  demo: "Ceci est une démonstration. Elle partage son adresse avec d’autres services : n’envoyez rien de réel.",

  "form-title": "Envoyer un message sans dire qui vous êtes",
  "form-title-named": "Envoyer un message à {name} sans dire qui vous êtes",
  "promise-sealed":
    "Votre message est chiffré avant d’être enregistré : sur votre appareil avec JavaScript, sur ce serveur sans JavaScript.",
  "promise-readers": {
    one: "Seule la personne qui détient la clé peut l’ouvrir, et la clé n’est pas sur ce serveur.",
    other:
      "Seules les personnes qui détiennent l’une des {count} clés peuvent l’ouvrir, et aucune de ces clés n’est sur ce serveur.",
  },
  "promise-kept": {
    one: "Nous gardons le message chiffré {count} jour, plus jusqu’à 7 jours tirés au hasard ; nous n’enregistrons ni adresse, ni heure d’arrivée, ni cookie, ni rien sur votre appareil.",
    other:
      "Nous gardons le message chiffré {count} jours, plus jusqu’à 7 jours tirés au hasard ; nous n’enregistrons ni adresse, ni heure d’arrivée, ni cookie, ni rien sur votre appareil.",
  },
  "admission-hide":
    "Nous ne pouvons pas cacher que vous avez visité ce site, ni à peu près combien vous avez envoyé, et vos mots, votre style ou une image peuvent montrer qui vous êtes.",
  "admission-safer":
    "Vous êtes plus en sécurité avec Tor Browser, sur un appareil et un réseau qui n’appartiennent pas à ceux dont vous parlez.",
  "onion-link": "Ouvrir ce dépôt à son adresse onion",
  "more-title": "En savoir plus sur ce qui est caché et ce qui ne l’est pas",
  "promise-order":
    "Chaque nuit, et tous les 50 messages, le fichier des messages est réécrit : rien n’y montre alors dans quel ordre ils sont arrivés.",
  "promise-unlinked":
    "Rien dans ce qui est enregistré ne montre que deux messages viennent de la même personne.",
  "promise-modes":
    "Sans clé, personne ne peut voir si un message enregistré demandait une réponse.",
  "promise-backup": "Ce service ne met jamais de messages dans ses sauvegardes.",
  "admission-network":
    "Ceux qui gèrent votre réseau peuvent voir que vous avez visité ce site, et quand. Avec Tor, ils voient seulement que vous utilisez Tor.",
  "admission-size":
    "La taille de ce que vous envoyez se voit : avec JavaScript, une taille parmi dix ; sans JavaScript, presque exactement.",
  "admission-script":
    "Avec JavaScript, vous faites confiance au code que ce site envoie à chaque visite. Vous pouvez le vérifier, ou chiffrer le message vous-même.",
  "admission-keys":
    "Si quelqu’un vole la clé d’un lecteur, il peut ouvrir tous les messages encore enregistrés ici.",
  "fingerprint-title": "Vérifier qui peut l’ouvrir",
  "fingerprint-text":
    "Ces six mots représentent les clés des lecteurs. Si les lecteurs les ont publiés ailleurs, ils doivent être identiques :",

  "message-label": "Votre message",
  "message-hint":
    "Jusqu’à environ {letters} lettres. N’écrivez pas votre nom si vous ne voulez pas qu’il soit connu.",
  "files-label": "Fichiers",
  "files-hint": "Facultatif. Jusqu’à {files} fichiers, de {size} au plus chacun.",
  "file-number": "Fichier {number}",
  "files-not-taken":
    "Les fichiers ne peuvent pas être envoyés pour le moment, car la place manque. Les messages sans fichier le peuvent.",
  "files-again":
    "Si vous aviez choisi des fichiers, choisissez-les de nouveau : votre navigateur ne les garde pas.",
  "metadata-hint": "Les fichiers disent souvent où, quand et avec quel appareil ils ont été faits.",
  "promise-strip":
    "Les données cachées sont retirées des images (JPEG, PNG, WebP et GIF), sauf de celles que vous choisissez d’envoyer telles quelles.",
  "metadata-keep":
    "Envoyer le fichier {number} tel quel, car les données cachées peuvent être des preuves",
  "admission-documents":
    "Elles ne sont pas retirées des documents, des vidéos ni du son. Rien n’enlève ce qu’une image ou un texte montre par lui-même.",
  "names-keep": "Envoyer aussi les noms des fichiers",
  "promise-names":
    "Si vous ne cochez pas cette case, les lecteurs ne reçoivent pas les noms de vos fichiers.",
  "mode-label": "Voulez-vous des réponses ?",
  "mode-two-way": "Oui, donnez-moi un code",
  "mode-two-way-hint": "Vous notez le code et vous revenez avec lui pour lire les réponses.",
  "mode-one-way": "Non, seulement envoyer",
  "mode-one-way-hint": "Il n’y a pas de code, et personne ne peut vous répondre.",
  "question-label": "Une question contre les robots",
  "website-label": "Laissez ce champ vide",
  "effort-label": "Travail en plus pour votre appareil",
  "effort-hint":
    "Facultatif. Avant qu’un message soit accepté, votre appareil travaille environ une seconde, un vieux téléphone plusieurs. Si vous le laissez travailler plus longtemps, les lecteurs voient que vous avez pris cette peine.",
  "admission-effort": "Votre choix est conservé à côté du message, sans être chiffré.",
  "effort-0": "Le temps nécessaire",
  "effort-1": "Deux fois plus longtemps",
  "effort-2": "Quatre fois plus longtemps",
  "effort-3": "Huit fois plus longtemps",
  "admission-no-script":
    "Sans JavaScript, ce serveur chiffre votre message à votre place, et pourrait en principe le lire à ce moment-là.",
  send: "Envoyer",

  "sent-title": "Votre message a été envoyé",
  "sent-one-way": "Il est enregistré, chiffré. Vous n’avez plus rien à faire.",
  "sent-two-way": "Il est enregistré, chiffré. Voici votre code pour les réponses :",
  "sent-follow-up": "Il est enregistré, chiffré. Votre code reste le même.",
  "sent-file-unknown":
    "Le fichier {number} n’a pas été examiné, car son type ne peut pas être lu ici. Il a été envoyé tel quel et peut contenir des données cachées.",
  "sent-file-colours":
    "Le fichier {number} a perdu un profil de couleurs avec ses données cachées. Les lecteurs peuvent voir d’autres couleurs.",
  "code-once":
    "Notez-le maintenant sur papier, et gardez-le là où personne ne regarde. Il n’est montré que cette fois.",
  "promise-code":
    "Nous n’enregistrons pas votre code et ne pouvons pas vous le donner une deuxième fois.",
  "code-title": "Votre code",
  "code-line": "Le code sur une ligne :",
  "code-numbers": "Le même code en chiffres :",
  "code-either": "Vous pouvez revenir avec l’une ou l’autre forme.",
  "confirm-title": "L’avez-vous noté ?",
  "confirm-text": "Tapez deux parties de votre code pour vérifier. Vous pouvez passer cette étape.",
  "confirm-4": "Mot 4",
  "confirm-9": "Mot 9",
  "confirm-check": "Vérifier",
  "confirm-right": "C’est juste. Vous avez votre code.",
  "confirm-wrong": "Cela ne correspond pas. Regardez encore votre papier et le code ci-dessus.",
  "confirmed-title": "Vous avez votre code",
  "confirmed-text":
    "Les deux parties sont justes. Revenez dans quelques jours et lisez les réponses avec ce code.",
  "next-title": "Ce que vous pouvez faire maintenant",
  "write-again": "Écrire un autre message",
  "withdraw-now": "Reprendre ce que j’ai envoyé",
  "admission-withdraw":
    "Reprendre des messages montre à ce serveur que les messages de votre code vont ensemble.",
  done: "J’ai terminé",

  "replies-title": "Lire les réponses",
  "replies-intro":
    "Tapez le code que vous avez noté : ses mots, dans n’importe quelle langue, ou ses chiffres.",
  "promise-alike":
    "Un code que personne n’a reçu et un code sans réponse reçoivent la même réponse du site.",
  "code-label": "Votre code",
  "code-hint":
    "Douze mots, ou douze groupes de chiffres. Les quatre premières lettres d’un mot suffisent.",
  "show-replies": "Montrer les réponses",
  "admission-no-script-code":
    "Sans JavaScript, ce serveur voit votre code pendant qu’il répond, et pourrait en principe lire vos réponses.",
  "promise-forget": "Le programme qui les voit s’arrête dès qu’il a répondu.",
  "replies-shown-title": "Réponses",
  "reply-number": "Réponse {number}",
  "reply-file": "Cette réponse contient un fichier. On ne peut l’enregistrer qu’avec JavaScript.",
  "reply-unreadable":
    "Cette réponse est abîmée et ne peut pas être affichée. Demandez aux lecteurs de la renvoyer.",
  "no-replies": "Il n’y a pas de réponse pour ce code en ce moment.",
  "admission-own-messages":
    "Vous voyez seulement ce que les lecteurs ont écrit. Vos propres messages ne peuvent pas être montrés, même à vous.",
  "promise-replies-kept": {
    one: "Une réponse attend {count} jour, plus jusqu’à 7 jours.",
    other: "Une réponse attend {count} jours, plus jusqu’à 7 jours.",
  },
  "delete-replies": "Supprimer ces réponses maintenant",
  "promise-delete": "Les réponses supprimées disparaissent aussitôt de ce qui est enregistré.",
  "replies-deleted-title": "Les réponses sont supprimées",
  "replies-deleted":
    "Les réponses qui étaient ici pour votre code sont supprimées. Votre code marche encore.",
  "follow-up-title": "Écrire de nouveau",
  "admission-follow-up":
    "Votre message va aux mêmes lecteurs, et ils voient qu’il va avec le précédent. Un message envoyé d’ici ne peut pas être repris.",

  "withdraw-title": "Reprendre un message",
  "withdraw-intro":
    "Avec votre code, vous pouvez supprimer ce que vous avez envoyé avant qu’il soit lu.",
  "admission-withdraw-limits":
    "Ce que vous avez envoyé lors d’une visite suivante ne peut pas être repris, et ce qu’un lecteur a déjà reçu reste chez ce lecteur.",
  "withdraw-button": "Reprendre mes messages",
  "withdrawn-title": "C’est fait",
  "promise-withdrawn":
    "Ceux de vos messages qui étaient encore ici et pouvaient être repris sont supprimés.",

  "presealed-title": "Chiffrer vous-même",
  "presealed-intro":
    "Vous pouvez chiffrer un message avec les programmes age et tar, et n’envoyer que le résultat. Il ne faut alors faire confiance ni à ce serveur ni à son JavaScript.",
  "presealed-step-keys": "Enregistrez les clés des lecteurs dans un nouveau dossier :",
  "presealed-step-message":
    "Dans ce dossier, écrivez votre message, jusqu’à environ {letters} lettres, dans un fichier nommé message.txt.",
  "presealed-step-commands": "Lancez ces commandes dans ce dossier :",
  "presealed-step-send": "Envoyez le fichier obtenu, message.age :",
  "presealed-file": "Le fichier chiffré",
  "promise-presealed":
    "Un fichier fait de cette manière est enregistré tel quel et ressemble à tout autre message.",
  "presealed-offline-title": "Avec des fichiers, ou avec un code pour les réponses",
  "presealed-offline":
    "Cette page fonctionne depuis votre disque, sans réseau. Elle fait le code et le fichier chiffré sur votre appareil.",
  "link-offline": "Enregistrer la page hors ligne",
  "presealed-sent-title": "Votre fichier a été envoyé",
  "presealed-sent": "Il est enregistré tel que vous l’avez fait.",
  "presealed-wrapped":
    "Il n’avait pas la forme d’un message, donc ce serveur l’a mis dans une deuxième enveloppe, sans l’ouvrir.",

  "done-title": "Vous pouvez fermer cette page",
  "promise-done":
    "Votre navigateur a reçu l’ordre d’oublier ce que ce site y a laissé : il n’y a pas de cookie et rien d’autre n’est gardé.",
  "done-history":
    "L’historique de votre navigateur peut encore montrer que vous étiez ici. Fermez la fenêtre privée, ou effacez l’historique.",

  "busy-title": "Beaucoup de personnes envoient en ce moment",
  "busy-text": {
    one: "Cette page essaie de nouveau toute seule dans {count} seconde. Vous n’avez rien à faire.",
    other:
      "Cette page essaie de nouveau toute seule dans {count} secondes. Vous n’avez rien à faire.",
  },
  "not-set-up-title": "Ce dépôt ne peut pas encore recevoir de messages",
  "not-set-up-text":
    "Personne n’a de clé pour les ouvrir, donc rien ne peut être chiffré. Revenez plus tard.",
  "not-set-up-operators":
    "Si vous gérez ce service, créez la première clé et ajoutez-la avec ces commandes :",
  "not-found-title": "Cette page n’existe pas",
  "not-found-text": "L’adresse est peut-être mal tapée.",
  "hashes-title": "Vérifier ce site",
  "promise-hashes":
    "Voici les sommes SHA-256 des fichiers que ce site envoie à votre navigateur. Elles sont les mêmes sur tous les sites qui utilisent cette version.",
  "hashes-compare":
    "Comparez-les avec la liste de la version publiée, depuis un autre appareil et un autre réseau.",

  "fault-summary": "Votre message n’a pas été envoyé",
  "promise-nothing-stored": "Rien n’a été enregistré cette fois.",
  "fault-empty": "Écrivez un message ou choisissez un fichier.",
  "fault-message-long":
    "Le message est trop long. Il y a de la place pour environ {letters} lettres. Envoyez le reste dans un deuxième message.",
  "fault-files-many":
    "Il y a plus de {files} fichiers. Envoyez les autres dans un deuxième message.",
  "fault-file-large": "Le fichier {number} dépasse {size}.",
  "fault-file-empty": "Le fichier {number} est vide.",
  "fault-file-malformed":
    "Le fichier {number} ressemble à une image, mais ses données cachées n’ont pas pu être retirées. Laissez-le de côté, ou choisissez de l’envoyer tel quel.",
  "fault-file-carries":
    "Le fichier {number} contient des données cachées qui ne peuvent pas être retirées : {found}. Laissez-le de côté, ou choisissez de l’envoyer tel quel.",
  "fault-files-not-taken":
    "Les fichiers ne peuvent pas être reçus pour le moment. Envoyez votre message sans fichier.",
  "fault-token-early":
    "Le formulaire est revenu trop vite. Attendez 15 secondes, puis appuyez encore sur Envoyer.",
  "fault-token-expired":
    "Cette page était ouverte depuis plus d’un jour. Appuyez encore sur Envoyer.",
  "fault-token-spent":
    "Ce formulaire a déjà servi. Si vous avez vu que votre message a été envoyé, ne l’envoyez pas de nouveau.",
  "fault-token-wrong": "Ce formulaire ne vient pas de ce dépôt. Appuyez encore sur Envoyer.",
  "fault-question": "La réponse n’est pas juste. Essayez encore.",
  "fault-code-empty": "Tapez votre code.",
  "fault-code-count":
    "Un code a douze mots ou douze groupes de chiffres. Celui-ci en a plus ou moins.",
  "fault-code-word": "La partie {at} n’est pas un mot de la liste. Vérifiez ses lettres.",
  "fault-code-checksum":
    "Un des mots n’est pas juste, ou deux sont échangés. Comparez avec votre papier.",
  "fault-code":
    "Votre code n’a pas pu être lu. Ouvrez la page des réponses et tapez-le de nouveau.",
  "fault-presealed-missing": "Choisissez le fichier chiffré.",
  "fault-presealed": "Ce n’est pas un fichier chiffré par age, ou il est trop grand.",
  "fault-unreadable": "Le formulaire n’a pas pu être lu. Appuyez encore sur Envoyer.",
  "fault-slow": "La connexion était trop lente, ou elle a été coupée. Appuyez encore sur Envoyer.",
  "fault-busy":
    "Trop de messages arrivent en ce moment. Attendez quelques minutes, puis appuyez encore sur Envoyer.",
  "fault-full": "Il n’y a plus de place pour des messages. Essayez demain.",
  "fault-failed":
    "Quelque chose n’a pas marché sur ce serveur. Essayez encore dans quelques minutes.",

  "refusal-title": "Cela n’a pas marché",
  "refusal-reload":
    "Pour réessayer, chargez cette page de nouveau. Votre navigateur demande s’il faut renvoyer le formulaire : dites oui, et votre texte part avec.",
  "refusal-unreadable": "La demande n’a pas pu être lue.",
  "refusal-other-site": "La demande venait d’un autre site, donc elle n’a pas été acceptée.",
  "refusal-method": "Cette page ne s’utilise pas de cette manière.",
  "refusal-slow": "La connexion était trop lente ou a été coupée.",
  "refusal-large":
    "C’est plus que ce qu’un message peut contenir : {files} fichiers, de {size} au plus chacun.",
  "refusal-gave-way":
    "D’autres personnes attendent pour envoyer, et votre connexion était la plus lente : elle a donc été arrêtée. Essayez plus tard, ou envoyez moins à la fois.",
  "refusal-busy":
    "Trop de personnes envoient en ce moment. Attendez quelques minutes et essayez encore.",
  "refusal-full": "Il n’y a plus de place pour des messages. Essayez demain.",
  "refusal-failed":
    "Quelque chose n’a pas marché sur ce serveur. Essayez encore dans quelques minutes.",

  "script-file-found": "Ce fichier dit aussi :",
  "script-file-clean": "Aucune donnée cachée n’a été trouvée dans ce fichier.",
  "script-file-removed":
    "Tout cela est retiré avant l’envoi. Les lecteurs apprennent seulement de quels types il s’agissait.",
  "script-file-colours":
    "Les couleurs peuvent changer ensuite, car elles dépendent d’un profil de couleurs qui est retiré aussi. Si les couleurs comptent, envoyez le fichier tel quel.",
  "script-file-stays":
    "Cela ne peut pas être retiré ici. Laissez le fichier de côté si cela ne doit pas être connu.",
  "script-file-untouched": "Le fichier est envoyé tel quel, avec tout cela.",
  "script-file-malformed":
    "Cela ressemble à une image, mais ses données cachées ne peuvent pas être retirées. Laissez-la de côté, ou envoyez-la telle quelle.",
  "script-file-unknown":
    "Ce type de fichier n’a pas été examiné : il peut contenir des données cachées. Il est envoyé tel quel.",
  "script-file-reading": "Lecture du fichier…",
  "script-keep-file": "Envoyer ce fichier tel quel",
  "script-remove-file": "Laisser ce fichier de côté",
  "finding-location": "Lieu",
  "finding-date": "Date",
  "finding-device": "Appareil",
  "finding-serial": "Numéro de série",
  "finding-author": "Auteur",
  "finding-company": "Organisation",
  "finding-title": "Titre",
  "finding-software": "Programme",
  "finding-comment": "Commentaire",
  "finding-thumbnail": "Petite copie de l’image",
  "finding-history": "Historique des modifications",
  "finding-colour-profile": "Profil de couleurs",
  "finding-technical": "Données techniques",
  "finding-properties": "Propriétés du document",
  "finding-pictures": "Images à l’intérieur, avec leurs propres données cachées",
  "finding-hidden-data": "Données après la fin du fichier",
  "script-proof":
    "Votre appareil résout un petit problème, qui tient les robots à distance : {percent} %",
  "script-sealing": "Chiffrement sur votre appareil : {percent} %",
  "script-sending": "Envoi : {percent} %",
  "script-looking": "Recherche des réponses…",
  "script-working": "Un instant…",
  "script-save-file": "Enregistrer le fichier de cette réponse",
  "script-plain-form": "Envoyer plutôt sans JavaScript",
  "failure-kept": "Votre texte est toujours dans le champ.",
  "failure-offline":
    "La connexion a échoué, donc l’envoi s’est arrêté. Essayez encore quand vous êtes en ligne.",
  "failure-uncertain":
    "La connexion a échoué à la fin, et votre message est peut-être arrivé. Si vous l’envoyez encore, les lecteurs le recevront peut-être deux fois.",
  "failure-sealing": "Votre appareil n’a pas pu chiffrer le message, donc il n’a pas été envoyé.",
  "failure-keys-changed":
    "Les clés des lecteurs ont changé entre-temps. Copiez votre texte, chargez cette page de nouveau, ce qui vide le champ, puis envoyez encore.",
  "failure-keys":
    "Les clés des lecteurs n’ont pas pu être vérifiées, donc rien n’a été envoyé. Essayez plus tard.",
  "failure-ticket":
    "Le problème a pris trop de temps, ou ce serveur n’a pas accepté la solution. Appuyez encore sur Envoyer.",
  "failure-refused": "Ce serveur a refusé le message.",
  "failure-busy":
    "Trop de messages arrivent en ce moment. Attendez quelques minutes, puis appuyez encore sur Envoyer.",
  "failure-full": "Il n’y a plus de place pour des messages. Essayez demain.",
  "failure-no-crypto":
    "Ce navigateur ne peut pas chiffrer sur cette page. Vous pouvez laisser ce serveur chiffrer le message, mais il pourrait en principe le lire à ce moment-là.",
  "failure-replies":
    "Les réponses n’ont pas pu être obtenues. Essayez encore dans quelques minutes.",
  "failure-delete":
    "Il n’est pas certain que les réponses ont été supprimées. Essayez encore dans quelques minutes.",
  "failure-withdraw":
    "Il n’est pas certain que vos messages ont été repris. Essayez encore dans quelques minutes.",
}
