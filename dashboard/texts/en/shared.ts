// Texts of the page that shows a shared message.

import type { Texts } from '../texts.ts'

export const shared = {
  title: 'Shared message',
  from: 'From',
  deliveredTo: 'Delivered to {email}',
  notKept: 'The content of this message is no longer kept.',
} as const satisfies Texts
