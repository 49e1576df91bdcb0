// Meaning and advice of incidents by the name of the sentences in the catalogue, in German.

import type { Translation } from '../texts.ts'

export const incidentCauses: Translation<typeof import('../en/incident-causes.ts').incidentCauses> = {
  gmail_ptr: {
    meaning:
      'Gmail findet keinen Reverse-DNS-Eintrag der sendenden Adresse, oder der Eintrag führt nicht zur Adresse zurück.',
    whatToDo:
      'Lassen Sie den Betreiber einen PTR-Eintrag für die Adresse veröffentlichen, und einen A- oder AAAA-Eintrag, der zu ihr zurückführt.',
  },
  gmail_spf: {
    meaning: 'Gmail konnte die E-Mails nicht durch SPF authentifizieren.',
    whatToDo:
      'Prüfen Sie, ob der Return-Path der Domain auf diese Installation zeigt und ob der SPF-Eintrag der Installation die sendende Adresse enthält.',
  },
  gmail_tls: {
    meaning: 'Gmail verlangt eine verschlüsselte Verbindung, und die E-Mails kamen ohne TLS.',
    whatToDo:
      'Fragen Sie den Betreiber, warum Verbindungen zu Gmail nicht verschlüsselt sind; oft entfernt eine Firewall STARTTLS.',
  },
  gmail_dkim: {
    meaning: 'Gmail konnte die DKIM-Signatur der E-Mails nicht prüfen.',
    whatToDo:
      'Prüfen Sie, ob die DKIM-Einträge der Domain wie angezeigt veröffentlicht sind und ob kein Relay die E-Mails nach dem Signieren ändert.',
  },
  gmail_dmarc: {
    meaning: 'Gmail findet keinen DMARC-Eintrag, oder keine Richtlinie im Eintrag.',
    whatToDo: 'Veröffentlichen Sie den DMARC-Eintrag der Seite der Domain; die Richtlinie none genügt.',
  },
  gmail_alignment: {
    meaning: 'Die Domain des From-Felds passt weder zur Signatur noch zum Return-Path.',
    whatToDo:
      'Senden Sie mit einer From-Adresse der Domain des Schlüssels oder Zugangs, und prüfen Sie deren DKIM- und Return-Path-Einträge.',
  },
  gmail_unauthenticated: {
    meaning: 'Gmail konnte die E-Mails weder durch SPF noch durch DKIM authentifizieren.',
    whatToDo: 'Prüfen Sie die DKIM-Einträge und den Return-Path-Eintrag der Domain.',
  },
  gmail_rate: {
    meaning:
      'Gmail hat eine ungewöhnliche Menge von E-Mails der Adresse, des Netzes oder der Domain bemerkt und nimmt vorübergehend weniger an.',
    whatToDo:
      'Verteilen Sie die E-Mails auf eine längere Zeit, und suchen Sie einen Stream, der mehr als üblich sendet. Verzögerte E-Mails werden von selbst erneut gesendet.',
  },
  microsoft_block: {
    meaning: 'Microsoft sperrt das Netz der sendenden Adresse.',
    whatToDo:
      'Lassen Sie den Betreiber die Adresse auf sendersupport.olc.protection.outlook.com nachsehen und dort die Aufhebung der Sperre beantragen.',
  },
  microsoft_rate: {
    meaning: 'Microsoft nimmt weniger E-Mails der sendenden Adresse an, wegen des Rufs der Adresse.',
    whatToDo:
      'Senden Sie einige Tage lang weniger, nur an Empfänger, die zugestimmt haben und Ihre E-Mails lesen, und entfernen Sie zurückgewiesene Adressen.',
  },
  microsoft_policy: {
    meaning:
      'Eine Richtlinie von Microsoft weist die E-Mails zurück, wegen des Inhalts, der Art der Adresse oder einer Sperrliste.',
    whatToDo:
      'Lassen Sie den Betreiber die sendende Adresse auf Sperrlisten und in den Smart Network Data Services von Microsoft prüfen.',
  },
  microsoft_authentication: {
    meaning:
      'Microsoft verlangt von Absendern vieler E-Mails SPF, DKIM und DMARC, und den E-Mails fehlt davon etwas.',
    whatToDo: 'Prüfen Sie die DKIM-, Return-Path- und DMARC-Einträge der Domain.',
  },
  yahoo_block: {
    meaning:
      'Yahoo weist die E-Mails endgültig zurück, wegen ihres Inhalts oder weil eine Sperrliste die sendende Adresse nennt.',
    whatToDo:
      'Lassen Sie den Betreiber die Adresse auf Sperrlisten prüfen. Vergleichen Sie die E-Mails mit denen der Tage davor, und ändern Sie neue Links und Inhalte.',
  },
  yahoo_deferral: {
    meaning:
      'Yahoo verzögert E-Mails der sendenden Adresse für einige Stunden, wegen ungewöhnlicher Mengen oder Beschwerden von Empfängern.',
    whatToDo:
      'Senden Sie weniger an Yahoo, bis die Verzögerungen enden. Suchen Sie einen Stream, der mehr sendet als bisher oder an Personen, die nicht um die E-Mails gebeten haben; machen Sie das Abmelden leicht. Verzögerte E-Mails werden von selbst erneut gesendet.',
  },
  apple_policy: {
    meaning: 'Eine eigene Richtlinie von Apple weist die E-Mails zurück.',
    whatToDo:
      'Prüfen Sie Authentifizierung und Inhalt der E-Mails. Lassen Sie den Betreiber mit der Antwort an icloudadmin@apple.com schreiben, wenn die Zurückweisungen anhalten.',
  },
  list_quality: {
    meaning:
      'Viele Empfänger gibt es nicht. Meist ist eine alte, gekaufte oder erratene Adressliste die Ursache, oder ein Formular ohne Prüfung.',
    whatToDo:
      'Halten Sie den Versand an, den der Umfang nennt, prüfen Sie seine Adressen und entfernen Sie die zurückgewiesenen. Empfänger sperren Absender, deren E-Mails an Adressen gehen, die es nicht gibt.',
  },
  alignment: {
    meaning: 'Empfänger melden, dass E-Mails der Domain nicht authentifiziert sind.',
    whatToDo:
      'Prüfen Sie die DKIM- und Return-Path-Einträge der Domain, und die Dienste, die mit ihrem Namen senden.',
  },
  alignment_ours_dkim: {
    meaning: 'Empfänger melden, dass DKIM von E-Mails dieses Dienstes nicht mehr zur From-Adresse passt.',
    whatToDo:
      'Vergleichen Sie die DKIM-Einträge im DNS mit denen, die die Seite der Domain zeigt, und bestätigen Sie die Domain.',
  },
  alignment_ours_spf: {
    meaning: 'Empfänger melden, dass SPF von E-Mails dieses Dienstes nicht mehr zur From-Adresse passt.',
    whatToDo:
      'Prüfen Sie, ob der Return-Path-Eintrag der Domain auf diesen Dienst zeigt und ob der SPF-Eintrag des Return-Path-Hosts die Adresse nennt.',
  },
  alignment_ours_dmarc: {
    meaning: 'Empfänger melden, dass bei E-Mails dieses Dienstes weder DKIM noch SPF zur From-Adresse passt.',
    whatToDo:
      'Prüfen Sie die DKIM- und Return-Path-Einträge der Domain; Empfänger können die E-Mails zurückweisen.',
  },
  alignment_known_dkim: {
    meaning: 'Empfänger melden, dass DKIM von E-Mails von {source} nicht mehr zur From-Adresse passt.',
    whatToDo:
      'Richten Sie bei {source} DKIM mit Ihrer eigenen Domain ein, damit die Signatur zur From-Adresse passt.',
  },
  alignment_known_spf: {
    meaning: 'Empfänger melden, dass SPF von E-Mails von {source} nicht mehr zur From-Adresse passt.',
    whatToDo:
      'Richten Sie bei {source} DKIM mit Ihrer eigenen Domain ein, damit die Signatur zur From-Adresse passt.',
  },
  alignment_known_dmarc: {
    meaning: 'Empfänger melden, dass bei E-Mails von {source} weder DKIM noch SPF zur From-Adresse passt.',
    whatToDo:
      'Richten Sie bei {source} DKIM mit Ihrer eigenen Domain ein, damit die Signatur zur From-Adresse passt.',
  },
  listing: {
    meaning:
      'Eine Sperrliste nennt eine Adresse oder Domain von Ihnen, und Empfänger, die die Liste fragen, weisen die E-Mails zurück.',
    whatToDo:
      'Suchen Sie zuerst die Ursache des Eintrags, und beantragen Sie dann die Löschung auf der Seite, die die Liste nennt.',
  },
  listing_other: {
    meaning: '{zone} nennt {subject}. Empfänger, die die Liste fragen, weisen die E-Mails vielleicht zurück.',
    whatToDo:
      'Suchen und beheben Sie zuerst die Ursache, etwa ein missbrauchtes Konto oder eine alte Empfängerliste; beantragen Sie dann die Löschung: {page}',
  },
  listing_large: {
    meaning: '{zone} nennt {subject}. Große Empfänger weisen die E-Mails zurück.',
    whatToDo:
      'Suchen und beheben Sie zuerst die Ursache, etwa ein missbrauchtes Konto oder eine alte Empfängerliste; beantragen Sie dann die Löschung: {page}',
  },
  listing_small: {
    meaning: '{zone} nennt {subject}. Viele kleine Empfänger weisen die E-Mails zurück.',
    whatToDo:
      'Suchen und beheben Sie zuerst die Ursache, etwa ein missbrauchtes Konto oder eine alte Empfängerliste; beantragen Sie dann die Löschung: {page}',
  },
  listing_policy: {
    meaning:
      '{zone} nennt {subject}, weil der Anbieter der Adresse erklärt, dass die Adresse keine E-Mails sendet. Viele Empfänger weisen E-Mails solcher Adressen zurück.',
    whatToDo: 'Der Inhaber der Adresse kann sie in wenigen Minuten entfernen: {page}',
  },
  requirement: {
    meaning: 'Eine Anforderung des Empfängers an Absender ist nicht erfüllt.',
    whatToDo:
      'Erfüllen Sie die Anforderung, die die Belege nennen; Empfänger weisen mit der Zeit mehr E-Mails zurück.',
  },
  rate_limited: {
    meaning: 'Der Empfänger nimmt weniger E-Mails an, als gesendet werden, und verzögert den Rest.',
    whatToDo:
      'Suchen Sie einen Stream, der mehr als üblich sendet, und verteilen Sie seine E-Mails auf eine längere Zeit. Verzögerte E-Mails werden von selbst erneut gesendet.',
  },
  blocked: {
    meaning: 'Der Empfänger weist die sendende Adresse oder die Domain wegen ihres Rufs zurück.',
    whatToDo:
      'Lassen Sie den Betreiber die sendende Adresse auf Sperrlisten prüfen. Halten Sie E-Mails an, um die Empfänger nicht gebeten haben, und beantragen Sie beim Empfänger die Aufhebung der Sperre, wie es seine Antwort sagt.',
  },
  policy: {
    meaning: 'Eine Regel des Empfängers weist die E-Mails zurück.',
    whatToDo:
      'Lesen Sie die Antwort im Beispiel: Sie nennt die Regel. Prüfen Sie die Authentifizierung der Domain.',
  },
  content: {
    meaning: 'Ein Filter des Empfängers weist den Inhalt der E-Mails zurück.',
    whatToDo:
      'Vergleichen Sie die E-Mails mit denen vor der Störung: Meist sind neue Links, Anhänge oder Vorlagen die Ursache.',
  },
  size: {
    meaning: 'Die E-Mails sind größer, als der Empfänger annimmt.',
    whatToDo: 'Senden Sie Links an Stelle großer Anhänge.',
  },
  auth: {
    meaning: 'Der Empfänger konnte die E-Mails nicht authentifizieren.',
    whatToDo: 'Prüfen Sie die DKIM-, Return-Path- und DMARC-Einträge der Domain.',
  },
  network: {
    meaning: 'Die Mailserver sind nicht erreichbar, oder beenden den Dialog ohne Antwort.',
    whatToDo:
      'Bitten Sie den Betreiber, das Netz der sendenden Adresse zu prüfen. Die E-Mails werden von selbst erneut gesendet.',
  },
  dns: {
    meaning: 'Die Mailserver der Empfänger sind im DNS nicht zu finden.',
    whatToDo:
      'Bitten Sie den Betreiber, den DNS-Resolver dieser Installation zu prüfen. Die E-Mails werden von selbst erneut gesendet.',
  },
  tls: {
    meaning: 'Die Verschlüsselung, die der Empfänger oder die Nachricht verlangt, ist nicht möglich.',
    whatToDo:
      'Lesen Sie den Dialog des Beispiels. Meist ist ein abgelaufenes Zertifikat des Empfängers die Ursache; die E-Mails werden von selbst erneut gesendet.',
  },
  protocol: {
    meaning: 'Die Mailserver verletzen die Regeln von SMTP, oder lehnen einen Befehl ab.',
    whatToDo: 'Lesen Sie den Dialog des Beispiels, und melden Sie ihn dem Empfänger oder dem Betreiber.',
  },
  expired: {
    meaning: 'Verzögerte E-Mails konnten bis zum Ende der Versuche nicht zugestellt werden.',
    whatToDo: 'Lesen Sie die Antwort im Beispiel: Sie nennt die Ursache der Verzögerungen.',
  },
  mailbox_not_found: {
    meaning: 'Viele Empfänger gibt es nicht.',
    whatToDo: 'Prüfen Sie die Adressen der Liste, und entfernen Sie die zurückgewiesenen.',
  },
  mailbox_disabled: {
    meaning: 'Viele Postfächer der Empfänger sind deaktiviert.',
    whatToDo: 'Entfernen Sie die zurückgewiesenen Adressen.',
  },
  mailbox_full: {
    meaning: 'Viele Postfächer der Empfänger sind voll.',
    whatToDo: 'Entfernen Sie Adressen, deren Postfach voll bleibt.',
  },
  domain_invalid: {
    meaning: 'Viele Domains der Empfänger nehmen keine E-Mails an.',
    whatToDo: 'Prüfen Sie die Adressen der Liste, und entfernen Sie die zurückgewiesenen.',
  },
  other: {
    meaning: 'Der Empfänger weist die E-Mails zurück oder verzögert sie.',
    whatToDo: 'Lesen Sie die Antwort und den Dialog des Beispiels.',
  },
}
