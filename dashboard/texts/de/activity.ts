// Texts of the activity of all domains and of the log of API requests, in German.

import type { Translation } from '../texts.ts'

export const activity: Translation<typeof import('../en/activity.ts').activity> = {
  title: 'Aktivität',
  intro:
    'Was aus den Nachrichten aller Domains wurde, neueste zuerst, jede Adresse einmal. „Alle Ereignisse“ zeigt auch die Zwischenschritte.',
  events: 'Ereignisse',
  requests: 'API-Anfragen',
  noMatching: 'Keine passenden Ereignisse',
  noMatchingHint:
    'Suchen Sie nach der Adresse eines Empfängers oder deren Anfang, nach Wörtern im Betreff oder nach der ID einer Nachricht (msg_…).',
  none: 'Noch keine Ereignisse',
  noneHint:
    'Senden Sie eine Nachricht: Annahme, Zustellversuche und Ergebnis erscheinen hier nach wenigen Sekunden.',
  search: 'Empfänger, Betreff oder Nachrichten-ID',
  event: 'Ereignis',
  outcomesOnly: 'Ergebnisse',
  everyEvent: 'Alle Ereignisse',
  domain: 'Domain',
  recipient: 'Empfänger',
  noSubject: '(kein Betreff)',
  time: 'Zeit',
  narrowed: {
    stream: 'Stream: {value}',
    tag: 'Tag: {value}',
    provider: 'Anbieter: {value}',
    category: 'Ursache: {value}',
    counted: 'Jeder Empfänger einmal',
    after: 'Ab {value}',
    before: 'Bis {value}',
    code: 'Code: {value}',
  },
  requestsIntro:
    'Anfragen mit API-Schlüsseln, auch abgelehnte, werden drei Tage lang aufbewahrt. Bei mehr als zwanzig in der Sekunde werden manche nur gezählt.',
  noMatchingRequests: 'Keine passenden Anfragen',
  noMatchingRequestsHint: 'Geben Sie einen Pfad von Anfang an ein, zum Beispiel {example}.',
  noRequests: 'Noch keine Anfragen',
  noRequestsHint:
    'Anfragen mit einem API-Schlüssel erscheinen hier binnen Sekunden, mit den Feldern, wegen derer sie abgelehnt wurden. Abfragen, Inhalte und Werte werden nicht aufgezeichnet.',
  outcomes: {
    answered: 'Beantwortet (unter 400)',
    refused: 'Abgelehnt (4xx)',
    failed: 'Fehlgeschlagen (5xx)',
  },
  path: 'Pfad',
  outcome: 'Ergebnis',
  method: 'Methode',
  key: 'API-Schlüssel',
  request: 'Anfrage',
  answer: 'Antwort',
  duration: 'Dauer',
  missed: {
    one: '{count} weitere Anfrage, nicht aufgeführt',
    other: '{count} weitere Anfragen, nicht aufgeführt',
  },
  missedHint: 'Das Protokoll führt einige Anfragen einer Sekunde auf und zählt die übrigen.',
  toMessage: 'Nachricht anzeigen',
  moreProblems: { one: '{count} weiteres Problem', other: '{count} weitere Probleme' },
  revoked: '{name}, widerrufen',
  withCode: 'Anfragen mit dem Code {code}',
}
