// Texts of the statistics page, in addition to the texts of the home page, in German.

import type { Translation } from '../texts.ts'

export const statistics: Translation<typeof import('../en/statistics.ts').statistics> = {
  title: 'Statistik',
  intro: 'Empfänger nach der Stunde, in der mit ihnen etwas geschah.',
  steps: 'Schritte',
  by: { hour: 'Nach Stunden', day: 'Nach Tagen' },
  none: 'Keine Nachrichten in dieser Zeit',
  noneHint: 'Zahlen erscheinen hier etwa eine Sekunde, nachdem mit einer Nachricht etwas geschehen ist.',
  hint: 'Beschwerden sind die, welche Empfänger-Anbieter melden, etwa Yahoo und Outlook.com. Gmail meldet keine: Sehen Sie in den Postmaster Tools nach. Geöffnet und geklickt zählt jeweils das erste Mal, wenn es ein Mensch war.',
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
    stream: 'Keine Nachrichten in dieser Zeit.',
    tag: 'Keine Nachrichten mit einem Tag in dieser Zeit.',
    provider: 'Keine Versuche in dieser Zeit.',
    category: 'Keine Abweisungen in dieser Zeit.',
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
