// Finds the known field that an unknown field name most likely means.

import { nearest } from '../lib/nearest.ts'

/** Names that other services use for our fields, in lower case without separators. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  to: ['recipient', 'recipients', 'rcptto'],
  from: ['sender', 'mailfrom', 'fromemail', 'fromaddress'],
  from_name: ['sendername'],
  email: ['address', 'emailaddress', 'mail', 'recipient'],
  html: ['body'],
  text: ['body', 'plain', 'message'],
  subject: ['title'],
  send_at: ['scheduledat', 'sendtime', 'deliverat', 'deliverytime', 'schedule'],
  template_alias: ['template', 'templatename'],
  template_model: ['model', 'variables', 'data', 'dynamictemplatedata', 'mergevars', 'substitutions'],
  metadata: ['customargs', 'customvariables'],
  tag: ['category'],
  tags: ['categories'],
  stream: ['messagestream'],
  filename: ['name'],
  content_type: ['type', 'mimetype'],
  content_id: ['cid'],
  event_types: ['events'],
}

/** Maximum length of an unknown name; no known name is suggested for longer names. */
const MAX_NAME = 100

/**
 * Returns the known field name that a name most likely means: the same name in another spelling (`replyTo`), the name
 * of another service (`recipients`), a name with a typing error, or a longer name that contains a known one
 * (`textBody`). Undefined if there is no such name, or if several fit.
 */
export function fieldMeantBy(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME) return undefined
  const plain = plainName(name)
  const same = known.find((one) => plainName(one) === plain)
  return (
    same ??
    known.find((one) => OTHER_NAMES[one]?.includes(plain)) ??
    nearest(name, known) ??
    within(name, known)
  )
}

/** Returns the longest known name, counted in words, that consists only of words of the given name. */
function within(name: string, known: readonly string[]): string | undefined {
  const words = new Set(wordsOf(name))
  const contained = known
    .map((one) => ({ one, words: wordsOf(one) }))
    .filter((found) => found.words.every((word) => words.has(word)))
    .toSorted((one, other) => other.words.length - one.words.length)
  const [first, second] = contained
  return first?.words.length === second?.words.length ? undefined : first?.one
}

/** Returns the words of a name in lower case: `textBody`, `text_body` and `Text-Body` have the same words. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

const plainName = (name: string): string => wordsOf(name).join('')
