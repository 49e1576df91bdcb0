// The media type of an attachment: what the sender says, else what the file's name says; one that base64 can carry.

import mime from 'mime'

/** RFC 2045 §5.1 token; RFC 6838 §4.2 sets the length. */
const TOKEN = "[!#$%&'*+.^_`|{}~0-9A-Za-z-]{1,127}"
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?=[ \\t]*(?:;|$))`)
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(${TOKEN})=("[ !#-\\[\\]-~]{0,200}"|${TOKEN})`, 'y')
const UNKNOWN = 'application/octet-stream'

/** Parameters that say what other fields say, or would change how the message is taken apart. */
const UNWANTED = /^(?:name|filename|boundary)(?:\*.*)?$/i

/**
 * The value of Content-Type, each parameter on a folded line. Not a media type, or one whose parts must not be
 * base64 (`message/*`, `multipart/*`: RFC 2045 §6.4): application/octet-stream. Parameters after the first
 * malformed one are dropped. Of a name only the extension is looked at.
 */
export function attachmentType(given: string | undefined, filename: string): string {
  const text = given?.trim() ?? typeOfName(filename) ?? ''
  const type = TYPE.exec(text)?.[0].toLowerCase()
  if (type === undefined || /^(?:message|multipart)\//.test(type)) return UNKNOWN

  let value = type
  PARAMETER.lastIndex = type.length
  for (let found = PARAMETER.exec(text); found !== null; found = PARAMETER.exec(text)) {
    const [, name, content] = found
    if (!UNWANTED.test(name!)) value += `;\r\n ${name!.toLowerCase()}=${content}`
  }
  return value
}

/** A name without a dot has no extension, though it may be spelled like one. */
const typeOfName = (filename: string): string | null =>
  filename.includes('.') ? mime.getType(filename) : null
