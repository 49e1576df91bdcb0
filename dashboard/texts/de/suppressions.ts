// Texts of the pages about suppression lists, in German.

import type { Translation } from '../texts.ts'

export const suppressions: Translation<typeof import('../en/suppressions.ts').suppressions> = {
  title: 'Sperrliste',
  intro:
    'Adressen, an die nicht gesendet wird. Endgültig unzustellbare Adressen, Beschwerden und Abmeldungen kommen von selbst hinzu.',
  export: 'Exportieren',
  import: 'Importieren',
  add: 'Hinzufügen',
  noMatching: 'Keine passenden Adressen',
  noMatchingHint: 'Suchen Sie nach einer Adresse oder deren Anfang.',
  none: 'Keine gesperrten Adressen',
  noneHint: 'Es wird an jede Adresse gesendet.',
  addressOrBeginning: 'Adresse oder deren Anfang',
  address: 'Adresse',
  addresses: 'Adressen',
  onePerLine: 'Eine je Zeile',
  stream: 'Stream',
  allStreams: 'Alle Streams',
  all: 'Alle',
  reason: 'Grund',
  added: 'Hinzugefügt',
  removeFromList: 'Von der Liste entfernen',
  removeAddress: '{email} entfernen',
  remove: 'Entfernen',
  removed: '{email} ist von der Sperrliste entfernt.',
  sendAgain: 'Wieder an {email} senden?',
  complaintHint:
    'Dieser Empfänger hat eine Nachricht als Spam gemeldet. Entfernen Sie die Adresse nur auf seinen Wunsch: Weitere Beschwerden schaden der Zustellung aller Ihrer Nachrichten.',
  removeHint:
    'An diese Adresse wird wieder gesendet. Ist sie noch einmal endgültig unzustellbar, wird sie erneut gesperrt.',
  selection: 'Ausgewählte Adressen',
  selected: { one: '{count} Adresse ausgewählt', other: '{count} Adressen ausgewählt' },
  clearSelection: 'Auswahl aufheben',
  sendAgainToMany: 'Wieder an {count} Adressen senden?',
  removeManyHint:
    'An diese Adressen wird wieder gesendet. Wer eine Nachricht als Spam gemeldet hat, bleibt auf der Liste; entfernen Sie diese einzeln.',
  manyRemoved: { one: '{count} Adresse entfernt.', other: '{count} Adressen entfernt.' },
  complaintsKept: {
    one: '{count} hat Spam gemeldet und bleibt auf der Liste.',
    other: '{count} haben Spam gemeldet und bleiben auf der Liste.',
  },
  suppressAddresses: 'Adressen sperren',
  suppress: 'Sperren',
  importTitle: 'Sperrliste importieren',
  importHint:
    'Eine CSV- oder XLSX-Datei mit einer Spalte von Adressen, bis zu 100.000 Zeilen. Die Spalten {stream} und {reason} sind freiwillig; ohne sie gelten der Stream „transactional“ und der Grund „von Hand“.',
  file: 'Datei',
  chooseFile: 'Datei auswählen',
  importColumn: 'Diese Spalte importieren',
  countAdded: { one: '{count} Adresse hinzugefügt.', other: '{count} Adressen hinzugefügt.' },
  countExisting: { one: '{count} war schon gesperrt.', other: '{count} waren schon gesperrt.' },
  countInvalid: { one: '{count} Eintrag ist ungültig:', other: '{count} Einträge sind ungültig:' },
  atLine: 'Zeile {line}:',
  done: 'Fertig',
}
