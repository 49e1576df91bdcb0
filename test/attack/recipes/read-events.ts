// Attack: clients read events by filters that match few or none of the events of 50,000 messages.

import { fillMessages } from '../fill.ts'
import { readFlood } from '../read-flood.ts'

export const recipe = readFlood({
  sentence:
    '64 clients search the events of 50,000 messages for a tag that no message has, and for one recipient.',
  fill: fillMessages,
  key: 'sendingKey',
  paths: [
    '/v1/events?tag=none',
    '/v1/events?type=bounced',
    '/v1/events?recipient=user7@receiver.test&limit=200',
    '/v1/events?order=asc&tag=none',
  ],
})
