// Texts of the settings of a domain, in German.

import type { Translation } from '../texts.ts'

export const settings: Translation<typeof import('../en/settings.ts').settings> = {
  title: 'Einstellungen',
  status: 'Status',
  records: 'DNS-Einträge',
  domainId: 'Domain-ID',
  added: 'Hinzugefügt',
  verified: 'Bestätigt',
  apiUrl: 'Basis-URL der API',
  credentials: 'Zugangsdaten',
  keys: 'API-Schlüssel',
  smtp: 'SMTP-Zugänge',
  tracking: 'Tracking',
  trackingHint:
    'Öffnungen und Klicks von HTML-Nachrichten werden als Ereignisse aufgezeichnet. Streams und Nachrichten können das anders festlegen.',
  opens: 'Öffnen verfolgen',
  opensHint:
    'Ein unsichtbares Bild verrät, dass eine Nachricht geöffnet wurde. Viele Programme laden es von selbst oder nie.',
  clicks: 'Klicks verfolgen',
  clicksHint: 'Links führen über einen Hostnamen Ihrer Domain zu ihrem Ziel.',
  record: 'DNS-Eintrag',
  trackingHost: 'den Tracking-Host',
  recordMissing: 'Zurzeit wird nichts verfolgt: Es fehlt der {record} für {host}.',
  recordNeeded: 'Für das Tracking braucht es zuerst den {record} für {host}.',
  complaints: 'Beschwerden',
  complaintAddress: 'Adresse für Beschwerden',
  complaintAddressHint:
    'Eine Nachricht, die für einen Empfänger signiert wird, hat das Feld CFBL-Address. So findet auch eine Beschwerde, die nur den Header zurückschickt, ihren Empfänger.',
  inboundTls: 'TLS eingehender Mail',
  inboundTlsHint:
    'Eine Richtlinie (MTA-STS) sagt Absendern, dass sie Mail für Ihre Inbound-Streams nur über geprüftes TLS zustellen sollen. Beginnen Sie mit dem Testen, und erzwingen Sie TLS nach zwei Wochen ohne Fehler in den TLS-Berichten.',
  inboundTlsMode: 'Modus',
  modes: { off: 'Aus', testing: 'Testen', enforce: 'Erzwingen', none: 'Zurückziehen' },
  modesMean: {
    off: 'Keine Richtlinie. Mail kommt mit oder ohne TLS an.',
    testing: 'Absender stellen in jedem Fall zu und melden Fehler.',
    enforce: 'Absender stellen nur über geprüftes TLS zu.',
    none: 'Absender vergessen die Richtlinie. Schalten Sie sie nach einer Woche aus, oder bevor Mail anderswo ankommen soll.',
  },
  modeSince: 'Seit {time}.',
  policyRecords: 'Absender finden die jetzige Richtlinie noch nicht: Prüfen Sie die {records}.',
  retention: 'Aufbewahrung',
  retentionHint:
    'Wie lange Nachrichten dieser Domain ab ihrer Annahme aufbewahrt werden. Streams können sie kürzer aufbewahren.',
  kept: {
    content_retention_days: {
      name: 'Inhalte, in Tagen',
      about: 'HTML, Text und Anhänge. Ohne sie kann eine Nachricht nicht erneut gesendet werden.',
    },
    transcript_retention_days: {
      name: 'SMTP-Dialoge, in Tagen',
      about: 'Befehle und Antworten jedes Versuchs.',
    },
    record_retention_days: {
      name: 'Nachrichten, in Tagen',
      about: 'Empfänger, Versuche und Ereignisse. Inhalte und Dialoge werden mit ihnen entfernt.',
    },
  },
  asInstallation: '{days} (Vorgabe)',
  emptyHint: 'Leer: Vorgabe der Installation. Eine kürzere Aufbewahrung entfernt Älteres endgültig.',
  daysOrEmpty: '1 bis {most} Tage, oder leer.',
  saveRetention: 'Aufbewahrung speichern',
  saved: 'Aufbewahrung gespeichert. Ältere Daten werden in den nächsten Stunden entfernt.',
}
