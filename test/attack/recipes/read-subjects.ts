// Searches subjects by words that all messages have, and by a pair of words that no message has.

import { fillMessages } from '../fill.ts'
import { readFlood } from '../read-flood.ts'

export const recipe = readFlood({
  sentence: '64 clients search the subjects of 50,000 messages for words that all have.',
  fill: fillMessages,
  key: 'sendingKey',
  paths: [
    '/v1/messages?subject=your%20receipt&limit=200',
    '/v1/messages?subject=receipt%20order%204&limit=200',
    '/v1/messages?subject=receipt&recipient=nobody&limit=200',
    '/v1/messages?subject=your&tag=receipt&status=queued',
  ],
})
