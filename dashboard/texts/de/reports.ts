// Texts of the page about reports of receivers and the authentication of a domain's mail, in German.

import type { Translation } from '../texts.ts'

export const reports: Translation<typeof import('../en/reports.ts').reports> = {
  title: 'Authentifizierung',
  intro:
    'Wer E-Mails mit der Domain in der From-Adresse sendet, wie Empfänger es berichten. Die letzten 30 Tage.',
  back: 'DNS-Einträge',
  upload: 'Bericht hochladen',
  uploading: 'Der Bericht wurde gelesen.',
  duplicate: 'Dieser Bericht war schon da.',
  file: 'Datei eines Berichts (XML, JSON, gzip, zip oder E-Mail)',
  choose: 'Datei wählen',
  sources: 'Quellen',
  sourcesIntro: 'Aggregierte DMARC-Berichte zählen Nachrichten nach der Adresse, die sie gesendet hat.',
  source: 'Quelle',
  kind: 'Art',
  kinds: {
    ours: 'Dieser Dienst',
    forwarded: 'Weitergeleitet',
    known: 'Bekannt',
    unknown: 'Unbekannt',
  },
  messages: 'Nachrichten',
  pass: 'DMARC bestanden',
  dkim: 'DKIM passend',
  spf: 'SPF passend',
  failing: '{mechanism} scheitert seit {day} für E-Mails von {addresses}, laut {receivers}.',
  whatToDo: 'Was zu tun ist',
  nothing: 'Nichts',
  advice: {
    ours_dkim:
      'Vergleichen Sie die DKIM-Einträge im DNS mit denen, die die Seite der Domain zeigt, und bestätigen Sie die Domain.',
    ours_spf:
      'Prüfen Sie, ob der Return-Path-Eintrag der Domain auf diesen Dienst zeigt und ob der SPF-Eintrag des Return-Path-Hosts die Adresse nennt.',
    ours_dmarc:
      'Prüfen Sie die DKIM- und Return-Path-Einträge der Domain; Empfänger können die E-Mails zurückweisen.',
    ours: 'Ein Teil der E-Mails dieses Dienstes passt nicht zur From-Adresse. Prüfen Sie die DKIM- und Return-Path-Einträge der Domain; Empfänger können die E-Mails zurückweisen.',
    known:
      'Richten Sie bei {name} DKIM mit Ihrer eigenen Domain ein, damit die Signatur zur From-Adresse passt.',
    unknown_pass:
      'Die E-Mails bestehen DMARC; also erlaubt ein Eintrag Ihrer Domain diese Quelle. Gehört sie Ihnen, markieren Sie sie als bekannt; sonst entfernen Sie den Eintrag.',
    unknown_fail:
      'Sendet diese Quelle für Sie, markieren Sie sie als bekannt und richten Sie dort DKIM ein. Sonst benutzt jemand Ihre Domain: Mit der DMARC-Richtlinie quarantine oder reject können Empfänger solche E-Mails zurückweisen.',
  },
  markKnown: 'Als bekannt markieren',
  markUnknown: 'Als unbekannt markieren',
  noSources: 'Noch keine Berichte',
  noSourcesHint: 'Empfänger senden einmal am Tag Berichte an die Adresse im DMARC-Eintrag der Domain.',
  coverage:
    '{receivers} Empfänger haben berichtet; ihre Berichte decken {share} der E-Mails ab, die dieser Dienst zugestellt hat.',
  coverageUnknown: '{receivers} Empfänger haben berichtet.',
  reports: 'Berichte',
  reportsIntro: 'DMARC- und TLS-Berichte von Empfängern, und Beschwerden. Dateien werden 45 Tage aufbewahrt.',
  submitter: 'Von',
  reportKinds: { dmarc: 'DMARC', tls: 'TLS', arf: 'Beschwerde', cfbl: 'Beschwerde' },
  unread: 'Wird gelesen',
  unreadable: 'Unlesbar',
  authentic: 'Echt',
  notAuthentic: 'Nicht bewiesen',
  uploaded: 'Hochgeladen',
  trust: 'Echtheit',
  failed: 'Gescheitert',
  day: 'Tag',
  received: 'Erhalten',
  download: 'Herunterladen',
  none: 'Keine Berichte',
}
