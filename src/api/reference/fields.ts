// Renders the fields of a request or a response as a list with the name, the type, the meaning and whether the field is
// required.

import type { Parameter, Schema } from './document.ts'
import { escaped, sentence } from './html.ts'

const DEPTH = 4

/**
 * Renders the fields of an object, each followed by its nested fields. A shape that occurs again refers to its first
 * occurrence.
 */
export function fieldList(schema: Schema, isRequest: boolean): string {
  // The fields of a list are the fields of its items.
  const root = schema.type === 'array' && schema.items !== undefined ? schema.items : schema
  const rows = new FieldRows(isRequest).of(root, '', 0)
  return rows.length === 0 ? '' : `<dl class="fields">\n${rows.join('\n')}\n</dl>`
}

class FieldRows {
  readonly #isRequest: boolean
  /** First path of each shape that has occurred so far. */
  readonly #seen = new Map<string, string>()

  constructor(isRequest: boolean) {
    this.#isRequest = isRequest
  }

  of(schema: Schema, path: string, depth: number): string[] {
    const { properties, suffix, required } = shapeOf(schema)
    if (properties === undefined || depth > DEPTH) return []
    const prefix = `${path}${suffix}${path === '' && suffix === '' ? '' : '.'}`
    return Object.entries(properties).flatMap(([name, field]) => {
      const own = `${prefix}${name}`
      const before = this.#firstPlace(field, own)
      const note = before === undefined ? undefined : `Same fields as \`${before}\``
      return [
        row(own, field, this.#isRequest && required.includes(name), note),
        ...(before === undefined ? this.of(field, own, depth + 1) : []),
      ]
    })
  }

  /** Returns the earlier path of a field with the same shape, if any. */
  #firstPlace(field: Schema, path: string): string | undefined {
    const { properties } = shapeOf(field)
    if (properties === undefined) return undefined
    const key = JSON.stringify(properties)
    const before = this.#seen.get(key)
    if (before === undefined) this.#seen.set(key, path)
    return before
  }
}

/** Returns the fields of an object, of the objects in a list, or of the first alternative with fields. */
function shapeOf(schema: Schema): {
  readonly properties: Schema['properties']
  readonly required: readonly string[]
  readonly suffix: string
} {
  if (schema.type === 'array' && schema.items !== undefined) {
    return { ...shapeOf(schema.items), suffix: '[]' }
  }
  const choice = schema.anyOf?.map(shapeOf).find(({ properties }) => properties !== undefined)
  return choice ?? { properties: schema.properties, required: schema.required ?? [], suffix: '' }
}

/** Returns the names and meanings of all fields of an object; nested fields have their own names without the path. */
export function fieldsOf(
  schema: Schema,
  depth = 0,
): readonly { readonly name: string; readonly meaning: string }[] {
  const { properties = {} } = shapeOf(schema)
  const own = depth > DEPTH ? [] : Object.entries(properties)
  return [
    ...(schema['x-lines'] ?? []).flatMap((line) => fieldsOf(line, depth)),
    ...own.flatMap(([name, field]) => [
      { name, meaning: field.description ?? '' },
      ...fieldsOf(field, depth + 1),
    ]),
  ]
}

/** Renders the parameters of one location: path, query or header. */
export function parameterList(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required = false, description, schema }) =>
    row(
      place === 'header' ? headerName(name) : name,
      description === undefined ? schema : { ...schema, description },
      required && place !== 'path',
    ),
  )
  return `<dl class="fields">\n${rows.join('\n')}\n</dl>`
}

/** Returns the usual spelling of a header name, such as `Idempotency-Key` for `idempotency-key`. */
const headerName = (name: string): string => name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())

function row(path: string, schema: Schema, required: boolean, more?: string): string {
  const notes = [schema.description, rangeOf(schema), more]
    .filter((one) => one !== undefined && one !== '')
    .map((one) => sentence(capitalised(String(one))))
  return [
    `<div><dt><code>${escaped(path)}</code> <span class="type">${escaped(typeOf(schema))}</span>`,
    required ? ' <span class="required">required</span>' : '',
    '</dt>',
    notes.length === 0 ? '' : `<dd>${notes.join('. ')}.</dd>`,
    '</div>',
  ].join('')
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '')

/** Returns the type in words, such as `array of object` or `string or null`. */
export function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.format === 'date-time') return 'timestamp'
  if (schema.type === 'array') {
    return schema.items === undefined ? 'array' : `array of ${typeOf(schema.items)}`
  }
  const values = schema.patternProperties ?? {}
  const [value] = Object.values(values)
  if (schema.type === 'object' && value !== undefined) return `object of ${typeOf(value)}`
  return schema.type ?? (typeof (schema.const ?? schema.enum?.[0]) || 'any')
}

const written = (count: number): string => count.toLocaleString('en-US')

function rangeOf(schema: Schema): string {
  const {
    enum: values,
    const: only,
    default: usual,
    minimum,
    maximum,
    maxLength,
    minItems,
    maxItems,
  } = schema
  return [
    ...(values === undefined
      ? []
      : [`${values.length > 1 ? 'one of ' : ''}${values.map((one) => `\`${one}\``).join(', ')}`]),
    ...(only === undefined ? [] : [`\`${only}\``]),
    ...(minimum === undefined && maximum === undefined ? [] : [`${minimum ?? ''}–${maximum ?? ''}`]),
    ...(maxLength === undefined ? [] : [`at most ${written(maxLength)} characters`]),
    ...(maxItems === undefined
      ? []
      : [minItems === undefined ? `at most ${written(maxItems)}` : `${minItems} to ${written(maxItems)}`]),
    ...(usual === undefined ? [] : [`default \`${usual}\``]),
  ].join('; ')
}
