// The evidence of an incident that was found by statistics: the replies, and the check that shows the cause.

import type { IncidentCause, IncidentEvidence } from '../model/incident.ts'
import { entryOf } from './catalogue.ts'
import type { FailureFigures } from './domain-look.ts'

const MAX_CODES = 5

interface Found {
  readonly domainId: string
  readonly cause: IncidentCause
  readonly provider: string | null
  readonly code: string | null
  readonly figures: FailureFigures
}

/** Returns the evidence of an incident, the replies first. */
export function evidenceOf({ domainId, cause, provider, code, figures }: Found): IncidentEvidence[] {
  const { attempts, failed, codes } = figures
  const counted = codes.slice(0, MAX_CODES).map(([name, count]) => `${name} (${count})`)
  const text = `${failed} of ${attempts} attempts failed${counted.length === 0 ? '' : `: ${counted.join(', ')}`}`
  const { check } = entryOf({ cause, provider, code })
  const messages = `/domains/${domainId}/messages`
  return [
    { kind: 'replies', text, link: messages },
    ...(check === undefined ? [] : [{ kind: 'check', text: check.text, link: check.link(domainId) }]),
  ]
}
