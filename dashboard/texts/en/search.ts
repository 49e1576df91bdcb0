// Texts of the search across all domains.

import type { Texts } from '../texts.ts'

export const search = {
  title: 'Search',
  label: 'Search all domains',
  placeholder: 'Address, message ID, subject, tag',
  results: 'Results',
  noMatches: 'No matches.',
  hint: 'Finds addresses by their beginning, messages by ID, Message-ID header or words of the subject, tags, and domains.',
  noSubject: '(no subject)',
  from: 'from {sender}',
  withTag: 'messages with this tag',
  addresses: 'Addresses',
  messages: 'Messages',
  inbound: 'Inbound messages',
  tags: 'Tags',
  domains: 'Domains',
} as const satisfies Texts
