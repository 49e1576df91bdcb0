// Texts of a message under a link that expires.

import { room } from '../texts.ts'

export const shared = room('shared', {
  title: 'Shared message',
  from: 'From',
  deliveredTo: 'Delivered to {email}',
  notKept: 'The content of this message is no longer kept.',
})
