// Texts of the events of the account, in German.

import type { Translation } from '../texts.ts'

export const accountEvents: Translation<typeof import('../en/account-events.ts').accountEvents> = {
  intro:
    'Änderungen der Domains, Schlüssel, Grenzen und Listen dieses Kontos. Webhooks liefern dieselben Ereignisse an Ihre Programme.',
  title: 'Ereignisse des Kontos',
  event: 'Ereignis',
  about: 'Betrifft',
  time: 'Zeit',
  object: 'ID des Objekts',
  none: 'Noch keine Ereignisse',
  noneHint:
    'Ereignisse erscheinen, wenn eine Domain bestätigt, ein Schlüssel angelegt oder eine Grenze bald erreicht ist.',
  noMatching: 'Keine passenden Ereignisse',
  noMatchingHint: 'Wählen Sie ein anderes Ereignis, oder suchen Sie nach der vollständigen ID eines Objekts.',
  used: '{percent} % verbraucht',
  left: '{count} übrig',
  addresses: { one: '{count} Adresse', other: '{count} Adressen' },
  types: {
    'domain.verified': 'Domain bestätigt',
    'domain.records_missing': 'Einträge einer Domain fehlen',
    'domain.closed': 'Domain geschlossen',
    'domain.deleted': 'Domain gelöscht',
    'key.created': 'Schlüssel angelegt',
    'key.rotated': 'Schlüssel erneuert',
    'key.expiring': 'Schlüssel endet bald',
    'key.revoked': 'Schlüssel widerrufen',
    'key.refused_network': 'Schlüssel wegen des Netzes abgewiesen',
    'allowance.low': 'Sendekontingent knapp',
    'allowance.exhausted': 'Sendekontingent aufgebraucht',
    'credits.low': 'Prüfguthaben knapp',
    'bulk.finished': 'Massensendung beendet',
    'verification_list.finished': 'Liste geprüft',
    'import.finished': 'Import beendet',
    'suppression.added': 'Sperre hinzugefügt',
    'suppression.removed': 'Sperre entfernt',
    'webhook.failing': 'Webhook gestört',
    'complaints.high': 'Viele Beschwerden',
    'bounces.high': 'Viele Bounces',
    'account.suspended': 'Konto gesperrt',
    'account.resumed': 'Konto freigegeben',
  },
}
