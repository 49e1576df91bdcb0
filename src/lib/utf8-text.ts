// Converts bytes of files and streams to text, if they are UTF-8.

import { isUtf8 } from 'node:buffer'

/**
 * Returns the text of bytes, without a byte order mark; undefined when they are not UTF-8. NUL is not allowed in
 * text, because UTF-16 of Latin letters is valid UTF-8 as well.
 */
export const utf8Text = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) && !bytes.includes(0) ? new TextDecoder().decode(bytes) : undefined
