// Bytes of files and streams as text, where they are text in UTF-8.

import { isUtf8 } from 'node:buffer'

/**
 * The text of bytes, without a byte order mark; undefined when they are not UTF-8. NUL is in no text: UTF-16 of Latin
 * letters is UTF-8 as well, by its bytes.
 */
export const utf8Text = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) && !bytes.includes(0) ? new TextDecoder().decode(bytes) : undefined
