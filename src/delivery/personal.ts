// A raw message of which each recipient gets a form of their own, as one of them gets it: a pure function of what is stored.

import { withoutEncoding } from '../mime/parts.ts'
import type { RawMessage } from '../mime/raw-message.ts'
import { applied, encoded } from '../mime/replace-bodies.ts'
import { rewrite } from '../mime/rewrite.ts'
import type { ComposedMessage } from '../model/composed-message.ts'
import type { PersonalPlan } from '../model/personal-content.ts'
import { putTracking } from '../model/tracking-link.ts'
import { isUnsubscribeField, putUnsubscribeUrl } from '../model/unsubscribe-link.ts'
import type { MessageIdentity, RecipientLink } from './composition.ts'
import { listFields, unsubscribeFields } from './list-fields.ts'

/** The message with the recipient's links in its bodies and, of a broadcast, with the fields that the service writes. */
export function composePersonal(
  raw: RawMessage,
  plan: PersonalPlan,
  message: MessageIdentity,
  own: RecipientLink,
): ComposedMessage {
  const whole = { ...raw, body: bodyWithLinks(raw.body, plan, message, own) }
  if (!plan.unsubscribable) return rewrite(whole)
  const names = raw.fields.map(({ name }) => name)
  return rewrite(whole, {
    // The sender's own link would be a second one (RFC 8058 §3.1).
    remove: names.filter(isUnsubscribeField),
    append: [...unsubscribeFields(own), ...listFields(plan.tag, names, message, own)],
  })
}

function bodyWithLinks(
  body: Buffer,
  { bodies, unsubscribable }: PersonalPlan,
  { id: messageId }: MessageIdentity,
  { recipient: { position }, tracking: signer, url }: RecipientLink,
): Buffer {
  let firstLink = 0
  const edits = bodies.map(({ place: [from, to], encoding, tracking }) => {
    // A character for each byte: the places are those of bytes, and links are ASCII.
    let text = withoutEncoding(body.subarray(from, to), encoding).toString('latin1')
    // The places of what is tracked are those of the stored text, so that they come first.
    if (tracking !== undefined && position !== undefined) {
      text = putTracking(text, tracking, signer, { messageId, position }, firstLink)
    }
    firstLink += tracking?.links.length ?? 0
    if (unsubscribable) text = putUnsubscribeUrl(text, url)
    return { from, to, by: encoded(Buffer.from(text, 'latin1'), encoding) }
  })
  return edits.length === 0 ? body : applied(body, edits)
}
