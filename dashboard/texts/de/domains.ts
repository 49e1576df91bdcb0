// Texts of the sending domains and their DNS records, in German.

import type { Translation } from '../texts.ts'

export const domains: Translation<typeof import('../en/domains.ts').domains> = {
  title: 'Domains',
  intro: 'Absenderdomains. Jede hat eigene API-Schlüssel, Vorlagen, Streams und Nachrichten.',
  domain: 'Domain',
  status: 'Status',
  lastChecked: 'Zuletzt geprüft',
  never: 'Nie',
  added: 'Hinzugefügt',
  sent: 'In 30 Tagen gesendet',
  bounced: '{share} abgewiesen',
  empty: 'Noch keine Domains',
  emptyHint: 'Fügen Sie die Domain hinzu, von der Sie senden, und veröffentlichen Sie ihre DNS-Einträge.',
  adminAdds: 'Ein Admin des Kontos kann eine Domain hinzufügen.',
  recordsMissing: 'Einträge fehlen',
  add: 'Domain hinzufügen',
  addAction: 'Hinzufügen',
  addHint:
    'Der Teil nach dem @ in Ihren Absenderadressen. Eine Subdomain wie mail.example.com hat ihren eigenen Ruf.',
  willAdd: 'Hinzugefügt wird {domain}.',
  wwwHint: '{domain} ist der Name einer Website; E-Mails kommen meist von {offered}.',
  useInstead: '{domain} verwenden',
  cannotSend: {
    paused: '{domain} kann nicht senden, solange die Domain pausiert ist',
    pending: '{domain} kann noch nicht senden',
    pausedHint:
      'Anfragen werden mit domain_not_verified abgelehnt. Setzen Sie die Domain in den {settings} fort.',
    settings: 'Einstellungen',
    pendingHint: 'Anfragen werden mit domain_not_verified abgelehnt, bis ihre {records} gefunden sind.',
    records: 'DNS-Einträge',
    missing: {
      one: '{count} erforderlicher Eintrag fehlt.',
      other: '{count} erforderliche Einträge fehlen.',
    },
  },
  dns: {
    title: 'DNS-Einträge',
    titleOf: 'DNS-Einträge von {domain}',
    verify: 'Jetzt prüfen',
    looking: 'Einträge werden gesucht',
    found: '{found} von {all} Einträgen gefunden',
    foundChecked: '{found} von {all} Einträgen gefunden, geprüft {time}.',
    next: 'Nächste Prüfung in {seconds} s.',
    whileOpen: 'Solange diese Seite offen ist, werden die Einträge alle 15 Sekunden geprüft.',
    daily: 'Die Einträge werden täglich geprüft.',
    authentication: 'Authentifizierung und Berichte',
    requirements: 'Anforderungen der Empfänger',
    createKey: 'API-Schlüssel erstellen',
    flagged: 'Erforderliche Einträge fehlen',
    flaggedHint:
      'Sie fehlen seit {time}. Veröffentlichen Sie sie wieder: drei Tage danach kann die Domain nicht mehr senden.',
    ofMailboxes: '{domain} gehört einem Postfachanbieter',
    ofMailboxesHint:
      'Nur der Anbieter kann diese Einträge veröffentlichen. Fügen Sie eine Domain hinzu, deren DNS Sie verwalten, und verwenden Sie diese in Ihren Absenderadressen.',
    claim: 'Diese Domain gehört einem anderen Konto',
    claimHint: 'Veröffentlichen Sie diesen Eintrag, um zu beweisen, dass die Domain Ihnen gehört.',
    claimLabel: 'Eintrag zum Nachweis des Besitzes',
    publish:
      'Veröffentlichen Sie diese Einträge bei Ihrem DNS-Anbieter. Die Domain kann senden, sobald die erforderlichen gefunden sind.',
    keep: 'Diese Einträge müssen bei Ihrem DNS-Anbieter veröffentlicht bleiben.',
    names: 'Namen der Einträge',
    shortNames: 'Kurze Namen',
    fullNames: 'Volle Namen',
  },
  hosting: {
    dnsOf: 'DNS von {zone}',
    dnsAt: 'Das DNS von {zone} liegt bei {provider}',
    servers: 'Nameserver: {servers}',
    open: '{provider} öffnen',
    connect: 'Einträge bei {provider} veröffentlichen',
    connectHint:
      '{provider} zeigt die Einträge und veröffentlicht sie, wenn Sie zustimmen; nichts muss kopiert werden.',
  },
  share: {
    action: 'Teilen',
    title: 'Diese Einträge teilen',
    hint: 'Schicken Sie diesen Link der Person, die das DNS von {domain} verwaltet. Er zeigt die Einträge und ihren Status, braucht keine Anmeldung und gibt sonst keinen Zugang.',
    expires: 'Läuft {time} ab.',
    done: 'Fertig',
  },
  shared: {
    verified: '{domain} ist bestätigt: die erforderlichen Einträge sind da.',
    publish: 'Veröffentlichen Sie diese Einträge im DNS von {domain}, damit von dort gesendet werden kann.',
    lastChecked: 'Zuletzt geprüft {time}.',
    records: 'Einträge',
    copyZone: 'Als Zonendatei kopieren',
    downloadZone: 'Zonendatei herunterladen',
    linkExpires: 'Dieser Link läuft {time} ab.',
  },
  zone: {
    title: 'Zonendatei',
    hint: 'Für DNS-Anbieter, die Zonendateien importieren, und für eigene Nameserver.',
    theFile: 'die Zonendatei',
    copy: 'Kopieren',
    download: 'Herunterladen',
    hide: 'Verbergen',
    show: 'Anzeigen',
  },
  records: {
    columns: { record: 'Eintrag', type: 'Typ', name: 'Name', value: 'Wert', status: 'Status' },
    optional: 'Optional',
    recommended: 'Empfohlen',
    takesAllMail:
      'Leitet alle Mails von {domain} von ihrem jetzigen Mailserver hierher um. Ein eigener Host wie in.{domain} tut das nicht.',
    nameOf: 'Name von {record}',
    valueOf: 'Wert von {record}',
    checking: 'Wird geprüft',
    foundInstead: 'Stattdessen gefunden',
    statuses: {
      pending: 'Noch nicht geprüft',
      found: 'Gefunden',
      mismatch: 'Abweichend',
      missing: 'Nicht gefunden',
    },
    titles: {
      dkim_rsa: 'DKIM, RSA',
      dkim_ed25519: 'DKIM, Ed25519',
      return_path: 'Return-Path',
      dmarc: 'DMARC',
      tracking: 'Tracking',
      dkim_rsa_next: 'Neuer DKIM-Schlüssel, RSA',
      dkim_ed25519_next: 'Neuer DKIM-Schlüssel, Ed25519',
      dkim_rsa_old: 'Alter DKIM-Schlüssel, RSA',
      dkim_ed25519_old: 'Alter DKIM-Schlüssel, Ed25519',
      inbound_mx: 'Eingehende Mail (MX)',
      mta_sts_host: 'Host der Richtlinie (MTA-STS)',
      mta_sts: 'Fassung der Richtlinie (MTA-STS)',
      tls_report: 'TLS-Berichte',
      claim: 'Besitz',
    },
    reportsHint: 'Für Berichte fügen Sie rua=mailto: und eine Ihrer Adressen hinzu.',
    purposes: {
      dkim_rsa: 'Signiert Ihre Mails, damit Empfänger sie authentifizieren können.',
      dkim_ed25519: 'Eine zweite Signatur, für Empfänger, die Ed25519 unterstützen.',
      return_path:
        'Leitet Bounces zu dieser Installation und deckt SPF ab: Die Domain selbst braucht keinen SPF-Eintrag.',
      dmarc:
        'Sagt Empfängern, was mit nicht authentifizierten Mails geschehen soll. Erforderlich für Broadcast-Streams.',
      tracking: 'Der Hostname getrackter Links. Nur nötig, wo Öffnungen oder Klicks getrackt werden.',
      dkim_rsa_next: 'Signiert Ihre Mails, sobald Sie zu den neuen Schlüsseln wechseln.',
      dkim_ed25519_next: 'Signiert Ihre Mails, sobald Sie zu den neuen Schlüsseln wechseln.',
      dkim_rsa_old: 'Hat Mails signiert, die noch unterwegs sein können.',
      dkim_ed25519_old: 'Hat Mails signiert, die noch unterwegs sein können.',
      mta_sts_host: 'Der Hostname, von dem Absender die TLS-Richtlinie Ihrer eingehenden Mail abrufen.',
      mta_sts: 'Sagt Absendern, dass es eine TLS-Richtlinie gibt und wann sie sich geändert hat.',
      tls_report: 'Bittet Absender um tägliche Berichte über TLS Ihrer eingehenden Mail.',
      inbound_mx: 'Bringt Mails für die Adressen Ihrer Inbound-Streams zu dieser Installation.',
      claim: 'Beweist, dass Ihnen die Domain gehört, die ein anderes Konto hinzugefügt hat.',
    },
  },
  dkim: {
    title: 'Wechsel der DKIM-Schlüssel',
    hints: {
      rotate:
        'Ein Wechsel der DKIM-Schlüssel begrenzt den Schaden eines gestohlenen Schlüssels; ein- oder zweimal im Jahr genügt. Bis zum Wechsel signieren die jetzigen.',
      switch:
        'Die Einträge der neuen Schlüssel stehen oben. Veröffentlichen Sie diese; sobald sie gefunden sind, wechseln Sie zu den neuen Schlüsseln. Lassen Sie die alten Einträge für Mails, die unterwegs sind, bestehen.',
      retire:
        'Mails werden mit den neuen Schlüsseln signiert. Lassen Sie die alten Einträge noch einige Tage bestehen, bis die damit signierten Mails zugestellt sind; entfernen Sie dann die alten Schlüssel und ihre Einträge.',
    },
    steps: {
      rotate: {
        label: 'Neue Schlüssel erstellen',
        consequence:
          'Zwei weitere DNS-Einträge müssen veröffentlicht sein, bevor die neuen Schlüssel signieren können.',
        done: 'Neue Schlüssel erstellt. Veröffentlichen Sie ihre Einträge.',
      },
      switch: {
        label: 'Mit neuen Schlüsseln signieren',
        consequence: 'Alle Mails werden ab jetzt mit den neuen Schlüsseln signiert.',
        done: 'Mails werden mit den neuen Schlüsseln signiert.',
      },
      discard: {
        label: 'Neue Schlüssel verwerfen',
        consequence: 'Die neuen Schlüssel werden entfernt; die jetzigen signieren weiter.',
        done: 'Neue Schlüssel verworfen.',
      },
      retire: {
        label: 'Alte Schlüssel entfernen',
        consequence:
          'Die alten Schlüssel werden endgültig entfernt; ihre DNS-Einträge werden nicht mehr gebraucht.',
        done: 'Alte Schlüssel entfernt.',
      },
    },
    calendar: {
      every: 'Automatischer Austausch',
      off: 'Aus: Schlüssel von Hand ersetzen',
      days: 'Alle {days} Tage',
      hint: 'Nach Ablauf werden neue Schlüssel erstellt, und die Inhaber bekommen eine E-Mail mit deren Einträgen. Die neuen Schlüssel signieren, sobald ihre Einträge einen Tag lang gefunden wurden; die alten werden acht Tage später entfernt.',
      rotates: 'Neue Schlüssel werden erstellt: {time}.',
      switches: 'Die neuen Schlüssel signieren ab {time}, wenn ihre Einträge bestehen bleiben.',
      waits: 'Die neuen Schlüssel signieren, sobald ihre Einträge einen Tag lang gefunden wurden.',
      saved: 'Zeitraum gespeichert.',
    },
  },
  bimi: {
    title: 'Logo in Postfächern (BIMI)',
    intro:
      'Empfänger können dieses Logo neben Ihren Mails zeigen. Die Prüfung hat keinen Einfluss auf das Senden.',
    statuses: { passed: 'Keine Fehler gefunden', failed: 'Fehler gefunden', declined: 'Kein Logo gewünscht' },
    record: 'Eintrag',
    logo: 'Logo',
    certificate: 'Zertifikat',
    checked: 'Logo geprüft',
    findings: {
      record_several:
        'Unter diesem Namen stehen mehrere BIMI-Einträge, und Empfänger ignorieren sie alle. Behalten Sie einen davon.',
      record_invalid:
        'Der Eintrag ist ungültig. Schreiben Sie ihn als v=BIMI1; l=https://…/logo.svg; a=https://…/zertifikat.pem, jedes Feld einmal.',
      dmarc_missing:
        'Empfänger zeigen ein Logo nur für eine Domain mit gültigem DMARC-Eintrag. Veröffentlichen Sie einen.',
      dmarc_policy:
        'Die DMARC-Richtlinie wird nicht durchgesetzt. p und, falls vorhanden, sp müssen quarantine oder reject sein, ohne pct unter 100 und ohne t=y.',
      logo_url: 'Die Adresse des Logos (l=) ist keine https-URL.',
      logo_unreachable:
        'Das Logo ist nicht abrufbar. Seine Adresse muss allen mit Status 200 antworten, ohne Weiterleitung.',
      logo_type: 'Das Logo wird nicht als image/svg+xml ausgeliefert.',
      logo_too_large: 'Das Logo ist größer als 32 KB.',
      logo_not_svg: 'Das Logo ist kein SVG-Bild. Veröffentlichen Sie es als SVG Tiny PS.',
      logo_profile: 'Das svg-Element des Logos braucht version="1.2" und baseProfile="tiny-ps".',
      logo_title: 'Das Logo braucht ein title-Element mit dem Namen der Marke.',
      logo_not_square: 'Das Logo braucht eine viewBox mit gleichen Seiten.',
      logo_script:
        'Das Logo enthält ein Skript, eine Animation oder ein interaktives Element. Entfernen Sie es.',
      logo_external:
        'Das Logo verweist auf etwas außerhalb seiner selbst oder enthält ein Bild, das kein SVG ist. Entfernen Sie es.',
      certificate_url: 'Die Adresse des Zertifikats (a=) ist keine https-URL.',
      certificate_missing:
        'Ohne Zertifikat (a=) zeigen Yahoo und Fastmail das Logo; Gmail verlangt ein VMC oder CMC, Apple ein VMC.',
    },
  },
  end: {
    title: 'Domain pausieren oder löschen',
    deleted: '{domain} ist gelöscht.',
    isPaused: 'Die Domain ist pausiert: Anfragen, von ihr zu senden, werden abgelehnt.',
    mayPause: 'Pausieren Sie die Domain, um neue Nachrichten abzulehnen und wartende zurückzuhalten.',
    pauseQuestion: '{domain} pausieren?',
    pauseHint:
      'Bis Sie die Domain fortsetzen, lehnen API und SMTP jede neue Nachricht von ihr ab; eine Anwendung, die eine abgelehnte Anfrage nicht wiederholt, verliert die Nachricht. Wartende Nachrichten werden zurückgehalten.',
    resume: 'Fortsetzen',
    pause: 'Pausieren',
    deleteHint: 'Löschen Sie die Domain mit ihren API-Schlüsseln, Vorlagen, Streams und Nachrichten.',
    delete: 'Löschen',
    deleteDomain: '{domain} löschen',
    deletePermanently: 'Endgültig löschen',
    deleteConsequence:
      'Ihre API-Schlüssel und SMTP-Zugangsdaten gelten sofort nicht mehr, und wartende Nachrichten werden abgebrochen. Das kann nicht rückgängig gemacht werden.',
  },
  history: 'Letzte Ereignisse',
  events: {
    added: 'Domain hinzugefügt',
    verified: 'Verifiziert: alle erforderlichen Einträge gefunden',
    flagged: 'Erforderliche Einträge fehlen',
    recovered: 'Erforderliche Einträge wieder gefunden',
    closed: 'Versand beendet: erforderliche Einträge fehlten drei Tage lang',
    paused: 'Pausiert',
    resumed: 'Fortgesetzt',
    claimed: 'Besitz durch Ihr Konto nachgewiesen',
    lost: 'Besitz durch ein anderes Konto nachgewiesen',
    dkim_rotated: 'Neue DKIM-Schlüssel erstellt',
    dkim_switched: 'Signiert wird mit den neuen DKIM-Schlüsseln',
    dkim_retired: 'Alte DKIM-Schlüssel entfernt',
    dkim_discarded: 'Neue DKIM-Schlüssel verworfen',
    webhook_disabled: 'Webhook deaktiviert: sein Empfänger fiel tagelang aus oder wollte keine mehr',
  },
}
