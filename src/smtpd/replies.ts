// Our own replies: how they are made, and how they are thrown by whatever refuses a command.

import type { Reply } from '../model/reply.ts'

/** A reply of ours (RFC 5321 §4.2, RFC 3463). */
export const replyWith = (code: number, enhanced: string, text: string): Reply => ({ code, enhanced, text })

/** Ends a command with this reply. */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(code: number, enhanced: string, text: string)
  constructor(reply: Reply)
  constructor(first: number | Reply, enhanced = '', text = '') {
    const reply = typeof first === 'number' ? replyWith(first, enhanced, text) : first
    super(reply.text)
    this.reply = reply
  }
}

// RFC 5321 §4.5.3.1.5: a reply line has 512 octets at most, with its codes and its CRLF.
const MAX_TEXT = 480

/** Everything behind the code, on one line of ASCII, whatever came into the text from a client. */
export function wireText({ enhanced, text }: Reply): string {
  const line = `${enhanced === undefined ? '' : `${enhanced} `}${text}`
  return line.replace(/[^ -~]+/g, '?').slice(0, MAX_TEXT)
}

/** A reply in the form in which it leaves: a line for each text, none of them with a control character. */
export const replyLines = (code: number, enhanced: string, texts: readonly string[]): string =>
  texts
    .map((text, index) => {
      const separator = index < texts.length - 1 ? '-' : ' '
      const line = `${code}${separator}${enhanced === '' ? '' : `${enhanced} `}${text}`
      return `${line.replace(/[\0-\x1f\x7f]/g, ' ')}\r\n`
    })
    .join('')
