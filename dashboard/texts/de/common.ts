// Texts that all pages share, in German.

import type { Translation } from '../texts.ts'

export const common: Translation<typeof import('../en/common.ts').common> = {
  cancel: 'Abbrechen',
  close: 'Schließen',
  justNow: 'gerade eben',
  loading: 'Wird geladen',
  tryAgain: 'Erneut versuchen',
  reload: 'Neu laden',
  problem: {
    other: 'Etwas ist schiefgegangen',
    connectionLost: 'Verbindung unterbrochen',
    loginRequired: 'Anmeldung erforderlich',
    notPermitted: 'Nicht erlaubt',
    notFound: 'Nicht gefunden',
    invalid: 'Bitte Angaben prüfen',
    loginFailed: 'Anmeldung fehlgeschlagen',
    conflict: 'Derzeit nicht möglich',
    tooLarge: 'Zu groß',
    tooMany: 'Zu viele Anfragen',
    request: 'Anfrage {id}',
    unreachable:
      'Der Dienst ist nicht erreichbar. Ihre Eingaben bleiben erhalten; versuchen Sie es gleich noch einmal.',
    unexpected: 'Der Dienst hat mit Status {status} geantwortet. Versuchen Sie es gleich noch einmal.',
  },
  connection: {
    lost: 'Verbindung zu Postrider unterbrochen',
    kept: 'Ihre Eingaben bleiben erhalten. Die Seite verbindet sich von selbst wieder.',
  },
}
