// The hash that tells whether two messages with one X-Idempotency-Key are the same.

import { createHash } from 'node:crypto'
import type { RawMessage } from '../mime/raw-message.ts'
import type { Address } from '../model/address.ts'

/** Fields that programs make anew each time they send, and that hosts on the way add; the key has two forms. */
const VARYING = /^(?:Message-ID|Date|Received|Return-Path|DKIM-Signature|X-Idempotency-Key)$/i
/** RFC 2046 §5.1.1: where a part ends, made up anew each time. */
const BOUNDARY = /\bboundary="?([^"\s;]{1,70})/gi
const MAX_BOUNDARIES = 50

/** Hashes what a message says and to whom it goes, the same for one that a program has put together once more. */
export function contentHash({ fields, body }: RawMessage, recipients: readonly Address[]): string {
  const header = fields
    .filter(({ name }) => !VARYING.test(name))
    .map(({ name, value }) => `${name.toLowerCase()}:${value}\n`)
    .join('')
  let text = `${header}\n${body.toString('latin1')}`
  const boundaries = new Set([...text.matchAll(BOUNDARY)].slice(0, MAX_BOUNDARIES).map(([, found]) => found!))
  for (const [number, boundary] of [...boundaries].entries()) {
    text = text.replaceAll(boundary, `boundary ${number}`)
  }
  const to = recipients.map(({ email }) => email).sort()
  return createHash('sha256')
    .update(`${to.join('\n')}\n\n`)
    .update(text)
    .digest('hex')
}
