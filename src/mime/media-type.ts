// The media type of an attachment: what was given, made legal, or what the extension of its name says.

import mime from 'mime'

/** A media type with its parameters, whose values are tokens or quoted strings. */
export interface MediaType {
  /** In lower case. */
  readonly name: string
  /** Names in lower case. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

/** RFC 2045 §5.1 token; RFC 6838 §4.2 sets the length. */
const TOKEN = "[!#$%&'*+.^_`|{}~0-9A-Za-z-]{1,127}"
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?=[ \\t]*(?:;|$))`)
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(${TOKEN})=("[ !#-\\[\\]-~]{0,200}"|${TOKEN})`, 'y')
const UNKNOWN: MediaType = { name: 'application/octet-stream', parameters: [] }

/** Parameters that say what other fields say, or would change how the message is taken apart. */
const UNWANTED = /^(?:name|filename|boundary)(?:\*.*)?$/i

/**
 * Reads a media type. Not a media type, or one whose parts must not be base64 (`message/*`, `multipart/*`: RFC 2045
 * §6.4): application/octet-stream. Parameters after the first malformed one are dropped. Of a name only the extension is
 * looked at.
 */
export function mediaType(given: string | undefined, filename: string): MediaType {
  const text = given?.trim() ?? typeOfName(filename) ?? ''
  const name = TYPE.exec(text)?.[0].toLowerCase()
  if (name === undefined || /^(?:message|multipart)\//.test(name)) return UNKNOWN

  const parameters: (readonly [string, string])[] = []
  PARAMETER.lastIndex = name.length
  for (let found = PARAMETER.exec(text); found !== null; found = PARAMETER.exec(text)) {
    const [, parameter = '', value = ''] = found
    if (!UNWANTED.test(parameter)) parameters.push([parameter.toLowerCase(), value])
  }
  return { name, parameters }
}

/** The value of a parameter without its quotes; undefined where it has none, or an empty one. */
export function parameterOf({ parameters }: MediaType, name: string): string | undefined {
  const value = parameters.find((parameter) => parameter[0] === name)?.[1].replace(/^"(.*)"$/, '$1')
  return value === '' ? undefined : value
}

/** The value of Content-Type, each parameter on a folded line. */
export const typeField = ({ name, parameters }: MediaType): string =>
  parameters.reduce((value, [parameter, content]) => `${value};\r\n ${parameter}=${content}`, name)

/** The value of Content-Type of what was given. */
export const attachmentType = (given: string | undefined, filename: string): string =>
  typeField(mediaType(given, filename))

/** A name without a dot has no extension, though it may be spelled like one. */
const typeOfName = (filename: string): string | null =>
  filename.includes('.') ? mime.getType(filename) : null
