// Texts of the problems that need action, on the home page, in German.

import type { Translation } from '../texts.ts'

export const concerns: Translation<typeof import('../en/concerns.ts').concerns> = {
  account_suspended: {
    title: 'Das Konto ist ausgesetzt und kann nicht senden',
    action: 'Wenden Sie sich an den Betreiber; er kennt den Grund und kann die Aussetzung aufheben.',
  },
  allowance_used_up: {
    title: 'Das Sendekontingent ist aufgebraucht',
    action:
      'Bitten Sie den Betreiber dieser Installation um mehr; ohne Kontingent wird das Senden abgelehnt.',
  },
  allowance_low: {
    title: 'Das Sendekontingent reicht noch für {left} Empfänger',
    action:
      'Bitten Sie den Betreiber dieser Installation um mehr; ohne Kontingent wird das Senden abgelehnt.',
  },
  stored_bytes_high: {
    title: 'Die gespeicherten Nachrichten belegen {stored} von {limit}',
    action: 'Bitten Sie den Betreiber um eine höhere Grenze; Nachrichten darüber werden abgelehnt.',
  },
  webhook_gone: {
    title: 'Der Webhook {webhook} ist abgeschaltet: Sein Empfänger hat mit 410 (gone) geantwortet',
    action:
      'Reparieren Sie den Empfänger, schalten Sie den Webhook wieder ein und lassen Sie Versäumtes wiederholen; oder löschen Sie ihn.',
  },
  webhook_failed: {
    title: 'Der Webhook {webhook} ist abgeschaltet: Drei Tage lang schlug jeder Versuch fehl',
    action:
      'Reparieren Sie den Empfänger, schalten Sie den Webhook wieder ein und lassen Sie Versäumtes wiederholen; oder löschen Sie ihn.',
  },
  credits_used_up: {
    title: 'Das Guthaben für Adressprüfungen ist aufgebraucht',
    action: 'Bitten Sie den Betreiber dieser Installation um mehr; ohne Guthaben werden Prüfungen abgelehnt.',
  },
  credits_low: {
    title: 'Das Guthaben reicht noch für {left} Adressprüfungen',
    action: 'Bitten Sie den Betreiber dieser Installation um mehr; ohne Guthaben werden Prüfungen abgelehnt.',
  },
  incident_replies: {
    title: '{provider}: {share} der Zustellversuche von {domain} scheitern',
    action: 'Seit {since}. Die Störung zeigt ihre Ursache, ein Beispiel und was zu tun ist.',
  },
  incident_hosts: {
    title: 'Andere Server: {share} der Zustellversuche von {domain} scheitern',
    action: 'Seit {since}. Die Störung zeigt ihre Ursache, ein Beispiel und was zu tun ist.',
  },
  incident_list_quality: {
    title: '{share} der E-Mails von {domain} gehen an Adressen, die es nicht gibt',
    action: 'Seit {since}. Die Störung zeigt ihre Ursache, ein Beispiel und was zu tun ist.',
  },
  incident_listing: {
    title: '{code} führt {address}',
    action: 'Seit {since}. Die Störung zeigt ihre Ursache, ein Beispiel und was zu tun ist.',
  },
  incident_alignment: {
    title: '{provider} kann E-Mails von {domain} nicht authentifizieren',
    action: 'Seit {since}. Die Störung zeigt ihre Ursache, ein Beispiel und was zu tun ist.',
  },
  incident_alignment_several: {
    title: 'Mehrere Empfangsserver können E-Mails von {domain} nicht authentifizieren',
    action: 'Seit {since}. Die Störung zeigt ihre Ursache, ein Beispiel und was zu tun ist.',
  },
  incident_requirement: {
    title: '{domain} erfüllt die Anforderung {code} von {provider} nicht',
    action: 'Seit {since}. Die Störung zeigt ihre Ursache, ein Beispiel und was zu tun ist.',
  },
  domain_flagged: {
    title: 'Notwendige DNS-Einträge von {domain} fehlen',
    action: 'Veröffentlichen Sie sie wieder vor {until}; danach kann die Domain nicht mehr senden.',
  },
  domain_closed: {
    title: '{domain} kann nicht mehr senden',
    action:
      'Die DNS-Einträge haben drei Tage lang gefehlt. Veröffentlichen Sie sie wieder und lassen Sie die Domain prüfen.',
  },
  domain_unverified: {
    title: '{domain} ist noch nicht bestätigt',
    action:
      'Veröffentlichen Sie die DNS-Einträge und lassen Sie die Domain prüfen; bis dahin kann sie nicht senden.',
  },
  dmarc_missing: {
    title: '{domain} hat keinen DMARC-Eintrag',
    action:
      'Veröffentlichen Sie einen: Große Anbieter können Nachrichten sonst ablehnen, und Broadcast-Streams bleiben geschlossen.',
  },
  bounce_rate: {
    title: '{share} der abgeschlossenen Zustellungen von {domain} wurden in den letzten 7 Tagen abgewiesen',
    action:
      'Sehen Sie die abgewiesenen Nachrichten durch und entfernen Sie falsche Adressen aus Ihren Listen: Anbieter sperren Absender mit hoher Bounce-Rate.',
  },
  complaint_rate: {
    title:
      '{share} der Nachrichten von {domain} an Anbieter mit Feedback-Loop wurden in den letzten 7 Tagen als Spam gemeldet',
    action:
      'Senden Sie nur an Empfänger, die zugestimmt haben, und machen Sie das Abmelden einfach: Über 0,3 % sperren große Anbieter den Absender.',
  },
  held_domain_paused: {
    title: 'Nachrichten von {domain} werden zurückgehalten',
    action: 'Die Domain wurde am {since} angehalten. Sie werden gesendet, sobald sie fortgesetzt wird.',
  },
  held_domain_paused_by_operator: {
    title: 'Nachrichten von {domain} werden zurückgehalten',
    action:
      'Der Betreiber hat die Domain am {since} angehalten. Sie werden gesendet, sobald er sie fortsetzt.',
  },
  held_stream_paused: {
    title: 'Nachrichten von {domain} werden zurückgehalten',
    action:
      'Der Betreiber hat den Stream {value} am {since} angehalten. Sie werden gesendet, sobald er ihn fortsetzt.',
  },
  held_destination_paused: {
    title: 'Nachrichten von {domain} werden zurückgehalten',
    action:
      'Der Betreiber hat das Ziel {value} am {since} angehalten. Sie werden gesendet, sobald er es fortsetzt.',
  },
  held_restored: {
    title: 'Nachrichten von {domain} werden zurückgehalten',
    action:
      'Der Datenbestand wurde am {since} wiederhergestellt. Der Betreiber entscheidet, ob sie gesendet werden.',
  },
  queue_stuck: {
    title: 'Die Warteschlange von {domain} stockt',
    action:
      'Nachrichten sind seit mehr als 15 Minuten fällig. Bitten Sie den Betreiber, die Warteschlange und die Seite „Zustand“ anzusehen.',
  },
  clock_ahead: {
    title: 'Die Uhr ist um {days} Tage vorgesprungen; alte Daten werden vorerst nicht gelöscht',
    action:
      'Prüfen Sie die Uhren (NTP) aller Knoten und der Datenbank. Gehen die Uhren richtig, wird sofort weiter gelöscht; war nur der Dienst so lange aus, in {hours} Stunden.',
  },
  certificate_expiring: {
    title: 'Das TLS-Zertifikat läuft am {until} ab',
    action:
      'Erneuern Sie es: Programme, die Mail einliefern, lehnen ein abgelaufenes ab. Mehr dazu steht auf der Seite „Zustand“.',
  },
  certificate_expired: {
    title: 'Das TLS-Zertifikat ist am {until} abgelaufen',
    action:
      'Erneuern Sie es: Programme, die Mail einliefern, lehnen ein abgelaufenes ab. Mehr dazu steht auf der Seite „Zustand“.',
  },
  certificate_expiring_kept: {
    title: 'Das TLS-Zertifikat läuft am {until} ab',
    action: 'Es konnte nicht ersetzt werden: {problem}',
  },
  certificate_expired_kept: {
    title: 'Das TLS-Zertifikat ist am {until} abgelaufen',
    action: 'Es konnte nicht ersetzt werden: {problem}',
  },
}
