// The title of an incident in the language of the user.

import { share } from '../../parts/numbers.ts'
import { deliverability as words } from '../../texts/en/deliverability.ts'
import { fill } from '../../texts/texts.ts'
import type { Incident } from './calls.ts'

const OWN = ['alignment', 'listing', 'requirement', 'list_quality'] as const
type Own = (typeof OWN)[number]

const isOwn = (cause: string): cause is Own => (OWN as readonly string[]).includes(cause)

export function incidentTitle({ cause, provider, code, domain, scope, share: part }: Incident): string {
  const values = {
    ...{ domain, share: share(part, 1), code: code ?? '' },
    provider: provider ?? words.otherHosts,
    address: scope.source_address ?? domain,
  }
  return fill(isOwn(cause) ? words.titles[cause] : words.titles.replies, values as never)
}
