// Recognises message IDs that users type or paste.

/** True if the text is the complete ID of a sent or received message, in any case. */
export const isMessageId = (text: string): boolean => /^(?:msg|inb)_[0-9A-HJKMNP-TV-Z]{26}$/i.test(text)

/** Returns a message ID as the service writes it. */
export const canonicalId = (id: string): string =>
  `${id.slice(0, 4).toLowerCase()}${id.slice(4).toUpperCase()}`
