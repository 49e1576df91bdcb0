// Composes the parts of a raw message that differ by recipient: the links in the bodies, and the header fields of a
// broadcast.

import type { RawMessage } from '../mime/raw-message.ts'
import { applied, encoded } from '../mime/replace-bodies.ts'
import { rewrite } from '../mime/rewrite.ts'
import { withoutEncoding } from '../mime/transfer-decoding.ts'
import type { ComposedMessage } from '../model/composed-message.ts'
import type { PersonalPlan } from '../model/personal-content.ts'
import { putTracking } from '../model/tracking-link.ts'
import { isUnsubscribeField, putUnsubscribeUrl } from '../model/unsubscribe-link.ts'
import type { MessageIdentity, RecipientLink } from './recipient-link.ts'

/**
 * Returns the message with the recipient's links in its bodies; a broadcast also gets the header fields that the
 * service writes.
 */
export function composePersonal(
  raw: RawMessage,
  plan: PersonalPlan,
  message: MessageIdentity,
  own: RecipientLink,
): ComposedMessage {
  const whole = { ...raw, body: bodyWithLinks(raw.body, plan, message, own) }
  if (!plan.unsubscribable) return rewrite(whole)
  const names = raw.fields.map(({ name }) => name)
  // RFC 8058 §3.1 allows only one List-Unsubscribe field.
  const gone = plan.keepsWayOut ? [] : names.filter(isUnsubscribeField)
  const left = plan.keepsWayOut ? names : names.filter((name) => !isUnsubscribeField(name))
  return rewrite(whole, { remove: gone, append: broadcastFields(left, message, own) })
}

function bodyWithLinks(
  body: Buffer,
  { bodies, unsubscribable }: PersonalPlan,
  { id: messageId }: MessageIdentity,
  { recipient: { position }, tracking: signer, url }: RecipientLink,
): Buffer {
  let firstLink = 0
  const edits = bodies.map(({ place: [from, to], encoding, tracking }) => {
    // The text has one character for each byte, because positions are byte offsets and links are ASCII.
    let text = withoutEncoding(body.subarray(from, to), encoding).toString('latin1')
    // The positions of tracked links are offsets in the stored text, so tracked links are replaced before unsubscribe
    // marks.
    if (tracking !== undefined && position !== undefined) {
      text = putTracking(text, tracking, signer, { messageId, position }, firstLink)
    }
    firstLink += tracking?.links.length ?? 0
    if (unsubscribable) text = putUnsubscribeUrl(text, url)
    return { from, to, by: encoded(Buffer.from(text, 'latin1'), encoding) }
  })
  return edits.length === 0 ? body : applied(body, edits)
}

type Field = readonly [name: string, value: string]

/**
 * Returns the header fields of a broadcast: the unsubscribe fields of the recipient, unless the sender provides such
 * fields, and List-ID (RFC 2919), by which mail filters identify the stream. A field that the sender provides replaces
 * the service's field.
 *
 * @param names names of the fields that the sender provides
 */
export function broadcastFields(
  names: readonly string[],
  { stream, domainName }: MessageIdentity,
  own: RecipientLink,
): Field[] {
  const given = new Set(names.map((name) => name.toLowerCase()))
  const wayOut = given.has('list-unsubscribe') ? [] : unsubscribeFields(own)
  const fields: Field[] = [...wayOut, ['List-ID', `<${stream}.${domainName}>`]]
  return fields.filter(([name]) => !given.has(name.toLowerCase()))
}

/** Returns the unsubscribe fields of RFC 2369 §3.2 and RFC 8058 §3.1; DKIM signatures cover both fields. */
const unsubscribeFields = ({ url, address }: RecipientLink): Field[] => [
  ['List-Unsubscribe', `<${url}>, <mailto:${address}?subject=unsubscribe>`],
  ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
]
