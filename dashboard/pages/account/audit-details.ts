// Details of an audit log entry in the language of the user; user input stays unchanged.

import { inWords } from '../../parts/in-words.ts'
import { audit } from '../../texts/en/audit.ts'
import type { AuditEntry } from './calls.ts'

type Words = Readonly<Record<string, string>>

/** Details whose values are keywords of the service, with a function that translates them. */
const IN_WORDS: Readonly<Record<string, (value: string) => string>> = {
  method: (value) => (audit.methods as Words)[value] ?? value,
  wrong: (value) => (audit.methods as Words)[value] ?? value,
  role: inWords,
  status: inWords,
  reason: inWords,
}

/**
 * Returns the details in one line: `name: News, role: Viewer`.
 * @param shown name of the object that the entry shows already
 */
export const detailsOf = (
  { action, detail }: Pick<AuditEntry, 'action' | 'detail'>,
  shown: string | undefined,
): string =>
  Object.entries(detail)
    .filter(([, value]) => value !== shown)
    .map(([name, value]) => `${(audit.details as Words)[name] ?? name}: ${shownValue(action, name, value)}`)
    .join(', ')

function shownValue(action: string, name: string, value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  // The values `from` and `to` in a change of a user are roles.
  if (action === 'user.change' && (name === 'from' || name === 'to')) return inWords(value)
  return IN_WORDS[name]?.(value) ?? value
}
