// Texts of the page of an address, in German.

import type { Translation } from '../texts.ts'

export const addresses: Translation<typeof import('../en/addresses.ts').addresses> = {
  noneSent: 'An diese Adresse wurde keine Nachricht gesendet.',
  count: '{status}: {count}',
  ofNewest: 'Von den neuesten Nachrichten: {counts}',
  domain: 'Domain',
  allDomains: 'Alle Domains',
  messages: 'Nachrichten',
  noMessages: 'Keine Nachrichten',
  noMessagesHint:
    'An diese Adresse wurde nichts gesendet, oder die Nachrichten werden nicht mehr aufbewahrt.',
  erase: 'Löschen',
  eraseQuestion: 'Diese Adresse löschen?',
  eraseHint:
    'Löscht die Nachrichten an diesen Empfänger mit ihren Ereignissen und Versuchen aus allen Domains. Sperren bleiben als Hash erhalten, damit nichts mehr an die Adresse gesendet wird. Zustellungen von Webhooks können die Adresse noch sieben Tage lang enthalten, und das Audit-Protokoll behält seine Einträge. Das kann nicht rückgängig gemacht werden.',
  erased: 'Die Adresse ist gelöscht.',
  suppressions: 'Sperren',
  notSuppressed: 'Nicht gesperrt: An diese Adresse wird gesendet.',
  removeFrom: 'Von {domain}, {stream} entfernen',
  suppressed: '{email} ist gesperrt.',
  suppressQuestion: '{email} sperren?',
  suppressHint: 'Kein Stream der Domain sendet an diese Adresse, bis sie von der Sperrliste entfernt wird.',
  verifications: 'Prüfungen',
  noVerification: 'Keine Prüfungen dieser Adresse.',
  verify: 'Prüfen',
  singleAddress: 'Einzelne Adresse',
  list: 'Adressliste',
}
