// Texts of the page of an address, in German.

import type { Translation } from '../texts.ts'

export const addresses: Translation<typeof import('../en/addresses.ts').addresses> = {
  noneSent: 'An diese Adresse wurde keine Nachricht gesendet.',
  count: '{status}: {count}',
  ofNewest: 'Von den neuesten Nachrichten: {counts}',
  domain: 'Domain',
  messages: 'Nachrichten',
  noMessages: 'Keine Nachrichten',
  noMessagesHint: 'An diese Adresse wurde keine gesendet, oder sie werden nicht mehr aufbewahrt.',
  erase: 'Löschen',
  eraseQuestion: 'Diese Adresse löschen?',
  eraseHint:
    'Entfernt die Nachrichten an diesen Empfänger mit ihren Ereignissen und Versuchen aus allen Domains. Sperren bleiben als Hash, damit nichts mehr an die Adresse gesendet wird. Zustellungen von Webhooks können sie nennen, bis sie nach sieben Tagen enden; das Audit-Protokoll behält, wer was getan hat. Das kann nicht rückgängig gemacht werden.',
  erased: 'Die Adresse ist gelöscht.',
  suppressions: 'Sperren',
  notSuppressed: 'Nicht gesperrt: An diese Adresse wird gesendet.',
  removeFrom: 'Von {domain}, {stream} entfernen',
  theList: 'der Liste',
  suppressed: '{email} ist gesperrt.',
  suppressQuestion: '{email} sperren?',
  suppressHint: 'Kein Stream der Domain sendet an diese Adresse, bis sie von der Sperrliste entfernt wird.',
  verifications: 'Prüfungen',
  noVerification: 'Es ist keine Prüfung dieser Adresse gespeichert.',
  verify: 'Prüfen',
  singleAddress: 'Einzelne Adresse',
  list: 'Adressliste',
}
