// A message ready to be signed and sent, with header fields and body as bytes.

/** One header field of a composed message (RFC 5322 §2.2). */
export interface HeaderField {
  /** Name of the header field as written, without the colon. */
  readonly name: string
  /**
   * The whole folded field, from its name to the final CRLF. Each character is one byte, U+0000 to U+00FF: a UTF-8
   * field (RFC 6532) is stored as its bytes, so the field must be written as `latin1`, never as `utf8`.
   */
  readonly raw: string
}

/** Result of composing or rewriting; input of signing and delivery. */
export interface ComposedMessage {
  /** Header fields in the order of transmission. */
  readonly headers: readonly HeaderField[]
  /** Message body after the empty line; every line ends in CRLF, and no bare CR or LF occurs. */
  readonly body: Buffer
  /** True if the body has bytes over 127 (RFC 6152); never true for a body that this service composed. */
  readonly needs8Bit: boolean
  /** True if the header section has bytes over 127 (RFC 6531). */
  readonly needsSmtpUtf8: boolean
}

/**
 * Returns the bytes to send, in order: the header section with `prepended` (signatures) on top, the empty line, and
 * the body, which is not copied.
 */
export function messageChunks(
  message: ComposedMessage,
  prepended: readonly HeaderField[] = [],
): readonly [head: Buffer, body: Buffer] {
  let head = ''
  for (const field of prepended) head += field.raw
  for (const field of message.headers) head += field.raw
  return [Buffer.from(`${head}\r\n`, 'latin1'), message.body]
}
