// Text of a problem in the language of the user; the text of the service if the dashboard has no translation.

import { byteSize, share } from '../../parts/numbers.ts'
import { dayOf, momentOf } from '../../parts/time.tsx'
import { concerns } from '../../texts/en/concerns.ts'
import { fill } from '../../texts/texts.ts'
import type { Concern } from './calls.ts'

interface Wording {
  readonly title: string
  readonly action: string
}

export function concernInWords({ wording, values, title, what_to_do }: Concern): Wording {
  const own: Wording | undefined = Object.hasOwn(concerns, wording)
    ? concerns[wording as keyof typeof concerns]
    : undefined
  if (own === undefined) return { title, action: what_to_do }
  const shown = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, FORMS[name]?.(value, wording) ?? value]),
  )
  return { title: fill(own.title, shown as never), action: fill(own.action, shown as never) }
}

type Form = (value: string | number, wording: string) => string

const FORMS: Readonly<Record<string, Form>> = {
  share: (value) => share(Number(value), 1),
  stored: (value) => byteSize(Number(value)),
  limit: (value) => byteSize(Number(value)),
  since: (value) => momentOf(String(value)),
  until: (value, wording) => (wording.startsWith('certificate') ? dayOf : momentOf)(String(value)),
}
