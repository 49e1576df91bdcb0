// Texts of the statistics page, in addition to the texts of the home page.

import type { Texts } from '../texts.ts'

export const statistics = {
  title: 'Statistics',
  intro: 'Recipients by the hour in which something happened to them.',
  steps: 'Steps',
  by: { hour: 'By hour', day: 'By day' },
  none: 'No messages in this time',
  noneHint: 'Figures appear here about a second after something has happened to a message.',
  hint: 'Complaints are those that receivers report, such as Yahoo and Outlook.com. Gmail reports none: look at its Postmaster Tools. Opens and clicks are the first ones of people.',
  tag: 'Tag',
  provider: 'Receiving provider',
  inParts: 'Breakdown',
  groupBy: 'Group by',
  groups: { stream: 'Stream', tag: 'Tag', provider: 'Receiving provider', category: 'Bounce cause' },
  figuresBy: {
    stream: 'Figures by stream',
    tag: 'Figures by tag',
    provider: 'Figures by receiving provider',
    category: 'Bounces by cause',
  },
  noneOf: {
    stream: 'No messages in this time.',
    tag: 'No messages with a tag in this time.',
    provider: 'No attempts in this time.',
    category: 'No bounces in this time.',
  },
  others: { stream: '–', tag: 'Other tags', provider: 'Other hosts' },
  accepted: 'Accepted',
  delivered: 'Delivered',
  deferred: 'Deferred',
  bounced: 'Bounced',
  bounceRate: 'Bounce rate',
  complaints: 'Complaints',
  mostWithin: '95% within',
  cause: 'Cause',
  share: 'Share',
  noCauses: 'Causes are not kept by tag or provider. Clear that filter to see them.',
} as const satisfies Texts
