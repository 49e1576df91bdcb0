// Finds message IDs and links in malformed header fields.

import { decodeWords } from '../encoded-word.ts'

/** Maximum length of an ID: a longer ID would not fit on a line with a long field name (RFC 5322 §2.1.1). */
const MAX_LENGTH = 900

/** A msg-id (RFC 5322 §3.6.4) of any characters except white space and brackets. A comment may follow. */
const MESSAGE_ID = /^<[^<>\s@]+@[^<>\s@]+>(?:[ \t]*\([^()]*\))?$/
const MESSAGE_IDS = /^(?:<[^<>\s]+>[ \t]*)+$/
const TOO_LONG = new RegExp(`[^<>\\s]{${MAX_LENGTH + 1}}`)

/** True if the value of a Message-ID field can stay. */
export const isMessageId = (value: string): boolean => MESSAGE_ID.test(value) && value.length <= MAX_LENGTH

/** True if the value of a References or In-Reply-To field can stay. */
export const areMessageIds = (value: string): boolean =>
  MESSAGE_IDS.test(value) && (value.length <= MAX_LENGTH || !TOO_LONG.test(value))

/**
 * Returns the first ID of a Message-ID field, in angle brackets; undefined for a field without an ID. Appends `@` and
 * the domain to an ID without `@`.
 */
export function messageIdOf(value: string, domain: string): string | undefined {
  if (value.length > 4 * MAX_LENGTH) return undefined
  const text = decodeWords(value)
  const id = bracketed(text)[0] ?? bare(text)
  if (id === undefined || /^@|@$/.test(id)) return undefined
  return `<${id.includes('@') ? id : `${id}@${domain}`}>`
}

/** Returns the IDs of a References or In-Reply-To field, each in angle brackets. */
export function messageIdsOf(value: string): string[] {
  const text = decodeWords(value)
  const found = bracketed(text)
  const ids =
    found.length > 0 ? found : text.split(/[\s,;<>]+/).filter((word) => /.@./.test(word) && isId(word))
  return ids.map((id) => `<${id}>`)
}

/** Returns the valid IDs that a text has in angle brackets, without brackets and white space. */
function bracketed(text: string): string[] {
  return Array.from(text.matchAll(/<([^<>]*)>/g), ([, id = '']) => id.replace(/\s+/g, '')).filter(isId)
}

/** Returns the ID if the text consists of one ID, with or without brackets or quotes; otherwise undefined. */
function bare(text: string): string | undefined {
  const word = /^[\s<"']*([^\s<>"']+)[\s>"']*$/.exec(text)?.[1] ?? ''
  return isId(word) && /.@./.test(word) ? word : undefined
}

const isId = (id: string): boolean => /^[!-;=?-~]+$/.test(id) && id.length <= MAX_LENGTH

/** False for a value that may contain an encoded-word, or is a link without angle brackets. */
export const isLinkValue = (value: string): boolean =>
  !value.includes('=?') && !/^(?:https?|mailto):/i.test(value)

/** Links in angle brackets, each with an optional comment, or the word `NO` (RFC 2369 §2, §3.4). */
const LINKS =
  /^(?:NO|<[!-;=?-~]+>(?:[ \t]*\([ !-'*-~]*\))?(?:[ \t]*,[ \t]*<[!-;=?-~]+>(?:[ \t]*\([ !-'*-~]*\))?)*)$/i
const BARE_LINK = /^(?:https?|mailto):[!-;=?-~]+$/i

/**
 * Decodes the links of a field from encoded-words, which RFC 2047 §5 forbids in such fields. Returns the links in
 * angle brackets; undefined if the text is no list of links.
 */
export function linksOf(value: string): string | undefined {
  const text = decodeWords(value).trim()
  if (BARE_LINK.test(text)) return `<${text}>`
  return LINKS.test(text) ? text : undefined
}
