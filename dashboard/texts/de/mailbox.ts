// Texts of the mailbox of the playground, in German.

import type { Translation } from '../texts.ts'

export const mailbox: Translation<typeof import('../en/mailbox.ts').mailbox> = {
  title: 'Postfach',
  intro:
    'Vom eingebauten Mailserver des Übungsbetriebs empfangene Nachrichten. Nichts hat diesen Rechner verlassen.',
  live: 'Live',
  select: 'Nachricht auswählen',
  selectHint: 'HTML wird in einer Sandbox gezeigt: ohne Skripte, ohne Inhalte aus dem Netz.',
  notHere: 'Kein Postfach im Produktivbetrieb',
  notHereHint:
    'Das eingebaute Postfach gehört zum Übungsbetrieb. Im Produktivbetrieb werden Nachrichten ihren Empfängern zugestellt.',
  received: 'Empfangene Nachrichten',
  newest: 'Neueste',
  older: 'Ältere',
  search: 'Adresse, Betreff oder Text',
  hasAttachments: 'Mit Anhängen',
  none: 'Noch keine Nachrichten',
  noneHint: 'Nachrichten an jede Adresse kommen hier an.',
  noneFound: 'Keine passenden Nachrichten',
  noneFoundHint:
    'Gesucht wird in Adressen, Betreffzeilen und am Anfang des Textes, ohne Groß- und Kleinschreibung und Akzente.',
  all: 'Alle Nachrichten',
  open: 'In Nachrichten öffnen',
  from: 'Von',
  to: 'An',
  deliveredTo: 'Zugestellt an',
  returnPath: 'Return-Path',
  receivedAt: 'Empfangen',
  connection: 'Verbindung',
  notEncrypted: 'Nicht verschlüsselt',
  encrypted: 'Verschlüsselt ({version})',
  size: 'Größe',
  attachments: 'Anhänge',
  signaturesPassed: 'DKIM {passed} von {all}',
  source: 'Quelltext',
  signatures: 'Signaturen',
  signaturesHint:
    'Die empfangene Nachricht, geprüft mit den DKIM-Schlüsseln, die jetzt im DNS des Übungsbetriebs stehen (RFC 6376).',
  noSignature: 'Die Nachricht hat keine DKIM-Signatur.',
  results: { pass: 'Gültig', fail: 'Ungültig', permerror: 'Unbrauchbar', temperror: 'Nicht geprüft' },
  algorithm: 'Algorithmus',
  key: 'Schlüssel',
  covers: 'Umfasst',
  body: 'Inhalt',
}
