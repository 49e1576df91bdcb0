// Texts of lists and dialogs, in German.

import type { Translation } from '../texts.ts'

export const tables: Translation<typeof import('../en/tables.ts').tables> = {
  actions: 'Aktionen',
  selectRow: 'Zeile auswählen',
  selectAll: 'Alle Zeilen auswählen',
  noneSoFar: 'Bisher keine Treffer; ältere Einträge wurden noch nicht durchsucht.',
  page: 'Seite {number}',
  first: 'Erste Seite',
  previous: 'Vorige Seite',
  next: 'Nächste Seite',
  clear: 'Zurücksetzen',
  clearFilters: 'Filter zurücksetzen',
  removeFilter: 'Filter {label} entfernen',
  live: 'Live',
  reconnecting: 'Verbindung wird hergestellt',
  copy: 'Kopieren',
  copied: 'Kopiert',
  time: 'Zeit',
  download: 'Herunterladen',
  copyWhat: '{what} kopieren',
  whatCopied: '{what} kopiert',
  revokeLinks: 'Alle Links widerrufen',
  linksRevoked: 'Alle bisher erstellten Links sind widerrufen.',
}
