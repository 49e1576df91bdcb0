// Texts of the search across all domains, in German.

import type { Translation } from '../texts.ts'

export const search: Translation<typeof import('../en/search.ts').search> = {
  title: 'Suche',
  label: 'In allen Domains suchen',
  placeholder: 'Adresse, Nachrichten-ID, Betreff, Tag',
  results: 'Treffer',
  noMatches: 'Keine Treffer.',
  hint: 'Findet Adressen nach ihrem Anfang, Nachrichten nach ID, Kopfzeile Message-ID oder Wörtern des Betreffs, Tags und Domains.',
  noSubject: '(kein Betreff)',
  from: 'von {sender}',
  withTag: 'Nachrichten mit diesem Tag',
  addresses: 'Adressen',
  messages: 'Nachrichten',
  inbound: 'Eingegangene Nachrichten',
  tags: 'Tags',
  domains: 'Domains',
}
