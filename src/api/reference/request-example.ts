// Creates the example request of an endpoint, from which the code in all languages is generated.

import { contentOf, type Endpoint, type Schema } from './document.ts'
import { exampleOf, VALUES } from './example.ts'

/** Request that calls an endpoint with sample values. */
export interface RequestExample {
  readonly method: string
  readonly url: string
  /** Name of the environment variable with the credential. */
  readonly secret: 'API_KEY' | 'OPERATOR_TOKEN'
  readonly body: ExampleBody | undefined
  /** Form of the response: JSON, another text, an endless text stream, or no content. */
  readonly answer: 'json' | 'text' | 'stream' | 'none'
}

/** Body of an example request: a JSON value, or the rows of a file with the end of each line. */
type ExampleBody =
  | { readonly mediaType: string; readonly json: unknown }
  | { readonly mediaType: string; readonly rows: readonly string[]; readonly lineEnd: '\n' | '\r\n' }

/** Sample path parameters that depend on the kind of the object; `VALUES` contains all other sample parameters. */
const NAMES: Readonly<Record<string, string>> = {
  '/v1/layouts/{id_or_alias}': 'frame',
  '/v1/streams/{alias}': 'news',
}

/** Query parameter without which a deletion is refused, although no schema requires the parameter. */
const CONFIRM = 'confirm'

/** Returns the example request of an endpoint; `baseUrl` is the URL at which users reach the node. */
export function requestExample(endpoint: Endpoint, baseUrl: string): RequestExample {
  const { method, path, parameters = [], security = [] } = endpoint
  const filled = path.replace(/\{(\w+)\}/g, (placeholder, name: string, at: number) => {
    const known = NAMES[path.slice(0, at + placeholder.length)] ?? VALUES[name] ?? name
    return encodeURIComponent(String(known))
  })
  const query = parameters
    .filter((one) => one.in === 'query' && (one.required || one.name === CONFIRM))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema, name)))}`)
    .join('&')
  return {
    method,
    url: `${baseUrl}${filled}${query === '' ? '' : `?${query}`}`,
    secret: security.some((one) => 'operator' in one) ? 'OPERATOR_TOKEN' : 'API_KEY',
    body: bodyOf(endpoint),
    answer: answerOf(endpoint),
  }
}

function bodyOf({ requestBody }: Endpoint): ExampleBody | undefined {
  const content = contentOf(requestBody?.content)
  if (content?.schema === undefined) return undefined
  const { mediaType, schema, example } = content
  const [first] = Object.values(content.examples ?? {})
  const value = example ?? first?.value ?? requiredOnly(schema)
  if (mediaType === 'application/json' || typeof value !== 'string') return { mediaType, json: value }
  const lineEnd = value.includes('\r\n') ? '\r\n' : '\n'
  return { mediaType, rows: value.trimEnd().split(lineEnd), lineEnd }
}

function answerOf({ responses }: Endpoint): RequestExample['answer'] {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const content = contentOf(answer?.content)
  // An endpoint with several successful responses may respond without a body.
  if (content === undefined || '204' in responses) return 'none'
  if (content.mediaType === 'application/json') return 'json'
  return content.mediaType === 'text/event-stream' ? 'stream' : 'text'
}

/**
 * Returns an example with only the required fields of an object, because an example request need not contain all
 * fields.
 */
function requiredOnly(schema: Schema): unknown {
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  if (schema.type === 'array' && schema.items !== undefined) return [requiredOnly(schema.items)]
  if (schema.type !== 'object' || schema.properties === undefined) return exampleOf(schema)
  const names = schema.required ?? Object.keys(schema.properties).slice(0, 1)
  return Object.fromEntries(names.map((name) => [name, exampleOf(schema.properties?.[name] ?? {}, name)]))
}
