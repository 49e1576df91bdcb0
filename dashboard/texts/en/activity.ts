// Texts of the activity of all domains and of the log of API requests.

import type { Texts } from '../texts.ts'

export const activity = {
  title: 'Activity',
  intro:
    'Outcomes of messages in all domains, newest first, one entry per recipient. Choose “Every event” to see each step.',
  events: 'Events',
  requests: 'API requests',
  noMatching: 'No matching events',
  noMatchingHint:
    'Search by a recipient address or its first letters, by words in the subject, or by a message ID (msg_…).',
  none: 'No events yet',
  noneHint: 'Send a message: its acceptance, delivery attempts and outcome appear here within seconds.',
  search: 'Recipient, subject or message ID',
  event: 'Event',
  outcomesOnly: 'Outcomes',
  everyEvent: 'Every event',
  domain: 'Domain',
  recipient: 'Recipient',
  noSubject: '(no subject)',
  time: 'Time',
  narrowed: {
    stream: 'Stream: {value}',
    tag: 'Tag: {value}',
    provider: 'Provider: {value}',
    category: 'Cause: {value}',
    counted: 'Each recipient once',
    after: 'From {value}',
    before: 'Until {value}',
    code: 'Code: {value}',
  },
  requestsIntro:
    'Requests made with API keys, including refused ones, are kept for three days. Above twenty requests per second, some are only counted.',
  noMatchingRequests: 'No matching requests',
  noMatchingRequestsHint: 'Enter a path from its beginning, for example {example}.',
  noRequests: 'No requests yet',
  noRequestsHint:
    'Requests made with an API key appear here within seconds, with the fields that caused a refusal. Queries, bodies and values are not recorded.',
  outcomes: { answered: 'Answered (below 400)', refused: 'Refused (4xx)', failed: 'Failed (5xx)' },
  path: 'Path',
  outcome: 'Outcome',
  method: 'Method',
  key: 'API key',
  request: 'Request',
  answer: 'Answer',
  duration: 'Duration',
  missed: { one: '{count} more request, not listed', other: '{count} more requests, not listed' },
  missedHint: 'If a second has many requests, the log lists some of them and counts the others.',
  toMessage: 'Show the message',
  moreProblems: { one: '{count} more problem', other: '{count} more problems' },
  revoked: '{name}, revoked',
  withCode: 'Requests with the code {code}',
} as const satisfies Texts
