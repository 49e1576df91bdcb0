// Decodes charsets that switch between ASCII and another character set by shift sequences: UTF-7, HZ and ISO-2022-KR.

const SHIFT_OUT = 0x0e
const SHIFT_IN = 0x0f
const LF = 0x0a
const TILDE = 0x7e

/**
 * Decodes UTF-7 (RFC 2152), in which `+` begins UTF-16 in base64, and `-` ends the base64 text. Runs in linear time.
 */
export function utf7Text(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/\+([A-Za-z0-9+/]*)(-?)/g, (whole, base64: string, end: string) => {
    if (base64 === '') return end === '' ? whole : '+'
    const units = Buffer.from(base64, 'base64')
    return units
      .subarray(0, units.length & ~1)
      .swap16()
      .toString('utf16le')
  })
}

/** Decodes ISO-2022-KR (RFC 1557): bytes between shift-out and shift-in are KS X 1001. Runs in linear time. */
export function iso2022KrText(bytes: Buffer): string {
  const euc = Buffer.alloc(bytes.length)
  let length = 0
  let isShifted = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    // The designation `ESC $ ) C`.
    if (byte === 0x1b && bytes.toString('latin1', at + 1, at + 4) === '$)C') at += 3
    else if (byte === SHIFT_OUT) isShifted = true
    else if (byte === SHIFT_IN) isShifted = false
    else {
      if (byte === LF) isShifted = false
      euc[length++] = isShifted && byte > 0x20 && byte < 0x7f ? byte | 0x80 : byte
    }
  }
  return new TextDecoder('euc-kr').decode(euc.subarray(0, length))
}

/** Decodes HZ (RFC 1843): bytes between `~{` and `~}` are GB 2312. Runs in linear time. */
export function hzText(bytes: Buffer): string {
  const euc = Buffer.alloc(bytes.length)
  let length = 0
  let isShifted = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    const next = byte === TILDE ? String.fromCharCode(bytes[at + 1] ?? 0) : ''
    if (next === '{' || next === '}' || next === '\n') {
      if (next !== '\n') isShifted = next === '{'
      at++
    } else if (next === '~' && !isShifted) {
      euc[length++] = TILDE
      at++
    } else {
      euc[length++] = isShifted && byte > 0x20 && byte < 0x7f ? byte | 0x80 : byte
    }
  }
  return new TextDecoder('gbk').decode(euc.subarray(0, length))
}
