// A message ready to be signed and sent: its header fields and its body, as bytes.

/** One header field of a composed message (RFC 5322 §2.2). */
export interface HeaderField {
  /** Name as written, without the colon. */
  readonly name: string
  /**
   * The whole field, folded, from its name to its final CRLF. One character per byte, U+0000 to U+00FF: a UTF-8 field
   * (RFC 6532) is stored as its bytes, so write it as `latin1`, never as `utf8`.
   */
  readonly raw: string
}

/** Result of composing or rewriting; input of signing and delivery. */
export interface ComposedMessage {
  /** Header fields in the order of transmission. */
  readonly headers: readonly HeaderField[]
  /** Everything after the empty line: lines that all end in CRLF; no bare CR or LF. */
  readonly body: Buffer
  /** True if the body has bytes over 127 (RFC 6152); never for a body composed here. */
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
