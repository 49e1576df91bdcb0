// Determines the possible meanings of a text in the search box: an ID, a Message-ID header, an address, words of a
// subject or a tag.

/** Possible meanings of a search text; a field is set if the text can have this meaning. */
export interface Sought {
  /** IDs of messages: a given ID, or an ID contained in a Message-ID or a return path of this installation. */
  readonly ids: readonly string[]
  readonly inboundId: string | undefined
  /** Message-ID header without angle brackets. */
  readonly messageId: string | undefined
  /** Prefix of an email address. */
  readonly address: string | undefined
  readonly words: string | undefined
  /** Prefix of a tag. */
  readonly tag: string | undefined
}

/** ULID at the end of an ID: 26 characters of Crockford's base 32, case-insensitive. */
const ULID = /(?<![0-9A-Za-z])(inb_|msg_)?([0-7][0-9A-HJKMNP-TV-Z]{25})(?![0-9A-Za-z])/gi
const MAX_TAG = 64

/**
 * Parses a text that was typed or pasted into the search box, such as a header field with its name, `Ann
 * <ann@example.net>` or a `mailto:` link.
 */
export function readSought(text: string): Sought {
  const given = text.trim()
  const ulids = [...given.matchAll(ULID)].slice(0, 4)
  const ids = ulids
    .filter(([, prefix]) => !/^inb_$/i.test(prefix ?? ''))
    .map(([, , ulid]) => idOf('msg', ulid))
  const [, , inbound] = ulids.find(([, prefix]) => /^inb_$/i.test(prefix ?? '')) ?? []
  const inner = /<([^<>\s]+)>/.exec(given)?.[1] ?? given.replace(/^(?:mailto|message-id):\s*/i, '')
  const isOne = inner !== '' && !/\s/.test(inner)
  const isId = /^(?:msg|inb)_/i.test(inner)
  const hasAt = inner.includes('@')
  return {
    ids,
    inboundId: inbound === undefined ? undefined : idOf('inb', inbound),
    messageId: isOne && hasAt ? inner : undefined,
    address: isOne && !isId ? inner : undefined,
    words: (isOne && hasAt) || isId ? undefined : given,
    tag: given.length <= MAX_TAG && !hasAt && !isId ? given : undefined,
  }
}

const idOf = (prefix: 'msg' | 'inb', ulid = ''): string => `${prefix}_${ulid.toUpperCase()}`
