// Texts of the statistics page, in addition to the texts of the home page.

import type { Texts } from '../texts.ts'

export const statistics = {
  title: 'Statistics',
  intro: 'Recipients, counted in the hour of each event.',
  steps: 'Steps',
  by: { hour: 'By hour', day: 'By day' },
  none: 'No messages in this period',
  noneHint: 'Figures appear here about a second after each event.',
  hint: 'Complaints are those reported by receivers such as Yahoo and Outlook.com. Gmail reports none: see its Postmaster Tools. The first open and the first click of each recipient count, except those by machines.',
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
    stream: 'No messages in this period.',
    tag: 'No messages with a tag in this period.',
    provider: 'No attempts in this period.',
    category: 'No bounces in this period.',
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
