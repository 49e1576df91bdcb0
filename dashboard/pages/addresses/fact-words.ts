// The facts of an explanation as sentences in the language of the user.

import { inWords } from '../../parts/in-words.ts'
import { momentOf } from '../../parts/time.tsx'
import { explain as words } from '../../texts/en/explain.ts'
import { locale } from '../../texts/language.ts'
import { fill } from '../../texts/texts.ts'
import { type Held, holdInWords } from '../messages/held-words.ts'
import type { ExplainedFact } from '../search/calls.ts'

type Words = Readonly<Record<string, string>>

const named = (all: Words, name: string | undefined): string | undefined =>
  name === undefined ? undefined : (all[name] ?? inWords(name))

/** Returns a fact as a sentence; `when` puts a time (RFC 3339) in words. */
export function factInWords({ fact, at, values }: ExplainedFact, when: (at: string) => string): string {
  if (fact === 'held') {
    const { cause, value = '' } = values
    return holdInWords({ cause: cause as Held['cause'], value, since: at ?? '' }, when)
  }
  const { list, stream, send_at, reason, result, verdict, category, fault } = values
  const translated = {
    category: named(words.categories, category),
    fault: fault === undefined ? undefined : (words.faults as Words)[fault],
    verdict: named(words.names, verdict),
    result: named({}, result),
    reason: fact === 'suppression' || fact === 'erased_suppression' ? named({}, reason) : reason,
    stream: list === 'account' ? words.wholeAccount : stream === '*' ? words.allStreams : stream,
    send_at: send_at === undefined ? undefined : momentOf(send_at),
  }
  const states = ['dkim', 'spf', 'dmarc'].flatMap((name) => {
    const state = fact === 'authentication' ? values[name] : undefined
    return state === undefined ? [] : [[name, inWords(state).toLocaleLowerCase(locale)]]
  })
  const sentence = isUncontacted({ fact, values }) ? words.uncontacted.fact : words.facts[fact]
  return fill(sentence, { ...values, ...translated, ...Object.fromEntries(states) } as never).trim()
}

/** True for a bounce without a host, for example because the domain of the recipient accepts no mail. */
const isUncontacted = ({ fact, values }: Pick<ExplainedFact, 'fact' | 'values'>): boolean =>
  fact === 'refused' && values.host === ''

/** Returns the verdict as a sentence; `first` is the first fact of the explanation. */
export function verdictInWords(
  verdict: keyof typeof words.verdicts,
  email: string,
  first?: ExplainedFact,
): string {
  const isBounce = verdict === 'refused' && first !== undefined && isUncontacted(first)
  return fill(isBounce ? words.uncontacted.verdict : words.verdicts[verdict], { email } as never)
}
