// Translates the placeholders of Resend's templates (`{{{NAME}}}`) into our template language, and back.

/** Type of a variable. */
export const VARIABLE_TYPES = ['string', 'number', 'boolean', 'object', 'list'] as const
export type VariableType = (typeof VARIABLE_TYPES)[number]

/** Variable of a template; every message has to give a value for a variable without a fallback. */
export interface Variable {
  readonly key: string
  readonly type: VariableType
  readonly fallback: string | number | boolean | undefined
}

/** Name of a variable. */
export const VARIABLE_NAME = /^[A-Za-z_]\w{0,99}$/

/** A placeholder, and the fallback that it may contain itself. */
const PLACEHOLDER = /\{\{\{\s{0,9}([A-Za-z_]\w{0,99})(?:\s{0,9}\|([^{}]{0,500}))?\s{0,9}\}\}\}/g
/** The placeholder of the link with which a recipient unsubscribes. */
const UNSUBSCRIBE = /^(?:RESEND_)?UNSUBSCRIBE_URL$/
const OWN_UNSUBSCRIBE = '{{{ @unsubscribe_url }}}'

/** Returns a part of a template of Resend in our language. */
export const withOwnPlaceholders = (text: string, variables: readonly Variable[]): string =>
  text.replace(PLACEHOLDER, (_, name: string, inline: string | undefined) => {
    if (UNSUBSCRIBE.test(name)) return OWN_UNSUBSCRIBE
    const fallback = inline?.trim() ?? variables.find(({ key }) => key === name)?.fallback
    return fallback === undefined ? `{{{${name}}}}` : `{{{insert ${name} ${literalOf(fallback)}}}}`
  })

/** Returns a value as a literal of the template language. */
function literalOf(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value)
  return `"${DEFAULT}${value.replaceAll('"', '\\"')}"`
}

/** Prefix with which `insert` marks its fallback. */
const DEFAULT = 'default='

const OWN = /\{\{\{insert ([A-Za-z_]\w{0,99}) (?:"((?:\\"|[^"])*)"|(-?\d[\d.]*|true|false))\}\}\}/g

/** Returns a part of a template as Resend's clients wrote it, and adds the variables with a fallback. */
export function withTheirPlaceholders(text: string, found: Map<string, Variable>): string {
  return text
    .replaceAll(OWN_UNSUBSCRIBE, '{{{RESEND_UNSUBSCRIBE_URL}}}')
    .replace(OWN, (_, key: string, quoted: string | undefined, plain: string | undefined) => {
      const fallback = quoted === undefined ? literalValue(plain ?? '') : unquoted(quoted)
      found.set(key, { key, type: typeOf(fallback), fallback })
      return `{{{${key}}}}`
    })
}

const unquoted = (text: string): string => {
  const plain = text.replaceAll('\\"', '"')
  return plain.startsWith(DEFAULT) ? plain.slice(DEFAULT.length) : plain
}

const literalValue = (text: string): number | boolean =>
  /^\d|^-/.test(text) ? Number(text) : text === 'true'

/** Returns the type of a value of a model. */
export function typeOf(value: unknown): VariableType {
  if (Array.isArray(value)) return 'list'
  const type = typeof value
  return type === 'number' || type === 'boolean' || type === 'object' ? type : 'string'
}

/** Values in the sample model of a template, which record the types of its variables. */
const SAMPLES = { string: '', number: 0, boolean: false, object: {}, list: [] } as const

/** Returns the sample model of a template: the fallback of each variable, or an empty value of its type. */
export const sampleModel = (variables: readonly Variable[]): object =>
  Object.fromEntries(variables.map(({ key, type, fallback }) => [key, fallback ?? SAMPLES[type]]))
