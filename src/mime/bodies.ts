// Finds the bodies of a message: the parts that mail clients show as the text of the mail, not as files or resources.

import { contentTypeValue } from './part-fields.ts'
import { contentId, type Enclosure, type LeafPart, splitParts } from './parts.ts'

/** A part that mail clients show as the text of the mail. */
export interface Body {
  readonly kind: 'html' | 'text'
  /** True for a part within a multipart/alternative: other mail clients may show another alternative. */
  readonly isForm: boolean
  readonly leaf: LeafPart
}

/** Reason why no part of a message may be changed: a part is signed or encrypted, or the structure is ambiguous. */
export type Untouchable = 'signed' | 'encrypted' | 'structure'

const SEALED = /^application\/(?:x-)?pkcs7-mime$/

/**
 * Finds the bodies, in the order in which they occur in the message, by RFC 2046 §5.1, RFC 2387 and RFC 2183: each
 * text/plain and text/html part that is neither a file nor a resource of the root of a multipart/related. Never throws,
 * and runs in linear time.
 */
export function bodiesOf(message: Buffer): readonly Body[] | Untouchable {
  const { leaves, isSigned, incomplete } = splitParts(message)
  if (isSigned) return 'signed'
  const sealed = leaves.map(sealOf).find((seal) => seal !== undefined)
  if (sealed !== undefined) return sealed
  if (incomplete) return 'structure'
  const shown = leaves.filter(isShownText)
  const unnamed = shown.filter((leaf) => !isNamed(leaf) || isContent(leaf))
  return (unnamed.length > 0 ? unnamed : shown.slice(0, 1)).map(bodyOf)
}

const bodyOf = (leaf: LeafPart): Body => ({
  kind: leaf.type === 'text/html' ? 'html' : 'text',
  isForm: leaf.alternative !== undefined,
  leaf,
})

/**
 * Returns the reason why a part may not be changed; undefined if the part may be changed. An S/MIME part seals the
 * message only if the part is the whole message (RFC 8551 §3.2); an S/MIME part next to other parts is a file, such as
 * a signed invoice.
 */
function sealOf({ type, head, within }: LeafPart): Untouchable | undefined {
  if (within.some(({ multipart }) => multipart.type === 'multipart/encrypted')) return 'encrypted'
  // Mail clients differ on the content of a multipart without a boundary.
  if (type.startsWith('multipart/')) return /signed|encrypted/.test(type) ? 'signed' : 'structure'
  if (within.length > 0 || !SEALED.test(type)) return undefined
  return /smime-type[ \t]*=[ \t]*"?signed-data/i.test(contentTypeValue(head) ?? '') ? 'signed' : 'encrypted'
}

/** Multiparts whose parts are files (RFC 1740), messages (RFC 2046 §5.1.5) or data such as form fields. */
const NO_BODIES =
  /^multipart\/(?:appledouble|digest|form-data|byteranges|header-set|voice-message|fax-message)$/

function isShownText({ type, head, within }: LeafPart): boolean {
  if (type !== 'text/plain' && type !== 'text/html') return false
  // A part with an unreadable type is a file: only a part without a type is text by default (RFC 2045 §5.2).
  if (!/^\s*(?:text\b|;|$)/i.test(contentTypeValue(head) ?? '')) return false
  const disposition = DISPOSITION_TYPE.exec(head.toString('latin1'))?.[1]?.toLowerCase()
  // An unknown disposition means an attachment (RFC 2183 §2.8).
  if (disposition !== undefined && disposition !== 'inline') return false
  return !within.some(({ multipart }) => NO_BODIES.test(multipart.type)) && !isResource(head, within)
}

const DISPOSITION_TYPE = /^content-disposition[ \t]*:(?:[ \t]|\r?\n[ \t]){0,80}"?([^\s;"]{1,80})/im
const LOCATION = /^content-(?:id|location)[ \t]*:/im

/**
 * True for a part that the root of a multipart/related can refer to. The root cannot refer to a direct part without a
 * Content-ID or Content-Location, so mail clients show such a part by itself.
 */
function isResource(head: Buffer, within: readonly Enclosure[]): boolean {
  const beside = within.filter(
    ({ multipart, index, isStart }) =>
      multipart.type === 'multipart/related' && !(multipart.isStartFound ? isStart : index === 0),
  )
  if (beside.length === 0) return false
  const innermost = within.at(-1)
  // A multipart next to the root is one resource; the IDs and locations of its parts do not matter.
  const isDirect = beside.length === 1 && beside[0] === innermost
  return !isDirect || contentId(head) !== undefined || LOCATION.test(head.toString('latin1'))
}

/**
 * True for a direct part of a multipart/alternative or multipart/related. Such a part is a body even with a file name;
 * any other part with a file name is a file if the message has another body.
 */
const isContent = ({ within }: LeafPart): boolean =>
  /^multipart\/(?:alternative|related)$/.test(within.at(-1)?.multipart.type ?? '')

const NAME = /;[ \t]*name(?:\*\d{0,3}\*?)?[ \t]*=[ \t]*(?:"[^"]|[^\s";])/i
const DISPOSITION = /^content-disposition[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/im
const FILENAME = /;\s{0,80}filename(?:\*\d{0,3}\*?)?[ \t]*=[ \t]*(?:"[^"]|[^\s";])/i

/** True for a part with a file name. */
function isNamed({ head }: LeafPart): boolean {
  if (NAME.test(contentTypeValue(head) ?? '')) return true
  return FILENAME.test(DISPOSITION.exec(head.toString('latin1'))?.[1] ?? '')
}
