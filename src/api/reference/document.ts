// Types for the parts of the OpenAPI document that the reference reads.

/** Parts of JSON Schema that the reference reads. */
export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly examples?: readonly unknown[]
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  /** Shape of the first line and shape of all further lines, for JSON lines. */
  readonly 'x-lines'?: readonly Schema[]
}

interface Content {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Answer {
  readonly description: string
  readonly content?: Readonly<Record<string, Content>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Operation {
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Answer>>
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Endpoint with its method, path and anchor. */
export interface Endpoint extends Operation {
  /** HTTP method in upper case. */
  readonly method: string
  readonly path: string
  /** Name of the endpoint's anchor in the reference. */
  readonly anchor: string
}

/** Returns all endpoints by tag, in the order of the OpenAPI document; the operator's endpoints come last. */
export function endpointsByTag({ paths }: OpenApiDocument): ReadonlyMap<string, readonly Endpoint[]> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      anchor: anchorOf(operation.summary),
    })),
  )
  const byTag = Map.groupBy(all, ({ tags }) => tags[0] ?? 'Other')
  const operator = byTag.get('Operator')
  if (operator !== undefined && byTag.delete('Operator')) byTag.set('Operator', operator)
  return byTag
}

/** Returns the anchor of a title, such as `send-a-message` for `Send a message`. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Returns the JSON content of a request or response, or the first other content if there is no JSON. */
export function contentOf(
  content: Readonly<Record<string, Content>> | undefined,
): (Content & { readonly mediaType: string }) | undefined {
  const [mediaType, first] =
    Object.entries(content ?? {}).find(([name]) => name === 'application/json') ??
    Object.entries(content ?? {})[0] ??
    []
  return mediaType === undefined || first === undefined ? undefined : { ...first, mediaType }
}
