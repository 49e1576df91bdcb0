// Message IDs and links of header fields, found in what programs write instead of them.

import { decodeWords } from '../encoded-word.ts'

/** A longer one would not fit on a line with a long name (RFC 5322 §2.1.1). */
const MAX_LENGTH = 900

/** RFC 5322 §3.6.4, in any characters but white space and brackets. A comment may follow it. */
const MESSAGE_ID = /^<[^<>\s@]+@[^<>\s@]+>(?:[ \t]*\([^()]*\))?$/
const MESSAGE_IDS = /^(?:<[^<>\s]+>[ \t]*)+$/
const TOO_LONG = new RegExp(`[^<>\\s]{${MAX_LENGTH + 1}}`)

/** True for the value of a Message-ID field that can stay. */
export const isMessageId = (value: string): boolean => MESSAGE_ID.test(value) && value.length <= MAX_LENGTH

/** True for the value of a References or In-Reply-To field that can stay. */
export const areMessageIds = (value: string): boolean =>
  MESSAGE_IDS.test(value) && (value.length <= MAX_LENGTH || !TOO_LONG.test(value))

/**
 * The one ID of a Message-ID field, in its brackets: the first of several; undefined if there is none. One without an
 * `@` gets the domain.
 */
export function messageIdOf(value: string, domain: string): string | undefined {
  if (value.length > 4 * MAX_LENGTH) return undefined
  const text = decodeWords(value)
  const id = bracketed(text)[0] ?? bare(text)
  if (id === undefined || /^@|@$/.test(id)) return undefined
  return `<${id.includes('@') ? id : `${id}@${domain}`}>`
}

/** The IDs of a References or In-Reply-To field, each in its brackets. */
export function messageIdsOf(value: string): string[] {
  const text = decodeWords(value)
  const found = bracketed(text)
  const ids =
    found.length > 0 ? found : text.split(/[\s,;<>]+/).filter((word) => /.@./.test(word) && isId(word))
  return ids.map((id) => `<${id}>`)
}

/** What stands in angle brackets and is an ID, without the white space in it. */
function bracketed(text: string): string[] {
  return Array.from(text.matchAll(/<([^<>]*)>/g), ([, id = '']) => id.replace(/\s+/g, '')).filter(isId)
}

/** An ID without brackets, if that is all there is. */
function bare(text: string): string | undefined {
  const word = /^[\s<"']*([^\s<>"']+)[\s>"']*$/.exec(text)?.[1] ?? ''
  return isId(word) && /.@./.test(word) ? word : undefined
}

const isId = (id: string): boolean => /^[!-;=?-~]+$/.test(id) && id.length <= MAX_LENGTH

/** True unless a value has what may be an encoded-word, or a link without its brackets. */
export const isLinkValue = (value: string): boolean =>
  !value.includes('=?') && !/^(?:https?|mailto):/i.test(value)

/** Links in their brackets, each with a comment perhaps; or `NO` (RFC 2369 §2, §3.4). */
const LINKS =
  /^(?:NO|<[!-;=?-~]+>(?:[ \t]*\([ !-'*-~]*\))?(?:[ \t]*,[ \t]*<[!-;=?-~]+>(?:[ \t]*\([ !-'*-~]*\))?)*)$/i
const BARE_LINK = /^(?:https?|mailto):[!-;=?-~]+$/i

/**
 * The links of a field out of their encoded-words (RFC 2047 §5 has none in such fields), with their brackets; undefined where
 * these are not links.
 */
export function linksOf(value: string): string | undefined {
  const text = decodeWords(value).trim()
  if (BARE_LINK.test(text)) return `<${text}>`
  return LINKS.test(text) ? text : undefined
}
