// Texts of the search across all domains.

import type { Texts } from '../texts.ts'

export const search = {
  title: 'Search',
  label: 'Search all domains',
  placeholder: 'Address, subject, message ID, tag, page',
  results: 'Results',
  noMatches: 'No matches.',
  hint: 'Finds addresses by their first letters; messages by ID, Message-ID header or words in the subject; tags, templates, domains, and pages of the dashboard.',
  noSubject: '(no subject)',
  from: 'from {sender}',
  withTag: 'messages with this tag',
  pages: 'Pages',
  templates: 'Templates and layouts',
  kinds: { template: 'Template', layout: 'Layout' },
  addresses: 'Addresses',
  messages: 'Messages',
  inbound: 'Inbound messages',
  tags: 'Tags',
  domains: 'Domains',
} as const satisfies Texts
