// Texts of the search across all domains, in German.

import type { Translation } from '../texts.ts'

export const search: Translation<typeof import('../en/search.ts').search> = {
  title: 'Suche',
  label: 'In allen Domains suchen',
  placeholder: 'Adresse, Betreff, Nachrichten-ID, Tag, Seite',
  results: 'Treffer',
  noMatches: 'Keine Treffer.',
  hint: 'Findet Adressen nach ihren ersten Buchstaben, Nachrichten nach ID, Kopfzeile Message-ID oder Wörtern im Betreff, außerdem Tags, Vorlagen, Domains und Seiten der Oberfläche.',
  noSubject: '(kein Betreff)',
  from: 'von {sender}',
  withTag: 'Nachrichten mit diesem Tag',
  pages: 'Seiten',
  templates: 'Vorlagen und Layouts',
  kinds: { template: 'Vorlage', layout: 'Layout' },
  addresses: 'Adressen',
  messages: 'Nachrichten',
  inbound: 'Eingegangene Nachrichten',
  tags: 'Tags',
  domains: 'Domains',
}
