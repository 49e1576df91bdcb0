// Texts of lists and dialogs, in French.

import type { Translation } from '../texts.ts'

export const tables: Translation<typeof import('../en/tables.ts').tables> = {
  actions: 'Actions',
  selectRow: 'Sélectionner la ligne',
  selectAll: 'Sélectionner toutes les lignes',
  noneSoFar: 'Aucun résultat jusqu’ici ; les entrées plus anciennes n’ont pas encore été parcourues.',
  page: 'Page {number}',
  first: 'Première page',
  previous: 'Page précédente',
  next: 'Page suivante',
  clear: 'Effacer',
  clearFilters: 'Effacer les filtres',
  removeFilter: 'Retirer le filtre {label}',
  live: 'En direct',
  reconnecting: 'Reconnexion',
  copy: 'Copier',
  copied: 'Copié',
  time: 'Heure',
  download: 'Télécharger',
  copyWhat: 'Copier : {what}',
  whatCopied: '{what} : copié',
  revokeLinks: 'Révoquer tous les liens',
  linksRevoked: 'Tous les liens créés jusqu’ici sont révoqués.',
}
