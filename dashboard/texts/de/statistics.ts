// Texts of the statistics page, in addition to the texts of the home page, in German.

import type { Translation } from '../texts.ts'

export const statistics: Translation<typeof import('../en/statistics.ts').statistics> = {
  title: 'Statistik',
  intro: 'Empfänger, gezählt in der Stunde des jeweiligen Ereignisses.',
  steps: 'Schritte',
  by: { hour: 'Nach Stunden', day: 'Nach Tagen' },
  none: 'Keine Nachrichten in diesem Zeitraum',
  noneHint: 'Zahlen erscheinen hier etwa eine Sekunde nach jedem Ereignis.',
  hint: 'Beschwerden melden Anbieter wie Yahoo und Outlook.com. Gmail meldet keine: Sehen Sie in den Postmaster Tools nach. Je Empfänger zählen das erste Öffnen und der erste Klick, aber nicht die von Programmen.',
  tag: 'Tag',
  provider: 'Anbieter des Empfängers',
  inParts: 'Aufschlüsselung',
  groupBy: 'Gruppieren nach',
  groups: { stream: 'Stream', tag: 'Tag', provider: 'Anbieter', category: 'Ursache der Abweisung' },
  figuresBy: {
    stream: 'Zahlen nach Stream',
    tag: 'Zahlen nach Tag',
    provider: 'Zahlen nach Anbieter des Empfängers',
    category: 'Abweisungen nach Ursache',
  },
  noneOf: {
    stream: 'Keine Nachrichten in diesem Zeitraum.',
    tag: 'Keine Nachrichten mit einem Tag in diesem Zeitraum.',
    provider: 'Keine Versuche in diesem Zeitraum.',
    category: 'Keine Abweisungen in diesem Zeitraum.',
  },
  others: { stream: '–', tag: 'Andere Tags', provider: 'Andere Hosts' },
  accepted: 'Angenommen',
  delivered: 'Zugestellt',
  deferred: 'Zurückgestellt',
  bounced: 'Abgewiesen',
  bounceRate: 'Bounce-Rate',
  complaints: 'Beschwerden',
  mostWithin: '95 % binnen',
  cause: 'Ursache',
  share: 'Anteil',
  noCauses:
    'Ursachen werden nicht nach Tag oder Anbieter aufbewahrt. Setzen Sie diesen Filter zurück, um sie zu sehen.',
}
