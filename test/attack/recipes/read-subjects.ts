// Attack: clients search message subjects for words that occur in all subjects, partly combined with filters that match
// no message.

import { fillMessages } from '../fill.ts'
import { readFlood } from '../read-flood.ts'

export const recipe = readFlood({
  sentence: '64 clients search the subjects of 50,000 messages for words that all subjects contain.',
  fill: fillMessages,
  key: 'sendingKey',
  paths: [
    '/v1/messages?subject=your%20receipt&limit=200',
    '/v1/messages?subject=receipt%20order%204&limit=200',
    '/v1/messages?subject=receipt&recipient=nobody&limit=200',
    '/v1/messages?subject=your&tag=receipt&status=queued',
  ],
})
