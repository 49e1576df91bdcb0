// An incident in the language of the user: its title, its meaning, the advice and the facts.

import { share } from '../../parts/numbers.ts'
import { deliverability as words } from '../../texts/en/deliverability.ts'
import { incidentCauses } from '../../texts/en/incident-causes.ts'
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
  if (cause === 'alignment' && provider === null) return fill(words.titles.alignment_several, { domain })
  return fill(isOwn(cause) ? words.titles[cause] : words.titles.replies, values as never)
}

/** Returns the meaning of an incident and the advice; those of the service if the dashboard has no translation. */
export function causeInWords({ wording, values, meaning, what_to_do: advice }: Incident): {
  readonly meaning: string
  readonly advice: string
} {
  if (!Object.hasOwn(incidentCauses, wording)) return { meaning, advice }
  const cause = incidentCauses[wording as keyof typeof incidentCauses]
  return { meaning: fill(cause.meaning, values as never), advice: fill(cause.whatToDo, values as never) }
}

type Fact = Incident['evidence'][number]

/** Returns a fact with its sentence in the language of the user. */
export function factInWords(fact: Fact): Pick<Fact, 'text' | 'link'> {
  const { wording, values, text, link } = fact
  if (!Object.hasOwn(words.facts, wording)) return { text, link }
  return { text: fill(words.facts[wording as keyof typeof words.facts], values as never), link }
}
