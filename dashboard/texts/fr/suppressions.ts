// Texts of the pages about suppression lists, in French.

import type { Translation } from '../texts.ts'

export const suppressions: Translation<typeof import('../en/suppressions.ts').suppressions> = {
  title: 'Liste de suppression',
  intro:
    'Adresses auxquelles rien n’est envoyé. Les rejets définitifs, les plaintes et les désabonnements y sont ajoutés automatiquement.',
  export: 'Exporter',
  import: 'Importer',
  add: 'Ajouter',
  noMatching: 'Aucune adresse correspondante',
  noMatchingHint: 'Cherchez une adresse ou son début.',
  none: 'Aucune adresse supprimée',
  noneHint: 'Les messages sont envoyés à toutes les adresses.',
  addressOrBeginning: 'Adresse ou son début',
  address: 'Adresse',
  addresses: 'Adresses',
  onePerLine: 'Une par ligne',
  stream: 'Flux',
  allStreams: 'Tous les flux',
  all: 'Tous',
  reason: 'Motif',
  added: 'Ajoutée',
  removeFromList: 'Retirer de la liste',
  removeAddress: 'Retirer {email}',
  remove: 'Retirer',
  removed: '{email} est retirée de la liste de suppression.',
  sendAgain: 'Envoyer de nouveau à {email} ?',
  complaintHint:
    'Ce destinataire a signalé un message comme indésirable. Ne retirez l’adresse que s’il l’a demandé : d’autres plaintes nuisent à la distribution de tous vos messages.',
  removeHint:
    'Les messages sont de nouveau envoyés à cette adresse. Après un nouveau rejet définitif, elle est de nouveau supprimée.',
  selection: 'Adresses sélectionnées',
  selected: { one: '{count} adresse sélectionnée', other: '{count} adresses sélectionnées' },
  clearSelection: 'Effacer la sélection',
  sendAgainToMany: 'Envoyer de nouveau à {count} adresses ?',
  removeManyHint:
    'Les messages sont de nouveau envoyés à ces adresses. Celles qui ont signalé un message comme indésirable restent sur la liste ; retirez-les une à une.',
  manyRemoved: { one: '{count} adresse retirée.', other: '{count} adresses retirées.' },
  complaintsKept: {
    one: '{count} a signalé un message comme indésirable et reste sur la liste.',
    other: '{count} ont signalé un message comme indésirable et restent sur la liste.',
  },
  suppressAddresses: 'Supprimer des adresses',
  suppress: 'Supprimer',
  importTitle: 'Importer une liste de suppression',
  importHint:
    'Un fichier CSV ou XLSX avec une colonne d’adresses, jusqu’à 100 000 lignes. Les colonnes {stream} et {reason} sont facultatives ; sans elles, le flux est « transactional » et le motif « manuel ».',
  file: 'Fichier',
  chooseFile: 'Choisir un fichier',
  importColumn: 'Importer cette colonne',
  countAdded: { one: '{count} adresse ajoutée.', other: '{count} adresses ajoutées.' },
  countExisting: { one: '{count} y était déjà.', other: '{count} y étaient déjà.' },
  countInvalid: {
    one: '{count} entrée n’est pas valable :',
    other: '{count} entrées ne sont pas valables :',
  },
  atLine: 'Ligne {line} :',
  done: 'Terminé',
}
