// Texts of the streams of a domain, in German.

import type { Translation } from '../texts.ts'

export const streams: Translation<typeof import('../en/streams.ts').streams> = {
  title: 'Streams',
  intro:
    'Streams trennen Arten von Mail. Jeder hat eine eigene Sperrliste, Ratenbegrenzung und ein eigenes Sendekontingent.',
  new: 'Neuer Stream',
  none: 'Keine Streams',
  stream: 'Stream',
  archived: 'Archiviert',
  kind: 'Art',
  kinds: { transactional: 'Transactional', broadcast: 'Broadcast', inbound: 'Inbound' },
  rateLimit: 'Ratenbegrenzung',
  noLimit: 'Unbegrenzt',
  allowance: 'Kontingent',
  sent: 'In 30 Tagen gesendet',
  bounced: '{share} abgewiesen',
  created: 'Angelegt',
  actionsFor: 'Aktionen für {name}',
  edit: 'Bearbeiten',
  archiveOrDelete: 'Archivieren oder löschen',
  wasDeleted: '{name} ist gelöscht.',
  wasArchived: '{name} ist archiviert.',
  removeQuestion: '{name} entfernen?',
  remove: 'Entfernen',
  removeHint:
    'Anfragen, die den Stream nennen, werden ab dann abgelehnt. Ein Stream mit Nachrichten wird archiviert, damit sie noch zu finden sind; ein unbenutzter wird gelöscht.',
  editOne: '{name} bearbeiten',
  saved: '{name} ist gespeichert.',
  save: 'Speichern',
  name: 'Name',
  alias: 'Alias',
  aliasHint: 'Bezeichnet den Stream in Sendeanfragen. Lässt sich später nicht ändern.',
  kindHint:
    'Broadcast-Nachrichten tragen einen Abmeldelink; Inbound-Streams empfangen Mail. Lässt sich später nicht ändern.',
  addresses: 'Adressen',
  addressesHint:
    'Eine je Zeile, zum Beispiel support@example.com (empfängt auch support+zusatz@example.com) oder *@in.example.com für alle Adressen eines Hosts',
  retention: 'Aufbewahrung der Inhalte, in Tagen',
  retentionHint: 'Wie lange Inhalte von Nachrichten aufbewahrt werden; leer für so lange wie die Domain',
  keepInbound: 'Inhalte länger als drei Tage aufbewahren',
  keepSent: 'Inhalte nach der Zustellung aufbewahren',
  archivedHint: 'Archiviert: nimmt keine Nachrichten an',
  moreSettings: 'Weitere Einstellungen',
  rateHint: 'Zum Beispiel 50/s; leer für unbegrenzt',
  lifetime: 'Verweildauer in der Warteschlange, in Stunden',
  lifetimeHint:
    'Nicht zugestellte Empfänger schlagen nach dieser Zeit fehl; leer für die Vorgabe dieser Installation',
  sendingAllowance: 'Sendekontingent',
  allowanceHint: 'Zahl der Empfänger, die noch übrig sind; leer für unbegrenzt',
  trackOpens: 'Öffnen verfolgen',
  trackClicks: 'Klicks verfolgen',
  tracking: { domain: 'Wie die Domain', true: 'Ja', false: 'Nein' },
  headers: 'Kopfzeilen',
  headersHint:
    'Eine je Zeile, zum Beispiel X-Campaign: spring. Ergänzt bei Nachrichten, die sie nicht selbst setzen.',
  unsubscribing: 'Abmelden',
  unsubscribeBy: 'Abmeldelink',
  unsubscribe: { service: 'Der von Postrider', sender: 'Der eigene des Absenders' },
  unsubscribeHints: {
    service:
      'Jede Nachricht bekommt ein List-Unsubscribe dieser Installation, das ein mitgebrachtes ersetzt, und einen sichtbaren Link.',
    sender:
      'Nachrichten, die ein eigenes List-Unsubscribe mitbringen, behalten es und bekommen keine Fußzeile; die Klicks bearbeitet das System des Absenders. Nachrichten ohne List-Unsubscribe (https) und List-Unsubscribe-Post werden abgelehnt.',
  },
  senderName: 'Absendername',
  senderNameHint: 'Leer für die Domain',
  logo: 'Logo',
  logoHint: 'Die https-Adresse eines Bildes',
  colour: 'Farbe',
}
