// Texts of a message under a link that expires.

import type { Texts } from '../texts.ts'

export const shared = {
  title: 'Shared message',
  from: 'From',
  deliveredTo: 'Delivered to {email}',
  notKept: 'The content of this message is no longer kept.',
} as const satisfies Texts
