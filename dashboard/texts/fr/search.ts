// Texts of the search across all domains, in French.

import type { Translation } from '../texts.ts'

export const search: Translation<typeof import('../en/search.ts').search> = {
  title: 'Rechercher',
  label: 'Rechercher dans tous les domaines',
  placeholder: 'Adresse, objet, ID du message, étiquette, page',
  results: 'Résultats',
  noMatches: 'Aucun résultat.',
  hint: 'Trouve les adresses par leurs premières lettres, les messages par ID, en-tête Message-ID ou mots de l’objet, ainsi que les étiquettes, les modèles, les domaines et les pages de l’interface.',
  noSubject: '(sans objet)',
  from: 'de {sender}',
  withTag: 'messages avec cette étiquette',
  pages: 'Pages',
  templates: 'Modèles et mises en page',
  kinds: { template: 'Modèle', layout: 'Mise en page' },
  addresses: 'Adresses',
  messages: 'Messages',
  inbound: 'Messages reçus',
  tags: 'Étiquettes',
  domains: 'Domaines',
}
