// Texts of the search across all domains, in French.

import type { Translation } from '../texts.ts'

export const search: Translation<typeof import('../en/search.ts').search> = {
  title: 'Rechercher',
  label: 'Rechercher dans tous les domaines',
  placeholder: 'Adresse, ID du message, objet, étiquette',
  results: 'Résultats',
  noMatches: 'Aucun résultat.',
  hint: 'Trouve les adresses par leur début, les messages par ID, en-tête Message-ID ou mots de l’objet, les étiquettes et les domaines.',
  noSubject: '(sans objet)',
  from: 'de {sender}',
  withTag: 'messages avec cette étiquette',
  addresses: 'Adresses',
  messages: 'Messages',
  inbound: 'Messages reçus',
  tags: 'Étiquettes',
  domains: 'Domaines',
}
