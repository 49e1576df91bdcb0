// Texts of the page with the requirements of large receivers, in German.

import type { Translation } from '../texts.ts'

export const requirements: Translation<typeof import('../en/requirements.ts').requirements> = {
  title: 'Anforderungen der Empfänger',
  intro:
    'Was Gmail, Yahoo und Outlook.com von Massenversendern verlangen. Prüfungen im DNS werden jede Stunde wiederholt.',
  back: 'DNS-Einträge',
  noMail: 'Noch keine E-Mail zugestellt.',
  highest: 'Meiste Nachrichten an einem Tag: {count}, am {day}.',
  threshold: 'Ab {count} am Tag gelten die Anforderungen an Massenversender.',
  bulkSince: 'Massenversender seit {day}.',
  since: 'seit {time}',
  ofLimit: '{measured} (Grenze {limit})',
  met: {
    one_click: 'Jede Broadcast-Nachricht hat das Feld List-Unsubscribe-Post',
    list_unsubscribe_honoured: 'Niemand bekam später als zwei Tage nach der Abmeldung noch E-Mails',
    message_format: 'Der Dienst erstellt oder berichtigt jede Nachricht',
  },
  noSource: 'Noch keine Quelle',
  statuses: { met: 'Erfüllt', not_met: 'Nicht erfüllt', not_known: 'Unbekannt' },
  sources: {
    own: 'Aus Ihren eigenen E-Mails',
    dns: 'Aus dem DNS',
    report: 'Aus Berichten des Empfängers',
    postmaster: 'Aus Google Postmaster Tools',
  },
  of: {
    spf: {
      name: 'SPF',
      remedy:
        'Veröffentlichen Sie den Return-Path-Eintrag der Domain. Der Betreiber veröffentlicht den SPF-Eintrag mit allen Adressen.',
    },
    dkim: {
      name: 'DKIM',
      remedy:
        'Veröffentlichen Sie den DKIM-Eintrag, den die Seite DNS-Einträge zeigt. Ist der Eintrag dort gefunden, nennt die Seite Authentifizierung und Berichte die Quellen, deren Signaturen scheitern.',
    },
    dmarc: {
      name: 'DMARC',
      remedy: 'Veröffentlichen Sie den DMARC-Eintrag, den die Seite DNS-Einträge zeigt; p=none genügt.',
    },
    alignment: {
      name: 'Absenderadresse passt zu SPF oder DKIM',
      remedy: 'Veröffentlichen Sie den DKIM-Eintrag, damit die Signatur zur Absenderdomain gehört.',
    },
    ptr: {
      name: 'Reverse-DNS der sendenden Adressen',
      remedy:
        'Der Betreiber lässt den Anbieter der Adresse einen PTR-Eintrag setzen, der auf die Adresse zurückführt.',
    },
    tls: {
      name: 'Verschlüsselte Verbindungen',
      remedy: 'Lesen Sie die SMTP-Dialoge der Nachrichten, die ohne TLS gesendet wurden.',
    },
    complaint_share: {
      name: 'Anteil der Beschwerden',
      remedy:
        'Senden Sie nur an Empfänger, die zugestimmt haben, und machen Sie das Abmelden leicht. Den Anteil nennen Google Postmaster Tools und Feedback-Loops.',
    },
    one_click: {
      name: 'Abmelden mit einem Klick bei Broadcast-Mail',
      remedy:
        'Lassen Sie den Dienst die List-Unsubscribe-Felder setzen, oder setzen Sie List-Unsubscribe-Post selbst.',
    },
    list_unsubscribe_honoured: {
      name: 'Abmeldungen wirken innerhalb von zwei Tagen',
      remedy: 'Entfernen Sie keine Sperren von Empfängern, die sich abgemeldet haben.',
    },
    message_format: {
      name: 'Nachrichten im Standardformat',
      remedy: 'Senden Sie Nachrichten mit je einem From-, Date- und Message-ID-Feld (RFC 5322).',
    },
    from_header: {
      name: 'Absenderadresse nimmt Antworten an',
      remedy: 'Geben Sie der Absenderdomain einen Mailserver (MX), der Antworten annimmt.',
    },
  },
}
