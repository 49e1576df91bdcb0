// A message ready to be signed and handed over: its header fields and its body, as bytes.

/** One header field of a composed message (RFC 5322 §2.2). */
export interface HeaderField {
  /** The name as it is written, without the colon. */
  readonly name: string
  /**
   * The whole field, folded, from its name to its final CRLF. One character a byte, U+0000 to U+00FF: a
   * UTF-8 field (RFC 6532) stands here as its bytes, so write it as `latin1`, never as `utf8`.
   */
  readonly raw: string
}

/** Result of composing or rewriting; input of signing and delivery. */
export interface ComposedMessage {
  /** In the order of the wire. */
  readonly headers: readonly HeaderField[]
  /** Everything after the empty line: lines that end in CRLF, the last one too; no bare CR or LF. */
  readonly body: Buffer
  /** The body has bytes over 127 (RFC 6152); never so when we composed it. */
  readonly needs8Bit: boolean
  /** The header section has bytes over 127 (RFC 6531). */
  readonly needsSmtpUtf8: boolean
}

/**
 * The bytes to hand over, in order: the header section with `prepended` (signatures) on top and the empty line,
 * then the body, which is not copied.
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
